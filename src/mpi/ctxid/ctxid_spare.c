/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "ctxid_spare.h"
#include "ctxid_store.h"

/* Silent duplicates leave so many that no block needs. */
#define MOST_UNUSED 4u

static struct {
    pthread_mutex_t mutex;
    MPIR_Handle_common *first;
    uint32_t n;     /* written with the lock, read also without it */
    uint32_t asked; /* by agreements under way */
} spare = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static bool push(void)
{
    MPIR_Handle_common *made = MPIR_Handle_obj_alloc(&MPIR_Comm_mem);

    if (made == NULL)
        return false;
    made->next = spare.first;
    spare.first = made;
    __atomic_store_n(&spare.n, spare.n + 1, __ATOMIC_RELAXED);
    return true;
}

static void pop(void)
{
    MPIR_Handle_common *gone = spare.first;

    spare.first = gone->next;
    __atomic_store_n(&spare.n, spare.n - 1, __ATOMIC_RELAXED);
    MPIR_Handle_obj_free(&MPIR_Comm_mem, gone);
}

static void trim(void)
{
    uint32_t needed = MPIR_ctxid_block_ahead(MPIR_ctxid_own_store()) + spare.asked;

    while (spare.n > needed)
        pop();
}

bool MPIR_ctxid_spare_make(uint32_t n)
{
    bool has_memory = true;
    uint32_t needed;

    pthread_mutex_lock(&spare.mutex);
    needed = MPIR_ctxid_block_ahead(MPIR_ctxid_own_store()) + spare.asked + n;
    while (spare.n < needed && has_memory)
        has_memory = push();
    if (has_memory)
        spare.asked += n;
    else
        trim();
    pthread_mutex_unlock(&spare.mutex);
    return has_memory;
}

void MPIR_ctxid_spare_settle(uint32_t n)
{
    if (n == 0)
        return;
    pthread_mutex_lock(&spare.mutex);
    spare.asked -= n;
    trim();
    pthread_mutex_unlock(&spare.mutex);
}

void MPIR_ctxid_spare_trim(void)
{
    pthread_mutex_lock(&spare.mutex);
    trim();
    pthread_mutex_unlock(&spare.mutex);
}

void MPIR_ctxid_spare_unused(void)
{
    uint32_t n = __atomic_load_n(&spare.n, __ATOMIC_RELAXED);

    if (n > MPIR_ctxid_block_ahead(MPIR_ctxid_own_store()) + MOST_UNUSED)
        MPIR_ctxid_spare_trim();
}

bool MPIR_ctxid_spare_lend(void)
{
    bool has_any;

    pthread_mutex_lock(&spare.mutex);
    has_any = spare.first != NULL;
    if (has_any)
        pop();
    pthread_mutex_unlock(&spare.mutex);
    return has_any;
}
