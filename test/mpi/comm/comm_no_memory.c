/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Without memory, what a communicator gets later on ends in an error of MPI, and works when there
 * is memory again: its name.  The communicators by nodes which its first collective operation needs
 * come from the reserve.  When only one process lacks memory for a new communicator before they
 * agree on it, the creation fails on all, and works when there is memory again, whether they wait
 * for it in the call or later; when it lacks memory after that, what is made next has one context
 * id at all.
 */
#include "cmaptest_poor.h"

static int after_it; /* allocations after the next collective fail instead of those before it */
static int whenever; /* before or after collectives */
static long long collectives_so_far;
static ct_pvar collectives;

/* For ct_counts: is it on the side of the next collective on which allocations fail? */
static int is_on_side(void)
{
    int moved = !whenever && ct_pvar_read(&collectives) != collectives_so_far;

    return after_it == moved;
}

/* The first allocation that fails is the n-th on the side, or all there fail. */
static void begin_on_side(int n)
{
    collectives_so_far = ct_pvar_read(&collectives);
    ct_counts = is_on_side;
    ct_poor_begin(n);
}

static int end_on_side(void)
{
    ct_counts = NULL;
    return ct_poor_end();
}

/* The world backwards: its communicators by nodes need maps that are not there yet, at every
 * process.  (A process for which all is there goes on, and waits for the others in vain.) */
static MPI_Comm fresh_comm(void)
{
    MPI_Comm comm;

    MPI_Comm_split(MPI_COMM_WORLD, 0, -ct_me, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return comm;
}

static void expect_no_memory(int result, int refused, const char *what)
{
    int class = ct_class_of(result);

    CT_CHECK(refused == 0 || class == MPI_ERR_NO_MEM || class == MPI_ERR_OTHER,
             "%s without memory: class %d", what, class);
    CT_CHECK(refused > 0 || result == MPI_SUCCESS, "%s fails with all the memory", what);
}

static void check_name(void)
{
    MPI_Comm comm = fresh_comm();
    char name[MPI_MAX_OBJECT_NAME];
    int length, result, refused;

    ct_poor_begin(CT_ALL_FAIL);
    result = MPI_Comm_set_name(comm, "no room");
    refused = ct_poor_end();
    expect_no_memory(result, refused, "MPI_Comm_set_name");
    MPI_Comm_get_name(comm, name, &length);
    CT_CHECK(!strcmp(name, result == MPI_SUCCESS ? "no room" : ""), "the name is '%s'", name);
    MPI_Comm_set_name(comm, "room");
    MPI_Comm_get_name(comm, name, &length);
    CT_CHECK(!strcmp(name, "room"), "the name is '%s', not 'room'", name);
    MPI_Comm_free(&comm);
}

static int last_of(MPI_Comm comm)
{
    int size;

    MPI_Comm_size(comm, &size);
    return size - 1;
}

/* With two processes on a node the map of its communicator may be alive already and take no memory:
 * on two nodes six processes are wanted. */
static void check_first_use(int by_nodes)
{
    MPI_Comm comm = fresh_comm();
    int value = ct_me == 0 ? 17 : 0, result, refused; /* who is the last rank */

    MPI_Barrier(MPI_COMM_WORLD);
    ct_poor_begin(by_nodes ? CT_ALL_FAIL : 0);
    result = by_nodes ? MPI_Bcast(&value, 1, MPI_INT, last_of(comm), comm) : MPI_SUCCESS;
    refused = ct_poor_end();
    CT_CHECK(result == MPI_SUCCESS, "the first MPI_Bcast without memory: class %d",
             ct_class_of(result));
    CT_CHECK(!by_nodes || (refused > 0 && value == 17), "the first MPI_Bcast misses %d, gives %d",
             refused, value);

    value = ct_me == 0 ? 18 : 0;
    result = MPI_Bcast(&value, 1, MPI_INT, last_of(comm), comm);
    CT_CHECK(result == MPI_SUCCESS && value == 18, "MPI_Bcast with memory gives %d", value);
    MPI_Comm_free(&comm);
}

/* ---- one member without memory ---- */

/* Makes a communicator.  All processes of the parent take part, in a few cases all but the last. */
typedef struct creator {
    int (*make)(MPI_Comm parent, MPI_Comm *made);
    const char *what;
    int without_last;
    /* and takes memory when they have agreed: that fails at one process alone */
    int goes_on;
} creator;

static int duplicate(MPI_Comm parent, MPI_Comm *made) { return MPI_Comm_dup(parent, made); }

static int none_in_call; /* of MPI_Comm_idup: no memory at all */

static int duplicate_later(MPI_Comm parent, MPI_Comm *made)
{
    MPI_Request request;
    int result;

    if (none_in_call)
        ct_poor_begin(CT_ALL_FAIL);
    result = MPI_Comm_idup(parent, made, &request);
    if (none_in_call)
        ct_poor_end();
    if (result == MPI_SUCCESS)
        result = MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (result != MPI_SUCCESS)
        *made = MPI_COMM_NULL;
    return result;
}

static int split_backward(MPI_Comm parent, MPI_Comm *made)
{
    return MPI_Comm_split(parent, 0, -ct_me, made);
}

static int split_by_pairs(MPI_Comm parent, MPI_Comm *made)
{
    return MPI_Comm_split(parent, ct_me / 2 % 2, 0, made);
}

static MPI_Group all_but_last(MPI_Comm parent)
{
    MPI_Group all, some;
    int size;

    MPI_Comm_size(parent, &size);
    MPI_Comm_group(parent, &all);
    MPI_Group_range_incl(all, 1, (int[1][3]){{0, size - 2, 1}}, &some);
    MPI_Group_free(&all);
    return some;
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

/* Of the processes with even and odd numbers; `parent` has the one or the other. */
static int create_inter(MPI_Comm parent, MPI_Comm *made)
{
    return MPI_Intercomm_create(parent, 0, MPI_COMM_WORLD, 1 - ct_me % 2, 1, made);
}

/* Those with odd numbers come first. */
static int merge(MPI_Comm parent, MPI_Comm *made)
{
    return MPI_Intercomm_merge(parent, ct_me % 2 == 0, made);
}

static int create_cart(MPI_Comm parent, MPI_Comm *made)
{
    int size, periodic = 0;

    MPI_Comm_size(parent, &size);
    size--;
    return MPI_Cart_create(parent, 1, &size, &periodic, 0, made);
}

static void check_parent(MPI_Comm parent, const char *what)
{
    MPI_Comm again;
    int me = ct_me, most = -1;

    MPI_Comm_dup(parent, &again);
    MPI_Allreduce(&me, &most, 1, MPI_INT, MPI_MAX, again);
    CT_CHECK(most >= 0, "%s: the parent works no more", what);
    MPI_Comm_free(&again);
}

/* `who` has no memory for its n-th allocation.  Returns whether there was one. */
static int fail_once(creator by, MPI_Comm parent, int who, int n, MPI_Comm *made)
{
    int size, result, refused, class;

    *made = MPI_COMM_NULL;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    begin_on_side(who == ct_me ? n : 0);
    result = by.make(parent, made);
    refused = end_on_side();
    ct_outcome all = ct_outcome_of(result, 1, refused);
    class = ct_class_of(result);
    CT_CHECK(all.failed == 0 || all.failed == size - by.without_last ||
                 (by.goes_on && all.failed == 1),
             "%s without memory at %d fails at %d of %d processes", by.what, who, all.failed, size);
    CT_CHECK(all.failed == 0 || all.refused > 0, "%s fails with all the memory", by.what);
    CT_CHECK(ct_is_class_of_poor(class), "%s without memory at %d: class %d", by.what, who, class);
    if (all.refused)
        check_parent(parent, by.what);
    return all.refused;
}

/* Every allocation before the collective fails once, at one process after the other. */
static void check_each(creator by, MPI_Comm parent)
{
    MPI_Comm made;
    int size, again = 1, n;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (n = 0; again && n < 100; n += again) {
        again = 0;
        for (int who = 0; who < size; who++) {
            again = fail_once(by, parent, who, n + 1, &made) || again;
            ct_free_if_any(&made);
        }
    }
    CT_CHECK(n > 0, "%s allocates nothing", by.what);
}

/* Communicators come by the hundred: one in so many needs memory.  Always at the same process: the
 * others have taken theirs already. */
static void check_many(creator by, MPI_Comm parent)
{
    enum { MOST = 3000 };
    MPI_Comm *made = ct_alloc(MOST, sizeof(MPI_Comm));
    int n = 0, failed = 0;

    while (n < MOST && !failed)
        failed = fail_once(by, parent, 1, 1, &made[n++]);
    CT_CHECK(failed, "%d times %s without memory", n, by.what);
    while (n-- > 0)
        ct_free_if_any(&made[n]);
    free(made);
}

/* Spare communicators, which a wait with memory has made, may serve all duplicates. */
static int has_spares(MPI_Comm parent)
{
    const char *block = getenv("MPIR_CVAR_CTXID_BLOCK");

    return !ct_is_inter(parent) && !(block && strcmp(block, "1") == 0);
}

/* With other settings a split may allocate more. */
static int has_defaults(void)
{
    int has = 1;

    for (char **variable = environ; *variable; variable++)
        has = has && strncmp(*variable, "MPIR_CVAR_", 10) != 0;
    return has;
}

/* As many as there are objects for, with the defaults.  A split of one process allocates once more
 * than that. */
static int take_objects(MPI_Comm made[], int most)
{
    int n = 0, result = MPI_SUCCESS;

    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    while (n < most && result == MPI_SUCCESS) {
        ct_poor_begin_after(1);
        result = MPI_Comm_split(MPI_COMM_SELF, 0, 0, &made[n]);
        ct_poor_end();
        n += result == MPI_SUCCESS;
    }
    return n;
}

/* Process 1 has no memory, and no object, for the last duplicate that takes an id of a block.  All
 * have it, or without blocks none. */
static void check_last_of_block(int last)
{
    enum { MOST = 1000 };
    MPI_Comm parent = fresh_comm(), *objects = ct_alloc(MOST, sizeof(MPI_Comm));
    MPI_Comm *made = ct_alloc(last, sizeof(MPI_Comm));
    int size, n, failed, failures;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < last - 1; i++)
        MPI_Comm_dup(parent, &made[i]);
    n = ct_me == 1 ? take_objects(objects, MOST) : 0;
    MPI_Barrier(MPI_COMM_WORLD);
    ct_poor_begin(ct_me == 1 ? CT_ALL_FAIL : 0);
    failed = MPI_Comm_dup(parent, &made[last - 1]) != MPI_SUCCESS;
    CT_CHECK(ct_poor_end() > 0 || ct_me != 1 || !has_defaults(),
             "there was an object for duplicate %d", last);
    MPI_Allreduce(&failed, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CT_CHECK(failures == 0 || (failures == size && !has_spares(parent)),
             "duplicate %d without memory fails at %d of %d processes", last, failures, size);
    while (n > 0)
        MPI_Comm_free(&objects[--n]);
    for (int i = 0; i < last - failed; i++)
        MPI_Comm_free(&made[i]);
    MPI_Comm_free(&parent);
    free(objects);
    free(made);
}

/* Without any memory at process 1, until that fails: at all.  Objects that were freed are there
 * for 3000 more. */
static void check_calls_without(MPI_Comm parent)
{
    enum { MOST = 5000 };
    MPI_Comm *made = ct_alloc(MOST, sizeof(MPI_Comm));
    int n = 0, failed = 0, size, failures;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    none_in_call = (ct_me == 1);
    while (n < MOST && !failed) {
        failed = duplicate_later(parent, &made[n++]) != MPI_SUCCESS;
        MPI_Allreduce(&failed, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        CT_CHECK(failures == 0 || failures == size,
                 "MPI_Comm_idup without memory fails at %d of %d processes", failures, size);
        failed = failures;
    }
    none_in_call = 0;
    CT_CHECK(failed || has_spares(parent), "%d times MPI_Comm_idup without memory", n);
    while (n-- > 0)
        ct_free_if_any(&made[n]);
    free(made);
    check_parent(parent, "MPI_Comm_idup without memory");
}

static int refuse_copy(MPI_Comm comm, int key, void *unused, void *value, void *copied, int *flag)
{
    *flag = 0;
    return ct_me == 0 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

/* Process 0 fails many times, without memory for it, before the others have called the first
 * one.  The parent has the attribute before it has ids for duplicates, so all hear of it. */
static void check_many_failures(MPI_Comm like)
{
    enum { CALLS = 20 };
    MPI_Comm parent, made[CALLS];
    MPI_Request requests[CALLS];
    int key, size, failures = 0;

    MPI_Comm_dup(like, &parent);
    MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
    MPI_Comm_create_keyval(refuse_copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(parent, key, NULL);
    if (ct_me != 0)
        MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (ct_me == 0)
        ct_poor_begin(CT_ALL_FAIL);
    for (int i = 0; i < CALLS; i++) {
        if (MPI_Comm_idup(parent, &made[i], &requests[i]) != MPI_SUCCESS) {
            failures++;
            requests[i] = MPI_REQUEST_NULL;
        }
    }
    ct_poor_end();
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int rank = 1; ct_me == 0 && rank < size; rank++)
        MPI_Send(NULL, 0, MPI_INT, rank, 0, MPI_COMM_WORLD);
    for (int i = 0; i < CALLS; i++)
        failures += MPI_Wait(&requests[i], MPI_STATUS_IGNORE) != MPI_SUCCESS;
    CT_CHECK(failures == CALLS, "%d of %d times MPI_Comm_idup fails where one member refuses",
             failures, CALLS);
    MPI_Comm_delete_attr(parent, key);
    MPI_Comm_free_keyval(&key);
    check_parent(parent, "MPI_Comm_idup refused");
    MPI_Comm_free(&parent);
}

static MPI_Comm half_of_world(void)
{
    MPI_Comm half;

    MPI_Comm_split(MPI_COMM_WORLD, ct_me % 2, 0, &half);
    MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN);
    return half;
}

static MPI_Comm intercomm(void)
{
    MPI_Comm half = half_of_world(), inter;

    create_inter(half, &inter);
    MPI_Comm_free(&half);
    return inter;
}

/* With `before`, before the collectives, too, in which they agree. */
static void check_whenever(creator by, MPI_Comm parent, int before)
{
    whenever = before;
    check_each(by, parent);
    check_many(by, parent);
    whenever = 0;
}

/* The groups meet before they agree: allocations fail there, too.  What the collectives need is
 * there from the first time; between nodes they take memory each time.  The table by which the
 * new communicator chooses its algorithms is made when all have agreed. */
static void check_create_inter(void)
{
    creator by = {create_inter, "MPI_Intercomm_create", .goes_on = 1};
    MPI_Comm half = half_of_world(), first;

    create_inter(half, &first);
    MPI_Comm_free(&first);
    check_whenever(by, half, ct_is_one_node(MPI_COMM_WORLD));
    MPI_Comm_free(&half);
}

/* Where reductions on one node take no memory. */
static void check_merge(void)
{
    creator by = {merge, "MPI_Intercomm_merge", .goes_on = 1};
    MPI_Comm inter = intercomm(), first;

    merge(inter, &first);
    MPI_Comm_free(&first);
    check_whenever(by, inter, 1);
    MPI_Comm_free(&inter);
}

/* Of each side all but its leader, the last one first, and a side of one as it is. */
static MPI_Group backward_without_first(MPI_Comm inter)
{
    MPI_Group side, some;
    int size;

    MPI_Comm_group(inter, &side);
    MPI_Group_size(side, &size);
    MPI_Group_range_incl(side, 1, (int[1][3]){{size - 1, size > 1, -1}}, &some);
    MPI_Group_free(&side);
    return some;
}

/* The sides tell each other who takes part before they agree, and allocations fail there, too. */
static void check_create_between(void)
{
    creator by = {create, "MPI_Comm_create between groups", .goes_on = 1};
    MPI_Comm inter = intercomm(), first;

    members = backward_without_first(inter);
    create(inter, &first);
    ct_free_if_any(&first);
    check_whenever(by, inter, 1);
    create(inter, &first);
    if (first != MPI_COMM_NULL)
        check_parent(first, "MPI_Comm_create between groups with memory again");
    ct_free_if_any(&first);
    MPI_Group_free(&members);
    MPI_Comm_free(&inter);
}

static void check_one_member(void)
{
    int size;
    long long used = ct_ids_used();
    MPI_Comm parent = fresh_comm(), inter = intercomm();

    check_each((creator){split_backward, "MPI_Comm_split backward", 0}, parent);
    check_each((creator){split_by_pairs, "MPI_Comm_split by pairs", 0}, parent);
    check_each((creator){split_backward, "MPI_Comm_split between groups", 0}, inter);
    check_many((creator){duplicate, "MPI_Comm_dup", 0}, parent);
    check_many((creator){duplicate, "MPI_Comm_dup between groups", 0}, inter);
    check_many((creator){create_cart, "MPI_Cart_create", 0}, parent);
    members = all_but_last(parent);
    check_many((creator){create, "MPI_Comm_create", 0}, parent);
    check_many((creator){create_group, "MPI_Comm_create_group", 1}, parent);
    MPI_Group_free(&members);
    MPI_Comm_free(&parent);
    MPI_Comm_free(&inter);
    check_create_inter();
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size >= 4 && ct_is_one_node(MPI_COMM_WORLD))
        check_merge();
    if (ct_is_one_node(MPI_COMM_WORLD))
        check_create_between();
    CT_CHECK(ct_ids_used() == used, "%lld context ids are in use, not %lld", ct_ids_used(), used);
}

static void check_idup(void)
{
    MPI_Comm parent = fresh_comm(), inter = intercomm();

    after_it = 0;
    check_each((creator){duplicate_later, "MPI_Comm_idup", .goes_on = 1}, parent);
    check_each((creator){duplicate_later, "MPI_Comm_idup between groups", .goes_on = 1}, inter);
    check_calls_without(parent);
    check_calls_without(inter);
    check_many_failures(parent);
    check_many_failures(inter);
    MPI_Comm_free(&parent);
    MPI_Comm_free(&inter);
}

/* ---- one member without memory when the others have agreed ---- */

/* A duplicate has the same context id at all processes when what they send in it arrives. */
static void check_same_id(MPI_Comm parent, const char *what)
{
    MPI_Comm comm;
    int rank, size, left = -1;

    MPI_Comm_dup(parent, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &left, 1, MPI_INT,
                 (rank + size - 1) % size, 0, comm, MPI_STATUS_IGNORE);
    CT_CHECK(left == (rank + size - 1) % size, "%s: %d came from the left", what, left);
    MPI_Comm_free(&comm);
}

/* `who` has no memory after the first collective: it does without, or the creation fails at all
 * processes.  What is made next has one id everywhere.  Returns whether there was such an
 * allocation. */
static int fail_after(creator by, MPI_Comm parent, int who, MPI_Comm *made)
{
    int size, result, refused;

    *made = MPI_COMM_NULL;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    begin_on_side(who == ct_me ? CT_ALL_FAIL : 0);
    result = by.make(parent, made);
    refused = end_on_side();
    ct_outcome all = ct_outcome_of(result, 1, refused);
    CT_CHECK(all.failed == 0 || all.refused, "%s fails with all the memory", by.what);
    CT_CHECK(all.failed == 0 || all.failed == size - by.without_last ||
                 (by.goes_on && all.failed == 1),
             "%s without memory at %d, then agreed, fails at %d of %d processes", by.what, who,
             all.failed, size);
    CT_CHECK(result == MPI_SUCCESS || *made == MPI_COMM_NULL, "%s: an error and a communicator",
             by.what);
    if (all.refused) {
        check_same_id(parent, by.what);
        check_same_id(MPI_COMM_WORLD, by.what);
    }
    return all.refused;
}

/* The tables of context ids grow once in so many creations, at each process for itself. */
static int check_after(creator by, MPI_Comm parent)
{
    enum { MOST = 3000 };
    MPI_Comm *made = ct_alloc(MOST, sizeof(MPI_Comm));
    int size, failed = 0;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int n = 0; n < MOST; n++)
        failed += fail_after(by, parent, n % size, &made[n]);
    for (int n = 0; n < MOST; n++)
        ct_free_if_any(&made[n]);
    free(made);
    return failed;
}

static void check_when_agreed(void)
{
    MPI_Comm parent = fresh_comm();

    for (int i = 0; i < 3; i++)
        MPI_Barrier(parent); /* its collective operations have what they need */
    after_it = 1;
    CT_CHECK(check_after((creator){duplicate, "MPI_Comm_dup", 0}, parent) > 0,
             "MPI_Comm_dup allocates nothing");
    check_after((creator){split_backward, "MPI_Comm_split backward", 0}, parent);
    check_after((creator){create_cart, "MPI_Cart_create", 0}, parent);
    members = all_but_last(parent);
    check_after((creator){create_group, "MPI_Comm_create_group", 1}, parent);
    MPI_Group_free(&members);
    MPI_Comm_free(&parent);
}

static void check_all(int by_nodes)
{
    check_last_of_block(1 + 4); /* the blocks have 1, 4 and 16 ids */
    check_last_of_block(1 + 4 + 16);
    ct_mpit_begin();
    if (ct_pvar_find("coll_calls", &collectives)) {
        check_one_member();
        /* between nodes a collective operation itself takes memory */
        if (ct_is_one_node(MPI_COMM_WORLD))
            check_when_agreed();
        check_idup();
    }
    ct_mpit_end();
    check_name();
    for (int i = 0; i < 5; i++)
        check_first_use(by_nodes);
}

/* Argument: -nodes (collective operations go by nodes) */
int main(int argc, char **argv)
{
    int by_nodes = 0;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    for (int i = 1; i < argc; i++)
        by_nodes = by_nodes || !strcmp(argv[i], "-nodes");
    if (ct_can_be_poor())
        check_all(by_nodes);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
