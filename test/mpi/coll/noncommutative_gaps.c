/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Reduce-scatter with an operation that does not commute, on types that end with a gap: the
 * functions x -> factor * x + term are composed. Equal blocks and others; blocking, nonblocking and
 * persistent; in place.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

typedef struct {
    unsigned factor, term, gap[3];
} function_t;

enum { UNTOUCHED = 4711, MOST = 300 };

static function_t *sent, *got;
static MPI_Datatype type;
static MPI_Op compose;
static int size;

static void compose_all(void *in, void *inout, int *n, MPI_Datatype *unused)
{
    function_t *first = in, *then = inout;

    for (int i = 0; i < *n; i++) {
        then[i].term += then[i].factor * first[i].term;
        then[i].factor *= first[i].factor;
    }
}

static function_t function_of(int rank, int i)
{
    function_t made = {2 * rank + 3, rank * 7 + i, {UNTOUCHED, UNTOUCHED, UNTOUCHED}};

    return made;
}

static void fill(int total)
{
    for (int i = 0; i < total; i++) {
        sent[i] = function_of(ct_me, i);
        got[i] = function_of(0, 0);
    }
}

static void check(const char *call, int first, int count)
{
    for (int i = 0; i < count; i++) {
        function_t want = function_of(0, first + i);

        for (int rank = 1; rank < size; rank++) {
            function_t next = function_of(rank, first + i);
            int unused = 1;

            compose_all(&want, &next, &unused, NULL);
            want = next;
        }
        CT_CHECK(got[i].factor == want.factor && got[i].term == want.term &&
                     got[i].gap[2] == UNTOUCHED,
                 "%s, %d blocks of %d: element %d is wrong", call, size, count, i);
    }
}

static void finish(MPI_Request *request) { MPI_Wait(request, MPI_STATUS_IGNORE); }

static void check_blocks(int count)
{
    MPI_Request request;
    int total = count * size, at = ct_me * count;

    fill(total);
    MPI_Reduce_scatter_block(sent, got, count, type, compose, MPI_COMM_WORLD);
    check("MPI_Reduce_scatter_block", at, count);
    fill(total);
    MPI_Ireduce_scatter_block(sent, got, count, type, compose, MPI_COMM_WORLD, &request);
    finish(&request);
    check("MPI_Ireduce_scatter_block", at, count);
    fill(total);
    memcpy(got, sent, total * sizeof(function_t));
    MPI_Reduce_scatter_block(MPI_IN_PLACE, got, count, type, compose, MPI_COMM_WORLD);
    check("MPI_Reduce_scatter_block in place", at, count);
    MPI_Reduce_scatter_block_init(sent, got, count, type, compose, MPI_COMM_WORLD, MPI_INFO_NULL,
                                  &request);
    for (int start = 0; start < 2; start++) {
        fill(total);
        MPI_Start(&request);
        finish(&request);
        check("MPI_Reduce_scatter_block_init", at, count);
    }
    MPI_Request_free(&request);
}

static void check_counts(int count, int equal)
{
    MPI_Request request;
    int counts[64], total = 0, at = 0;

    for (int i = 0; i < size; i++) {
        counts[i] = equal ? count : (i * 5 + 1) % (count + 1);
        at += i < ct_me ? counts[i] : 0;
        total += counts[i];
    }
    fill(total);
    MPI_Reduce_scatter(sent, got, counts, type, compose, MPI_COMM_WORLD);
    check("MPI_Reduce_scatter", at, counts[ct_me]);
    fill(total);
    MPI_Ireduce_scatter(sent, got, counts, type, compose, MPI_COMM_WORLD, &request);
    finish(&request);
    check("MPI_Ireduce_scatter", at, counts[ct_me]);
}

int main(int argc, char **argv)
{
    static const int some[] = {1, 7, MOST};
    MPI_Datatype pair;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    sent = ct_alloc(MOST * size, sizeof(function_t));
    got = ct_alloc(MOST * size, sizeof(function_t));
    MPI_Type_contiguous(2, MPI_UNSIGNED, &pair);
    MPI_Type_create_resized(pair, 0, sizeof(function_t), &type);
    MPI_Type_commit(&type);
    MPI_Op_create(compose_all, 0, &compose);
    for (int i = 0; i < 3; i++) {
        check_blocks(some[i]);
        check_counts(some[i], 1);
        check_counts(some[i], 0);
    }
    MPI_Op_free(&compose);
    MPI_Type_free(&type);
    MPI_Type_free(&pair);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
