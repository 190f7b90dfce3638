/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "rma/window/agree.h"

/* DIED: a member failed because another one has died; REVOKED: by a revocation. */
enum { FAILED = 16, DIED = 32, REVOKED = 64, BITS = 7 };

static void fold(uint64_t all[2], const uint64_t one[2]) { all[0] |= one[0]; }

static int fold_by_messages(MPIR_Comm *comm, uint64_t *bits)
{
    int mpi_errno;
    unsigned long long numbers[BITS];

    for (int i = 0; i < BITS; i++)
        numbers[i] = *bits >> i & 1;
    mpi_errno = MPIR_Aggr_agree(comm, numbers, BITS);
    for (int i = 0; i < BITS; i++)
        *bits |= numbers[i] << i;
    return mpi_errno;
}

static int fold_all(MPIR_Comm *comm, uint64_t *bits)
{
    /* no group that agrees on a context id by this communicator has this tag */
    enum { TAG = -1 };
    int mpi_errno = MPI_SUCCESS;
    uint64_t numbers[2] = {*bits, 0};

    if (!MPIR_Comm_is_on_one_node(comm) ||
        !MPIR_Aggr_do_group(comm, comm->map, TAG, numbers, fold, &mpi_errno))
        return fold_by_messages(comm, bits);
    *bits = numbers[0];
    return mpi_errno;
}

/* A process alone knows all flags, and no other process accesses its memory. */
static int agree_alone(MPIR_Comm *comm, int own_errno, bool ends_creation)
{
    int mpi_errno = own_errno;

    if (mpi_errno == MPI_SUCCESS && ends_creation)
        MPIR_Others->refuses(comm, "a window", &mpi_errno);
    return mpi_errno;
}

static uint64_t bits_of(int own_errno)
{
    const int class = MPIR_ERR_GET_CLASS(own_errno);

    if (own_errno == MPI_SUCCESS)
        return 0;
    return FAILED | (class == MPIX_ERR_PROC_FAILED ? DIED : 0) |
           (class == MPIX_ERR_REVOKED ? REVOKED : 0);
}

/* A process may hear of a death or a revocation here before it is told. */
static int error_of(uint64_t bits)
{
    int mpi_errno = MPI_SUCCESS;

    if (bits & REVOKED)
        MPIR_ERR_SET(mpi_errno, MPIX_ERR_REVOKED, "**revoked");
    else if (bits & DIED)
        MPIR_ERR_SET(mpi_errno, MPIX_ERR_PROC_FAILED, "**proc_failed");
    else if (bits & FAILED)
        MPIR_ERR_SET(mpi_errno, MPI_ERR_OTHER, "**winrefused");
    return mpi_errno;
}

int MPIDIG_win_agree(MPIR_Comm *comm, int own_errno, unsigned *flags)
{
    uint64_t bits = (flags ? *flags : 0) | bits_of(own_errno);
    int mpi_errno;

    if (!MPIR_Do_others_exist())
        return agree_alone(comm, own_errno, !flags);
    mpi_errno = fold_all(comm, &bits);
    if (flags)
        *flags = (unsigned) bits & ~(unsigned) (FAILED | DIED | REVOKED);
    if (own_errno)
        return own_errno;
    return mpi_errno ? mpi_errno : error_of(bits);
}

/* The map has its table since MPI_Init.  Without memory for more buckets it keeps those that it
 * has. */
#undef uthash_fatal
#define uthash_fatal(text) break

int MPIDIG_win_map_add(MPIR_Win *win)
{
    int mpi_errno = MPI_SUCCESS;
    MPIDIU_map_entry_t *entry = MPL_malloc(sizeof(*entry), MPL_MEM_RMA);

    MPIR_ERR_CHKANDSTMT1(!entry, mpi_errno, MPI_ERR_NO_MEM, return mpi_errno, "**nomem",
                         "**nomem %s", "window");
    entry->key = MPIDIG_WIN(win, win_id);
    entry->value = win;
    MPID_THREAD_CS_ENTER(VCI, MPIDIU_THREAD_UTIL_MUTEX);
    HASH_ADD(hh, MPIDI_global.win_map->head, key, sizeof(uint64_t), entry, MPL_MEM_RMA);
    MPID_THREAD_CS_EXIT(VCI, MPIDIU_THREAD_UTIL_MUTEX);

    return mpi_errno;
}

void MPIDIG_win_map_remove(MPIR_Win *win)
{
    if (MPIDIU_map_lookup(MPIDI_global.win_map, MPIDIG_WIN(win, win_id)) == win)
        MPIDIU_map_erase(MPIDI_global.win_map, MPIDIG_WIN(win, win_id));
}

int MPIDIG_win_table_make(MPIR_Win *win, int num)
{
    int mpi_errno = MPI_SUCCESS;

    MPIDIG_WIN(win, shared_table) = MPL_calloc(num, sizeof(MPIDIG_win_shared_info_t), MPL_MEM_RMA);
    if (!MPIDIG_WIN(win, shared_table))
        MPIR_ERR_SET1(mpi_errno, MPI_ERR_NO_MEM, "**nomem", "**nomem %s", "shared table");
    return mpi_errno;
}
