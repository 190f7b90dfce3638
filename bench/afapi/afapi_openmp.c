/* SPDX-License-Identifier: BSD-3-Clause
 *
 * afapi_openmp THREADS BATCHES TIMES: OpenMP's eight reductions of one int a thread, one line a
 * case as in afapi.c, by the method of Quevedo's section 5.1.
 *
 *   made:reduceOr-32   a parallel region with the reduction, which makes the team
 *   reduceOr-32        that, less an empty parallel region in the same batch
 */
#include <omp.h>
#include "batches.h"

static int threads, sum;

static void team(void)
{
#pragma omp parallel num_threads(threads)
    __asm__ volatile("" ::: "memory"); /* the compiler leaves out a region that is empty */
}

#define PRAGMA(words) _Pragma(#words)
#define REDUCTION(name, op, statement) \
    static void name(void) \
    { \
        PRAGMA(omp parallel for num_threads(threads) schedule(static) reduction(op:sum)) \
        for (int i = 0; i < threads; i++) \
            statement; \
    }
REDUCTION(reduceAnd, &, sum &= i)
REDUCTION(reduceOr, |, sum |= i)
REDUCTION(reduceXor, ^, sum ^= i)
REDUCTION(reduceMin, min, sum = i < sum ? i : sum)
REDUCTION(reduceMax, max, sum = i > sum ? i : sum)
REDUCTION(reduceAdd, +, sum += i)
REDUCTION(reduceSub, -, sum -= i)
REDUCTION(reduceMul, *, sum *= i)

static double batch(const plan_t *plan, void (*call)(void))
{
    double begin = now_us();
    for (int k = 0; k < plan->times; k++)
        call();
    return (now_us() - begin) / plan->times;
}

static void measure(const plan_t *plan, const case_t *one)
{
    double made[MOST_BATCHES], less[MOST_BATCHES];
    char name[64];

    batch(plan, one->call);
    for (int b = 0; b < plan->batches; b++) {
        double empty = batch(plan, team);
        made[b] = batch(plan, one->call);
        less[b] = made[b] - empty;
    }
    snprintf(name, sizeof name, "made:%s", one->name);
    show(name, made, plan->batches);
    show(one->name, less, plan->batches);
}

int main(int argc, char **argv)
{
    static const case_t cases[] = {{"reduceAnd-32", reduceAnd}, {"reduceOr-32", reduceOr},
                                   {"reduceXor-32", reduceXor}, {"reduceMin-32", reduceMin},
                                   {"reduceMax-32", reduceMax}, {"reduceAdd-32", reduceAdd},
                                   {"reduceSub-32", reduceSub}, {"reduceMul-32", reduceMul}};
    plan_t plan;
    threads = argc > 1 ? atoi(argv[1]) : 0;
    if (threads < 1 || !read_plan(&plan, argc - 1, argv + 1)) {
        fprintf(stderr, "usage: afapi_openmp THREADS BATCHES TIMES (1 to %d batches)\n",
                MOST_BATCHES);
        return 1;
    }
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        measure(&plan, &cases[i]);
    return 0;
}
