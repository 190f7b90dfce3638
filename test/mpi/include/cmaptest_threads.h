/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The same work by several threads of a process at once.
 */
#ifndef CMAPTEST_THREADS_H_INCLUDED
#define CMAPTEST_THREADS_H_INCLUDED

#include "mpitest.h"
#include "mpithreadtest.h"

#include <stdint.h>
#include <stdio.h>

/* MPI_Init_thread with MPI_THREAD_MULTIPLE, which the program cannot do without. */
static inline void ct_init_threads(int *argc, char ***argv)
{
    int provided;

    MTest_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE) {
        printf("no MPI_THREAD_MULTIPLE\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* work((void *) i) for each i below n; 0 is the calling thread.  Returns when all have ended. */
static inline void ct_in_threads(int n, MTEST_THREAD_RETURN_TYPE (*work)(void *))
{
    for (intptr_t i = 1; i < n; i++)
        MTest_Start_thread(work, (void *) i);
    work((void *) 0);
    MTest_Join_threads();
}

#endif /* CMAPTEST_THREADS_H_INCLUDED */
