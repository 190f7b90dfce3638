/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "ch4_cards.h"
#include "mpidu_init_shm.h"
#include "mpir_pmi_polling.h"

#define PADDED(len_) (((len_) + 7) & ~(size_t) 7)

/* The node's cards one after the other, as their owners came. Pages are there when they are
 * written. */
struct board {
    MPL_atomic_int_t used;
    struct {
        uint32_t offset, length; /* 0, 0: none */
    } slots[];
};

static struct board *board; /* NULL when this process is alone on its node */

static int generation; /* of cards: MPI may be initialized again */
static int most_bytes; /* of a card */

/* MPIR_pmi_kvs_put_bytes appends up to 10 characters to it, and has room for 50. */
#define KEY_ROOM 32

static void name_key(char *key, int rank)
{
    snprintf(key, KEY_ROOM, "card-%d-%d", generation, rank);
}

static int put_on_board(const void *card, int bytes)
{
    int n = MPIR_Others->count(MPIR_Process.local_size), place = MPIR_Others->local_rank();
    size_t head = PADDED(sizeof(*board) + n * sizeof(board->slots[0]));
    size_t offset;

    MPIR_TRY(MPIDU_Init_shm_alloc(head + n * PADDED(most_bytes), (void **) &board));
    offset = head + (size_t) MPL_atomic_fetch_add_int(&board->used, (int) PADDED(bytes));
    memcpy((char *) board + offset, card, bytes);
    board->slots[place].offset = (uint32_t) offset;
    board->slots[place].length = (uint32_t) bytes;

    return MPI_SUCCESS;
}

int MPIDI_Cards_leave(const void *card, int bytes, int most)
{
    int mpi_errno = MPI_SUCCESS;
    char key[KEY_ROOM];

    generation++;
    most_bytes = most;
    if (MPIR_Others->count(MPIR_Process.local_size) > 1) {
        mpi_errno = put_on_board(card, bytes);
        MPIR_ERR_CHKRETURN(mpi_errno);
    }
    if (MPIR_Process.num_nodes == 1) {
        mpi_errno = MPIDU_Init_shm_barrier();
    } else {
        name_key(key, MPIR_Process.rank);
        mpi_errno = MPIR_pmi_kvs_put_bytes(key, card, bytes);
        MPIR_ERR_CHKRETURN(mpi_errno);
        mpi_errno = MPIR_pmi_barrier();
    }

    return mpi_errno;
}

static int ask_manager(int rank, void *card, int *bytes)
{
    int mpi_errno;
    char key[KEY_ROOM];

    name_key(key, rank);
    MPID_THREAD_CS_ENTER(VCI, MPIR_THREAD_VCI_PMI_MUTEX);
    mpi_errno = MPIR_pmi_kvs_get_bytes(rank, key, card, bytes);
    MPID_THREAD_CS_EXIT(VCI, MPIR_THREAD_VCI_PMI_MUTEX);
    return mpi_errno;
}

int MPIDI_Cards_find(int rank, const void **card, int *bytes, void **buffer)
{
    int mpi_errno = MPI_SUCCESS;
    int local_rank = board ? MPIR_World_local_rank(rank) : -1;

    *buffer = NULL;
    if (local_rank >= 0) {
        *card = (char *) board + board->slots[local_rank].offset;
        *bytes = (int) board->slots[local_rank].length;
        return mpi_errno;
    }
    mpi_errno = MPIR_Others->check(rank);
    if (mpi_errno != MPI_SUCCESS)
        return mpi_errno; /* as it is: in a longer stack its text is cut off */
    MPIR_ERR_CHKANDSTMT(MPIR_pmi_is_in_barrier(), mpi_errno, MPI_ERR_OTHER, return mpi_errno,
                        "**card_finalizing");
    *bytes = most_bytes;
    *card = *buffer = MPL_malloc(most_bytes, MPL_MEM_ADDRESS);
    MPIR_ERR_CHKANDSTMT(!*buffer, mpi_errno, MPI_ERR_NO_MEM, return mpi_errno, "**nomem");
    return ask_manager(rank, *buffer, bytes);
}

int MPIDI_Cards_free(void)
{
    int mpi_errno = board ? MPIDU_Init_shm_free(board) : MPI_SUCCESS;

    board = NULL;
    return mpi_errno;
}
