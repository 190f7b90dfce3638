/* SPDX-License-Identifier: BSD-3-Clause
 *
 * afapi BATCHES TIMES [END]: every function of AFAPI that all processes call, but those of arrays;
 * see bench/afapi/afapi.py.  With END only cases whose names end so, such as -32.
 */
#include <afapi.h>
#include "batches.h"

enum { MOST = 1024 }; /* processes */
static int64_t from[MOST], to[MOST];

static void wait_all(void) { p_wait(); }

static double slowest(double us) { return p_reduceMax64f(us); }

#define FOLD(op, mpi_op, T, type, mpi) \
    static void reduce##op##T(void) { (void) p_reduce##op##T((type) IPROC); } \
    static void scan##op##T(void) { (void) p_scan##op##T((type) IPROC); }
#define EXCHANGES(T, type, mpi) \
    static void bcast##T(void) \
    { \
        if (IPROC == 0) \
            p_bcastPut##T((type) 1); \
        else \
            p_bcastGet##T(); \
    } \
    static void scatter##T(void) \
    { \
        if (IPROC == 0) \
            p_scatterPut##T((const type *) from); \
        else \
            p_scatterGet##T(); \
    } \
    static void gather##T(void) { p_gather##T((type *) to, (type) IPROC); } \
    static void putGet##T(void) { (void) p_putGet##T((type) IPROC, (IPROC + 1) % NPROC); } \
    static void all2all##T(void) { p_all2all##T((type *) to, (const type *) from); }
#define OF_INTEGER(T, type, mpi) \
    BITWISE(FOLD, T, type, mpi) ARITHMETIC(FOLD, T, type, mpi) EXCHANGES(T, type, mpi)
#define OF_FLOAT(T, type, mpi) ARITHMETIC(FOLD, T, type, mpi) EXCHANGES(T, type, mpi)
INTEGERS(OF_INTEGER)
FLOATS(OF_FLOAT)

#include "cases.h"

int main(int argc, char **argv)
{
    plan_t plan;
    if (p_init())
        return 1;
    int fine = read_plan(&plan, argc, argv) && NPROC <= MOST;
    if (fine)
        measure_cases(&plan, cases, sizeof cases / sizeof cases[0], IPROC == 0, wait_all, slowest);
    else if (IPROC == 0)
        fprintf(stderr, "usage: afapi BATCHES TIMES [END] (1 to %d batches, 1 to %d processes)\n",
                MOST_BATCHES, MOST);
    p_exit();
    return !fine;
}
