/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "solo_scenario.h"
#include "solo_world.h"

/* How the ranks that do not exist split communicators. */

static const char *next_scenario; /* the lines that are left */

/* The call under way that decides how the others split, if no scenario does */
static struct {
    const int *split_type;
    int split_of_type; /* the first, the second, ... inside MPI_Comm_split_type */
} expected;

/* The last split: which rank is in which communicator, for MPI_Intercomm_create */
static struct {
    cmap_t *map;
    solo_call *calls;
} last;

static int forget_last(void *unused MPL_UNUSED)
{
    MPIR_cmap_release(last.map);
    MPL_free(last.calls);
    last.map = NULL;
    last.calls = NULL;
    return MPI_SUCCESS;
}

void MPIR_Solo_take_scenarios(const char *lines)
{
    next_scenario = lines;
    MPIR_Add_finalize(forget_last, NULL, MPIR_FINALIZE_CALLBACK_PRIO - 1);
}

/* The next line, or the last one again. */
static int take_scenario(int size, solo_scenario *scenario)
{
    int mpi_errno = MPI_SUCCESS;
    char line[sizeof(scenario->file) + 8];
    size_t length = next_scenario ? strcspn(next_scenario, "\n") : 0;

    MPIR_ERR_CHKANDSTMT1(length == 0, mpi_errno, MPI_ERR_OTHER, return mpi_errno,
                         "**solo_no_scenario", "**solo_no_scenario %d", size);
    snprintf(line, sizeof(line), "%.*s", (int) length, next_scenario);
    MPIR_ERR_CHKANDSTMT2(!MPIR_Solo_scenario_parse(line, scenario), mpi_errno, MPI_ERR_OTHER,
                         return mpi_errno, "**solo_scenario", "**solo_scenario %s %s", line,
                         SOLO_SCENARIOS);
    if (next_scenario[length] == '\n' && next_scenario[length + 1] != '\0')
        next_scenario += length + 1;

    return mpi_errno;
}

void MPIR_Solo_split_type(const int *split_type)
{
    if (!MPIR_Solo_on)
        return;
    expected.split_type = split_type;
    expected.split_of_type = 0;
}

/* MPI_Comm_split_type splits by the type, again for types that the device does not know, and then
 * by node.  A later split would depend on what other ranks find out about their machine or its
 * files. */
static int split_type_calls(const MPIR_Comm *comm, solo_call mine, solo_call *calls)
{
    int mpi_errno = MPI_SUCCESS;
    int of_nodes = *expected.split_type == MPI_COMM_TYPE_SHARED ? 2 : 3;
    bool by_node = ++expected.split_of_type >= of_nodes;

    MPIR_ERR_CHKANDSTMT(expected.split_of_type > of_nodes ||
                            (by_node && *expected.split_type == MPIX_COMM_TYPE_NEIGHBORHOOD),
                        mpi_errno, MPI_ERR_OTHER, return mpi_errno, "**solo_split_type");
    MPIR_ERR_CHKANDSTMT2(mine.key != 0 && mine.key != comm->rank, mpi_errno, MPI_ERR_OTHER,
                         return mpi_errno, "**solo_split_key", "**solo_split_key %d %d", mine.key,
                         comm->rank);
    for (int r = 0; r < comm->local_size; r++) {
        calls[r].colour = by_node ? MPIR_World_node((int) MPIR_cmap_select(comm->map, (uint32_t) r))
                                  : mine.colour;
        calls[r].key = mine.key == comm->rank ? r : mine.key;
    }

    return mpi_errno;
}

static int find_calls(const MPIR_Comm *comm, solo_call mine, solo_call *calls)
{
    int mpi_errno = MPI_SUCCESS;
    int n = comm->local_size;
    solo_scenario scenario;
    const char *wrong;

    if (expected.split_type) {
        MPIR_TRY(split_type_calls(comm, mine, calls));
    } else {
        MPIR_TRY(take_scenario(n, &scenario));
        MPIR_ERR_CHKANDSTMT2(scenario.file[0] && n != MPIR_Process.size, mpi_errno, MPI_ERR_OTHER,
                             return mpi_errno, "**solo_scenario", "**solo_scenario %s %s",
                             "program PATH, which was asked for the whole world, for a part of it",
                             SOLO_SCENARIOS);
        wrong = MPIR_Solo_scenario_calls(&scenario, n, calls);
        MPIR_ERR_CHKANDSTMT2(wrong, mpi_errno, MPI_ERR_OTHER, return mpi_errno, "**solo_scenario",
                             "**solo_scenario %s %s", wrong,
                             "a line with colour and key for each rank");
    }

    return mpi_errno;
}

/* Fills calls[] with the calls of all ranks, and checks this rank's. */
static int foresee_calls(const split_call *call, MPIR_Comm *comm, solo_call *calls)
{
    int mpi_errno = MPI_SUCCESS;
    solo_call mine;

    mpi_errno = find_calls(comm, (solo_call){call->colour, call->key}, calls);
    MPIR_ERR_CHKRETURN(mpi_errno);
    mine = calls[comm->rank];
    MPIR_ERR_CHKANDSTMT4(call->colour != mine.colour || call->key != mine.key, mpi_errno,
                         MPI_ERR_OTHER, return mpi_errno, "**solo_mismatch",
                         "**solo_mismatch %d %d %d %d", call->colour, call->key, mine.colour,
                         mine.key);

    return mpi_errno;
}

static void keep_last(MPIR_Comm *comm, solo_call *calls)
{
    forget_last(NULL);
    last.map = MPIR_cmap_addref(MPIR_Map_load(&comm->map));
    last.calls = calls;
}

/* All ranks make the same offer. */
static void fill_rows(split_call *call, MPIR_Comm *local, const solo_call *calls, bool takes_part,
                      MPIR_Ctxid_t *ctxid)
{
    uint64_t offer;

    MPIR_Ctxid_begin(ctxid, local, takes_part, &offer);
    if (call->error != MPI_SUCCESS)
        offer = MPIR_Ctxid_refusal(offer);
    for (int r = 0; r < local->local_size; r++)
        call->local.table[r] =
            (split_row){.colour = calls[r].colour, .key = calls[r].key, .offer = offer};
}

static bool does_any_take_part(const solo_call *calls, int n)
{
    for (int r = 0; r < n; r++) {
        if (calls[r].colour != MPI_UNDEFINED)
            return true;
    }
    return false;
}

int MPIR_Solo_foresee_calls(const split_call *call, MPIR_Comm *local, const solo_call **all,
                            bool *takes_part)
{
    int mpi_errno = call->error;
    solo_call *calls = NULL;

    MPIR_ERR_CHECK(mpi_errno);
    calls = MPL_malloc(local->local_size * sizeof(*calls), MPL_MEM_COMM);
    MPIR_ERR_CHKANDJUMP(!calls, mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    mpi_errno = foresee_calls(call, local, calls);
    if (mpi_errno != MPI_SUCCESS)
        goto fn_fail; /* as it is: in a longer stack its text is cut off */
    keep_last(local, calls);
    *all = calls;
    *takes_part = does_any_take_part(calls, local->local_size);

fn_exit:
    return mpi_errno;
fn_fail:
    MPL_free(calls);
    goto fn_exit;
}

int MPIR_Solo_get_rows(split_call *call, MPIR_Comm *local, MPIR_Ctxid_t *ctxid)
{
    const solo_call *calls;
    bool takes_part;
    int mpi_errno = MPIR_Solo_foresee_calls(call, local, &calls, &takes_part);

    if (mpi_errno == MPI_SUCCESS)
        fill_rows(call, local, calls, takes_part, ctxid);
    return mpi_errno;
}

/* The order of the ranks in a communicator that a split made. */
static int compare_members(const void *a, const void *b)
{
    int x = *(const int *) a, y = *(const int *) b;
    int key_x = last.calls[x].key, key_y = last.calls[y].key;

    if (key_x != key_y)
        return key_x < key_y ? -1 : 1;
    return (x > y) - (x < y);
}

/* Ranks of the last split with that colour, in their order.  *n is how many. */
static int list_members(int size, int colour, int **members, int *n)
{
    int mpi_errno = MPI_SUCCESS;
    bool in_order = true;

    *n = 0;
    *members = MPL_malloc(size * sizeof(int), MPL_MEM_COMM);
    MPIR_ERR_CHKANDSTMT(!*members, mpi_errno, MPI_ERR_NO_MEM, return mpi_errno, "**nomem");
    for (int r = 0; r < size; r++) {
        if (last.calls[r].colour != colour)
            continue;
        in_order = in_order && (*n == 0 || compare_members(&(*members)[*n - 1], &r) < 0);
        (*members)[(*n)++] = r;
    }
    if (!in_order)
        qsort(*members, *n, sizeof(int), compare_members);

    return mpi_errno;
}

static int map_members(const cmap_t *peers, int colour, cmap_t **remote)
{
    int n = 0, *members = NULL;
    int mpi_errno = list_members((int) MPIR_cmap_size(peers), colour, &members, &n);
    cmap_status status = CMAP_OK;

    if (mpi_errno == MPI_SUCCESS)
        status = MPIR_cmap_incl(peers, members, n, NULL, remote);
    if (status != CMAP_OK)
        mpi_errno = MPIR_Map_error(status, "remote processes", n);
    MPL_free(members);
    return mpi_errno;
}

int MPIR_Solo_remote_group(MPIR_Comm *local, MPIR_Comm *peer, int remote_leader, cmap_t **remote,
                           int *is_low_group)
{
    int mpi_errno = MPI_SUCCESS;
    unsigned long long start = MPIR_Solo_now();

    MPIR_ERR_CHKANDSTMT(!peer || peer->map != last.map, mpi_errno, MPI_ERR_OTHER, return mpi_errno,
                        "**solo_remote");
    MPIR_TRY(map_members(peer->map, last.calls[remote_leader].colour, remote));
    *is_low_group = MPIR_cmap_select(local->map, 0) < MPIR_cmap_select(*remote, 0);
    MPIR_Solo_count_supply(start);

    return mpi_errno;
}
