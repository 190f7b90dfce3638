/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "mpidch4r.h"
#include "mpir_revoke.h"
#include "comm_agree.h"
#include "deaths_list.h"
#include "mpir_others.h"
#include "objects.h"
#include "../../../mpi/aggr/shared/aggr_shared.h"

/* What this process does when it learns of a death, and what it finds when it makes a communicator
 * later. */

/* Messages of the dead that are here already are taken before it counts as dead: what so many polls
 * of the network find. */
enum { POLLS = 64 };

void (*MPIDIG_deaths_forget_peer)(uint32_t index);
uint32_t (*MPIDIG_deaths_find_stranger)(uint64_t job, uint32_t rank);
void (*MPIDIG_deaths_end_lines)(int rank);
int (*MPIDIG_deaths_meet_peers)(void);

/* Its sends have ended with its endpoints. */
static bool end_with(void *object, void *context)
{
    MPIR_Request *req = object;
    const uint32_t *index = context;

    /* one that is free is not complete in all cases; those of active messages have no communicator,
     * and the peer of another request that had their place */
    if (MPIR_Object_get_ref(req) > 0 && req->comm && req->kind == MPIR_REQUEST_KIND__RECV &&
        !MPIR_Request_is_complete(req) && MPIDIG_deaths_peer(req) == *index + 1)
        MPIDIG_deaths_end_receive(req, MPIX_ERR_PROC_FAILED);
    else if (MPIR_Object_get_ref(req) > 0 && req->comm && MPIR_Request_is_partitioned(req) &&
             MPIDIG_deaths_class_of_part(req) == MPIX_ERR_PROC_FAILED)
        MPIDIG_deaths_end_part(req);
    return false;
}

/* One that is still being made, and may come to nothing, is looked at when it is complete. */
static bool is_complete(const MPIR_Comm *comm)
{
    return MPIR_Object_get_ref(comm) > 0 && comm->map &&
           comm->recvcontext_id != MPIR_INVALID_CONTEXT_ID;
}

static bool end_if_member(void *object, void *context)
{
    MPIR_Comm *comm = object;
    const uint32_t *number = context;

    if (is_complete(comm) && MPIDIG_deaths_has_member(comm, *number)) {
        if (comm->call_group && MPIR_Deaths_rank_in(comm->call_group->map, *number) != CMAP_NONE)
            comm->call_ended = 1;
        MPIDIG_comm_died(comm);
    }
    return false;
}

void MPIDIG_deaths_committed(MPIR_Comm *comm)
{
    MPIDI_COMM(comm, deaths_acked) = 0;
    for (uint32_t i = 0; i < MPIR_Deaths_seen; i++) {
        if (MPIDIG_deaths_has_member(comm, i)) {
            MPIDIG_comm_died(comm);
            return;
        }
    }
}

/* ---- who it is ---- */

static uint32_t find_index(uint32_t number)
{
    uint64_t job;
    const uint32_t rank = MPIR_Deaths_rank(number, &job);

    if (job == MPIR_Deaths_own_job())
        return rank;
    return MPIDIG_deaths_find_stranger ? MPIDIG_deaths_find_stranger(job, rank) : CMAP_NONE;
}

/* The next one of the list.  False without memory: the next poll tries again. */
static bool enter_next(uint32_t *index)
{
    bool is_entered;

    MPID_THREAD_CS_ENTER(VCI, MPIDIU_THREAD_DYNPROC_MUTEX);
    *index = find_index(MPIR_Deaths_seen);
    is_entered = *index == CMAP_NONE || MPIDIG_deaths_put(*index);
    if (is_entered) {
        MPIR_Deaths_indices[MPIR_Deaths_seen] = *index;
        __atomic_store_n(&MPIR_Deaths_seen, MPIR_Deaths_seen + 1, __ATOMIC_RELEASE);
    }
    MPID_THREAD_CS_EXIT(VCI, MPIDIU_THREAD_DYNPROC_MUTEX);
    return is_entered;
}

/* Without memory for the mark its messages fail by their endpoint alone. */
bool MPIDIG_deaths_stranger_enters(uint64_t job, uint32_t rank, uint32_t index)
{
    for (uint32_t i = 0; i < MPIR_Deaths_seen; i++) {
        uint64_t its_job;

        if (MPIR_Deaths_rank(i, &its_job) == rank && its_job == job) {
            MPIR_Deaths_indices[i] = index;
            (void) MPIDIG_deaths_put(index);
            return true;
        }
    }
    return false;
}

/* ---- what ends ---- */

static bool learn_of_next(void)
{
    uint32_t number = MPIR_Deaths_seen, index;

    if (!enter_next(&index))
        return false;
    if (index == CMAP_NONE)
        return true;
    if (MPIDIG_deaths_forget_peer)
        MPIDIG_deaths_forget_peer(index);
    if (MPIDIU_index_is_in_world(index)) {
        if (MPIDIG_deaths_end_lines)
            MPIDIG_deaths_end_lines((int) index);
        MPIR_Aggr_board_died((int) index);
    }
    MPIDIG_visit_requests(end_with, &index);
    MPIDIG_visit_comms(end_if_member, &number);
    return true;
}

static void take_messages(void)
{
    for (int i = 0; i < POLLS; i++) {
        for (int vci = 0; vci < MPIDI_global.n_vcis; vci++) {
            MPID_THREAD_CS_ENTER(VCI, MPIDI_VCI(vci).lock);
            (void) MPIDI_NM_progress(vci, 0);
            (void) MPIDI_deferred_poll(vci);
            MPID_THREAD_CS_EXIT(VCI, MPIDI_VCI(vci).lock);
        }
    }
}

/* Waits look again at what they wait for. */
static void wake_waits(void)
{
    for (int vci = 0; vci < MPIDI_global.n_vcis; vci++)
        MPL_atomic_fetch_add_int(&MPIDI_VCI(vci).progress_count, 1);
}

static void learn(void)
{
    const uint32_t number = __atomic_load_n(MPIR_Deaths_number, __ATOMIC_ACQUIRE);
    const uint32_t before = MPIR_Deaths_seen;

    take_messages();
    if (!MPIR_Deaths_make_indices())
        return; /* the next poll tries again */
    MPID_THREAD_CS_ENTER(VCI, MPIDI_VCI(0).lock);
    while (MPIR_Deaths_seen < number && learn_of_next())
        ;
    MPIDIG_agree_deaths(before, MPIR_Deaths_seen);
    MPID_THREAD_CS_EXIT(VCI, MPIDI_VCI(0).lock);
    wake_waits();
}

void MPIDIG_deaths_learn(void)
{
    static MPL_atomic_int_t busy = MPL_ATOMIC_INT_T_INITIALIZER(0);

    if (!MPIDI_global.is_initialized || MPL_atomic_cas_int(&busy, 0, 1) != 0)
        return;
    learn();
    MPL_atomic_release_store_int(&busy, 0);
}

int MPIDIG_deaths_begin(void)
{
    int mpi_errno = MPI_SUCCESS;

    if (!MPIR_Deaths_watched)
        return MPI_SUCCESS;
#ifndef HAVE_CH4_NETMOD_UCX
    /* it does not say which messages the dead have left, and calls might wait for ever */
    MPIR_ERR_SET(mpi_errno, MPI_ERR_OTHER, "**deaths_netmod");
#endif
    MPIR_ERR_CHECK(mpi_errno);
    if (MPIDIG_deaths_meet_peers && MPIR_Do_others_exist())
        mpi_errno = MPIDIG_deaths_meet_peers();
    MPIR_ERR_CHECK(mpi_errno);
    MPIR_Deaths_begin();
    /* others may still need an answer of this process */
    while (mpi_errno == MPI_SUCCESS && !MPIR_Deaths_have_begun()) {
        mpi_errno = MPIDI_NM_progress(0, 0);
        MPIR_Yield_idle();
    }

fn_fail:
    return mpi_errno;
}
