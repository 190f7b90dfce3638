/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_COMM_WORLD in the order of MPIR_CVAR_WORLD_ORDER, which the test sets before MPI_Init:
 * -order=reversed and -order=random are files, -order=grid:XxYxZ is a grid.  The oracle knows the
 * processes by what the process manager says.  Messages, collectives, windows, groups, splits,
 * intercommunicators and sessions all have the same order.
 */
#define _GNU_SOURCE /* mkstemp, setenv */
#include "cmaptest_inter.h"

#include <unistd.h>

static int world_size, process;
static const char *order = "reversed";
static ct_list wanted; /* processes in the order of a file */

static int from_environment(const char *name, const char *other, int missing)
{
    const char *value = getenv(name) ? getenv(name) : getenv(other);

    return value ? atoi(value) : missing;
}

static int is_grid(void) { return !strncmp(order, "grid:", 5); }

static void fill_wanted(int n)
{
    ct_rng rng = {12};

    wanted = ct_list_range(n);
    if (!strcmp(order, "random"))
        ct_shuffle(&rng, wanted.id, n);
    for (int i = 0; !strcmp(order, "reversed") && i < n; i++)
        wanted.id[i] = n - 1 - i;
}

/* Each process has a file of its own, of the same contents: the name does not matter. */
static char file_name[] = "/tmp/world_order.XXXXXX";

static int write_file(void)
{
    int fd = mkstemp(file_name);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

    for (int i = 0; file && i < wanted.n; i++)
        fprintf(file, "%d%s", wanted.id[i], i % 2 ? "\n" : "  ");
    return file && fclose(file) == 0;
}

/* ---- the order ---- */

static ct_list processes_by_ranks(void)
{
    ct_list list = ct_list_range(world_size);

    MPI_Allgather(&process, 1, MPI_INT, list.id, 1, MPI_INT, MPI_COMM_WORLD);
    return list;
}

/* A node for each process. */
static int *find_nodes(void)
{
    MPI_Comm node;
    int first = ct_me, *of_rank = ct_ints(world_size), *of_process = ct_ints(world_size);
    ct_list processes = processes_by_ranks();

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Bcast(&first, 1, MPI_INT, 0, node);
    MPI_Allgather(&first, 1, MPI_INT, of_rank, 1, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < world_size; r++)
        of_process[processes.id[r]] = of_rank[r];
    MPI_Comm_free(&node);
    ct_list_free(&processes);
    free(of_rank);
    return of_process;
}

static int edges_between_nodes(const int *dims, const int *node_of, const ct_list *processes)
{
    int cut = 0, weight = world_size;

    for (int d = 0; d < 3; d++) {
        weight /= dims[d];
        for (int r = 0; r < world_size; r++)
            if (r / weight % dims[d] + 1 < dims[d])
                cut += node_of[processes->id[r]] != node_of[processes->id[r + weight]];
    }
    return cut;
}

static void check_grid(const ct_list *processes)
{
    int dims[3] = {1, 1, 1}, *node_of = find_nodes();
    ct_list given = ct_list_range(world_size);

    sscanf(order, "grid:%dx%dx%d", &dims[0], &dims[1], &dims[2]);
    int cut = edges_between_nodes(dims, node_of, processes);
    int before = edges_between_nodes(dims, node_of, &given);
    int is_given = !memcmp(given.id, processes->id, world_size * sizeof(int));
    CT_CHECK(cut < before || is_given, "%s: %d edges between nodes, and %d as given", order, cut,
             before);
    /* four nodes of four in blocks: the example of the guide */
    const char *cliques = getenv("MPIR_CVAR_NUM_CLIQUES");
    if (!strcmp(order, "grid:4x4") && cliques && atoi(cliques) == 4)
        CT_CHECK(cut == 8, "%s: %d edges between nodes", order, cut);
    free(node_of);
    ct_list_free(&given);
}

static void check_order(void)
{
    ct_list processes = processes_by_ranks();

    for (int i = 0; i < world_size; i++)
        CT_CHECK(ct_find(&processes, i) != MPI_UNDEFINED, "process %d has no rank", i);
    if (is_grid())
        check_grid(&processes);
    for (int i = 0; !is_grid() && i < world_size; i++)
        CT_CHECK(processes.id[i] == wanted.id[i], "rank %d is process %d, not %d", i,
                 processes.id[i], wanted.id[i]);
    ct_list_free(&processes);
}

/* ---- what is made of it ---- */

static void check_collectives(void)
{
    int before = 0, sum = 0;

    for (int root = 0; root < world_size; root++) {
        int value = ct_me == root ? 100 + root : -1;
        MPI_Bcast(&value, 1, MPI_INT, root, MPI_COMM_WORLD);
        CT_CHECK(value == 100 + root, "broadcast of %d: %d", root, value);
    }
    MPI_Exscan(&ct_me, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CT_CHECK(ct_me == 0 || before == ct_me * (ct_me - 1) / 2, "sum of the ranks before: %d",
             before);
    MPI_Allreduce(&ct_me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CT_CHECK(sum == world_size * (world_size - 1) / 2, "sum of the ranks: %d", sum);
}

/* Ranks of a node are in the order of the world. */
static void check_node(void)
{
    MPI_Comm node;
    int rank, n;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &rank);
    MPI_Comm_size(node, &n);
    int *ranks = ct_ints(n);
    MPI_Allgather(&ct_me, 1, MPI_INT, ranks, 1, MPI_INT, node);
    for (int i = 0; i < n; i++)
        CT_CHECK((ranks[i] < ranks[rank]) == (i < rank), "rank %d of the node is %d", i, ranks[i]);
    MPI_Comm_free(&node);
    free(ranks);
}

static void check_window(MPI_Comm comm)
{
    int *slots, *fetched = ct_ints(world_size);
    MPI_Win win;

    MPI_Win_allocate(world_size * (MPI_Aint) sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &slots,
                     &win);
    memset(slots, 0, (size_t) world_size * sizeof(int));
    MPI_Win_fence(0, win);
    for (int r = 0; r < world_size; r++) {
        int value = 1000 * ct_me + r;
        MPI_Accumulate(&value, 1, MPI_INT, r, ct_me, 1, MPI_INT, MPI_REPLACE, win);
        MPI_Win_fence(0, win);
    }
    for (int r = 0; r < world_size; r++)
        CT_CHECK(slots[r] == 1000 * r + ct_me, "window: %d from rank %d", slots[r], r);
    MPI_Win_lock_all(0, win);
    for (int r = 0; r < world_size; r++)
        MPI_Get(&fetched[r], 1, MPI_INT, r, ct_me, 1, MPI_INT, win);
    MPI_Win_unlock_all(win);
    for (int r = 0; r < world_size; r++)
        CT_CHECK(fetched[r] == 1000 * ct_me + r, "window: rank %d has %d", r, fetched[r]);
    MPI_Win_free(&win);
    free(fetched);
}

static void check_communicators(const ct_list *all)
{
    MPI_Comm copy, odd, grid;
    int dims[2] = {world_size, 1}, periods[2] = {1, 0}, parity = ct_me % 2;
    ct_list members = ct_list_new(world_size);

    ct_check_comm(MPI_COMM_WORLD, all, "MPI_COMM_WORLD");
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    ct_check_comm(copy, all, "duplicate");
    check_window(copy);
    for (int i = world_size - 1; i >= 0; i--)
        if (i % 2 == parity)
            members.id[members.n++] = i;
    MPI_Comm_split(copy, parity, -ct_me, &odd);
    ct_check_comm(odd, &members, "split");
    MPI_Cart_create(copy, 2, dims, periods, 0, &grid);
    ct_check_comm(grid, all, "grid");
    MPI_Comm_free(&grid);
    MPI_Comm_free(&odd);
    MPI_Comm_free(&copy);
    ct_list_free(&members);
}

static void check_intercommunicator(const ct_list *all)
{
    ct_sides sides;
    ct_rng rng = {5};
    MPI_Comm inter, merged;

    if (world_size < 2)
        return;
    for (int i = 0; i < 2; i++)
        sides.list[i] = ct_list_new(world_size);
    for (int i = 0; i < world_size; i++) {
        ct_list *side = &sides.list[i < world_size / 2];
        side->id[side->n++] = i;
    }
    sides.mine = ct_me < world_size / 2;
    inter = ct_connect_sides(MPI_COMM_WORLD, all, &sides, &rng);
    ct_check_remote_group(inter, &sides.list[!sides.mine], "remote group");
    MPI_Intercomm_merge(inter, !sides.mine, &merged);
    ct_check_comm(merged, all, "merged");
    MPI_Comm_free(&merged);
    MPI_Comm_free(&inter);
    ct_sides_free(&sides);
}

/* The first of each half tells the other half its rank in the world. */
static void check_leaders(MPI_Comm inter, int mine)
{
    int got = ct_me, rank, leader[2] = {world_size / 2, 0};

    MPI_Comm_rank(inter, &rank);
    for (int from = 0; from < 2; from++) {
        int root = mine != from ? 0 : (rank == 0 ? MPI_ROOT : MPI_PROC_NULL);
        MPI_Bcast(mine == from ? &ct_me : &got, 1, MPI_INT, root, inter);
        CT_CHECK(mine == from || got == leader[from], "the remote leader is %d", got);
    }
}

static void check_session(const ct_list *all)
{
    MPI_Session session;
    MPI_Group group, half, other;
    MPI_Comm comm;
    int mine = ct_me < world_size / 2,
        ranges[2][1][3] = {{{world_size / 2, world_size - 1, 1}}, {{0, world_size / 2 - 1, 1}}};

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    ct_check_group_of(&group, all, "mpi://WORLD");
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    ct_check_comm(comm, all, "of a session");
    MPI_Comm_free(&comm);
    if (world_size > 1) {
        MPI_Group_range_incl(group, 1, ranges[mine], &half);
        MPI_Group_range_incl(group, 1, ranges[!mine], &other);
        MPI_Intercomm_create_from_groups(half, 0, other, 0, "two", MPI_INFO_NULL,
                                         MPI_ERRORS_ARE_FATAL, &comm);
        check_leaders(comm, mine);
        MPI_Comm_free(&comm);
        MPI_Group_free(&half);
        MPI_Group_free(&other);
    }
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strncmp(argv[i], "-order=", 7))
            order = argv[i] + 7;
    process = from_environment("PMI_RANK", "PMIX_RANK", 0);
    fill_wanted(from_environment("PMI_SIZE", "CMAPTEST_SIZE", 1));
    if (!is_grid() && !write_file())
        return 1;
    setenv("MPIR_CVAR_WORLD_ORDER", is_grid() ? order : file_name, 1);
    MTest_Init(&argc, &argv);
    if (!is_grid())
        unlink(file_name);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    ct_list all = ct_list_range(world_size);
    check_order();
    check_collectives();
    check_node();
    check_window(MPI_COMM_WORLD);
    check_communicators(&all);
    check_intercommunicator(&all);
    check_session(&all);
    ct_list_free(&all);
    ct_list_free(&wanted);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
