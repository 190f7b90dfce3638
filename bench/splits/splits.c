/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Comm_split by rows and by descriptions (MPIR_CVAR_SPLIT_DESCRIBED), in turns in one run.
 * Driven by splits.py.  Prints a line for each pattern: "PATTERN ROWS_US DESCRIBED_US RATIO", with
 * the medians over the batches and the median of the ratios of neighbouring batches.
 *
 *   splits BATCHES TIMES     TIMES splits a batch
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include "../lib/sort.h"

enum { MOST_BATCHES = 101, NEVER = 0, ALWAYS = 1 };

static int rank, size, times;
static MPI_T_cvar_handle setting;

/* ---- which of the two ---- */

static void open_setting(void)
{
    int index, count, provided;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    if (MPI_T_cvar_get_index("MPIR_CVAR_SPLIT_DESCRIBED", &index) != MPI_SUCCESS ||
        MPI_T_cvar_handle_alloc(index, NULL, &setting, &count) != MPI_SUCCESS) {
        fprintf(stderr, "splits: this MPI has no descriptions\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void close_setting(void)
{
    MPI_T_cvar_handle_free(&setting);
    MPI_T_finalize();
}

/* ---- patterns ---- */

static int side_of_square(void)
{
    int side = 1;

    while (side * side < size)
        side *= 2;
    return side;
}

static int random_key(void) { return (int) ((unsigned) rank * 2654435761u % 1000003u); }

static struct {
    const char *name;
    int colour, key;
} patterns[5];

static void fill_patterns(void)
{
    int side = side_of_square();

    patterns[0].name = "same";
    patterns[0].key = rank;
    patterns[1].name = "rows";
    patterns[1].colour = rank / side;
    patterns[1].key = rank;
    patterns[2].name = "even_odd";
    patterns[2].colour = rank % 2;
    patterns[2].key = rank;
    patterns[3].name = "reversed";
    patterns[3].key = -rank;
    patterns[4].name = "random";
    patterns[4].key = random_key();
}

/* ---- time ---- */

/* Of the slowest rank, a split; the freeing is no part of it. */
static double batch(int colour, int key, int least_ranks)
{
    double us = 0, slowest;
    MPI_Comm made;

    MPI_T_cvar_write(setting, &least_ranks);
    for (int i = 0; i < times; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = MPI_Wtime();
        MPI_Comm_split(MPI_COMM_WORLD, colour, key, &made);
        us += (MPI_Wtime() - begin) / times * 1e6;
        MPI_Comm_free(&made);
    }
    MPI_Allreduce(&us, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

static double median(double figures[], int n)
{
    sort_times(figures, n);
    return figures[n / 2];
}

static void measure(int pattern, int batches)
{
    double us[2][MOST_BATCHES], ratio[MOST_BATCHES];
    int colour = patterns[pattern].colour, key = patterns[pattern].key;

    batch(colour, key, NEVER);
    batch(colour, key, ALWAYS);
    for (int b = 0; b < batches; b++) {
        for (int turn = 0; turn < 2; turn++) {
            int is_described = (b + turn) % 2;
            us[is_described][b] = batch(colour, key, is_described ? ALWAYS : NEVER);
        }
        ratio[b] = us[1][b] / us[0][b];
    }
    if (rank == 0)
        printf("%s %.2f %.2f %.3f\n", patterns[pattern].name, median(us[0], batches),
               median(us[1], batches), median(ratio, batches));
}

int main(int argc, char **argv)
{
    int batches;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc != 3 || (batches = atoi(argv[1])) < 1 || batches > MOST_BATCHES ||
        (times = atoi(argv[2])) < 1) {
        fprintf(stderr, "usage: splits BATCHES TIMES (1 to %d batches)\n", MOST_BATCHES);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    open_setting();
    fill_patterns();
    for (int i = 0; i < (int) (sizeof patterns / sizeof patterns[0]); i++)
        measure(i, batches);
    close_setting();
    MPI_Finalize();
    return 0;
}
