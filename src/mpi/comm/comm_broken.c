/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpicomm.h"
#include "mpir_duplicate.h"

/* Duplicates that this process alone could not give to the program (mpir_duplicate.h).  It keeps
 * each of them until MPI ends, as a revoked communicator: messages of the others to this process
 * are dropped, and no sender waits for it. */

typedef struct broken {
    MPIR_Comm *comm;
    struct broken *next;
} broken_t;

static broken_t *all_broken;
static MPL_initlock_t keeping = MPL_INITLOCK_INITIALIZER;

void (*MPIR_Comm_revoke_duplicate)(MPIR_Comm *parent, MPIR_Comm *made, MPIR_Context_id_t id);
int (*MPIR_Comm_revoke_parent)(MPIR_Comm *parent);

static int free_all(void *unused)
{
    while (all_broken) {
        broken_t *gone = all_broken;

        all_broken = gone->next;
        MPIR_Comm_release(gone->comm);
        MPL_free(gone);
    }
    return MPI_SUCCESS;
}

/* Without memory for it, MPI ends with the communicator. */
static void keep(MPIR_Comm * comm)
{
    broken_t *kept = MPL_malloc(sizeof(*kept), MPL_MEM_COMM);

    if (kept == NULL)
        return;
    MPL_initlock_lock(&keeping);
    if (all_broken == NULL)
        MPIR_Add_finalize(free_all, NULL, MPIR_FINALIZE_CALLBACK_PRIO + 1);
    *kept = (broken_t) { comm, all_broken };
    all_broken = kept;
    MPL_initlock_unlock(&keeping);
}

static MPIR_Comm *make(MPIR_Comm * parent, MPIR_Context_id_t id)
{
    MPIR_Comm *made = NULL;

    if (MPII_Comm_copy_data(parent, parent->local_size, NULL, &made) != MPI_SUCCESS)
        return NULL;
    made->context_id = made->recvcontext_id = id;
    if (MPIR_Comm_commit(made) == MPI_SUCCESS)
        return made;
    MPIR_Comm_discard(made);
    return NULL;
}

void MPIR_Comm_duplicate_broken(MPIR_Comm * parent, MPIR_Context_id_t id)
{
    MPIR_Comm *made = make(parent, id);

    MPIR_Comm_revoke_duplicate(parent, made, id);
    if (made)
        keep(made);
    MPIR_Ctxid_burn(id);
}
