/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The same work by several threads of a process at once.
 */
#ifndef CMAPTEST_THREADS_H_INCLUDED
#define CMAPTEST_THREADS_H_INCLUDED

#include "mpitest.h"
#include "mpithreadtest.h"

#include <stdint.h>

/* work((void *) i) for each i below n; 0 is the calling thread.  Returns when all have ended. */
static inline void ct_in_threads(int n, MTEST_THREAD_RETURN_TYPE(*work) (void *))
{
    for (intptr_t i = 1; i < n; i++)
        MTest_Start_thread(work, (void *) i);
    work((void *) 0);
    MTest_Join_threads();
}

#endif /* CMAPTEST_THREADS_H_INCLUDED */
