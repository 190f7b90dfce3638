/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Reduce between groups: MPI_ROOT has no send buffer, so that a null pointer, MPI_IN_PLACE and
 * the receive buffer are valid there. The processes that send need one: a null pointer is an error.
 */
#include "cmaptest.h"

enum { COUNT = 3 };

typedef int reduction(const void *send, void *receive, int root, MPI_Comm inter);

static int blocking(const void *send, void *receive, int root, MPI_Comm inter)
{
    return MPI_Reduce(send, receive, COUNT, MPI_INT, MPI_SUM, root, inter);
}

static int nonblocking(const void *send, void *receive, int root, MPI_Comm inter)
{
    MPI_Request request;
    int result = MPI_Ireduce(send, receive, COUNT, MPI_INT, MPI_SUM, root, inter, &request);

    return result == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : result;
}

static int persistent(const void *send, void *receive, int root, MPI_Comm inter)
{
    MPI_Request request;
    int result = MPI_Reduce_init(send, receive, COUNT, MPI_INT, MPI_SUM, root, inter, MPI_INFO_NULL,
                                 &request);

    if (result != MPI_SUCCESS)
        return result;
    MPI_Start(&request);
    result = MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    return result;
}

static void receive_sum(reduction *reduce, MPI_Comm inter, int kind)
{
    int sum[COUNT] = {-1, -1, -1}, others, result;
    const void *unused[] = {NULL, MPI_IN_PLACE, sum};

    MPI_Comm_remote_size(inter, &others);
    result = reduce(unused[kind], sum, MPI_ROOT, inter);
    CT_CHECK(result == MPI_SUCCESS, "send buffer %d: error %d", kind, result);
    for (int i = 0; i < COUNT; i++)
        CT_CHECK(sum[i] == others * (i + 1), "send buffer %d: sum %d is %d", kind, i, sum[i]);
}

static void send_numbers(reduction *reduce, MPI_Comm inter)
{
    int numbers[COUNT] = {1, 2, 3}, class = MPI_SUCCESS;

    MPI_Error_class(reduce(NULL, NULL, 0, inter), &class);
    CT_CHECK(class == MPI_ERR_BUFFER, "null send buffer: class %d", class);
    CT_CHECK(reduce(numbers, NULL, 0, inter) == MPI_SUCCESS, "error of a process that sends");
}

int main(int argc, char **argv)
{
    static reduction *const all[] = {blocking, nonblocking, persistent};
    MPI_Comm local, inter;
    int rank, local_rank;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    ct_me = rank;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &local);
    MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, 1 - rank % 2, 1, &inter);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    MPI_Comm_rank(local, &local_rank);
    for (int i = 0; i < 3; i++) {
        for (int kind = 0; kind < 3; kind++) {
            if (rank % 2 == 1)
                send_numbers(all[i], inter);
            else if (local_rank == 0)
                receive_sum(all[i], inter, kind);
            else
                CT_CHECK(all[i](NULL, NULL, MPI_PROC_NULL, inter) == MPI_SUCCESS, "MPI_PROC_NULL");
        }
    }
    MPI_Comm_free(&inter);
    MPI_Comm_free(&local);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
