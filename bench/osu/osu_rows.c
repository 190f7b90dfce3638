/* SPDX-License-Identifier: BSD-3-Clause
 *
 * osu_rows SET MOST BATCHES US [WINDOW SYNC]: the same rows as the OSU micro-benchmarks have; see
 * bench/osu/osu.sh.  Messages have up to MOST bytes, and a batch takes about US microseconds.  One
 * line a row at rank 0: "row NAME WHAT BYTES VALUE", the median over the batches.  With two
 * processes "line" and what a cache line takes from one to the other, first and last.
 *
 *   pt2pt          half a round trip, bandwidth in one and in both directions, messages a second;
 *                  the first three also with persistent requests
 *   blocking       collectives: alone, with a barrier after each, and in a row
 *   nonblocking    collectives, started and waited for at once: with a barrier after each, and in
 *                  a row; and with a barrier and as much computation as that takes in between
 *   persistent     collectives, started and waited for: in the same three ways
 *   neighbourhood  collectives on a ring, blocking and nonblocking
 *   one-sided      WINDOW create, allocate or dynamic; SYNC lock, lock_all, flush, flush_local,
 *                  pscw or fence
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../lib/line_mpi.h"
#include "../lib/sort.h"
#include "osu_rows.h"

enum { MOST_BATCHES = 1000, STEP = 8, FIRST = 8 };

int rank, size, bytes;
char *in, *out;
static int most, batches, batch_us;

void spin(double seconds)
{
    double end = MPI_Wtime() + seconds;

    while (MPI_Wtime() < end)
        ;
}

static double slowest(double mine)
{
    double all;

    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

double in_a_row(void (*call)(void), int count)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int i = 0; i < count; i++)
        call();
    return slowest((MPI_Wtime() - begin) / count);
}

double with_barrier(void (*call)(void), int count)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int i = 0; i < count; i++) {
        call();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return slowest((MPI_Wtime() - begin) / count);
}

double without_barrier(void (*call)(void), int count)
{
    double mine = 0, sum;

    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < count; i++) {
        double begin = MPI_Wtime();
        call();
        mine += MPI_Wtime() - begin;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum / size / count;
}

/* The first batches say how many calls are long enough, and make what is made at first use. */
double measured(batch_f batch, void (*call)(void))
{
    double found[MOST_BATCHES];
    int count = 1;

    while (batch(call, count) * count * 1e6 < batch_us)
        count *= 2;
    for (int b = 0; b < batches; b++)
        found[b] = batch(call, count);
    sort_times(found, batches);
    return found[batches / 2];
}

void show(const char *name, const char *what, double value)
{
    if (rank == 0)
        printf("row %s %s %d %.4f\n", name, what, bytes, value);
    fflush(stdout);
}

void for_sizes(int least, void (*row)(void))
{
    for (bytes = least; bytes <= most; bytes = bytes ? bytes * STEP : FIRST)
        row();
}

static void usage(void)
{
    if (rank == 0)
        fprintf(stderr, "usage: osu_rows pt2pt|blocking|nonblocking|persistent|neighbourhood|"
                        "one-sided MOST BATCHES US [WINDOW SYNC]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
}

static const struct set {
    const char *name;
    void (*run)(void);
} sets[] = {{"pt2pt", point_to_point},
            {"blocking", blocking},
            {"nonblocking", nonblocking},
            {"persistent", persistent},
            {"neighbourhood", neighbourhood}};

static int run(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        if (argc == 5 && strcmp(argv[1], sets[i].name) == 0) {
            sets[i].run();
            return 1;
        }
    }
    return argc == 7 && strcmp(argv[1], "one-sided") == 0 && one_sided(argv[5], argv[6]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 5 || (most = atoi(argv[2])) < FIRST || most > 1 << 22 ||
        (batches = atoi(argv[3])) < 1 || batches > MOST_BATCHES || (batch_us = atoi(argv[4])) < 1 ||
        size % 2)
        usage();
    /* a part for each process, and for each message in flight */
    size_t room = (size_t) most * (size_t) (size > MOST_IN_FLIGHT ? size : MOST_IN_FLIGHT);
    in = calloc(1, room);
    out = calloc(1, room);
    if (!in || !out)
        MPI_Abort(MPI_COMM_WORLD, 1);
    memset(in, 1, room);
    memset(out, 1, room);
    line_t *lines = line_share();
    line_show(lines);
    if (!run(argc, argv))
        usage();
    line_show(lines);
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
