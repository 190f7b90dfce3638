/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aggr_openmp THREADS BATCHES TIMES: barrier, reduction (for all to have) and broadcast of one int
 * by the threads of a process, beside the same of bench/aggr/aggr.c; one line a case as there.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include "../lib/line.h"
#include "../lib/sort.h"

static int batches, times, sum, heard;
#pragma omp threadprivate(heard)

/* Everybody calls it; on return `sum` has been seen by all. */
static void reduced(int mine)
{
#pragma omp single
    sum = 0;
#pragma omp for reduction(+ : sum) schedule(static)
    for (int i = 0; i < omp_get_num_threads(); i++)
        sum += mine;
}

static void one(int which)
{
    if (which == 0) {
#pragma omp barrier
    } else if (which == 1) {
        reduced(1);
    } else {
#pragma omp single copyprivate(heard)
        heard = which;
    }
}

static void measure(const char *name, int which)
{
    double *us = malloc(sizeof *us * (size_t) batches);
    for (int b = 0; us && b < batches; b++) {
        double begin = omp_get_wtime();
#pragma omp parallel
        for (int i = 0; i < times; i++)
            one(which);
        us[b] = (omp_get_wtime() - begin) / times * 1e6;
    }
    if (!us)
        exit(1);
    sort_times(us, batches);
    printf("%s %.4f\n", name, us[batches / 2]);
    free(us);
}

static void show_line(void)
{
    static line_t lines[2];
    double us = 0;
#pragma omp parallel
    {
        double ns = line_time(lines, omp_get_thread_num());
#pragma omp master
        us = ns / 1e3;
    }
    printf("line %.4f\n", us);
}

int main(int argc, char **argv)
{
    if (argc != 4 || atoi(argv[1]) < 1 || (batches = atoi(argv[2])) < 1 ||
        (times = atoi(argv[3])) < 1) {
        fprintf(stderr, "usage: aggr_openmp THREADS BATCHES TIMES\n");
        return 1;
    }
    omp_set_num_threads(atoi(argv[1]));
    if (atoi(argv[1]) == 2 && omp_get_num_procs() >= 2)
        show_line();
    measure("barrier", 0);
    measure("allreduce", 1);
    measure("bcast", 2);
    if (atoi(argv[1]) == 2 && omp_get_num_procs() >= 2)
        show_line();
    return 0;
}
