/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The lock of all MPI functions, around the program's function that handles an error.  It calls MPI
 * as any function of the program does, and would take the lock for the second time.
 */
#ifndef HANDLER_LOCK_H_INCLUDED
#define HANDLER_LOCK_H_INCLUDED

#include "mpiimpl.h"

#if defined(MPICH_IS_THREADED) && MPICH_THREAD_GRANULARITY == MPICH_THREAD_GRANULARITY__GLOBAL

/* Some functions find their error without the lock.  True: this thread had it. */
static inline bool MPIR_Err_leave_lock(void)
{
    MPL_thread_id_t self, owner = MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX.owner;
    int is_owner = 0;

    if (!MPIR_ThreadInfo.isThreaded)
        return false;
    MPL_thread_self(&self);
    MPL_thread_same(&self, &owner, &is_owner);
    if (is_owner)
        MPID_THREAD_CS_EXIT(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    return is_owner;
}

static inline void MPIR_Err_enter_lock(bool has_left)
{
    if (has_left)
        MPID_THREAD_CS_ENTER(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
}

#else

static inline bool MPIR_Err_leave_lock(void) { return false; }
static inline void MPIR_Err_enter_lock(bool has_left MPL_UNUSED) {}

#endif

#endif /* HANDLER_LOCK_H_INCLUDED */
