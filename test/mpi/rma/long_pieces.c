/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Puts and gets of many pieces, small ones and large ones, to and from one long piece: after
 * MPI_Wait on their requests the data of a get are there, and the buffer of a put may be
 * overwritten.  Without requests they are done at the flush, also when there are many of them.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { PART = 100000, MOST = 12, ALL = PART * MOST }; /* in ints; the origin has gaps as long */

static int *memory, *origin, *result;
static int size, target;
static MPI_Win win;
static MPI_Datatype pieces;
static int piece; /* in ints */

static void make_pieces(int ints)
{
    piece = ints;
    MPI_Type_vector(PART / piece, piece, 2 * piece, MPI_INT, &pieces);
    MPI_Type_commit(&pieces);
}

/* The place in the origin of an int of the data. */
static int at(int part, int i) { return 2 * part * PART + i / piece * 2 * piece + i % piece; }

static int value(int part, int i, int turn) { return i + 7 * part + 31 * turn + ct_me; }

static void fill(int n, int turn)
{
    memset(result, -1, 2 * ALL * sizeof(int));
    for (int part = 0; part < n; part++) {
        for (int i = 0; i < PART; i++)
            origin[at(part, i)] = value(part, i, turn);
    }
}

static void check(const int *buffer, int n, int turn, const char *what)
{
    for (int part = 0; part < n; part++) {
        for (int i = 0; i < PART; i++) {
            int got = buffer[at(part, i)], want = value(part, i, turn);

            CT_CHECK(got == want, "%s, turn %d, pieces of %d, part %d: %d is %d, not %d", what,
                     turn, piece, part, i, got, want);
            if (got != want)
                return;
        }
    }
}

static MPI_Aint place(int part) { return (MPI_Aint) ct_me * ALL + part * PART; }

static void with_requests(int n, int turn)
{
    MPI_Request requests[MOST];

    fill(n, turn);
    for (int i = 0; i < n; i++)
        MPI_Rput(origin + 2 * i * PART, 1, pieces, target, place(i), PART, MPI_INT, win,
                 &requests[i]);
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    memset(origin, -1, 2 * ALL * sizeof(int));
    MPI_Win_flush(target, win);
    for (int i = 0; i < n; i++)
        MPI_Rget(result + 2 * i * PART, 1, pieces, target, place(i), PART, MPI_INT, win,
                 &requests[i]);
    for (int i = 0; i < n; i++)
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    check(result, n, turn, "with requests");
}

static void without(int n, int turn)
{
    fill(n, turn);
    for (int i = 0; i < n; i++)
        MPI_Put(origin + 2 * i * PART, 1, pieces, target, place(i), PART, MPI_INT, win);
    MPI_Win_flush(target, win);
    for (int i = 0; i < n; i++)
        MPI_Get(result + 2 * i * PART, 1, pieces, target, place(i), PART, MPI_INT, win);
    MPI_Win_flush(target, win);
    check(result, n, turn, "without requests");
}

int main(int argc, char **argv)
{
    const int lengths[] = {1, 20, 10000, 50000};
    MPI_Aint bytes;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    target = (ct_me + 1) % size;
    bytes = (MPI_Aint) size * ALL * sizeof(int);
    memory = ct_alloc(1, bytes);
    origin = ct_alloc(2 * ALL, sizeof(int));
    result = ct_alloc(2 * ALL, sizeof(int));
    MPI_Win_create(memory, bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < (int) (sizeof(lengths) / sizeof(lengths[0])); i++) {
        make_pieces(lengths[i]);
        for (int turn = 0; turn < 3; turn++) {
            with_requests(turn ? MOST : 1, turn);
            without(turn ? MOST : 1, turn);
        }
        MPI_Type_free(&pieces);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    free(memory);
    free(origin);
    free(result);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
