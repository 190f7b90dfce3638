/* SPDX-License-Identifier: BSD-3-Clause */

/* Collectives of long data, on several communicators in turn, at random: lengths around the limits
 * of lines and of the buffers for long data, different roots, types, in place.  Each result is
 * compared with what it must be. */

#include "mpi.h"
#include "mpitest.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 400, COMMS = 4, MOST = 300000, MOST_RANKS = 32 };

static uint64_t state;

static unsigned draw(unsigned below)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (unsigned) (state >> 33) % below;
}

/* Most are long; some are near a limit. */
static int draw_length(void)
{
    static const int near[] = {0, 1, 14, 1023, 1024, 1025, 16384, 16385, 32768};

    if (draw(4) == 0)
        return near[draw(sizeof(near) / sizeof(near[0]))];
    return (int) draw(draw(2) ? 3000 : 40000);
}

struct call {
    MPI_Comm comm;
    int rank, size, root, n, round;
    MPI_Datatype type; /* an int and a gap */
    int in_place, gapped;
    int *in, *out;
};

static int value(const struct call *call, int rank, int i)
{
    return (int) ((unsigned) rank * 1009u + (unsigned) i * 31u + (unsigned) call->round * 7u) %
           100000;
}

static void fill(const struct call *call, int *at, int rank, int n)
{
    for (int i = 0; i < n; i++)
        at[i] = value(call, rank, i);
}

static int compare(const struct call *call, const char *what, int got, int wanted, int i)
{
    if (got == wanted)
        return 0;
    printf("round %d, %s of %d ints, rank %d of %d, root %d: element %d is %d instead of %d\n",
           call->round, what, call->n, call->rank, call->size, call->root, i, got, wanted);
    return 1;
}

static int check_sum(const struct call *call, const char *what, int last)
{
    int errs = 0;

    for (int i = 0; i < call->n && errs == 0; i++) {
        int sum = 0;
        for (int r = 0; r <= last; r++)
            sum += value(call, r, i);
        errs += compare(call, what, call->out[i], sum, i);
    }
    return errs;
}

/* Part of rank r at r * n: its elements from `first(r)` on. */
static int check_parts(const struct call *call, const char *what, int first)
{
    int errs = 0;

    for (int r = 0; r < call->size; r++)
        for (int i = 0; i < call->n && errs == 0; i++)
            errs += compare(call, what, call->out[r * call->n + i], value(call, r, first + i), i);
    return errs;
}

static int do_allreduce(struct call *call)
{
    fill(call, call->in_place ? call->out : call->in, call->rank, call->n);
    MPI_Allreduce(call->in_place ? MPI_IN_PLACE : call->in, call->out, call->n, MPI_INT, MPI_SUM,
                  call->comm);
    return check_sum(call, "MPI_Allreduce", call->size - 1);
}

static int do_reduce(struct call *call)
{
    int in_place = call->in_place && call->rank == call->root;

    fill(call, in_place ? call->out : call->in, call->rank, call->n);
    MPI_Reduce(in_place ? MPI_IN_PLACE : call->in, call->out, call->n, MPI_INT, MPI_SUM, call->root,
               call->comm);
    return call->rank == call->root ? check_sum(call, "MPI_Reduce", call->size - 1) : 0;
}

static int do_reduce_scatter_block(struct call *call)
{
    int errs = 0;

    fill(call, call->in_place ? call->out : call->in, call->rank, call->n * call->size);
    MPI_Reduce_scatter_block(call->in_place ? MPI_IN_PLACE : call->in, call->out, call->n, MPI_INT,
                             MPI_SUM, call->comm);
    for (int i = 0; i < call->n && errs == 0; i++) {
        int sum = 0;
        for (int r = 0; r < call->size; r++)
            sum += value(call, r, call->rank * call->n + i);
        errs += compare(call, "MPI_Reduce_scatter_block", call->out[i], sum, i);
    }
    return errs;
}

/* Of different lengths, some of them 0; where the parts begin. */
static void vary(const struct call *call, int counts[], int places[], int gap)
{
    int place = 0;

    for (int r = 0; r < call->size; r++) {
        counts[r] = (r + call->round) % 3 == 0 ? 0 : call->n * (r % 3 + 1) / 3;
        places[r] = place;
        place += counts[r] + gap;
    }
}

static int do_reduce_scatter(struct call *call)
{
    int errs = 0, counts[MOST_RANKS], places[MOST_RANKS], last = call->size - 1;

    vary(call, counts, places, 0);
    fill(call, call->in_place ? call->out : call->in, call->rank, places[last] + counts[last]);
    MPI_Reduce_scatter(call->in_place ? MPI_IN_PLACE : call->in, call->out, counts, MPI_INT,
                       MPI_SUM, call->comm);
    for (int i = 0; i < counts[call->rank] && errs == 0; i++) {
        int sum = 0;
        for (int r = 0; r < call->size; r++)
            sum += value(call, r, places[call->rank] + i);
        errs += compare(call, "MPI_Reduce_scatter", call->out[i], sum, i);
    }
    return errs;
}

/* Some members have a gap behind each int. */
static int do_allgatherv(struct call *call)
{
    int counts[MOST_RANKS], places[MOST_RANKS], errs = 0;
    int stride = call->gapped < 0 ? 1 : (call->gapped + call->rank) % 2 + 1;
    int *mine;

    vary(call, counts, places, 3);
    mine = call->in_place ? call->out + places[call->rank] * stride : call->in;
    for (int i = 0; i < counts[call->rank]; i++)
        mine[i * (call->in_place ? stride : 1)] = value(call, call->rank, i);
    MPI_Allgatherv(call->in_place ? MPI_IN_PLACE : mine, counts[call->rank], MPI_INT, call->out,
                   counts, places, stride == 1 ? MPI_INT : call->type, call->comm);
    for (int r = 0; r < call->size; r++)
        for (int i = 0; i < counts[r] && errs == 0; i++)
            errs += compare(call, "MPI_Allgatherv", call->out[(places[r] + i) * stride],
                            value(call, r, i), i);
    return errs;
}

static int do_scan(struct call *call)
{
    fill(call, call->in, call->rank, call->n);
    MPI_Scan(call->in, call->out, call->n, MPI_INT, MPI_SUM, call->comm);
    return check_sum(call, "MPI_Scan", call->rank);
}

static int do_exscan(struct call *call)
{
    fill(call, call->in, call->rank, call->n);
    MPI_Exscan(call->in, call->out, call->n, MPI_INT, MPI_SUM, call->comm);
    return call->rank > 0 ? check_sum(call, "MPI_Exscan", call->rank - 1) : 0;
}

/* Some members have a gap behind each int. */
static int do_bcast(struct call *call)
{
    int errs = 0, stride = call->gapped < 0 ? 1 : (call->gapped + call->rank) % 2 + 1;

    memset(call->out, 0, (size_t) call->n * (size_t) stride * sizeof(int));
    for (int i = 0; i < call->n && call->rank == call->root; i++)
        call->out[i * stride] = value(call, call->root, i);
    MPI_Bcast(call->out, call->n, stride == 1 ? MPI_INT : call->type, call->root, call->comm);
    for (int i = 0; i < call->n && errs == 0; i++)
        errs += compare(call, "MPI_Bcast", call->out[i * stride], value(call, call->root, i), i);
    return errs;
}

static int do_allgather(struct call *call)
{
    int *mine = call->in_place ? call->out + call->rank * call->n : call->in;

    fill(call, mine, call->rank, call->n);
    MPI_Allgather(call->in_place ? MPI_IN_PLACE : mine, call->n, MPI_INT, call->out, call->n,
                  MPI_INT, call->comm);
    return check_parts(call, "MPI_Allgather", 0);
}

static int do_gather(struct call *call)
{
    int in_place = call->in_place && call->rank == call->root;
    int *mine = in_place ? call->out + call->rank * call->n : call->in;

    fill(call, mine, call->rank, call->n);
    MPI_Gather(in_place ? MPI_IN_PLACE : mine, call->n, MPI_INT, call->out, call->n, MPI_INT,
               call->root, call->comm);
    return call->rank == call->root ? check_parts(call, "MPI_Gather", 0) : 0;
}

static int do_scatter(struct call *call)
{
    int in_place = call->in_place && call->rank == call->root, errs = 0;

    if (call->rank == call->root)
        fill(call, call->in, call->root, call->n * call->size);
    MPI_Scatter(call->in, call->n, MPI_INT, in_place ? MPI_IN_PLACE : call->out, call->n, MPI_INT,
                call->root, call->comm);
    for (int i = 0; i < call->n && errs == 0 && !in_place; i++)
        errs += compare(call, "MPI_Scatter", call->out[i],
                        value(call, call->root, call->rank * call->n + i), i);
    return errs;
}

static int do_alltoall(struct call *call)
{
    int *from = call->in_place ? call->out : call->in;

    fill(call, from, call->rank, call->n * call->size);
    MPI_Alltoall(call->in_place ? MPI_IN_PLACE : from, call->n, MPI_INT, call->out, call->n,
                 MPI_INT, call->comm);
    return check_parts(call, "MPI_Alltoall", call->rank * call->n);
}

static int do_barrier(struct call *call) { return MPI_Barrier(call->comm) != MPI_SUCCESS; }

static int (*const kinds[])(struct call *) = {do_allreduce,
                                              do_reduce,
                                              do_scan,
                                              do_exscan,
                                              do_bcast,
                                              do_allgather,
                                              do_gather,
                                              do_scatter,
                                              do_alltoall,
                                              do_barrier,
                                              do_reduce_scatter_block,
                                              do_reduce_scatter,
                                              do_allgatherv};

static void make_comms(MPI_Comm comms[COMMS])
{
    int rank, size;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comms[2]);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &comms[3]);
}

int main(int argc, char **argv)
{
    MPI_Comm comms[COMMS];
    MPI_Datatype gaps;
    int errs = 0, world_size;
    int *in = malloc(MOST * sizeof(int)), *out = malloc(2 * MOST * sizeof(int));

    MTest_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    if (world_size > MOST_RANKS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &gaps);
    MPI_Type_commit(&gaps);
    make_comms(comms);
    state = 12345;
    for (int round = 0; round < ROUNDS && errs == 0; round++) {
        struct call call = {.round = round, .type = gaps, .in = in, .out = out};
        unsigned kind = draw(sizeof(kinds) / sizeof(kinds[0])), comm = draw(COMMS);

        call.n = draw_length();
        call.comm = comms[comm];
        call.in_place = draw(3) == 0;
        call.gapped = (int) draw(3) - 1;
        MPI_Comm_rank(call.comm, &call.rank);
        MPI_Comm_size(call.comm, &call.size);
        call.root = (int) draw(1000) % call.size;
        if ((long) call.n * world_size > MOST)
            call.n = MOST / world_size;
        errs += kinds[kind](&call);
        if (round % 50 == 49) { /* others may still read what this process has sent */
            for (int i = 0; i < COMMS; i++)
                MPI_Comm_free(&comms[i]);
            make_comms(comms);
        }
    }
    for (int i = 0; i < COMMS; i++)
        MPI_Comm_free(&comms[i]);
    MPI_Type_free(&gaps);
    free(in);
    free(out);
    MTest_Finalize(errs);
    return MTestReturnValue(errs);
}
