/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Communicators by nodes are made when a communicator is first used by nodes, and not before.
 *
 * A duplicate of the world is fresh for each kind of operation, which therefore is its first one,
 * and is done again on the same duplicate.  The results are checked, and so is the variable
 * comm_node_comms: it stands still while duplicates are made and send messages, moves once for each
 * operation that goes by nodes, by the same number for each, at the first or the second time, and
 * not after that.  The testlist lays the machine out as one or several nodes and chooses the
 * algorithms.
 */
#include "cmaptest_mpit.h"

#define ROOM 64 /* ints in a window */
#define N 3000  /* ints in the large operations: more than goes by nodes in one piece */

static int rank, size;
/* communicators by nodes that this process has in a duplicate of the world */
static long long own_share;
static ct_pvar made;

/* ---- operations: each leaves an answer that only the right one gives ---- */

static int total(void) { return size * (size + 1) / 2; }

static void wait_for(MPI_Request *request) { MPI_Wait(request, MPI_STATUS_IGNORE); }

static int do_barrier(MPI_Comm comm) { return MPI_Barrier(comm) == MPI_SUCCESS; }

static int do_ibarrier(MPI_Comm comm)
{
    MPI_Request request;

    MPI_Ibarrier(comm, &request);
    wait_for(&request);
    return 1;
}

static int bcast(MPI_Comm comm, int root, int n, int nonblocking)
{
    static int data[N];
    MPI_Request request;

    for (int i = 0; i < n; i++)
        data[i] = rank == root ? 7 * i + root : -1;
    if (nonblocking) {
        MPI_Ibcast(data, n, MPI_INT, root, comm, &request);
        wait_for(&request);
    } else {
        MPI_Bcast(data, n, MPI_INT, root, comm);
    }
    for (int i = 0; i < n; i++)
        if (data[i] != 7 * i + root)
            return 0;
    return 1;
}

static int do_bcast(MPI_Comm comm) { return bcast(comm, 0, 1, 0); }

static int do_bcast_last(MPI_Comm comm) { return bcast(comm, size - 1, 1, 0); }

static int do_bcast_large(MPI_Comm comm) { return bcast(comm, size / 2, N, 0); }

static int do_ibcast(MPI_Comm comm) { return bcast(comm, size - 1, 1, 1); }

static int do_ibcast_large(MPI_Comm comm) { return bcast(comm, size / 2, N, 1); }

static int do_reduce(MPI_Comm comm)
{
    int mine = rank + 1, sum = 0, root = size - 1;

    MPI_Reduce(&mine, &sum, 1, MPI_INT, MPI_SUM, root, comm);
    return rank != root || sum == total();
}

static int do_ireduce(MPI_Comm comm)
{
    int mine = rank + 1, sum = 0, root = size / 2;
    MPI_Request request;

    MPI_Ireduce(&mine, &sum, 1, MPI_INT, MPI_SUM, root, comm, &request);
    wait_for(&request);
    return rank != root || sum == total();
}

static int do_allreduce(MPI_Comm comm)
{
    int sum = rank + 1;

    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, comm);
    return sum == total();
}

static int do_iallreduce(MPI_Comm comm)
{
    int mine = rank + 1, sum = 0;
    MPI_Request request;

    MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
    wait_for(&request);
    return sum == total();
}

static int do_scan(MPI_Comm comm)
{
    int mine = rank + 1, sum = 0;

    MPI_Scan(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
    return sum == (rank + 1) * (rank + 2) / 2;
}

static int do_iscan(MPI_Comm comm)
{
    int mine = rank + 1, sum = 0;
    MPI_Request request;

    MPI_Iscan(&mine, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
    wait_for(&request);
    return sum == (rank + 1) * (rank + 2) / 2;
}

static int do_exscan(MPI_Comm comm)
{
    int mine = rank + 1, sum = 0;

    MPI_Exscan(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
    return rank == 0 || sum == rank * (rank + 1) / 2;
}

static int do_allgather(MPI_Comm comm)
{
    int right = 1, *all = ct_ints(size);

    MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, comm);
    for (int i = 0; i < size; i++)
        right = right && all[i] == i;
    free(all);
    return right;
}

static int do_alltoall(MPI_Comm comm)
{
    int right = 1, *out = ct_ints(size), *in = ct_ints(size);
    MPI_Request request;

    for (int i = 0; i < size; i++)
        out[i] = rank * size + i;
    MPI_Ialltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm, &request);
    wait_for(&request);
    for (int i = 0; i < size; i++)
        right = right && in[i] == i * size + rank;
    free(out);
    free(in);
    return right;
}

static int do_gather_scatter(MPI_Comm comm)
{
    int got = -1, *all = ct_ints(size);

    MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, 0, comm);
    MPI_Scatter(all, 1, MPI_INT, &got, 1, MPI_INT, 0, comm);
    free(all);
    return got == rank;
}

static int do_reduce_scatter(MPI_Comm comm)
{
    int got = -1, *all = ct_ints(size);

    for (int i = 0; i < size; i++)
        all[i] = i;
    MPI_Reduce_scatter_block(all, &got, 1, MPI_INT, MPI_SUM, comm);
    free(all);
    return got == rank * size;
}

static int do_idup(MPI_Comm comm)
{
    MPI_Comm copy;
    MPI_Request request;

    MPI_Comm_idup(comm, &copy, &request);
    int right = do_allreduce(comm); /* while the other is on its way */
    wait_for(&request);
    right = right && do_bcast_last(copy);
    MPI_Comm_free(&copy);
    return right;
}

static int do_split(MPI_Comm comm)
{
    int n, want = rank % 2 ? size / 2 : (size + 1) / 2;
    MPI_Comm half;

    MPI_Comm_split(comm, rank % 2, -rank, &half);
    MPI_Comm_size(half, &n);
    int sum = 0, one = 1;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, half);
    MPI_Comm_free(&half);
    return n == want && sum == want;
}

static int do_window(MPI_Comm comm)
{
    int mine[ROOM] = {-1}, right = (rank + 1) % size;
    MPI_Win win;

    MPI_Win_create(mine, sizeof(mine), sizeof(int), MPI_INFO_NULL, comm, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&rank, 1, MPI_INT, right, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    return mine[0] == (rank + size - 1) % size;
}

static int do_allocated_window(MPI_Comm comm)
{
    int *mine, right = (rank + 1) % size;
    MPI_Win win;

    MPI_Win_allocate(ROOM * sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &mine, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&rank, 1, MPI_INT, right, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    int got = *mine;
    MPI_Win_free(&win);
    return got == (rank + size - 1) % size;
}

/* alone: works on the communicator only, not on others that it makes */
static const struct kind {
    const char *name;
    int (*run)(MPI_Comm comm);
    int alone;
} kinds[] = {{"barrier", do_barrier, 1},
             {"ibarrier", do_ibarrier, 1},
             {"bcast", do_bcast, 1},
             {"bcast from the last", do_bcast_last, 1},
             {"large bcast", do_bcast_large, 1},
             {"ibcast", do_ibcast, 1},
             {"large ibcast", do_ibcast_large, 1},
             {"reduce", do_reduce, 1},
             {"ireduce", do_ireduce, 1},
             {"allreduce", do_allreduce, 1},
             {"iallreduce", do_iallreduce, 1},
             {"scan", do_scan, 1},
             {"iscan", do_iscan, 1},
             {"exscan", do_exscan, 1},
             {"allgather", do_allgather, 1},
             {"ialltoall", do_alltoall, 1},
             {"gather and scatter", do_gather_scatter, 1},
             {"reduce_scatter", do_reduce_scatter, 1},
             {"idup", do_idup, 0},
             {"split", do_split, 0},
             {"window", do_window, 0},
             {"allocated window", do_allocated_window, 0}};

#define KINDS ((int) (sizeof(kinds) / sizeof(kinds[0])))

/* ---- the variable ---- */

static int has_variable;

static long long count(void) { return has_variable ? ct_pvar_read(&made) : 0; }

/* From the layout alone: the processes of this node and who comes first on it. */
static void find_own_share(void)
{
    int here, rank_here, nodes, first;
    MPI_Comm node;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &here);
    MPI_Comm_rank(node, &rank_here);
    first = rank_here == 0;
    MPI_Allreduce(&first, &nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Comm_free(&node);
    own_share = nodes == size ? 0 : (here > 1) + first;
}

/* ---- tests ---- */

/* Not by the duplicates, their names, groups and attributes, and not by their messages. */
static void check_no_use(void)
{
    int got, right = (rank + 1) % size, left = (rank + size - 1) % size;
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Comm copy[10];
    MPI_Group group;

    MPI_Barrier(MPI_COMM_WORLD);
    long long before = count();
    for (int i = 0; i < 10; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &copy[i]);
        MPI_Comm_set_name(copy[i], "a name");
        MPI_Comm_get_name(copy[i], name, &got);
        MPI_Comm_group(copy[i], &group);
        MPI_Group_free(&group);
        MPI_Sendrecv(&rank, 1, MPI_INT, right, 0, &got, 1, MPI_INT, left, 0, copy[i],
                     MPI_STATUS_IGNORE);
        CT_CHECK(got == left, "message from %d, not %d", got, left);
    }
    for (int i = 0; i < 10; i++)
        MPI_Comm_free(&copy[i]);
    CT_CHECK(count() == before, "%lld communicators by nodes without any use", count() - before);
}

/* Returns whether it went by nodes at this process. */
static int check_kind(const struct kind *kind)
{
    MPI_Comm fresh;

    MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
    long long before = count();
    CT_CHECK(kind->run(fresh), "%s as the first operation gives a wrong result", kind->name);
    long long first = count() - before;
    CT_CHECK(kind->run(fresh), "%s as the second operation gives a wrong result", kind->name);
    long long second = count() - before;
    if (kind->alone)
        CT_CHECK((first == 0 || first == second) && (second == 0 || second == own_share),
                 "%s makes %lld communicators by nodes, then %lld, not %lld", kind->name, first,
                 second, own_share);
    CT_CHECK(kind->run(fresh), "%s as the third operation gives a wrong result", kind->name);
    if (kind->alone)
        CT_CHECK(count() - before == second, "%s makes communicators by nodes the third time",
                 kind->name);
    MPI_Comm_free(&fresh);
    return second > 0;
}

/* All kinds on one duplicate make communicators by nodes once. */
static void check_all_on_one(void)
{
    MPI_Comm fresh;

    MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
    long long before = count();
    for (int i = 0; i < KINDS; i++)
        if (kinds[i].alone)
            CT_CHECK(kinds[i].run(fresh), "%s after others gives a wrong result", kinds[i].name);
    long long all = count() - before;
    CT_CHECK(all == 0 || all == own_share,
             "all together make %lld communicators by nodes, not %lld", all, own_share);
    MPI_Comm_free(&fresh);
}

int main(int argc, char **argv)
{
    int by_nodes = 0, several = 0;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ct_me = rank;
    ct_mpit_begin();
    has_variable = ct_pvar_find("comm_node_comms", &made);
    find_own_share();
    check_no_use();
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < KINDS; i++)
            by_nodes += check_kind(&kinds[i]);
    check_all_on_one();
    for (int i = 1; i < argc; i++)
        several = several || !strcmp(argv[i], "-must");
    CT_CHECK(!several || own_share == 0 || by_nodes > 0 || !has_variable,
             "nothing goes by nodes: there is nothing tested");
    if (has_variable)
        ct_pvar_close(&made);
    ct_mpit_end();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
