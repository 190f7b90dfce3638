/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_revoke.h"

/* Communicators that stay until MPI ends, although the program has none of them (mpir_revoke.h). */

typedef struct kept {
    MPIR_Comm *comm;
    struct kept *next;
} kept_t;

static kept_t *all_kept;
static bool is_end;
static MPL_initlock_t keeping = MPL_INITLOCK_INITIALIZER;

void MPIR_Comm_kept_free(void)
{
    is_end = true;
    while (all_kept) {
        kept_t *gone = all_kept;

        all_kept = gone->next;
        MPIR_Comm_release_always(gone->comm);
        MPL_free(gone);
    }
    is_end = false;
}

bool MPIR_Comm_keep_until_end(MPIR_Comm *comm)
{
    kept_t *kept = MPL_malloc(sizeof(*kept), MPL_MEM_COMM);

    if (kept == NULL)
        return false;
    MPL_initlock_lock(&keeping);
    *kept = (kept_t){comm, all_kept};
    all_kept = kept;
    MPL_initlock_unlock(&keeping);
    return true;
}

bool MPIR_Comm_keep_revoked(MPIR_Comm *comm)
{
    bool others_ask = comm->ended || comm->is_asked;
    bool stays = others_ask && !is_end && MPIR_Comm_keep_until_end(comm);

    if (stays)
        MPIR_Object_set_ref(comm, 1);
    return stays;
}
