/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Small collectives at their edges: what a program may do, and how errors come back.  Each step is
 * made several times, because a communicator's first collectives may go another way than the later
 * ones.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { TIMES = 5, MOST = 1000, MESSAGES = 20, MESSAGE = 1 << 20 };

static int size;

/* A function of the user's that uses its first argument as it likes. */
static void add_and_scribble(void *left, void *inout, int *n, MPI_Datatype *type)
{
    for (int i = 0; i < *n; i++) {
        ((int *) inout)[i] += ((int *) left)[i];
        ((int *) left)[i] = -1000000;
    }
}

static void own_function(MPI_Comm comm)
{
    MPI_Op op;
    int in[3] = {1, 2, 3}, out[3];

    MPI_Op_create(add_and_scribble, 1, &op);
    MPI_Allreduce(in, out, 3, MPI_INT, op, comm);
    CT_CHECK(out[0] == size && out[2] == 3 * size, "sums are %d and %d, not %d and %d", out[0],
             out[2], size, 3 * size);
    MPI_Op_free(&op);
}

/* What lies between the parts of a pair is the user's. */
static void gaps_of_pairs(MPI_Comm comm)
{
    struct {
        short value;
        int rank;
    } in, out;

    memset(&in, 0x10 + ct_me, sizeof in);
    memset(&out, 0x77, sizeof out);
    in.value = (short) ct_me;
    in.rank = ct_me;
    MPI_Allreduce(&in, &out, 1, MPI_SHORT_INT, MPI_MAXLOC, comm);
    CT_CHECK(out.value == size - 1 && out.rank == size - 1, "MPI_MAXLOC gives %d at %d", out.value,
             out.rank);
    CT_CHECK(((char *) &out)[2] == 0x77 && ((char *) &out)[3] == 0x77,
             "the gap of MPI_SHORT_INT is written to");
}

/* The order of additions shows; all calls have the same. */
static void same_bits(void)
{
    double in = 1.0 / (ct_me * 7 + 3) + (ct_me % 2 ? 1e9 : -1e9), first = 0, again;
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int k = 0; k < TIMES; k++) {
        MPI_Allreduce(&in, &again, 1, MPI_DOUBLE, MPI_SUM, comm);
        if (k == 0)
            first = again;
        CT_CHECK(memcmp(&first, &again, sizeof first) == 0, "call %d gives %.17g, the first %.17g",
                 k, again, first);
    }
    MPI_Comm_free(&comm);
}

static void other_length(MPI_Comm comm, int sent, int expected)
{
    char buffer[MOST] = {0};
    int err, sum, one = 1, class = MPI_SUCCESS;

    err = MPI_Bcast(buffer, ct_me == 0 ? sent : expected, MPI_BYTE, 0, comm);
    if (err)
        MPI_Error_class(err, &class);
    CT_CHECK(ct_me == 0 || class == MPI_ERR_TRUNCATE || class == MPI_ERR_OTHER,
             "%d bytes where %d are expected: class %d", sent, expected, class);
    err = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    CT_CHECK(err == MPI_SUCCESS && sum == size, "after %d bytes for %d: the sum is %d, not %d",
             sent, expected, sum, size);
}

static void other_lengths(void)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int k = 0; k < TIMES; k++) {
        other_length(comm, 4, 8);
        other_length(comm, 8, 4);
        other_length(comm, 8, MOST);
        other_length(comm, MOST, 8);
    }
    MPI_Comm_free(&comm);
}

static void other_sizes(MPI_Comm comm)
{
    int in[4] = {1, 2, 3, 4}, *out = ct_ints(4 * size), err;

    for (int k = 0; k < TIMES; k++) {
        for (int i = 0; i < 4 * size; i++)
            out[i] = -5;
        err = MPI_Allgather(in, 4, MPI_INT, out, 1, MPI_INT, comm);
        CT_CHECK(err != MPI_SUCCESS, "4 are sent for 1 that is received: no error");
        CT_CHECK(out[size] == -5, "4 are sent for 1 that is received: written behind the buffer");
    }
    free(out);
}

/* Variables have been read. */
static void variables_changed_late(MPI_Comm comm)
{
    static const char *const names[] = {"MPIR_CVAR_AGGR_MAX_BYTES", "MPIR_CVAR_AGGR_FAN"};
    static int in[16384], out[16384];
    int values[] = {65536, 0}, provided, index, count;
    MPI_T_cvar_handle handle;
    MPI_Comm other;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    for (int i = 0; i < 2; i++) {
        if (MPI_T_cvar_get_index(names[i], &index) != MPI_SUCCESS)
            continue;
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count);
        MPI_T_cvar_write(handle, &values[i]);
        MPI_T_cvar_handle_free(&handle);
    }
    for (int k = 0; k < TIMES; k++) {
        MPI_Comm_dup(comm, &other);
        for (int i = 0; i < 16384; i++)
            in[i] = i;
        for (int n = 1; n <= 16384; n *= 128)
            MPI_Allreduce(in, out, n, MPI_INT, MPI_SUM, other);
        CT_CHECK(out[127] == 127 * size, "the sum is %d, not %d", out[127], 127 * size);
        MPI_Comm_free(&other);
    }
    MPI_T_finalize();
}

/* The first two reduce and never wait for long; the third sends to the first meanwhile, in a way
 * that needs its progress. */
static void progress_meanwhile(void)
{
    MPI_Comm pair;
    int in = 1, out;

    MPI_Comm_split(MPI_COMM_WORLD, ct_me < 2 ? 0 : MPI_UNDEFINED, ct_me, &pair);
    if (ct_me == 2) {
        char *message = ct_alloc(MESSAGE, 1);
        for (int k = 0; k < MESSAGES; k++)
            MPI_Send(message, MESSAGE, MPI_CHAR, 0, k, MPI_COMM_WORLD);
        free(message);
    } else if (ct_me < 2) {
        MPI_Request requests[MESSAGES];
        char *messages = ct_alloc(MESSAGES, MESSAGE);
        int flag = 0, done = 0;
        for (int k = 0; ct_me == 0 && k < MESSAGES; k++)
            MPI_Irecv(messages + (size_t) k * MESSAGE, MESSAGE, MPI_CHAR, 2, k, MPI_COMM_WORLD,
                      &requests[k]);
        for (int calls = 0; !done; calls++) {
            for (int i = 0; i < 1000; i++)
                MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, pair);
            if (ct_me == 0)
                MPI_Testall(MESSAGES, requests, &flag, MPI_STATUSES_IGNORE);
            MPI_Allreduce(&flag, &done, 1, MPI_INT, MPI_MAX, pair);
        }
        free(messages);
        MPI_Comm_free(&pair);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm comm;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int k = 0; k < TIMES; k++) {
        own_function(comm);
        gaps_of_pairs(comm);
    }
    same_bits();
    other_lengths();
    other_sizes(comm);
    if (size > 2)
        progress_meanwhile();
    variables_changed_late(comm);
    MPI_Comm_free(&comm);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
