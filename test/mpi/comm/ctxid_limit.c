/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The end of the context ids, which MPIR_CVAR_CTXID_LIMIT brings near: creation fails on all ranks
 * alike with an error that has the figures, the parent and all others stay usable, and what is
 * freed can be had again.  Then the case that made programs fail with thousands of ids free: rank 0
 * is in communicators with everybody, so that the free ids of two ranks have holes in different
 * places.  Blocks of ids for duplicates give theirs back to each kind of creation.
 *
 * Arguments: -limit=N (the value of the variable, default 200)
 */
#include "cmaptest.h"

/* With fewer ids there are too few for blocks. */
#define LEAST_FOR_BLOCKS 3000

/* Ways to make a communicator of all ranks: they agree on the id differently. */
enum { SPLIT, DUP, IDUP, GROUP, SESSION, SHRINK, MERGE, BY_TURNS };

static int limit, world_size;
static MPI_Comm halves = MPI_COMM_NULL; /* an intercommunicator of the even and the odd ranks */

static void check_text(int error)
{
    char text[MPI_MAX_ERROR_STRING], number[16];
    int length;

    MPI_Error_string(error, text, &length);
    snprintf(number, sizeof(number), "of %d", limit);
    CT_CHECK(strstr(text, number) != NULL, "\"%s\" does not say \"%s\"", text, number);
}

static void check_alive(MPI_Comm comm)
{
    int sum = 0, one = 1, size;

    MPI_Comm_size(comm, &size);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    CT_CHECK(sum == size, "%d ranks add up to %d", size, sum);
}

static int make_of_group(int way, MPI_Comm *made)
{
    MPI_Group all;
    int error;

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    error = way == GROUP
                ? MPI_Comm_create_group(MPI_COMM_WORLD, all, 7, made)
                : MPI_Comm_create_from_group(all, "limit", MPI_INFO_NULL, MPI_ERRORS_RETURN, made);
    MPI_Group_free(&all);
    return error;
}

static int make(int way, MPI_Comm *made)
{
    MPI_Request request;
    int error;

    switch (way) {
        case SPLIT: return MPI_Comm_split(MPI_COMM_WORLD, 0, ct_me, made);
        case DUP: return MPI_Comm_dup(MPI_COMM_WORLD, made);
        case IDUP:
            error = MPI_Comm_idup(MPI_COMM_WORLD, made, &request);
            return error ? error : MPI_Wait(&request, MPI_STATUS_IGNORE);
        case SHRINK: return MPIX_Comm_shrink(MPI_COMM_WORLD, made);
        case MERGE: return MPI_Intercomm_merge(halves, ct_me % 2, made);
        default: return make_of_group(way, made);
    }
}

static int make_all(int way, MPI_Comm comm[], int room)
{
    int n = 0, error = MPI_SUCCESS, least, most;

    while (n < room) {
        /* the error of a pending one comes when it is waited for: not here */
        error = make(way == BY_TURNS ? n % 2 : way, &comm[n]);
        if (error != MPI_SUCCESS)
            break;
        n++;
    }
    MPI_Allreduce(&n, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&n, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CT_CHECK(least == most, "rank %d made %d, others from %d to %d", ct_me, n, least, most);
    CT_CHECK(error != MPI_SUCCESS, "%d communicators, and no end", n);
    if (error != MPI_SUCCESS)
        check_text(error);
    return n;
}

static void check_end(void)
{
    MPI_Comm *comm = ct_alloc(limit, sizeof(MPI_Comm));
    int n = make_all(BY_TURNS, comm, limit);

    CT_CHECK(n >= limit - 4, "only %d communicators with %d ids", n, limit);
    check_alive(MPI_COMM_WORLD);
    check_alive(comm[n / 2]);
    for (int i = 0; i < n; i++) {
        MPI_Comm more;
        if (i % 3)
            continue;
        MPI_Comm_free(&comm[i]);
        int error = make(i % 2, &comm[i]);
        CT_CHECK(error == MPI_SUCCESS, "no communicator in place of number %d", i);
        check_alive(comm[i]);
        CT_CHECK(MPI_Comm_dup(comm[i], &more) != MPI_SUCCESS, "one more than there can be");
    }
    for (int i = 0; i < n; i++)
        MPI_Comm_free(&comm[i]);
    free(comm);
}

static void check_holes(void)
{
    int n = limit / 2, more = 0;
    MPI_Comm *pair = ct_alloc(n, sizeof(MPI_Comm)), *comm = ct_alloc(limit, sizeof(MPI_Comm));

    for (int i = 0; i < n; i++)
        pair[i] = ct_pair(MPI_COMM_WORLD, 0, 1 + i % (world_size - 1), i);
    for (int i = 1; i < n; i += 4)
        ct_free_if_any(&pair[i]);
    more = make_all(BY_TURNS, comm, limit);
    CT_CHECK(more >= limit - n + n / 4 - 5, "%d more communicators; %d would do", more,
             limit - n + n / 4);
    check_alive(comm[more - 1]);
    for (int i = 0; i < more; i++)
        MPI_Comm_free(&comm[i]);
    for (int i = 0; i < n; i++)
        ct_free_if_any(&pair[i]);
    free(pair);
    free(comm);
}

/* Communicators with ids set aside for their duplicates: of all ranks, and of every other rank. */
static void check_blocks(int way)
{
    enum { PARENTS = 12, EACH = 3 };
    MPI_Comm half, parent[PARENTS], child[PARENTS][EACH], more;
    MPI_Comm *comm = ct_alloc(limit, sizeof(MPI_Comm));
    int n;

    MPI_Comm_split(MPI_COMM_WORLD, ct_me % 2, ct_me, &half);
    for (int i = 0; i < PARENTS; i++)
        MPI_Comm_dup(i % 2 ? half : MPI_COMM_WORLD, &parent[i]);
    for (int i = 0; i < PARENTS; i++)
        for (int k = 0; k < EACH; k++)
            MPI_Comm_dup(parent[i], &child[i][k]);
    n = make_all(way, comm, limit);
    CT_CHECK(n + 1 + PARENTS * (1 + EACH) >= limit - 6,
             "way %d: only %d communicators and %d with %d ids: blocks keep some", way, n,
             1 + PARENTS * (1 + EACH), limit);
    for (int i = 0; i < PARENTS; i++)
        CT_CHECK(MPI_Comm_dup(parent[i], &more) != MPI_SUCCESS, "way %d: a duplicate of parent %d",
                 way, i);
    for (int i = 0; i < n; i++)
        MPI_Comm_free(&comm[i]);
    for (int i = 0; i < PARENTS; i++) {
        for (int k = 0; k < EACH; k++)
            MPI_Comm_free(&child[i][k]);
        CT_CHECK(MPI_Comm_dup(parent[i], &more) == MPI_SUCCESS, "no duplicate of parent %d", i);
        check_alive(more);
        MPI_Comm_free(&more);
        MPI_Comm_free(&parent[i]);
    }
    MPI_Comm_free(&half);
    free(comm);
}

static void check_all_blocks(void)
{
    MPI_Comm half;

    if (world_size > 1) {
        MPI_Comm_split(MPI_COMM_WORLD, ct_me % 2, ct_me, &half);
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - ct_me % 2, 0, &halves);
        MPI_Comm_set_errhandler(halves, MPI_ERRORS_RETURN);
        MPI_Comm_free(&half);
    }
    for (int way = SPLIT; way <= BY_TURNS; way++)
        if (way != IDUP && (way != MERGE || world_size > 1))
            check_blocks(way);
    if (world_size > 1)
        MPI_Comm_free(&halves);
}

/* Last, because blocks give nothing back after it. */
static void check_pending(void)
{
    MPI_Comm *comm = ct_alloc(limit, sizeof(MPI_Comm));
    int n = make_all(IDUP, comm, limit);

    CT_CHECK(n >= limit - 4 - limit / 64, "only %d communicators with %d ids", n, limit);
    for (int i = 0; i < n; i++)
        MPI_Comm_free(&comm[i]);
    free(comm);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MTestArgList *args = MTestArgListCreate(argc, argv);
    limit = MTestArgListGetInt_with_default(args, "limit", 200);
    MTestArgListDestroy(args);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < 3; i++) {
        check_end();
        if (limit >= LEAST_FOR_BLOCKS)
            check_all_blocks();
        if (world_size > 1)
            check_holes();
    }
    check_pending();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
