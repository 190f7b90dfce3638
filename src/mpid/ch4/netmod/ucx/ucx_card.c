/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "ucx_card.h"
#include "mpidu_bc.h"

/* `ends` are followed by the addresses of the VNIs, each at the next multiple of 8. */
struct card {
    uint32_t vnis;
    uint32_t ends[]; /* of the addresses, from the card's beginning */
};

#define PADDED(len_) (((len_) + 7) & ~(size_t) 7)

static size_t header_bytes(int vnis)
{
    return PADDED(sizeof(struct card) + vnis * sizeof(uint32_t));
}

size_t MPIDI_UCX_card_bytes(void)
{
    size_t bytes = header_bytes(MPIDI_UCX_global.num_vnis);

    for (int i = 0; i < MPIDI_UCX_global.num_vnis; i++)
        bytes += PADDED(MPIDI_UCX_global.ctx[i].addrname_len);
    return bytes;
}

size_t MPIDI_UCX_card_bytes_most(void)
{
    return (size_t) MPIDI_UCX_global.num_vnis * MPID_MAX_BC_SIZE;
}

void MPIDI_UCX_card_write(void *buffer)
{
    struct card *card = buffer;
    size_t end = header_bytes(MPIDI_UCX_global.num_vnis);

    memset(card, 0, MPIDI_UCX_card_bytes());
    card->vnis = (uint32_t) MPIDI_UCX_global.num_vnis;
    for (int i = 0; i < MPIDI_UCX_global.num_vnis; i++) {
        size_t length = MPIDI_UCX_global.ctx[i].addrname_len;

        memcpy((char *) card + end, MPIDI_UCX_global.ctx[i].if_address, length);
        card->ends[i] = (uint32_t) (end + length);
        end += PADDED(length);
    }
}

/* Whether this is one, of a process with as many VNIs. */
static bool is_card(const struct card *card, size_t bytes)
{
    size_t end = header_bytes(MPIDI_UCX_global.num_vnis);

    if (bytes <= end || card->vnis != (uint32_t) MPIDI_UCX_global.num_vnis)
        return false;
    for (uint32_t i = 0; i < card->vnis; i++) {
        if (card->ends[i] <= end || card->ends[i] > bytes)
            return false;
        end = PADDED(card->ends[i]);
    }
    return true;
}

int MPIDI_UCX_card_read(const void *buffer, size_t bytes, int vni, const ucp_address_t **address,
                        size_t *address_bytes)
{
    int mpi_errno = MPI_SUCCESS;
    const struct card *card = buffer;
    size_t begin;

    MPIR_ERR_CHKANDSTMT1(!is_card(card, bytes), mpi_errno, MPI_ERR_OTHER, return mpi_errno,
                         "**ucx_no_card", "**ucx_no_card %d", MPIDI_UCX_global.num_vnis);
    begin = vni == 0 ? header_bytes(MPIDI_UCX_global.num_vnis) : PADDED(card->ends[vni - 1]);
    *address = (const ucp_address_t *) ((const char *) card + begin);
    *address_bytes = card->ends[vni] - begin;

    return mpi_errno;
}
