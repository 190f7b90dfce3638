/* SPDX-License-Identifier: BSD-3-Clause */

/* A mutex that is held until the end of a block, however the block is left. */
#ifndef CTXID_LOCK_H_INCLUDED
#define CTXID_LOCK_H_INCLUDED

#include <pthread.h>
#include <stddef.h>

/* A mutex of NULL locks nothing. */
static inline pthread_mutex_t *MPIR_ctxid_lock(pthread_mutex_t *mutex)
{
    if (mutex != NULL)
        pthread_mutex_lock(mutex);
    return mutex;
}

static inline void MPIR_ctxid_unlock(pthread_mutex_t **mutex)
{
    if (*mutex != NULL)
        pthread_mutex_unlock(*mutex);
}

/* Among the declarations of a block.  (Clang takes the variable for unused.) */
#define CTXID_LOCKED(mutex) \
    pthread_mutex_t *locked __attribute__((cleanup(MPIR_ctxid_unlock), unused)) = \
        MPIR_ctxid_lock(mutex)

#endif /* CTXID_LOCK_H_INCLUDED */
