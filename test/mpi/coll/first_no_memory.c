/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Each collective as the first one of a communicator: blocking, nonblocking, and persistent, where
 * an allocation of one process fails, or with -from that one and all later ones of the call.  It
 * works on all processes, and gives the right result when there is memory again.
 *
 * Arguments: -from, -only=NAME (of the collectives those whose name begins so), -log (each step on
 * stderr)
 */
#include "cmaptest_poor.h"

enum { MOST_RANKS = 16, MOST = 9000 };
enum { BLOCKING, NONBLOCKING, PERSISTENT, FORMS };
static const char *const forms[] = {"blocking", "nonblocking", "persistent"};

static int size, with_log;
static const char *only = "";
static int in[MOST_RANKS * MOST], out[MOST_RANKS * MOST];
static int counts[MOST_RANKS], displs[MOST_RANKS], bytes[MOST_RANKS];
static MPI_Datatype types[MOST_RANKS];

/* ---- the collectives ---- */

/* The form that is called, with the arguments before the communicator. */
#define CALL(name, i_name, init_name, ...) \
    (form == BLOCKING      ? MPI_##name(__VA_ARGS__, comm) \
     : form == NONBLOCKING ? MPI_##i_name(__VA_ARGS__, comm, request) \
                           : MPI_##init_name(__VA_ARGS__, comm, MPI_INFO_NULL, request))

static int barrier(int n, int form, MPI_Comm comm, MPI_Request *request)
{
    return form == BLOCKING      ? MPI_Barrier(comm)
           : form == NONBLOCKING ? MPI_Ibarrier(comm, request)
                                 : MPI_Barrier_init(comm, MPI_INFO_NULL, request);
}

static int bcast(int n, int form, MPI_Comm comm, MPI_Request *request)
{
    return CALL(Bcast, Ibcast, Bcast_init, ct_me == 0 ? in : out, n, MPI_INT, 0);
}

static int gather(int n, int form, MPI_Comm comm, MPI_Request *request)
{
    return CALL(Gather, Igather, Gather_init, in, n, MPI_INT, out, n, MPI_INT, 0);
}

static int gatherv(int n, int form, MPI_Comm comm, MPI_Request *request)
{
    return CALL(Gatherv, Igatherv, Gatherv_init, in, n, MPI_INT, out, counts, displs, MPI_INT, 0);
}

static int scatter(int n, int form, MPI_Comm comm, MPI_Request *request)
{
    return CALL(Scatter, Iscatter, Scatter_init, in, n, MPI_INT, out, n, MPI_INT, 0);
}

static int scatterv(int n, int form, MPI_Comm comm, MPI_Request *request)
{
    return CALL(Scatterv, Iscatterv, Scatterv_init, in, counts, displs, MPI_INT, out, n, MPI_INT,
                0);
}

static int allgather(int n, int form, MPI_Comm comm, MPI_Request *request)
{
    return CALL(Allgather, Iallgather, Allgather_init, in, n, MPI_INT, out, n, MPI_INT);
}

static int allgatherv(int n, int form, MPI_Comm comm, MPI_Request *request)
{
    return CALL(Allgatherv, Iallgatherv, Allgatherv_init, in, n, MPI_INT, out, counts, displs,
                MPI_INT);
}

static int alltoall(int n, int form, MPI_Comm comm, MPI_Request *request)
{
    return CALL(Alltoall, Ialltoall, Alltoall_init, in, n, MPI_INT, out, n, MPI_INT);
}

static int alltoallv(int n, int form, MPI_Comm comm, MPI_Request *request)
{
    return CALL(Alltoallv, Ialltoallv, Alltoallv_init, in, counts, displs, MPI_INT, out, counts,
                displs, MPI_INT);
}

static int alltoallw(int n, int form, MPI_Comm comm, MPI_Request *request)
{
    return CALL(Alltoallw, Ialltoallw, Alltoallw_init, in, counts, bytes, types, out, counts, bytes,
                types);
}

static int reduce(int n, int form, MPI_Comm comm, MPI_Request *request)
{
    return CALL(Reduce, Ireduce, Reduce_init, in, out, n, MPI_INT, MPI_SUM, 0);
}

static int allreduce(int n, int form, MPI_Comm comm, MPI_Request *request)
{
    return CALL(Allreduce, Iallreduce, Allreduce_init, in, out, n, MPI_INT, MPI_SUM);
}

static int reduce_scatter(int n, int form, MPI_Comm comm, MPI_Request *request)
{
    return CALL(Reduce_scatter, Ireduce_scatter, Reduce_scatter_init, in, out, counts, MPI_INT,
                MPI_SUM);
}

static int reduce_scatter_block(int n, int form, MPI_Comm comm, MPI_Request *request)
{
    return CALL(Reduce_scatter_block, Ireduce_scatter_block, Reduce_scatter_block_init, in, out, n,
                MPI_INT, MPI_SUM);
}

static int scan(int n, int form, MPI_Comm comm, MPI_Request *request)
{
    return CALL(Scan, Iscan, Scan_init, in, out, n, MPI_INT, MPI_SUM);
}

static int exscan(int n, int form, MPI_Comm comm, MPI_Request *request)
{
    return CALL(Exscan, Iexscan, Exscan_init, in, out, n, MPI_INT, MPI_SUM);
}

/* What lies in `out` at the end: of an element of process `from`, which is all of them, or the
 * ranks up to this one. */
enum {
    NOTHING,
    FROM_ROOT,
    OF_EACH_AT_ROOT,
    OF_ROOT,
    OF_EACH,
    SUM_AT_ROOT,
    SUM,
    SUM_UP_TO,
    SUM_BEFORE
};

typedef struct collective {
    const char *name;
    int (*call)(int n, int form, MPI_Comm comm, MPI_Request *request);
    int result;
} collective;

static const collective collectives[] = {
    {"barrier", barrier, NOTHING},
    {"bcast", bcast, FROM_ROOT},
    {"gather", gather, OF_EACH_AT_ROOT},
    {"gatherv", gatherv, OF_EACH_AT_ROOT},
    {"scatter", scatter, OF_ROOT},
    {"scatterv", scatterv, OF_ROOT},
    {"allgather", allgather, OF_EACH},
    {"allgatherv", allgatherv, OF_EACH},
    {"alltoall", alltoall, OF_EACH},
    {"alltoallv", alltoallv, OF_EACH},
    {"alltoallw", alltoallw, OF_EACH},
    {"reduce", reduce, SUM_AT_ROOT},
    {"allreduce", allreduce, SUM},
    {"reduce_scatter", reduce_scatter, SUM},
    {"reduce_scatter_block", reduce_scatter_block, SUM},
    {"scan", scan, SUM_UP_TO},
    {"exscan", exscan, SUM_BEFORE},
};

/* ---- data: each element of a process is its rank + 1 ---- */

static void fill(int n)
{
    for (int i = 0; i < size * n; i++) {
        in[i] = ct_me + 1;
        out[i] = -1;
    }
    for (int i = 0; i < size; i++) {
        counts[i] = n;
        displs[i] = i * n;
        bytes[i] = i * n * (int) sizeof(int);
        types[i] = MPI_INT;
    }
}

static int sum_of(int first) { return first * (first + 1) / 2; }

static void check_at(const char *name, int at, int want)
{
    CT_CHECK(out[at] == want, "%s with memory again: element %d is %d, not %d", name, at, out[at],
             want);
}

static void check_result(const char *name, int result, int n)
{
    int has_each = result == OF_EACH || (result == OF_EACH_AT_ROOT && ct_me == 0);

    for (int i = 0; has_each && i < size; i++)
        check_at(name, i * n + n - 1, i + 1);
    if (result == OF_ROOT || (result == FROM_ROOT && ct_me != 0))
        check_at(name, n - 1, 1);
    if (result == SUM || (result == SUM_AT_ROOT && ct_me == 0))
        check_at(name, n - 1, sum_of(size));
    if (result == SUM_UP_TO || (result == SUM_BEFORE && ct_me > 0))
        check_at(name, n - 1, sum_of(ct_me + (result == SUM_UP_TO)));
}

/* ---- calls ---- */

static int do_call(const collective *c, int n, int form, MPI_Comm comm)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int result = c->call(n, form, comm, &request), ended;

    if (form == BLOCKING)
        return result;
    if (result == MPI_SUCCESS && form == PERSISTENT)
        result = MPI_Start(&request);
    if (result == MPI_SUCCESS)
        result = MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (request != MPI_REQUEST_NULL) {
        ended = MPI_Request_free(&request);
        result = result ? result : ended;
    }
    return result;
}

/* Returns whether an allocation failed. */
static int fail_first(const collective *c, int n, int form, int victim, int nth)
{
    MPI_Comm comm;
    char name[100];
    int result, refused;

    snprintf(name, sizeof(name), "%s %s of %d ints", forms[form], c->name, n);
    if (with_log && ct_me == victim)
        fprintf(stderr, "%s: victim %d, allocation %d\n", name, victim, nth);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    fill(n);
    MPI_Barrier(MPI_COMM_WORLD);
    ct_poor_begin(ct_me == victim ? nth : 0);
    result = do_call(c, n, form, comm);
    refused = ct_poor_end();
    if (result != MPI_SUCCESS)
        MTestPrintError(result); /* the others may wait for ever */
    ct_outcome all = ct_outcome_of(result, 1, refused);
    CT_CHECK(all.failed == 0 || all.refused, "%s fails with all the memory", name);
    CT_CHECK(all.failed == 0, "%s, allocation %d of %d fails: an error on %d, class %d here", name,
             nth, victim, all.failed, ct_class_of(result));
    fill(n);
    result = do_call(c, n, form, comm);
    CT_CHECK(result == MPI_SUCCESS, "%s, allocation %d of %d failed: class %d with memory again",
             name, nth, victim, ct_class_of(result));
    check_result(name, c->result, n);
    MPI_Comm_free(&comm);
    return all.refused;
}

static void check_collective(const collective *c, int n, int form)
{
    enum { ALLOCATIONS = 100 };
    int nth = 1;

    for (int victim = 0; victim<size; victim += size> 1 ? size - 1 : 1) {
        for (nth = 1; nth < ALLOCATIONS && fail_first(c, n, form, victim, nth); nth++)
            ;
        CT_CHECK(nth < ALLOCATIONS, "%s never ends with all the memory", c->name);
    }
}

static void check_all(void)
{
    static const int numbers[] = {1, 300, MOST};

    ct_connect_all();
    for (unsigned i = 0; i < sizeof(collectives) / sizeof(collectives[0]); i++) {
        if (strncmp(collectives[i].name, only, strlen(only)))
            continue;
        for (unsigned k = 0; k < sizeof(numbers) / sizeof(numbers[0]); k++)
            for (int form = 0; form < FORMS; form++)
                check_collective(&collectives[i], numbers[k], form);
    }
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 1; i < argc; i++) {
        with_log = with_log || !strcmp(argv[i], "-log");
        ct_poor_mode(argv[i]);
        if (!strncmp(argv[i], "-only=", 6))
            only = argv[i] + 6;
    }
    if (ct_can_be_poor())
        check_all();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
