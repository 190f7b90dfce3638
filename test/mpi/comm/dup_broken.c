/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A duplicate that takes a context id of a block sends nothing, so a process whose attribute cannot
 * be copied cannot tell the others in the call.  It returns the error, and a notice goes to the
 * others: the first collective ends with MPIX_ERR_REVOKED there, and so do receives from the
 * process.  The parent, and later duplicates, work.  If all processes fail, all calls do.
 *
 * If the parent is revoked, some processes may have made duplicates that others do not make any
 * more.  What waits for those others ends with MPIX_ERR_REVOKED, too.
 *
 * Argument: -finalize (only a long message on a revoked communicator to processes in MPI_Finalize)
 */
#include "cmaptest_mpit.h"
#include <unistd.h>

enum { ROUNDS = 8, LONG = 300000, MOST_AGREEMENTS = 50 };

static int size, key, refuser; /* -1: all refuse, -2: none */
static ct_pvar silent, used;

static int copy(MPI_Comm comm, int of, void *extra, void *value, void *copied, int *flag)
{
    *flag = 0;
    return refuser == -1 || refuser == ct_me ? MPI_ERR_ARG : MPI_SUCCESS;
}

static void expect_revoked(int result, const char *what, int with)
{
    CT_CHECK(ct_class_of(result) == MPIX_ERR_REVOKED, "%s with %d, who has no duplicate: class %d",
             what, with, ct_class_of(result));
}

static MPI_Comm fresh_parent(void)
{
    MPI_Comm parent;

    MPI_Comm_split(MPI_COMM_WORLD, 0, ct_me, &parent);
    MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
    return parent;
}

/* Did the duplicate need no agreement at any process? */
static int is_silent(MPI_Comm parent)
{
    long long before = ct_pvar_read(&silent);
    int mine, all;
    MPI_Comm made;

    MPI_Comm_dup(parent, &made);
    MPI_Comm_free(&made);
    mine = ct_pvar_read(&silent) == before + 1;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all;
}

/* Its next two duplicates need no agreement, before it has an attribute.  Where processes have
 * revoked and freed in different orders, their free ids differ, and a block is granted later. */
static MPI_Comm parent_with_block(void)
{
    MPI_Comm parent = fresh_parent();
    int n = 0;

    while (!is_silent(parent) && n < MOST_AGREEMENTS)
        n++;
    CT_CHECK(n < MOST_AGREEMENTS, "no block after %d duplicates", n);
    return parent;
}

static int duplicate(MPI_Comm parent, int later, MPI_Comm *made)
{
    MPI_Request request;
    int result;

    if (!later)
        return MPI_Comm_dup(parent, made);
    result = MPI_Comm_idup(parent, made, &request);
    return result == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : result;
}

static int use(MPI_Comm broken, int how, int with)
{
    static int data[LONG];
    int sum, one = 1;

    if (how == 0)
        return MPI_Barrier(broken);
    if (how == 1)
        return MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, broken);
    if (how == 2)
        return MPI_Recv(data, 1, MPI_INT, with, 0, broken, MPI_STATUS_IGNORE);
    if (how == 3)
        return MPI_Allgather(data, LONG / 64, MPI_INT, data + LONG / 64, LONG / 64, MPI_INT,
                             broken);
    /* dropped there; then the notice is here, or comes while this process waits */
    MPI_Send(data, LONG, MPI_INT, with, 0, broken);
    return MPI_Recv(data, 1, MPI_INT, with, 1, broken, MPI_STATUS_IGNORE);
}

static void one_refuses(int round, int later)
{
    MPI_Comm parent = parent_with_block(), made = MPI_COMM_NULL, next;
    long long before = ct_pvar_read(&silent), ids = ct_pvar_read(&used);
    int result, how = round % 3, who = round % size;

    MPI_Comm_set_attr(parent, key, NULL);
    refuser = who;
    result = duplicate(parent, later, &made);
    CT_CHECK(ct_pvar_read(&silent) == before + 1, "the duplicate took an agreement");
    CT_CHECK((result != MPI_SUCCESS) == (ct_me == refuser), "process %d refuses: class %d", refuser,
             ct_class_of(result));
    if (ct_me != refuser) {
        MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
        expect_revoked(use(made, round % 4 == 3 ? 4 : how, refuser), "the first operation",
                       refuser);
        expect_revoked(MPI_Barrier(made), "a barrier", refuser);
        MPI_Comm_free(&made);
    }
    refuser = -2;
    CT_CHECK(duplicate(parent, later, &next) == MPI_SUCCESS, "the next duplicate fails");
    result = MPI_Allreduce(MPI_IN_PLACE, &how, 1, MPI_INT, MPI_MAX, next);
    CT_CHECK(result == MPI_SUCCESS, "the next duplicate does not work: class %d",
             ct_class_of(result));
    MPI_Comm_free(&next);
    CT_CHECK(ct_me != who || ct_pvar_read(&used) == ids, "%lld ids are in use, not %lld",
             ct_pvar_read(&used), ids);
    MPI_Barrier(parent);
    MPI_Comm_free(&parent);
}

static void all_refuse(int later)
{
    MPI_Comm parent = parent_with_block(), made;

    MPI_Comm_set_attr(parent, key, NULL);
    refuser = -1;
    for (int i = 0; i < 3; i++)
        CT_CHECK(duplicate(parent, later, &made) != MPI_SUCCESS, "all refuse, and it works");
    refuser = -2;
    CT_CHECK(duplicate(parent, later, &made) == MPI_SUCCESS, "no copy fails, but the duplicate");
    MPI_Barrier(made);
    MPI_Comm_free(&made);
    MPI_Comm_free(&parent);
}

/* Process 0 revokes the parent.  The odd processes have made one duplicate more, with process 0 if
 * `knows`, and may have freed the parent.  The other even processes learn of it while they wait. */
static void parent_revoked(int knows, int later, int frees, int round)
{
    MPI_Comm parent = parent_with_block(), made = MPI_COMM_NULL, small;
    int ahead = ct_me % 2 == 1 || (ct_me == 0 && knows), how = round % 5, number;
    long long before = ct_pvar_read(&silent);

    if (ahead) {
        CT_CHECK(duplicate(parent, later, &made) == MPI_SUCCESS, "a duplicate without a message");
        CT_CHECK(ct_pvar_read(&silent) == before + 1, "the duplicate took an agreement");
        MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (frees && ct_me % 2 == 1)
        MPI_Comm_free(&parent);
    if (ct_me == 0)
        CT_CHECK(MPIX_Comm_revoke(parent) == MPI_SUCCESS, "revoke fails");
    else if (!ahead)
        expect_revoked(MPI_Recv(&number, 1, MPI_INT, 0, 0, parent, MPI_STATUS_IGNORE),
                       "a receive on the parent", 0);
    if (ahead && (ct_me != 0 || size > 2)) {
        expect_revoked(use(made, how, knows ? 2 % size : 0), "the first operation", knows ? 2 : 0);
        expect_revoked(MPI_Barrier(made), "a barrier", 0);
    }
    if (made != MPI_COMM_NULL)
        MPI_Comm_free(&made);
    if (!frees) {
        if (ct_me != 0) /* it may know of the duplicate alone */
            expect_revoked(MPI_Recv(&number, 1, MPI_INT, 0, 0, parent, MPI_STATUS_IGNORE),
                           "a receive on the parent", 0);
        expect_revoked(duplicate(parent, later, &made), "a later duplicate", 0);
        CT_CHECK(MPIX_Comm_shrink(parent, &small) == MPI_SUCCESS, "shrink fails");
        CT_CHECK(MPI_Barrier(small) == MPI_SUCCESS, "the repaired communicator does not work");
        MPI_Comm_free(&small);
    }
    if (parent != MPI_COMM_NULL)
        MPI_Comm_free(&parent);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Between process 0, which revokes the parent, and the last process, which waits, all others have
 * freed what they made. */
static void others_have_freed(int later)
{
    MPI_Comm parent = parent_with_block(), made = MPI_COMM_NULL;
    int number;

    if (ct_me != 0)
        CT_CHECK(duplicate(parent, later, &made) == MPI_SUCCESS, "a duplicate without a message");
    MPI_Barrier(MPI_COMM_WORLD);
    if (ct_me == 0) {
        CT_CHECK(MPIX_Comm_revoke(parent) == MPI_SUCCESS, "revoke fails");
    } else if (ct_me == size - 1) {
        MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
        expect_revoked(MPI_Recv(&number, 1, MPI_INT, 0, 0, made, MPI_STATUS_IGNORE), "a receive",
                       0);
    }
    ct_free_if_any(&made);
    MPI_Comm_free(&parent);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Process 0 revokes the parent while it agrees on a block.  The others may have the block. */
static void revoked_while_agreeing(int tests)
{
    MPI_Comm parent = fresh_parent(), made = MPI_COMM_NULL, next = MPI_COMM_NULL;
    MPI_Request request;
    int number, result, done = 0;

    is_silent(parent);
    result = MPI_Comm_idup(parent, &made, &request);
    for (int i = 0; i < tests && ct_me == 0 && result == MPI_SUCCESS && !done; i++)
        result = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (ct_me == 0)
        CT_CHECK(MPIX_Comm_revoke(parent) == MPI_SUCCESS, "revoke fails");
    if (result == MPI_SUCCESS && !done)
        result = MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (result != MPI_SUCCESS)
        made = MPI_COMM_NULL;
    else if (ct_me != 0)
        result = MPI_Comm_dup(parent, &next);
    if (result == MPI_SUCCESS && ct_me != 0) {
        MPI_Comm_set_errhandler(next, MPI_ERRORS_RETURN);
        result = MPI_Recv(&number, 1, MPI_INT, 0, 0, next, MPI_STATUS_IGNORE);
    }
    if (ct_me != 0)
        expect_revoked(result, "a duplicate or a receive", 0);
    ct_free_if_any(&made);
    ct_free_if_any(&next);
    MPI_Comm_free(&parent);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void parents_revoked(int later)
{
    for (int round = 0; size > 1 && round < ROUNDS; round++) {
        others_have_freed(later);
        revoked_while_agreeing(round);
    }
    for (int round = 0; size > 1 && round < ROUNDS; round++) {
        parent_revoked(size > 2 && round % 2, later, 0, round);
        parent_revoked(0, later, 1, round);
    }
}

/* Where an attribute was there before the block was made, all members hear of it in the call. */
static void refused_by_agreement(void)
{
    MPI_Comm parent = fresh_parent(), made;
    long long before = ct_pvar_read(&silent);

    if (ct_me == size - 1)
        MPI_Comm_set_attr(parent, key, NULL);
    for (int i = 0; i < 12; i++) {
        refuser = i % 3 == 2 ? size - 1 : -2;
        CT_CHECK((duplicate(parent, i % 2, &made) == MPI_SUCCESS) == (refuser == -2),
                 "duplicate %d of %d", i, refuser);
        if (refuser == -2)
            MPI_Comm_free(&made);
    }
    CT_CHECK(ct_pvar_read(&silent) == before, "%lld silent duplicates beside an attribute",
             ct_pvar_read(&silent) - before);
    MPI_Comm_free(&parent);
}

/* The others revoke and do not make progress before MPI_Finalize.  The send may end either way. */
static void send_to_finalizing(void)
{
    static int data[LONG];
    MPI_Comm parent = parent_with_block();
    int result;

    if (ct_me == 0) {
        usleep(200000);
        for (int to = 1; to < size; to++) {
            result = MPI_Send(data, LONG, MPI_INT, to, 0, parent);
            CT_CHECK(result == MPI_SUCCESS || ct_class_of(result) == MPIX_ERR_REVOKED,
                     "a send to %d in MPI_Finalize: class %d", to, ct_class_of(result));
        }
    } else {
        MPIX_Comm_revoke(parent);
    }
    MPI_Comm_free(&parent);
}

static void check_all(void)
{
    for (int later = 0; later < 2; later++) {
        parents_revoked(later);
        for (int round = 0; size > 1 && round < ROUNDS; round++)
            one_refuses(round, later);
        all_refuse(later);
    }
    refused_by_agreement();
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    ct_mpit_begin();
    if (ct_pvar_find("ctxid_silent", &silent) && ct_pvar_find("ctxid_used", &used)) {
        if (argc > 1 && !strcmp(argv[1], "-finalize"))
            send_to_finalizing();
        else
            check_all();
    }
    ct_mpit_end();
    MPI_Comm_free_keyval(&key);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
