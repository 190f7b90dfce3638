/* SPDX-License-Identifier: BSD-3-Clause
 *
 * rma SET BATCHES TIMES allocate|create: one-sided communication; see bench/rma.sh.  One line a case at rank 0: its name, and the median over
 * the batches.  Rank 0 works on the last rank's window, while that one waits in a barrier, or takes part in the epoch.
 *
 *   single     an epoch with one operation of 1 to 64 bytes, us: lock, PSCW and fence; put, get and accumulate
 *   many       an epoch with 1 to 16,384 puts, gets, accumulates of 8 bytes, us
 *   overlap    an epoch with 8 operations of 1 KB to 1 MB: alone, and together with a part of as much computation after each
 *   contend    epochs of an exclusive lock a second, all ranks on one window; and the least share of a rank, 1 is fair
 *   change     epochs of 4 puts, then of 400, then of 4, 20 of each: us an epoch in the first and the second ten, and from which
 *              epoch on all are as short as the second ten, but for a tenth
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lib/line_mpi.h"

enum { MOST = 1 << 20, OVERLAPPED = 8, WINDOW = OVERLAPPED * MOST, BATCHES = 1000, PHASE = 20 };
enum { LOCK, PSCW, FENCE, SYNCS };
enum { PUT, GET, ACC, KINDS };
static const char *const sync_names[] = { "lock", "pscw", "fence" };
static const char *const kind_names[] = { "put", "get", "acc" };

static int rank, size, batches, times, target;
static MPI_Win win;
static MPI_Group origin_group, target_group;
static char *buffer;

/* The epochs of a batch. */
static struct epoch {
    int sync, kind, ops, bytes;
    double compute;             /* seconds, a part of them after each operation */
} epoch;

static void spin(double seconds)
{
    double end = MPI_Wtime() + seconds;

    while (MPI_Wtime() < end);
}

static void operation(int i)
{
    MPI_Aint disp = (MPI_Aint) i * epoch.bytes % WINDOW;
    char *mine = buffer + disp;

    if (epoch.kind == PUT)
        MPI_Put(mine, epoch.bytes, MPI_BYTE, target, disp, epoch.bytes, MPI_BYTE, win);
    else if (epoch.kind == GET)
        MPI_Get(mine, epoch.bytes, MPI_BYTE, target, disp, epoch.bytes, MPI_BYTE, win);
    else if (epoch.bytes % 8)
        MPI_Accumulate(mine, epoch.bytes, MPI_BYTE, target, disp, epoch.bytes, MPI_BYTE, MPI_BXOR, win);
    else
        MPI_Accumulate(mine, epoch.bytes / 8, MPI_LONG, target, disp, epoch.bytes / 8, MPI_LONG, MPI_SUM, win);
}

static void operations(void)
{
    for (int i = 0; i < epoch.ops; i++) {
        operation(i);
        if (epoch.compute > 0)
            spin(epoch.compute / epoch.ops);
    }
}

static void one_epoch(void)
{
    int origin = rank == 0;

    if (epoch.sync == LOCK && origin) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
        operations();
        MPI_Win_unlock(target, win);
    } else if (epoch.sync == PSCW && origin) {
        MPI_Win_start(target_group, 0, win);
        operations();
        MPI_Win_complete(win);
    } else if (epoch.sync == PSCW && rank == target) {
        MPI_Win_post(origin_group, 0, win);
        MPI_Win_wait(win);
    } else if (epoch.sync == FENCE) {
        if (origin)
            operations();
        MPI_Win_fence(0, win);
    }
}

static double batch(int count)
{
    double begin, mine;

    if (epoch.sync == FENCE)
        MPI_Win_fence(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    for (int i = 0; i < count; i++)
        one_epoch();
    mine = (MPI_Wtime() - begin) / count;
    MPI_Barrier(MPI_COMM_WORLD);
    if (epoch.sync == FENCE)
        MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Bcast(&mine, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return mine;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *) a, y = *(const double *) b;
    return (x > y) - (x < y);
}

static double median(double *values, int n)
{
    qsort(values, (size_t) n, sizeof values[0], ascending);
    return values[n / 2];
}

static double seconds(int count)
{
    double found[BATCHES];

    batch(count);
    for (int b = 0; b < batches; b++)
        found[b] = batch(count);
    return median(found, batches);
}

static void report(const char *name, double value)
{
    if (rank == 0)
        printf("%s %.4f\n", name, value);
    fflush(stdout);
}

static void single(void)
{
    char name[64];

    for (int sync = 0; sync < SYNCS; sync++) {
        for (int kind = 0; kind < KINDS; kind++) {
            for (int bytes = 1; bytes <= 64; bytes *= 2) {
                epoch = (struct epoch) { sync, kind, 1, bytes, 0 };
                snprintf(name, sizeof name, "%s-%s-%d", sync_names[sync], kind_names[kind], bytes);
                report(name, seconds(times) * 1e6);
            }
        }
    }
}

static void many(void)
{
    char name[64];

    for (int sync = 0; sync < SYNCS; sync++) {
        for (int kind = 0; kind < KINDS; kind++) {
            for (int ops = 1; ops <= 16384; ops *= 4) {
                epoch = (struct epoch) { sync, kind, ops, 8, 0 };
                snprintf(name, sizeof name, "%s-%s-%d", sync_names[sync], kind_names[kind], ops);
                report(name, seconds(1 + times / (8 + ops)) * 1e6);
            }
        }
    }
}

static void overlap(void)
{
    char name[64];

    for (int sync = 0; sync < SYNCS; sync++) {
        for (int kind = 0; kind < KINDS; kind++) {
            for (int bytes = 1024; bytes <= MOST; bytes *= 4) {
                int count = 1 + times / (20 + bytes / 4096);
                double alone;

                epoch = (struct epoch) { sync, kind, OVERLAPPED, bytes, 0 };
                alone = epoch.compute = seconds(count);
                snprintf(name, sizeof name, "%s-%s-%d-alone", sync_names[sync], kind_names[kind], bytes);
                report(name, alone * 1e6);
                snprintf(name, sizeof name, "%s-%s-%d-together", sync_names[sync], kind_names[kind], bytes);
                report(name, seconds(count) * 1e6);
            }
        }
    }
}

/* For a fixed time, so that who is served less has done less. */
static void contend(void)
{
    double rates[BATCHES], shares[BATCHES], limit = 0.2;

    for (int b = 0; b < batches; b++) {
        long mine = 0, sum, least;
        double begin, value = 1;

        MPI_Barrier(MPI_COMM_WORLD);
        for (begin = MPI_Wtime(); MPI_Wtime() - begin < limit; mine++) {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
            MPI_Put(&value, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, win);
            MPI_Win_unlock(0, win);
        }
        MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        MPI_Allreduce(&mine, &least, 1, MPI_LONG, MPI_MIN, MPI_COMM_WORLD);
        rates[b] = (double) sum / limit;
        shares[b] = (double) least * size / (double) sum;
    }
    report("rate", median(rates, batches));
    report("least-share", median(shares, batches));
}

/* us */
static void time_epochs(double (*found)[BATCHES], int b)
{
    MPI_Barrier(MPI_COMM_WORLD);
    for (int e = 0; e < PHASE; e++) {
        double begin = MPI_Wtime();

        one_epoch();
        found[e][b] = (MPI_Wtime() - begin) * 1e6;
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void report_phase(int phase, int ops, double (*found)[BATCHES], int n)
{
    double us[PHASE], halves[2][PHASE / 2];
    int from = PHASE + 1;
    char name[64];

    for (int e = 0; e < PHASE; e++)
        us[e] = halves[e / (PHASE / 2)][e % (PHASE / 2)] = median(found[e], n);
    for (int late = 0; late < 2; late++) {
        snprintf(name, sizeof name, "%d-%d-%s", phase, ops, late ? "late" : "early");
        report(name, median(halves[late], PHASE / 2));
    }
    /* sorted by now: the median of the second ten is in its middle */
    while (from > 1 && us[from - 2] <= 1.1 * halves[1][PHASE / 4])
        from--;
    snprintf(name, sizeof name, "%d-%d-from", phase, ops);
    report(name, from);
}

static void change(void)
{
    const int patterns[] = { 4, 400, 4 };
    static double found[3][PHASE][BATCHES];
    int n = 10 * batches < BATCHES ? 10 * batches : BATCHES;

    for (int b = 0; b < n; b++) {
        for (int p = 0; p < 3; p++) {
            epoch = (struct epoch) { LOCK, PUT, patterns[p], 8, 0 };
            time_epochs(found[p], b);
        }
    }
    for (int p = 0; p < 3; p++)
        report_phase(p, patterns[p], found[p], n);
}

int main(int argc, char **argv)
{
    static const struct { const char *name; void (*run) (void); } sets[] = {
        {"single", single}, {"many", many}, {"overlap", overlap}, {"contend", contend}, {"change", change}
    };
    void (*run) (void) = NULL;
    MPI_Group world;
    int allocated, origin = 0;
    char *memory, *exposed;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; argc == 5 && i < sizeof sets / sizeof sets[0]; i++)
        if (strcmp(argv[1], sets[i].name) == 0)
            run = sets[i].run;
    if (!run || (batches = atoi(argv[2])) < 1 || batches > BATCHES || (times = atoi(argv[3])) < 1) {
        fprintf(stderr, "usage: rma single|many|overlap|contend|change BATCHES TIMES allocate|create\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    allocated = strcmp(argv[4], "allocate") == 0;
    target = size - 1;
    memory = malloc(WINDOW);
    buffer = calloc(1, WINDOW);
    if (!memory || !buffer)
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (allocated)
        MPI_Win_allocate(WINDOW, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &exposed, &win);
    else
        MPI_Win_create(memory, WINDOW, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &origin, &origin_group);
    MPI_Group_incl(world, 1, &target, &target_group);
    line_t *lines = line_share();
    line_show(lines);
    run();
    line_show(lines);
    MPI_Group_free(&origin_group);
    MPI_Group_free(&target_group);
    MPI_Group_free(&world);
    MPI_Win_free(&win);
    free(buffer);
    free(memory);
    MPI_Finalize();
    return 0;
}
