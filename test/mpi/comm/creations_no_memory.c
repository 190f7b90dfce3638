/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Each call that makes a communicator, and the first collectives of what it makes, where one
 * process fails to allocate once: the first allocation of the call, the second, and so on, at one
 * process after the other.  A creation fails on all members or on none, the victim's class is
 * MPI_ERR_NO_MEM, no context id is lost, and parent and child work.  A collective ends, and works
 * when it is called again.
 *
 * With -requests, also collectives of few nodes where a process has few requests, and no memory for
 * more.
 *
 * With -from, all later allocations of the call fail, too.
 *
 * Arguments: -from, -requests, -only=NAME (of the calls those whose name begins so), -log (each
 * step on stderr)
 */
#include "cmaptest_poor.h"

static int with_log, with_requests;
static int world_size;
static const char *only = "";

enum { MOST_RANKS = 64 };

typedef struct maker {
    const char *what;
    int (*make)(MPI_Comm parent, MPI_Comm *made);
    int alone; /* has one member, and does not wait for others */
} maker;

/* ---- calls ---- */

static int my_rank(MPI_Comm comm)
{
    int rank;

    MPI_Comm_rank(comm, &rank);
    return rank;
}

static int size_of(MPI_Comm comm)
{
    int size;

    MPI_Comm_size(comm, &size);
    return size;
}

static int duplicate(MPI_Comm parent, MPI_Comm *made) { return MPI_Comm_dup(parent, made); }

static int duplicate_with_info(MPI_Comm parent, MPI_Comm *made)
{
    return MPI_Comm_dup_with_info(parent, MPI_INFO_NULL, made);
}

static int duplicate_later(MPI_Comm parent, MPI_Comm *made)
{
    MPI_Request request;
    int result = MPI_Comm_idup(parent, made, &request);

    if (result == MPI_SUCCESS)
        result = MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (result != MPI_SUCCESS)
        *made = MPI_COMM_NULL;
    return result;
}

static int split_backward(MPI_Comm parent, MPI_Comm *made)
{
    return MPI_Comm_split(parent, 0, -my_rank(parent), made);
}

static int split_by_pairs(MPI_Comm parent, MPI_Comm *made)
{
    return MPI_Comm_split(parent, my_rank(parent) / 2, 0, made);
}

static int split_some(MPI_Comm parent, MPI_Comm *made)
{
    return MPI_Comm_split(parent, my_rank(parent) == 0 ? MPI_UNDEFINED : 0, 0, made);
}

static int split_shared(MPI_Comm parent, MPI_Comm *made)
{
    return MPI_Comm_split_type(parent, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, made);
}

static MPI_Group members; /* made with all the memory */

static int create(MPI_Comm parent, MPI_Comm *made)
{
    return MPI_Comm_create(parent, members, made);
}

static int create_group(MPI_Comm parent, MPI_Comm *made)
{
    int rank;

    MPI_Group_rank(members, &rank);
    return rank == MPI_UNDEFINED ? MPI_SUCCESS : MPI_Comm_create_group(parent, members, 7, made);
}

static int create_from_group(MPI_Comm parent, MPI_Comm *made)
{
    int rank;

    MPI_Group_rank(members, &rank);
    return rank == MPI_UNDEFINED ? MPI_SUCCESS
                                 : MPI_Comm_create_from_group(members, "poor", MPI_INFO_NULL,
                                                              MPI_ERRORS_RETURN, made);
}

static int cart(MPI_Comm parent, MPI_Comm *made)
{
    int dims[2] = {size_of(parent), 1}, periods[2] = {1, 0};

    return MPI_Cart_create(parent, 2, dims, periods, 0, made);
}

static int cart_reordered(MPI_Comm parent, MPI_Comm *made)
{
    int size = size_of(parent), dim = size > 2 ? size - 1 : size, period = 1;

    return MPI_Cart_create(parent, 1, &dim, &period, 1, made);
}

static int cart_of_none(MPI_Comm parent, MPI_Comm *made)
{
    return MPI_Cart_create(parent, 0, NULL, NULL, 0, made);
}

static int graph_with(MPI_Comm parent, int reorder, MPI_Comm *made)
{
    int size = size_of(parent), index[MOST_RANKS], edges[MOST_RANKS];

    for (int i = 0; i < size; i++) {
        index[i] = i + 1;
        edges[i] = (i + 1) % size;
    }
    return MPI_Graph_create(parent, size, index, edges, reorder, made);
}

static int graph(MPI_Comm parent, MPI_Comm *made) { return graph_with(parent, 0, made); }

static int graph_reordered(MPI_Comm parent, MPI_Comm *made) { return graph_with(parent, 1, made); }

/* A ring whose neighbours are far apart. */
static int dist_graph_reordered(MPI_Comm parent, MPI_Comm *made)
{
    int size = size_of(parent), half = size / 2, rank = my_rank(parent), weight = 5;
    int to = (rank + half) % size, from = (rank + size - half) % size;

    return MPI_Dist_graph_create_adjacent(parent, 1, &from, &weight, 1, &to, &weight, MPI_INFO_NULL,
                                          1, made);
}

/* The same ring, of which rank 0 gives all edges. */
static int dist_graph_of_one_reordered(MPI_Comm parent, MPI_Comm *made)
{
    int size = size_of(parent), n = my_rank(parent) == 0 ? size : 0;
    int source[MOST_RANKS], degree[MOST_RANKS], to[MOST_RANKS];

    for (int i = 0; i < n; i++) {
        source[i] = i;
        degree[i] = 1;
        to[i] = (i + size / 2) % size;
    }
    return MPI_Dist_graph_create(parent, n, source, degree, to, MPI_UNWEIGHTED, MPI_INFO_NULL, 1,
                                 made);
}

static int dist_graph_adjacent(MPI_Comm parent, MPI_Comm *made)
{
    int size = size_of(parent), rank = my_rank(parent);
    int from = (rank + size - 1) % size, to = (rank + 1) % size, weight = 3;

    return MPI_Dist_graph_create_adjacent(parent, 1, &from, &weight, 1, &to, &weight, MPI_INFO_NULL,
                                          0, made);
}

/* Each tells the edges of its neighbour. */
static int dist_graph(MPI_Comm parent, MPI_Comm *made)
{
    int size = size_of(parent), rank = my_rank(parent);
    int source = (rank + 1) % size, degree = 2, to[2] = {(rank + 2) % size, rank},
        weights[2] = {5, 6};

    return MPI_Dist_graph_create(parent, 1, &source, &degree, to, weights, MPI_INFO_NULL, 0, made);
}

static int cart_sub(MPI_Comm parent, MPI_Comm *made)
{
    return MPI_Cart_sub(parent, (int[2]){1, 0}, made);
}

static int cart_sub_of_none(MPI_Comm parent, MPI_Comm *made)
{
    return MPI_Cart_sub(parent, (int[2]){0, 0}, made);
}

static int create_inter(MPI_Comm half, MPI_Comm *made)
{
    return MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - ct_me % 2, 1, made);
}

static int merge(MPI_Comm parent, MPI_Comm *made)
{
    return MPI_Intercomm_merge(parent, ct_me % 2 == 0, made);
}

/* ---- parents ---- */

static MPI_Comm returning(MPI_Comm comm)
{
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return comm;
}

static MPI_Comm intra(void)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    return returning(comm);
}

static MPI_Comm cartesian(void)
{
    MPI_Comm comm;

    cart(MPI_COMM_WORLD, &comm);
    return returning(comm);
}

static MPI_Comm half_of_world(void)
{
    MPI_Comm half;

    MPI_Comm_split(MPI_COMM_WORLD, ct_me % 2, 0, &half);
    return returning(half);
}

static MPI_Comm intercomm(void)
{
    MPI_Comm half = half_of_world(), inter;

    create_inter(half, &inter);
    MPI_Comm_free(&half);
    return returning(inter);
}

/* ---- creations ---- */

static void tell(const char *what, int victim, int n)
{
    if (with_log && ct_me == victim)
        fprintf(stderr, "%s: victim %d, allocation %d\n", what, victim, n);
}

/* Returns whether an allocation failed. */
static int fail_creation(maker by, MPI_Comm parent, int victim, int n)
{
    MPI_Comm made = MPI_COMM_NULL;
    long long before = ct_ids_used();
    int result, refused;

    tell(by.what, victim, n);
    ct_poor_begin(ct_me == victim ? n : 0);
    result = by.make(parent, &made);
    refused = ct_poor_end();
    ct_outcome all = ct_outcome_of(result, 1, refused);
    CT_CHECK(all.failed == 0 || all.succeeded == 0 || by.alone,
             "%s, allocation %d of %d fails: an error on %d, none on %d", by.what, n, victim,
             all.failed, all.succeeded);
    CT_CHECK(all.failed == 0 || all.refused, "%s fails with all the memory", by.what);
    CT_CHECK(result == MPI_SUCCESS || made == MPI_COMM_NULL, "%s: an error and a communicator",
             by.what);
    ct_check_class(result, refused, by.what, victim, n);
    if (all.succeeded == 0 || all.failed == 0 || by.alone) {
        if (made != MPI_COMM_NULL)
            ct_check_works(made, by.what, victim, n);
        ct_check_works(parent, by.what, victim, n);
    }
    ct_free_if_any(&made);
    CT_CHECK(ct_ids_used() == before, "%s, allocation %d of %d fails: %lld ids in use, not %lld",
             by.what, n, victim, ct_ids_used(), before);
    return all.refused;
}

static int is_wanted(const char *what) { return !strncmp(what, only, strlen(only)); }

/* Where the members of creators without everybody succeed, the others do, too: theirs is no
 * call. */
static void check_creation(maker by, MPI_Comm parent)
{
    enum { MOST = 200 };
    int n = 1;

    if (!is_wanted(by.what))
        return;
    for (int victim = 0; victim < world_size; victim++) {
        for (n = 1; n < MOST && fail_creation(by, parent, victim, n); n++)
            ;
        CT_CHECK(n < MOST, "%s never ends with all the memory", by.what);
    }
}

static void check_creations(void)
{
    static const maker intra_makers[] = {
        {"dup", duplicate, 0},
        {"dup_with_info", duplicate_with_info, 0},
        {"idup", duplicate_later, 0},
        {"split backward", split_backward, 0},
        {"split by pairs", split_by_pairs, 0},
        {"split some", split_some, 0},
        {"split_type", split_shared, 0},
        {"create", create, 0},
        {"cart", cart, 0},
        {"cart reordered", cart_reordered, 0},
        {"cart of none", cart_of_none, 1},
        {"graph", graph, 0},
        {"graph reordered", graph_reordered, 0},
        {"dist_graph reordered", dist_graph_reordered, 0},
        {"dist_graph of one reordered", dist_graph_of_one_reordered, 0},
        {"dist_graph_adjacent", dist_graph_adjacent, 0},
        {"dist_graph", dist_graph, 0},
    };
    static const maker group_makers[] = {{"create_group", create_group, 0},
                                         {"create_from_group", create_from_group, 0}};
    static const maker inter_makers[] = {
        {"dup between groups", duplicate, 0},
        {"idup between groups", duplicate_later, 0},
        {"split between groups", split_backward, 0},
        {"merge", merge, 0},
    };
    static const maker cart_makers[] = {{"dup of cart", duplicate, 0},
                                        {"cart_sub", cart_sub, 0},
                                        {"cart_sub of none", cart_sub_of_none, 1}};
    MPI_Comm parent = intra(), inter = intercomm(), grid = cartesian(), half = half_of_world();
    MPI_Group all;

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_range_incl(all, 1, (int[1][3]){{world_size - 1, 0, -1}}, &members);
    for (unsigned i = 0; i < sizeof(intra_makers) / sizeof(maker); i++)
        check_creation(intra_makers[i], parent);
    for (unsigned i = 0; i < sizeof(group_makers) / sizeof(maker); i++)
        check_creation(group_makers[i], parent);
    for (unsigned i = 0; i < sizeof(inter_makers) / sizeof(maker); i++)
        check_creation(inter_makers[i], inter);
    for (unsigned i = 0; i < sizeof(cart_makers) / sizeof(maker); i++)
        check_creation(cart_makers[i], grid);
    check_creation((maker){"intercomm_create", create_inter, 0}, half);
    MPI_Group_free(&members);
    MPI_Group_range_incl(all, 1, (int[1][3]){{0, world_size - 2, 1}}, &members);
    check_creation((maker){"create of some", create, 0}, parent);
    MPI_Group_free(&members);
    MPI_Group_free(&all);
    MPI_Comm_free(&parent);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&grid);
    MPI_Comm_free(&half);
}

/* ---- first collectives ---- */

enum { BARRIER, BCAST, REDUCE, ALLREDUCE, ALLREDUCE_64, ALLGATHER, COLLECTIVES };
static const char *const collective_names[] = {
    "barrier", "bcast", "reduce", "allreduce", "allreduce of 64 bytes", "allgather"};

static int rooted(MPI_Comm comm)
{
    if (!ct_is_inter(comm) || ct_me % 2)
        return 0;
    return my_rank(comm) == 0 ? MPI_ROOT : MPI_PROC_NULL;
}

static int collective(MPI_Comm comm, int which)
{
    int in[16] = {1}, out[16];

    switch (which) {
        case BARRIER: return MPI_Barrier(comm);
        case BCAST: return MPI_Bcast(in, 1, MPI_INT, rooted(comm), comm);
        case REDUCE: return MPI_Reduce(in, out, 1, MPI_INT, MPI_SUM, rooted(comm), comm);
        case ALLREDUCE: return MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, comm);
        case ALLREDUCE_64: return MPI_Allreduce(in, out, 16, MPI_INT, MPI_SUM, comm);
        default: {
            int all[2 * MOST_RANKS];
            return MPI_Allgather(in, 2, MPI_INT, all, 2, MPI_INT, comm);
        }
    }
}

/* With `before`, not the first one. */
static int fail_collective(MPI_Comm parent, const char *what, int which, int before, int victim,
                           int n)
{
    MPI_Comm comm;
    int result, refused;
    char name[64];

    snprintf(name, sizeof(name), "%s %d of %s", collective_names[which], before + 1, what);
    MPI_Comm_dup(parent, &comm);
    returning(comm);
    while (before-- > 0)
        collective(comm, which);
    tell(name, victim, n);
    ct_poor_begin(ct_me == victim ? n : 0);
    result = collective(comm, which);
    refused = ct_poor_end();
    ct_outcome all = ct_outcome_of(result, 1, refused);
    CT_CHECK(all.failed == 0 || all.refused, "%s fails with all the memory", name);
    ct_check_class(result, refused, name, victim, n);
    result = collective(comm, which);
    CT_CHECK(result == MPI_SUCCESS, "%s, allocation %d of %d failed: class %d with memory again",
             name, n, victim, ct_class_of(result));
    ct_check_works(comm, name, victim, n);
    MPI_Comm_free(&comm);
    return all.refused;
}

static void check_collectives(MPI_Comm parent, const char *what)
{
    enum { MOST = 100 };

    for (int which = 0; which < COLLECTIVES; which++) {
        if (!is_wanted(collective_names[which]))
            continue;
        for (int before = 0; before < 2; before++)
            for (int victim = 0; victim < world_size; victim++)
                for (int n = 1; n < MOST && fail_collective(parent, what, which, before, victim, n);
                     n++)
                    ;
    }
}

static void check_first_collectives(void)
{
    MPI_Comm parent = intra(), inter = intercomm(), backward;

    split_backward(parent, &backward);
    check_collectives(parent, "a dup");
    check_collectives(backward, "a split");
    check_collectives(inter, "two groups");
    MPI_Comm_free(&backward);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&parent);
}

/* ---- requests ---- */

/* Receives that nobody sends for, until MPI allocates once more; returns how many. */
static int post_until_growth(MPI_Comm comm, MPI_Request *posted, int most)
{
    int n = 0;

    ct_poor_begin(0);
    while (n < most && ct_allocates == 0)
        MPI_Irecv(NULL, 0, MPI_INT, 0, 99, comm, &posted[n++]);
    ct_poor_end();
    return n;
}

/* A collective of the victim when the pool has `left` requests, and no memory for more. */
static void fail_for_requests(MPI_Comm pool, MPI_Comm comm, int which, int victim, int left)
{
    enum { MOST = 20000 };
    MPI_Request *posted = ct_me == victim ? ct_alloc(MOST, sizeof(MPI_Request)) : NULL;
    int n = 0, block, result;

    if (ct_me == victim) {
        n = post_until_growth(pool, posted, MOST);
        block = post_until_growth(pool, posted + n, MOST - n);
        n += block;
        for (int i = 1; i < block - left && n < MOST; i++)
            MPI_Irecv(NULL, 0, MPI_INT, 0, 99, pool, &posted[n++]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    tell(collective_names[which], victim, left);
    ct_poor_begin(ct_me == victim ? CT_ALL_FAIL : 0);
    result = collective(comm, which);
    ct_poor_end();
    for (int i = 0; i < n; i++) {
        MPI_Cancel(&posted[i]);
        MPI_Wait(&posted[i], MPI_STATUS_IGNORE);
    }
    free(posted);
    ct_outcome all = ct_outcome_of(result, 1, 0);
    CT_CHECK(all.failed == 0 || all.succeeded == 0,
             "%s with %d requests at %d: an error on %d, none on %d", collective_names[which], left,
             victim, all.failed, all.succeeded);
    CT_CHECK(result == MPI_SUCCESS || which == ALLGATHER, "%s with %d requests at %d: class %d",
             collective_names[which], left, victim, ct_class_of(result));
    ct_check_works(comm, "a collective without requests", victim, left);
}

/* Of few nodes, which exchange in one step. */
static void check_requests(void)
{
    enum { LEFT = 4 };
    MPI_Comm parent = intra(), pool;

    MPI_Comm_dup(MPI_COMM_SELF, &pool);
    for (int k = 0; k < 3; k++)
        ct_check_sum(parent, "parent", 0, 0);
    for (int victim = 0; is_wanted("requests") && victim < world_size; victim++)
        for (int left = 0; left < LEFT; left++) {
            fail_for_requests(pool, parent, ALLREDUCE, victim, left);
            fail_for_requests(pool, parent, ALLGATHER, victim, left);
            fail_for_requests(pool, parent, BARRIER, victim, left);
        }
    MPI_Comm_free(&pool);
    MPI_Comm_free(&parent);
}

static void check_all(void)
{
    ct_connect_all();
    returning(MPI_COMM_WORLD);
    ct_mpit_begin();
    check_creations();
    check_first_collectives();
    if (with_requests)
        check_requests();
    ct_mpit_end();
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    for (int i = 1; i < argc; i++) {
        with_log = with_log || !strcmp(argv[i], "-log");
        ct_poor_mode(argv[i]);
        with_requests = with_requests || !strcmp(argv[i], "-requests");
        if (!strncmp(argv[i], "-only=", 6))
            only = argv[i] + 6;
    }
    if (ct_can_be_poor())
        check_all();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
