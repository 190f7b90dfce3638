/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Each call that makes a request or a message fails at once: on a revoked communicator with
 * MPIX_ERR_REVOKED and a text that says so, on MPI_COMM_NULL with MPI_ERR_COMM.  The variable that
 * held an earlier request is MPI_REQUEST_NULL then, or MPI_MESSAGE_NULL.
 */
#include "cmaptest.h"

enum { ROOT = 0, TAG = 3, MOST = 2, EDGES = 2 };

static MPI_Comm comm;
static MPI_Request stale, request;
static int class_expected, calls;

static int data[64], more[64], counts[MOST * EDGES], displs[MOST * EDGES];
static MPI_Count counts_c[MOST * EDGES];
static MPI_Aint displs_c[MOST * EDGES];
static MPI_Datatype types[MOST * EDGES];

static void check_text(int code, const char *call)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    MPI_Error_string(code, text, &length);
    CT_CHECK(strstr(text, "revoked") && !strstr(text, "Invalid communicator") &&
                 !strstr(text, "nknown error"),
             "%s on a revoked communicator says: %s", call, text);
}

static void check_code(int code, const char *call)
{
    int got = ct_class_of(code);

    calls++;
    CT_CHECK(got == class_expected, "%s: class %d, not %d", call, got, class_expected);
    if (class_expected == MPIX_ERR_REVOKED && code != MPI_SUCCESS)
        check_text(code, call);
}

static void check_request(int code, const char *call)
{
    check_code(code, call);
    CT_CHECK(request == MPI_REQUEST_NULL, "%s fails and leaves %s", call,
             request == stale ? "the earlier request" : "a request");
    request = stale;
}

/* The arguments before the communicator. */
#define TRY(name, ...) check_request(MPI_##name(__VA_ARGS__, comm, &request), #name)
#define TRY_INIT(name, ...) \
    check_request(MPI_##name(__VA_ARGS__, comm, MPI_INFO_NULL, &request), #name)
#define TRY_BOTH(name, ...) (TRY(name, __VA_ARGS__), TRY(name##_c, __VA_ARGS__))
#define TRY_COLLECTIVE(i_name, init_name, ...) \
    (TRY_BOTH(i_name, __VA_ARGS__), TRY_INIT(init_name, __VA_ARGS__), \
     TRY_INIT(init_name##_c, __VA_ARGS__))

static void point_to_point(void)
{
    MPI_Message message = MPI_MESSAGE_NO_PROC;
    int flag;

    TRY_BOTH(Isend, data, 1, MPI_INT, ROOT, TAG);
    TRY_BOTH(Ibsend, data, 1, MPI_INT, ROOT, TAG);
    TRY_BOTH(Issend, data, 1, MPI_INT, ROOT, TAG);
    TRY_BOTH(Irsend, data, 1, MPI_INT, ROOT, TAG);
    TRY_BOTH(Irecv, data, 1, MPI_INT, ROOT, TAG);
    TRY_BOTH(Send_init, data, 1, MPI_INT, ROOT, TAG);
    TRY_BOTH(Bsend_init, data, 1, MPI_INT, ROOT, TAG);
    TRY_BOTH(Ssend_init, data, 1, MPI_INT, ROOT, TAG);
    TRY_BOTH(Rsend_init, data, 1, MPI_INT, ROOT, TAG);
    TRY_BOTH(Recv_init, data, 1, MPI_INT, ROOT, TAG);
    TRY_BOTH(Isendrecv, data, 1, MPI_INT, ROOT, TAG, more, 1, MPI_INT, ROOT, TAG);
    TRY_BOTH(Isendrecv_replace, data, 1, MPI_INT, ROOT, TAG, ROOT, TAG);
    TRY_INIT(Psend_init, data, 1, 1, MPI_INT, ROOT, TAG);
    TRY_INIT(Precv_init, data, 1, 1, MPI_INT, ROOT, TAG);
    check_code(MPI_Improbe(ROOT, TAG, comm, &flag, &message, MPI_STATUS_IGNORE), "Improbe");
    CT_CHECK(message == MPI_MESSAGE_NULL, "MPI_Improbe fails and leaves a message");
    message = MPI_MESSAGE_NO_PROC;
    check_code(MPI_Mprobe(ROOT, TAG, comm, &message, MPI_STATUS_IGNORE), "Mprobe");
    CT_CHECK(message == MPI_MESSAGE_NULL, "MPI_Mprobe fails and leaves a message");
}

static void duplicates(void)
{
    MPI_Comm copy;

    check_request(MPI_Comm_idup(comm, &copy, &request), "Comm_idup");
    check_request(MPI_Comm_idup_with_info(comm, MPI_INFO_NULL, &copy, &request),
                  "Comm_idup_with_info");
}

static void collectives(void)
{
    check_request(MPI_Ibarrier(comm, &request), "Ibarrier");
    check_request(MPI_Barrier_init(comm, MPI_INFO_NULL, &request), "Barrier_init");
    TRY_COLLECTIVE(Ibcast, Bcast_init, data, 1, MPI_INT, ROOT);
    TRY_COLLECTIVE(Igather, Gather_init, data, 1, MPI_INT, more, 1, MPI_INT, ROOT);
    TRY_COLLECTIVE(Iscatter, Scatter_init, data, 1, MPI_INT, more, 1, MPI_INT, ROOT);
    TRY_COLLECTIVE(Iallgather, Allgather_init, data, 1, MPI_INT, more, 1, MPI_INT);
    TRY_COLLECTIVE(Ialltoall, Alltoall_init, data, 1, MPI_INT, more, 1, MPI_INT);
    TRY_COLLECTIVE(Ireduce, Reduce_init, data, more, 1, MPI_INT, MPI_SUM, ROOT);
    TRY_COLLECTIVE(Iallreduce, Allreduce_init, data, more, 1, MPI_INT, MPI_SUM);
    TRY_COLLECTIVE(Ireduce_scatter_block, Reduce_scatter_block_init, data, more, 1, MPI_INT,
                   MPI_SUM);
    TRY_COLLECTIVE(Iscan, Scan_init, data, more, 1, MPI_INT, MPI_SUM);
    TRY_COLLECTIVE(Iexscan, Exscan_init, data, more, 1, MPI_INT, MPI_SUM);
    TRY_COLLECTIVE(Ineighbor_allgather, Neighbor_allgather_init, data, 1, MPI_INT, more, 1,
                   MPI_INT);
    TRY_COLLECTIVE(Ineighbor_alltoall, Neighbor_alltoall_init, data, 1, MPI_INT, more, 1, MPI_INT);
}

/* The forms with arrays: `...` for int, and `c_...` for MPI_Count. */
#define ARGS(...) __VA_ARGS__
#define TRY_ARRAYS(i_name, init_name, args, c_args) \
    (TRY(i_name, args), TRY_INIT(init_name, args), TRY(i_name##_c, c_args), \
     TRY_INIT(init_name##_c, c_args))

static void collectives_with_arrays(void)
{
    TRY_ARRAYS(Igatherv, Gatherv_init, ARGS(data, 1, MPI_INT, more, counts, displs, MPI_INT, ROOT),
               ARGS(data, 1, MPI_INT, more, counts_c, displs_c, MPI_INT, ROOT));
    TRY_ARRAYS(Iscatterv, Scatterv_init,
               ARGS(data, counts, displs, MPI_INT, more, 1, MPI_INT, ROOT),
               ARGS(data, counts_c, displs_c, MPI_INT, more, 1, MPI_INT, ROOT));
    TRY_ARRAYS(Iallgatherv, Allgatherv_init, ARGS(data, 1, MPI_INT, more, counts, displs, MPI_INT),
               ARGS(data, 1, MPI_INT, more, counts_c, displs_c, MPI_INT));
    TRY_ARRAYS(Ialltoallv, Alltoallv_init,
               ARGS(data, counts, displs, MPI_INT, more, counts, displs, MPI_INT),
               ARGS(data, counts_c, displs_c, MPI_INT, more, counts_c, displs_c, MPI_INT));
    TRY_ARRAYS(Ialltoallw, Alltoallw_init,
               ARGS(data, counts, displs, types, more, counts, displs, types),
               ARGS(data, counts_c, displs_c, types, more, counts_c, displs_c, types));
    TRY_ARRAYS(Ireduce_scatter, Reduce_scatter_init, ARGS(data, more, counts, MPI_INT, MPI_SUM),
               ARGS(data, more, counts_c, MPI_INT, MPI_SUM));
    TRY_ARRAYS(Ineighbor_allgatherv, Neighbor_allgatherv_init,
               ARGS(data, 1, MPI_INT, more, counts, displs, MPI_INT),
               ARGS(data, 1, MPI_INT, more, counts_c, displs_c, MPI_INT));
    TRY_ARRAYS(Ineighbor_alltoallv, Neighbor_alltoallv_init,
               ARGS(data, counts, displs, MPI_INT, more, counts, displs, MPI_INT),
               ARGS(data, counts_c, displs_c, MPI_INT, more, counts_c, displs_c, MPI_INT));
    TRY_ARRAYS(Ineighbor_alltoallw, Neighbor_alltoallw_init,
               ARGS(data, counts, displs_c, types, more, counts, displs_c, types),
               ARGS(data, counts_c, displs_c, types, more, counts_c, displs_c, types));
}

/* Without a window these fail as the others do without a communicator. */
static void one_sided(void)
{
    class_expected = MPI_ERR_WIN;
    check_request(MPI_Rput(data, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_WIN_NULL, &request), "Rput");
    check_request(MPI_Rget(data, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_WIN_NULL, &request), "Rget");
    check_request(
        MPI_Raccumulate(data, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, MPI_WIN_NULL, &request),
        "Raccumulate");
    check_request(MPI_Rget_accumulate(data, 1, MPI_INT, more, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM,
                                      MPI_WIN_NULL, &request),
                  "Rget_accumulate");
}

/* Blocking calls say the same. */
static void blocking(void)
{
    check_code(MPI_Barrier(comm), "Barrier");
    check_code(MPI_Send(data, 1, MPI_INT, ROOT, TAG, comm), "Send");
    check_code(MPI_Allreduce(data, more, 1, MPI_INT, MPI_SUM, comm), "Allreduce");
}

static void all_calls(MPI_Comm of, int class_)
{
    comm = of;
    class_expected = class_;
    request = stale;
    point_to_point();
    duplicates();
    collectives();
    collectives_with_arrays();
    blocking();
}

int main(int argc, char **argv)
{
    MPI_Comm ring;
    int size, periodic = 1;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < MOST * EDGES; i++) {
        counts[i] = (int) (counts_c[i] = 1);
        displs[i] = (int) (displs_c[i] = 0);
        types[i] = MPI_INT;
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    MPI_Recv_init(data, 1, MPI_INT, MPI_PROC_NULL, TAG, MPI_COMM_SELF, &stale);
    MPIX_Comm_revoke(ring);
    all_calls(ring, MPIX_ERR_REVOKED);
    all_calls(MPI_COMM_NULL, MPI_ERR_COMM);
    one_sided();
    if (ct_me == 0)
        MTestPrintfMsg(1, "%d calls\n", calls);
    MPI_Request_free(&stale);
    MPI_Comm_free(&ring);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
