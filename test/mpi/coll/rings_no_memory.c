/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Nonblocking and persistent collectives of a communicator with lines, several at a time, while one
 * member has no memory: from its n-th allocation on, or for that one alone.  Parts go by lines, and
 * by messages.  The others wait for the member, so that no call fails, and all data are right.
 * Datatypes without gaps: the library that packs others ends without memory.
 *
 *   rings_no_memory [-from]
 */
#include "cmaptest_poor.h"

enum { OPEN = 6, MOST_PARTS = 16, ALLOCATIONS = 60, MANY = 3000 };

static int size, victims, length;
static int *out, *in;
static int counts[MOST_PARTS], places[MOST_PARTS], byte_places[MOST_PARTS];
static MPI_Datatype types[MOST_PARTS];

static int value(int from, int to, int i) { return (from * 16 + to) * 7919 + i % 1000; }

/* The parts of one call lie behind those of another. */
static int *part(int *of, int call, int member)
{
    return of + (size_t) (call * size + member) * length;
}

/* ---- calls: one part of `length` elements for each member ---- */

typedef int post(int call, MPI_Comm comm, MPI_Request *request);

#define OUT part(out, call, 0)
#define IN part(in, call, 0)

static int alltoall(int call, MPI_Comm comm, MPI_Request *request)
{
    return MPI_Ialltoall(OUT, length, MPI_INT, IN, length, MPI_INT, comm, request);
}

static int alltoallv(int call, MPI_Comm comm, MPI_Request *request)
{
    return MPI_Ialltoallv(OUT, counts, places, MPI_INT, IN, counts, places, MPI_INT, comm, request);
}

static int alltoallw(int call, MPI_Comm comm, MPI_Request *request)
{
    return MPI_Ialltoallw(OUT, counts, byte_places, types, IN, counts, byte_places, types, comm,
                          request);
}

static int persistent_alltoall(int call, MPI_Comm comm, MPI_Request *request)
{
    int err =
        MPI_Alltoall_init(OUT, length, MPI_INT, IN, length, MPI_INT, comm, MPI_INFO_NULL, request);

    return err ? err : MPI_Start(request);
}

static int persistent_alltoallw(int call, MPI_Comm comm, MPI_Request *request)
{
    int err = MPI_Alltoallw_init(OUT, counts, byte_places, types, IN, counts, byte_places, types,
                                 comm, MPI_INFO_NULL, request);

    return err ? err : MPI_Start(request);
}

/* Each member is the root of its call. */
static int all_gather(int call, MPI_Comm comm, MPI_Request *requests)
{
    int err = MPI_SUCCESS;

    for (int root = 0; root < size && !err; root++)
        err = MPI_Igather(part(out, call, root), length, MPI_INT, IN, length, MPI_INT, root, comm,
                          &requests[root]);
    return err;
}

static int all_scatterv(int call, MPI_Comm comm, MPI_Request *requests)
{
    int err = MPI_SUCCESS;

    for (int root = 0; root < size && !err; root++)
        err = MPI_Iscatterv(OUT, counts, places, MPI_INT, part(in, call, root), length, MPI_INT,
                            root, comm, &requests[root]);
    return err;
}

static const struct {
    const char *name;
    post *post;
    int has_many; /* a request for each member */
} kinds[] = {{"ialltoall", alltoall, 0},
             {"ialltoallv", alltoallv, 0},
             {"ialltoallw", alltoallw, 0},
             {"igather", all_gather, 1},
             {"iscatterv", all_scatterv, 1},
             {"alltoall_init", persistent_alltoall, 0},
             {"alltoallw_init", persistent_alltoallw, 0}};

/* ---- data ---- */

static void set_length(int n)
{
    length = n;
    for (int m = 0; m < size; m++) {
        counts[m] = n;
        places[m] = m * n;
        byte_places[m] = m * n * (int) sizeof(int);
        types[m] = MPI_INT;
    }
    out = ct_ints(OPEN * size * n);
    in = ct_ints(OPEN * size * n);
    for (int call = 0; call < OPEN; call++)
        for (int m = 0; m < size; m++)
            for (int i = 0; i < n; i++)
                part(out, call, m)[i] = value(ct_me, m, i) + call;
}

static int wrong(int call)
{
    int n = 0;

    for (int m = 0; m < size; m++)
        for (int i = 0; i < length; i++)
            n += part(in, call, m)[i] != value(m, ct_me, i) + call;
    return n;
}

/* ---- */

static int complete(MPI_Request requests[], int n)
{
    int err = MPI_SUCCESS;

    for (int i = 0; i < n; i++) {
        int one = MPI_Wait(&requests[i], MPI_STATUS_IGNORE);

        err = err ? err : one;
        if (requests[i] != MPI_REQUEST_NULL)
            MPI_Request_free(&requests[i]);
    }
    return err;
}

/* Returns whether an allocation failed. */
static int try(int kind, int victim, int n, MPI_Comm comm)
{
    MPI_Request requests[OPEN * MOST_PARTS];
    int each = kinds[kind].has_many ? size : 1, refused, err = MPI_SUCCESS, at_end;

    for (int i = 0; i < OPEN * MOST_PARTS; i++)
        requests[i] = MPI_REQUEST_NULL;
    memset(in, 0, (size_t) (OPEN * size * length) * sizeof(int));
    ct_poor_begin(ct_me == victim ? n : 0);
    for (int call = 0; call < OPEN; call++) {
        int one = kinds[kind].post(call, comm, &requests[call * each]);

        err = err ? err : one;
    }
    at_end = complete(requests, OPEN * each);
    refused = ct_poor_end();
    CT_CHECK(err == MPI_SUCCESS && at_end == MPI_SUCCESS,
             "%s of %d, allocation %d of %d fails: %d, then %d", kinds[kind].name, length, n,
             victim, ct_class_of(err), ct_class_of(at_end));
    for (int call = 0; call < OPEN && ct_errs == 0; call++)
        CT_CHECK(wrong(call) == 0, "%s of %d, allocation %d of %d fails: %d elements are wrong",
                 kinds[kind].name, length, n, victim, wrong(call));
    ct_check_sum(comm, kinds[kind].name, victim, n);
    return ct_outcome_of(MPI_SUCCESS, 0, refused).refused;
}

static void try_all(int kind, MPI_Comm comm)
{
    for (int victim = 0; victim < victims; victim++)
        for (int n = 1; n < ALLOCATIONS && try(kind, victim, n, comm); n++) {
        }
}

/* More requests at a time than the library has without new memory. */
static void many(int victim, MPI_Comm comm)
{
    MPI_Request *requests = ct_alloc(MANY, sizeof(MPI_Request));
    int *terms = ct_ints(MANY), *sums = ct_ints(MANY), err = MPI_SUCCESS, wrong = 0;

    if (ct_me == victim)
        ct_poor_begin(CT_ALL_FAIL);
    for (int i = 0; i < MANY; i++) {
        int one;

        terms[i] = ct_me + i;
        one = MPI_Iallreduce(&terms[i], &sums[i], 1, MPI_INT, MPI_SUM, comm, &requests[i]);
        err = err ? err : one;
    }
    for (int i = 0; i < MANY; i++) {
        int one = MPI_Wait(&requests[i], MPI_STATUS_IGNORE);

        err = err ? err : one;
    }
    ct_poor_end();
    for (int i = 0; i < MANY; i++)
        wrong += sums[i] != size * (size - 1) / 2 + size * i;
    CT_CHECK(err == MPI_SUCCESS && wrong == 0,
             "%d collectives of which %d has no memory for any: error %d, %d sums are wrong", MANY,
             victim, ct_class_of(err), wrong);
    free(requests);
    free(terms);
    free(sums);
}

int main(int argc, char **argv)
{
    static const int lengths[] = {3, 900, 3000, 9000};
    MPI_Comm comm;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    victims = size < 3 ? size : 3;
    if (argc > 1)
        ct_poor_mode(argv[1]);
    ct_connect_all();
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Barrier(comm);
    MPI_Barrier(comm);
    for (int i = 0; i < 4 && ct_can_be_poor(); i++) {
        set_length(lengths[i]);
        for (int kind = 0; kind < 7 && ct_errs == 0; kind++)
            try_all(kind, comm);
        free(out);
        free(in);
    }
    for (int victim = 0; victim < victims && ct_can_be_poor(); victim++)
        many(victim, comm);
    MPI_Comm_free(&comm);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
