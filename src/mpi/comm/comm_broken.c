/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpicomm.h"
#include "mpir_duplicate.h"
#include "mpir_revoke.h"

/* Duplicates that this process alone could not give to the program (mpir_duplicate.h).  It keeps
 * each of them as a revoked communicator: messages of the others to this process are dropped, and
 * no sender waits for it. */

/* What happens in a library without revocation: the others wait for this process. */
static void revoke_nothing(MPIR_Comm *made MPL_UNUSED) {}

static void tell_nobody(MPIR_Comm *parent MPL_UNUSED, MPIR_Context_id_t first MPL_UNUSED,
                        uint32_t n MPL_UNUSED)
{
}

static int revoke_no_parent(MPIR_Comm *parent MPL_UNUSED) { return MPI_SUCCESS; }

void (*MPIR_Comm_revoke_duplicate)(MPIR_Comm *made) = revoke_nothing;
void (*MPIR_Comm_tell_of_duplicates)(MPIR_Comm *parent, MPIR_Context_id_t first,
                                     uint32_t n) = tell_nobody;
int (*MPIR_Comm_revoke_parent)(MPIR_Comm *parent) = revoke_no_parent;

static MPIR_Comm *make(MPIR_Comm *parent, MPIR_Context_id_t id)
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

static void make_broken(MPIR_Comm *parent, MPIR_Context_id_t id)
{
    MPIR_Comm *made = make(parent, id);

    if (made) {
        MPIR_Comm_revoke_duplicate(made);
        (void) MPIR_Comm_keep_until_end(made);
    }
    MPIR_Ctxid_burn(id);
}

void MPIR_Comm_duplicates_broken(MPIR_Comm *parent, MPIR_Context_id_t first, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        make_broken(parent, first + (i << MPIR_CONTEXT_PREFIX_SHIFT));
    if (n > 0)
        MPIR_Comm_tell_of_duplicates(parent, first, n);
}
