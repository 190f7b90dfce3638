/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Isendrecv and MPI_Isendrecv_replace: the status is that of the receive, either side may be
 * MPI_PROC_NULL, datatypes with gaps arrive as they were sent and outlive the call, and a message
 * that is too long is an error.
 */
#include "cmaptest.h"

#define TAG 5
#define PAIRS 50 /* pairs of numbers with a gap between them */
#define ROUNDS 20

static int size;

/* Both functions under one face: `type` describes both buffers. */
static MPI_Request start(int replace, int *from, int *into, MPI_Datatype type, int dest, int source)
{
    MPI_Request request;

    if (replace) {
        memcpy(into, from, 3 * PAIRS * sizeof(int));
        MPI_Isendrecv_replace(into, 1, type, dest, TAG, source, TAG, MPI_COMM_WORLD, &request);
    } else {
        MPI_Isendrecv(from, 1, type, dest, TAG, into, 1, type, source, TAG, MPI_COMM_WORLD,
                      &request);
    }
    return request;
}

/* Element `i` as `rank` has it before the call; every third one is in a gap. */
static int element(int rank, int i) { return 1000 * (rank + 1) + i; }

static void check_status(const MPI_Status *status, int source, int type_size, const char *what)
{
    int count = -1, tag = (source == MPI_PROC_NULL) ? MPI_ANY_TAG : TAG;
    int want = (source == MPI_PROC_NULL) ? 0 : type_size;

    MPI_Get_count(status, MPI_BYTE, &count);
    CT_CHECK(status->MPI_SOURCE == source && status->MPI_TAG == tag && count == want,
             "%s: source %d, tag %d, %d bytes, not %d, %d, %d", what, status->MPI_SOURCE,
             status->MPI_TAG, count, source, tag, want);
}

static void check_data(const int *into, int source, int replace, const char *what)
{
    for (int i = 0; i < 3 * PAIRS; i++) {
        int before = replace ? element(ct_me, i) : -1;
        int want = (source == MPI_PROC_NULL || i % 3 == 2) ? before : element(source, i);

        CT_CHECK(into[i] == want, "%s: element %d is %d, not %d", what, i, into[i], want);
    }
}

static void exchange(int replace, MPI_Datatype type, int dest, int source, const char *what)
{
    int from[3 * PAIRS], into[3 * PAIRS], type_size;
    MPI_Status status;
    MPI_Request request;

    for (int i = 0; i < 3 * PAIRS; i++) {
        from[i] = element(ct_me, i);
        into[i] = -1;
    }
    memset(&status, 0x5a, sizeof(status));
    MPI_Type_size(type, &type_size);
    request = start(replace, from, into, type, dest, source);
    MPI_Wait(&request, &status);
    check_status(&status, source, type_size, what);
    check_data(into, source, replace, what);
}

/* Everybody to the right: in a ring, in a row whose ends are nobody, and nobody at all. */
static void shifts(MPI_Datatype type)
{
    int left = ct_me > 0 ? ct_me - 1 : MPI_PROC_NULL;
    int right = ct_me < size - 1 ? ct_me + 1 : MPI_PROC_NULL;

    for (int replace = 0; replace < 2; replace++) {
        exchange(replace, type, (ct_me + 1) % size, (ct_me + size - 1) % size, "ring");
        exchange(replace, type, right, left, "row");
        exchange(replace, type, MPI_PROC_NULL, MPI_PROC_NULL, "nobody");
    }
}

static void any_source(void)
{
    int from = ct_me, into = -1;
    MPI_Status status;
    MPI_Request request;

    MPI_Isendrecv(&from, 1, MPI_INT, (ct_me + 1) % size, TAG, &into, 1, MPI_INT, MPI_ANY_SOURCE,
                  MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    check_status(&status, (ct_me + size - 1) % size, sizeof(int), "any source");
}

static void too_long(void)
{
    int from[2] = {1, 2}, into = -1, code, class_ = MPI_SUCCESS;
    MPI_Request request;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Isendrecv(from, 2, MPI_INT, (ct_me + 1) % size, TAG, &into, 1, MPI_INT,
                  (ct_me + size - 1) % size, TAG, MPI_COMM_WORLD, &request);
    code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Error_class(code, &class_);
    CT_CHECK(class_ == MPI_ERR_TRUNCATE, "too long: error class %d, not %d", class_,
             MPI_ERR_TRUNCATE);
}

int main(int argc, char **argv)
{
    MPI_Datatype pairs;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_vector(PAIRS, 2, 3, MPI_INT, &pairs);
    MPI_Type_commit(&pairs);
    for (int round = 0; round < ROUNDS; round++)
        shifts(pairs);
    MPI_Type_free(&pairs);
    any_source();
    too_long();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
