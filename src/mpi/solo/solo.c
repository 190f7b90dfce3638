/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "solo_scenario.h"
#include <time.h>

/* Set by mpirank1: scenarios, one a line. */
#define SCENARIO "MPIRANK1_SCENARIO"

/* A wait without anything new for so long will not end; another thread may yet send to this process. */
#define HOPELESS_SECONDS 1.0
#define HOPELESS_SECONDS_WITH_THREADS 10.0
/* Who looks less often does other things than wait. */
#define PAUSE_SECONDS 0.002

bool MPIR_Solo_on;

static const char *next_scenario;

/* How the split under way goes, when it is not a scenario's */
static struct {
    MPIR_Topology *grid;
    const int *remain_dims;
    int first_ranks;
    const int *split_type;
    int split_of_type;          /* the first, the second, ... inside MPI_Comm_split_type */
} expected;

/* The last split that a scenario gave: who is in which communicator, for MPI_Intercomm_create */
static struct {
    cmap_t *map;
    solo_call *calls;
} last;

static int forget_last(void *unused)
{
    cmap_release(last.map);
    MPL_free(last.calls);
    last.map = NULL;
    last.calls = NULL;
    return MPI_SUCCESS;
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

/* A wait has found nothing once more. */
static void count_idle(bool is_first)
{
    static double waited, last_look;
    double now = seconds();
    char text[160];

    if (is_first)
        waited = 0;
    else if (now - last_look < PAUSE_SECONDS)
        waited += now - last_look;
    last_look = now;
    if (waited < (MPIR_ThreadInfo.isThreaded ? HOPELESS_SECONDS_WITH_THREADS : HOPELESS_SECONDS))
        return;
    snprintf(text, sizeof(text), "Rank %d waits for ranks that do not exist: a world of %d is run by this process alone",
             MPIR_Process.rank, MPIR_Process.size);
    MPID_Abort(MPIR_Process.comm_world, MPI_ERR_OTHER, 1, text);
}

int MPIR_Solo_init(void)
{
    /* no variable of the environment, which jobs that the program starts would have, too */
    MPIR_Solo_on = MPIR_Process.size > 1 && strcmp(MPIR_pmi_job_id(), SOLO_JOB) == 0;
    next_scenario = getenv(SCENARIO);
    if (MPIR_Solo_on) {
        MPIR_Yield_alone = count_idle;
        MPIR_Add_finalize(forget_last, NULL, MPIR_FINALIZE_CALLBACK_PRIO - 1);
    }
    return MPI_SUCCESS;
}

bool MPIR_Solo_refuses(MPIR_Comm * comm, const char *collective, int *mpi_errno)
{
    if (comm->comm_kind == MPIR_COMM_KIND__INTRACOMM && comm->local_size == 1)
        return false;
    MPIR_ERR_SETANDSTMT3(*mpi_errno, MPI_ERR_OTHER,;, "**solo_collective",
                         "**solo_collective %s %d %d", collective, comm->local_size,
                         MPIR_Process.rank);
    return true;
}

int MPIR_Solo_test_source(const MPIR_Comm * comm, int rank)
{
    int mpi_errno = MPI_SUCCESS;
    int process;

    if (!MPIR_Solo_on || rank < 0)
        goto fn_exit;
    process = (int) cmap_select(MPIR_Map_load(&comm->map), (uint32_t) rank);
    /* beyond the world there are processes of other jobs, connected with this one */
    MPIR_ERR_CHKANDJUMP2(process < MPIR_Process.size && process != MPIR_Process.rank, mpi_errno, MPI_ERR_OTHER,
                         "**solo_rank", "**solo_rank %d %d", process, MPIR_Process.rank);

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

/* The next line, or the last one again. */
static int take_scenario(int size, solo_scenario * scenario)
{
    int mpi_errno = MPI_SUCCESS;
    char line[sizeof(scenario->file) + 8];
    size_t length = next_scenario ? strcspn(next_scenario, "\n") : 0;

    MPIR_ERR_CHKANDJUMP1(length == 0, mpi_errno, MPI_ERR_OTHER, "**solo_no_scenario",
                         "**solo_no_scenario %d", size);
    snprintf(line, sizeof(line), "%.*s", (int) length, next_scenario);
    MPIR_ERR_CHKANDJUMP2(!solo_scenario_parse(line, scenario), mpi_errno, MPI_ERR_OTHER,
                         "**solo_scenario", "**solo_scenario %s %s", line, SOLO_SCENARIOS);
    if (next_scenario[length] == '\n' && next_scenario[length + 1] != '\0')
        next_scenario += length + 1;

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

void MPIR_Solo_cart_sub(MPIR_Topology * topology, const int remain_dims[])
{
    expected.grid = topology;
    expected.remain_dims = remain_dims;
}

void MPIR_Solo_first_ranks(int n)
{
    expected.first_ranks = n;
}

void MPIR_Solo_split_type(const int *split_type)
{
    if (!MPIR_Solo_on)
        return;
    expected.split_type = split_type;
    expected.split_of_type = 0;
}

/* Inside MPI_Comm_split_type: who gives a type, asked again for types that the device does not know, then who is on which
 * node.  What comes after that is a look at the machine, or at its files, which others would have to take. */
static int split_type_calls(const MPIR_Comm * comm, solo_call mine, solo_call * calls)
{
    int mpi_errno = MPI_SUCCESS;
    int of_nodes = *expected.split_type == MPI_COMM_TYPE_SHARED ? 2 : 3;
    bool by_node = ++expected.split_of_type >= of_nodes;

    MPIR_ERR_CHKANDJUMP(expected.split_of_type > of_nodes ||
                        (by_node && *expected.split_type == MPIX_COMM_TYPE_NEIGHBORHOOD), mpi_errno,
                        MPI_ERR_OTHER, "**solo_split_type");
    MPIR_ERR_CHKANDJUMP2(mine.key != 0 && mine.key != comm->rank, mpi_errno, MPI_ERR_OTHER,
                         "**solo_split_key", "**solo_split_key %d %d", mine.key, comm->rank);
    for (int r = 0; r < comm->local_size; r++) {
        calls[r].colour = by_node ? MPIR_World_node((int) cmap_select(comm->map, (uint32_t) r)) : mine.colour;
        calls[r].key = mine.key == comm->rank ? r : mine.key;
    }

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

/* Colour and key in MPI_Cart_sub: the coordinates that go, and those that stay, as numbers. */
static solo_call cart_sub_call(const MPII_Cart_topology * grid, const int remain_dims[], int rank)
{
    solo_call call = { 0, 0 };
    int below = grid->nnodes;

    for (int i = 0; i < grid->ndims; i++) {
        int *number = remain_dims[i] ? &call.key : &call.colour;

        below /= grid->dims[i];
        *number = *number * grid->dims[i] + rank / below % grid->dims[i];
    }
    return call;
}

static int find_calls(const MPIR_Comm * comm, solo_call mine, solo_call * calls)
{
    int mpi_errno = MPI_SUCCESS;
    int n = comm->local_size;
    solo_scenario scenario;
    const char *wrong;

    if (expected.grid) {
        for (int r = 0; r < n; r++)
            calls[r] = cart_sub_call(&expected.grid->topo.cart, expected.remain_dims, r);
    } else if (expected.first_ranks) {
        for (int r = 0; r < n; r++)
            calls[r] = r < expected.first_ranks ? (solo_call) { 1, r } : (solo_call) { MPI_UNDEFINED, MPI_UNDEFINED };
    } else if (expected.split_type) {
        mpi_errno = split_type_calls(comm, mine, calls);
        MPIR_ERR_CHECK(mpi_errno);
    } else {
        mpi_errno = take_scenario(n, &scenario);
        MPIR_ERR_CHECK(mpi_errno);
        MPIR_ERR_CHKANDJUMP2(scenario.file[0] && n != MPIR_Process.size, mpi_errno, MPI_ERR_OTHER,
                             "**solo_scenario", "**solo_scenario %s %s",
                             "program PATH, which was asked for the whole world, for a part of it", SOLO_SCENARIOS);
        wrong = solo_scenario_calls(&scenario, n, calls);
        MPIR_ERR_CHKANDJUMP2(wrong, mpi_errno, MPI_ERR_OTHER, "**solo_scenario",
                             "**solo_scenario %s %s", wrong, "a line with colour and key for each rank");
    }

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

int MPIR_Solo_split(MPIR_Comm * comm, int colour, int key,
                    void (*put) (void *state, int rank, int colour, int key), void *state)
{
    int mpi_errno = MPI_SUCCESS;
    int n = comm->local_size;
    solo_call *calls = MPL_malloc(n * sizeof(*calls), MPL_MEM_COMM);
    solo_call mine;

    MPIR_ERR_CHKANDJUMP(!calls, mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    mpi_errno = find_calls(comm, (solo_call) { colour, key }, calls);
    MPIR_ERR_CHECK(mpi_errno);
    mine = calls[comm->rank];
    MPIR_ERR_CHKANDJUMP4(colour != mine.colour || key != mine.key, mpi_errno, MPI_ERR_OTHER,
                         "**solo_mismatch", "**solo_mismatch %d %d %d %d", colour, key, mine.colour,
                         mine.key);
    for (int r = 0; r < n; r++) {
        if (r != comm->rank)
            put(state, r, calls[r].colour, calls[r].key);
    }
    forget_last(NULL);
    last.map = cmap_addref(MPIR_Map_load(&comm->map));
    last.calls = calls;
    calls = NULL;

  fn_exit:
    MPL_free(calls);
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

/* Who goes before whom in a communicator that a split made. */
static int compare_members(const void *a, const void *b)
{
    int x = *(const int *) a, y = *(const int *) b;
    int key_x = last.calls[x].key, key_y = last.calls[y].key;

    if (key_x != key_y)
        return key_x < key_y ? -1 : 1;
    return (x > y) - (x < y);
}

int MPIR_Solo_remote_group(MPIR_Comm * local, MPIR_Comm * peer, int remote_leader, int *remote_size,
                           uint64_t ** remote_lpids, int *is_low_group)
{
    int mpi_errno = MPI_SUCCESS;
    int n = 0, colour, *members = NULL;

    MPIR_ERR_CHKANDJUMP(!peer || peer->map != last.map, mpi_errno, MPI_ERR_OTHER, "**solo_remote");
    colour = last.calls[remote_leader].colour;
    members = MPL_malloc(peer->local_size * sizeof(int), MPL_MEM_COMM);
    *remote_lpids = MPL_malloc(peer->local_size * sizeof(uint64_t), MPL_MEM_ADDRESS);
    MPIR_ERR_CHKANDJUMP(!members || !*remote_lpids, mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    for (int r = 0; r < peer->local_size; r++) {
        if (last.calls[r].colour == colour)
            members[n++] = r;
    }
    qsort(members, n, sizeof(int), compare_members);
    for (int i = 0; i < n; i++)
        (*remote_lpids)[i] = MPID_Index_to_lpid(cmap_select(peer->map, (uint32_t) members[i]));
    *remote_size = n;
    *is_low_group = MPID_Index_to_lpid(cmap_select(local->map, 0)) < (*remote_lpids)[0];

  fn_exit:
    MPL_free(members);
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}
