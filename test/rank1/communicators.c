/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Makes communicators in all ways that one process can make them alone, and writes down what they
 * are like, MPI's inside included: DIR/R for world rank R. What mpirank1 writes as rank R has to be
 * what rank R of a real world of that size writes.
 *
 * That includes what other ranks send in MPI_Comm_split, byte for byte, where the communicator is
 * described (MPIR_CVAR_SPLIT_DESCRIBED).
 *
 * Arguments: DIR, and a file with colour and key of each rank, for a split
 */
#include "mpiimpl.h"
#include "solo_scenario.h"
#include "solo_world.h"

static const char *const scenarios[] = {"rows",
                                        "columns",
                                        "planes",
                                        "even_odd",
                                        "reversed",
                                        "random_permutation 7",
                                        "random_colours 5 3",
                                        "same",
                                        "transposed",
                                        "halving",
                                        NULL};

enum { OFFER = 8 }; /* where the offer is in a description */

static FILE *out;
static MPI_Group world_group;
static int rank, size;

static MPIR_Others_t others;
static bool is_silent; /* what others send is not written down */
/* Some ranks hold a context id that others do not.  A process that is alone does not know what a
 * rank offers that holds fewer ids than this process. */
static bool ids_differ;

static int write_and_swap(split_zones *zones, MPIR_Comm *local, int to, const split_block *from)
{
    int mpi_errno = (MPIR_Solo_on ? MPIR_Others_missing : MPIR_Others_exist)
                        .swap_blocks(zones, local, to, from);

    if (mpi_errno || from->rank == MPI_PROC_NULL || is_silent)
        return mpi_errno;
    fprintf(out, " rank %d sends", from->rank);
    for (size_t i = 0; i < MPIR_colours_bytes(zones->theirs); i++) {
        if (ids_differ && from->count == 1 && i >= OFFER && i < COLOURS_HEADER)
            continue;
        fprintf(out, " %02x", zones->theirs[i]);
    }
    fputc('\n', out);
    return mpi_errno;
}

/* From now on what others send is written down. */
static void write_what_others_send(void)
{
    others = *MPIR_Others;
    others.swap_blocks = write_and_swap;
    MPIR_Others = &others;
}

static void write_members(const char *what, MPI_Group group)
{
    int n, *ranks, *members;

    MPI_Group_size(group, &n);
    ranks = malloc(n * sizeof(int));
    members = malloc(n * sizeof(int));
    for (int i = 0; i < n; i++)
        ranks[i] = i;
    MPI_Group_translate_ranks(group, n, ranks, world_group, members);
    fprintf(out, " %s", what);
    for (int i = 0; i < n; i++)
        fprintf(out, " %d", members[i]);
    fputc('\n', out);
    free(ranks);
    free(members);
    MPI_Group_free(&group);
}

/* What is derived in closed form is what a look at each member finds. */
static void check_nodes(MPIR_Comm *comm)
{
    int n = comm->local_size, nodes = 0, stretches = 0, mine = 0, last = -1;
    char *seen = calloc(MPIR_Process.num_nodes, 1);

    for (int r = 0; r < n && comm->intranode_map; r++) {
        int node = MPIR_World_node((int) MPIR_cmap_select(comm->map, (uint32_t) r));
        stretches += node != last;
        nodes += !seen[node];
        seen[node] = 1;
        last = node;
        if (node == MPIR_World_node(MPIR_Process.rank))
            mine += (int) MPIR_cmap_rank(comm->intranode_map, (uint32_t) r) == mine;
    }
    if (comm->intranode_map &&
        (nodes != comm->node_count || mine != MPIR_cmap_size(comm->intranode_map) ||
         (stretches == nodes) != comm->is_node_consecutive)) {
        fprintf(stderr,
                "%d nodes, %d stretches, %d members on this one; the library has %d, %s, %d\n",
                nodes, stretches, mine, comm->node_count,
                comm->is_node_consecutive ? "as many" : "more",
                (int) MPIR_cmap_size(comm->intranode_map));
        MPI_Abort(MPI_COMM_WORLD, 5);
    }
    free(seen);
}

static void write_nodes(MPIR_Comm *comm)
{
    check_nodes(comm);
    if (MPIR_Comm_need_node_comms(comm))
        MPI_Abort(MPI_COMM_WORLD, 4);
    fprintf(out, " nodes %d consecutive %d kind %d:", comm->node_count, comm->is_node_consecutive,
            comm->hierarchy_kind);
    for (int r = 0; comm->intranode_map && r < comm->local_size; r++)
        fprintf(out, " %d/%d", MPIR_Get_internode_rank(comm, r), MPIR_Get_intranode_rank(comm, r));
    fputc('\n', out);
}

static void write_representation(MPI_Comm comm)
{
    char value[MPI_MAX_INFO_VAL];
    MPI_Info info;
    int found;

    MPI_Comm_get_info(comm, &info);
    MPI_Info_get(info, "cmap_representation", sizeof(value) - 1, value, &found);
    fprintf(out, " held as %s\n", found ? value : "nothing");
    MPI_Info_free(&info);
}

static void write_down(const char *name, MPI_Comm comm)
{
    MPIR_Comm *ptr;
    MPI_Group group;
    int is_inter;

    if (comm == MPI_COMM_NULL) {
        fprintf(out, "%s: none\n", name);
        return;
    }
    MPIR_Comm_get_ptr(comm, ptr);
    fprintf(out, "%s: %d of %d, ids %d %d\n", name, ptr->rank, ptr->local_size,
            (int) ptr->context_id, (int) ptr->recvcontext_id);
    MPI_Comm_group(comm, &group);
    write_members("members", group);
    MPI_Comm_test_inter(comm, &is_inter);
    if (is_inter) {
        MPI_Comm_remote_group(comm, &group);
        write_members("remote", group);
    }
    write_nodes(ptr);
    write_representation(comm);
}

static MPI_Comm split(MPI_Comm parent, const char *text)
{
    solo_scenario scenario;
    solo_call *calls;
    MPI_Comm comm = MPI_COMM_NULL;
    int n, r;

    MPI_Comm_size(parent, &n);
    MPI_Comm_rank(parent, &r);
    calls = malloc(n * sizeof(*calls));
    if (!MPIR_Solo_scenario_parse(text, &scenario) || MPIR_Solo_scenario_calls(&scenario, n, calls))
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Comm_split(parent, calls[r].colour, calls[r].key, &comm);
    free(calls);
    return comm;
}

/* REQUIRES a scenario in which everybody takes part: all make as many communicators. */
static void split_world(const char *text)
{
    MPI_Comm comm = split(MPI_COMM_WORLD, text), copy;
    MPI_Request request;

    write_down(text, comm);
    MPI_Comm_dup(comm, &copy);
    write_down("its duplicate", copy);
    MPI_Comm_idup(comm, &copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    write_down("its later duplicate", copy);
}

static void create_by_groups(MPI_Comm half)
{
    MPI_Group even;
    MPI_Comm comm;
    int range[1][3] = {{0, size - 1, 2}};

    MPI_Group_range_incl(world_group, 1, range, &even);
    if (rank % 2 == 0) {
        MPI_Comm_create_group(MPI_COMM_WORLD, even, 3, &comm);
        write_down("create_group", comm);
    }
    MPI_Group_free(&even);
    MPI_Comm_group(half, &even);
    if (rank % 2 == 0 && size % 2 == 0) {
        MPI_Comm_create(half, even, &comm);
        write_down("create of half", comm);
    }
    MPI_Group_free(&even);
}

static void create_of_some(void)
{
    MPI_Group even;
    MPI_Comm comm;
    int range[1][3] = {{0, size - 1, 2}};

    MPI_Group_range_incl(world_group, 1, range, &even);
    MPI_Comm_create(MPI_COMM_WORLD, even, &comm);
    write_down("create", comm);
    MPI_Group_free(&even);
}

static void create_grids(void)
{
    int dims[3] = {0}, periods[3] = {0, 1, 0}, remain[3] = {1, 0, 1};
    MPI_Comm grid, plane;

    MPI_Dims_create(size, 3, dims);
    for (int reorder = 0; reorder < 2; reorder++) {
        MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, reorder, &grid);
        write_down("grid", grid);
        MPI_Cart_sub(grid, remain, &plane);
        write_down("sub-grid", plane);
    }
    if (dims[0] > 1) {
        dims[0]--;
        MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &grid);
        write_down("part of a grid", grid);
    }
}

static void check_comm(MPI_Comm comm)
{
    MPIR_Comm *ptr;

    if (comm == MPI_COMM_NULL)
        return;
    MPIR_Comm_get_ptr(comm, ptr);
    check_nodes(ptr);
}

/* Communicators whose map is one form or a few, also such as end amid a node.  They are not written
 * down: their ids depend on what create_by_groups() leaves. */
static void create_parts(void)
{
    int ranges[][3] = {{1, size - 1, 1}, {0, size - 2, 1},  {size - 1, 0, -1}, {3, size - 2, 3},
                       {0, size / 2, 1}, {size - 2, 1, -5}, {2, size - 3, 7}},
        pair[2][3] = {{0, size / 3, 1}, {size / 2, size - 1, 2}};
    MPI_Group group;
    MPI_Comm comm;

    for (int i = 0; i < (int) (sizeof(ranges) / sizeof(ranges[0])); i++) {
        MPI_Group_range_incl(world_group, 1, &ranges[i], &group);
        MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
        check_comm(comm);
        MPI_Group_free(&group);
    }
    for (int i = 0; i < 2; i++) {
        if (i)
            MPI_Group_range_excl(world_group, 2, pair, &group);
        else
            MPI_Group_range_incl(world_group, 2, pair, &group);
        MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
        check_comm(comm);
        MPI_Group_free(&group);
    }
}

/* With the rank as key, and with 0.  As rank 0 a process that is alone cannot tell which of the two
 * the others pass: it makes the same communicators, but what they send is not known. */
static void split_by_type(MPI_Comm parent)
{
    MPI_Comm comm;
    MPI_Info info;
    int own_rank;

    MPI_Comm_rank(parent, &own_rank);
    MPI_Comm_split_type(parent, MPI_COMM_TYPE_SHARED, own_rank, MPI_INFO_NULL, &comm);
    write_down("of the node", comm);
    is_silent = own_rank == 0;
    MPI_Comm_split_type(parent, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
    write_down("of the node, with equal keys", comm);
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_hw_resource_type", "mpi_shared_memory");
    MPI_Comm_split_type(parent, MPI_COMM_TYPE_HW_GUIDED, 0, info, &comm);
    write_down("with the same memory", comm);
    MPI_Info_free(&info);
    is_silent = false;
    MPI_Comm_split_type(parent, MPI_COMM_TYPE_HW_UNGUIDED, own_rank, MPI_INFO_NULL, &comm);
    write_down("one level down", comm);
    MPI_Comm_split_type(parent, MPI_UNDEFINED, own_rank, MPI_INFO_NULL, &comm);
    write_down("of no type", comm);
}

int main(int argc, char **argv)
{
    char name[1024];
    MPI_Comm comm, half;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_group(MPI_COMM_WORLD, &world_group);
    snprintf(name, sizeof(name), "%s/%d", argc > 1 ? argv[1] : ".", rank);
    out = fopen(name, "w");
    if (!out)
        MPI_Abort(MPI_COMM_WORLD, 3);

    write_what_others_send();
    write_down("world", MPI_COMM_WORLD);
    write_down("self", MPI_COMM_SELF);
    for (int i = 0; scenarios[i]; i++)
        split_world(scenarios[i]);
    half = split(MPI_COMM_WORLD, "even_odd");
    write_down("half", half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &comm);
    write_down("between the halves", comm);
    create_grids();
    split_by_type(MPI_COMM_WORLD);
    split_by_type(half);
    write_down("row of half", split(half, "rows"));
    snprintf(name, sizeof(name), "file %s", argc > 2 ? argv[2] : "");
    write_down("what a program says", split(MPI_COMM_WORLD, name));
    ids_differ = true;
    write_down("after a split that leaves ranks out", split(MPI_COMM_WORLD, "rows"));
    create_of_some();
    write_down("after a group that leaves ranks out", split(MPI_COMM_WORLD, "rows"));
    /* Last: who does not call MPI_Comm_create_group does not know, alone, that the others hold
     * an id. */
    create_by_groups(half);
    create_parts();
    fclose(out);
    MPI_Group_free(&world_group);
    MPI_Finalize();
    return 0;
}
