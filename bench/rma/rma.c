/* SPDX-License-Identifier: BSD-3-Clause
 *
 * rma SET BATCHES US allocate|create [MODE...]: one-sided communication; see bench/rma/rma.sh.  One
 * line a case at rank 0: its name, and the median over the batches, which take US microseconds or
 * an epoch, if that takes longer; of long ones there are fewer, but 7.  Rank 0 works on the last
 * rank's window, while that one waits in a barrier, or takes part in the epoch.
 *
 *   single     an epoch with one operation of 1 to 64 bytes, us: lock, PSCW and fence; put, get and
 *              accumulate
 *   many       an epoch with 1 to 16,384 puts, gets, accumulates of 8 bytes, us
 *   overlap    an epoch with 8 operations of 1 KB to 1 MB: alone, us; and percent of that time that
 *              is hidden when, right after it, the epoch has a part of as much computation after
 *              each operation
 *   contend    epochs of an exclusive lock a second, all ranks on one window; and the least share
 *              of a rank, 1 is fair
 *   waiting    an operation and its flush, or a request-based operation and its wait, us, in an
 *              epoch of MPI_Win_lock_all: the target waits in a barrier all the while
 *   passive    in an epoch of MPI_Win_lock_all, all ranks: MPI_Fetch_and_op on one counter and
 *              MPI_Win_flush, us from one increment to the next; random updates of 8 bytes by
 *              MPI_Accumulate (RandomAccess), with a flush after 512, us an update of a rank; and a
 *              random MPI_Get with its flush, us.  Counter and table are checked.
 *   large      a put of 500 MB and its flush, us; how much memory that takes from the target at
 *              most, MB; and MPI_Win_allocate of windows of 1 GB and 16 GB in all, us, which a
 *              library may refuse
 *   change     epochs of 4 puts, then of 400, then of 4, 20 of each: us an epoch in the first and
 *              the second ten, and from which epoch on all are as short as the second ten, but for
 *              a tenth
 *
 * Each MODE (hybrid, eager, lazy) has a window with that value of the info key rma_issue, and its
 * lines begin with "MODE/".  The windows take turns batch by batch: what else the machine does
 * meets all modes alike.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../lib/line_mpi.h"
#include "../lib/sort.h"

enum {
    LARGE_PUT = 500 * 1000 * 1000,
    MOST_BYTES = 1 << 20,
    OVERLAPPED = 8,
    MOST_OPS = 16384,
    FEW = 7,
    BATCHES = 1000,
    PHASES = 3,
    PHASE = 20,
    WINDOWS = 8
};
enum { LOCK, PSCW, FENCE, SYNCS, FLUSH = SYNCS };
enum { PUT, GET, ACC, KINDS, RGET = KINDS, RACC };
static const char *const sync_names[] = {"lock", "pscw", "fence", "flush"};
static const char *const kind_names[] = {"put", "get", "acc", "rget", "racc"};

static int rank, size, batches, batch_us, target;
static int windows;
static MPI_Win window[WINDOWS];
static const char *mode[WINDOWS]; /* NULL: as the library does it */
static MPI_Win win;               /* whose turn it is */
static double spent;              /* seconds in batches of a case, the same at all ranks */
static MPI_Group origin_group, target_group;
static char *buffer;
static char *exposed_memory; /* of the windows that the library does not allocate */

/* The epochs of a batch. */
static struct epoch {
    int sync, kind, ops, bytes;
    double compute; /* seconds, a part of them after each operation */
} epoch;

static void spin(double seconds)
{
    double end = MPI_Wtime() + seconds;

    while (MPI_Wtime() < end)
        ;
}

static void operation_with_request(void *mine, MPI_Aint disp)
{
    MPI_Request request;

    if (epoch.kind == RGET)
        MPI_Rget(mine, epoch.bytes, MPI_BYTE, target, disp, epoch.bytes, MPI_BYTE, win, &request);
    else
        MPI_Raccumulate(mine, epoch.bytes / 8, MPI_LONG, target, disp, epoch.bytes / 8, MPI_LONG,
                        MPI_SUM, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void operation(int i)
{
    MPI_Aint disp = (MPI_Aint) i * epoch.bytes;
    char *mine = buffer + disp;

    if (epoch.kind >= KINDS)
        operation_with_request(mine, disp);
    else if (epoch.kind == PUT)
        MPI_Put(mine, epoch.bytes, MPI_BYTE, target, disp, epoch.bytes, MPI_BYTE, win);
    else if (epoch.kind == GET)
        MPI_Get(mine, epoch.bytes, MPI_BYTE, target, disp, epoch.bytes, MPI_BYTE, win);
    else if (epoch.bytes % 8)
        MPI_Accumulate(mine, epoch.bytes, MPI_BYTE, target, disp, epoch.bytes, MPI_BYTE, MPI_BXOR,
                       win);
    else
        MPI_Accumulate(mine, epoch.bytes / 8, MPI_LONG, target, disp, epoch.bytes / 8, MPI_LONG,
                       MPI_SUM, win);
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
    } else if (epoch.sync == FLUSH && origin) {
        operations();
        if (epoch.kind < KINDS)
            MPI_Win_flush(target, win);
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
    spent += mine * count;
    return mine;
}

static double median(double *values, int n)
{
    sort_times(values, n);
    return values[n / 2];
}

/* The k-th of batch b.  Who is first changes from batch to batch. */
static int turn(int b, int k)
{
    int w = (b + k) % windows;

    win = window[w];
    return w;
}

static void report(int w, const char *name, double value)
{
    if (rank == 0)
        printf("%s%s%s %.4f\n", mode[w] ? mode[w] : "", mode[w] ? "/" : "", name, value);
    fflush(stdout);
}

static void report_case(int w, int number, const char *what, double value)
{
    char name[64];

    snprintf(name, sizeof name, "%s-%s-%d%s", sync_names[epoch.sync], kind_names[epoch.kind],
             number, what);
    report(w, name, value);
}

/* The epochs of a batch; as many for all windows. */
static int epochs(void)
{
    int count = 1;

    turn(0, 0);
    while (batch(count) * count * 1e6 < batch_us)
        count *= 2;
    spent = 0;
    return count;
}

/* Whether there is a batch b of a case.  Many short ones: the median passes over those in which
 * somebody else had the core. */
static int goes_on(int b) { return b <= batches && (b <= FEW || spent < 0.05 * windows); }

/* The first batch, of each window, does not count. */
static void time_case(int number)
{
    double found[WINDOWS][1 + BATCHES];
    int b, count = epochs();

    for (b = 0; goes_on(b); b++)
        for (int k = 0; k < windows; k++)
            found[turn(b, k)][b] = batch(count);
    for (int w = 0; w < windows; w++)
        report_case(w, number, "", median(found[w] + 1, b - 1) * 1e6);
}

static void single(void)
{
    for (int sync = 0; sync < SYNCS; sync++) {
        for (int kind = 0; kind < KINDS; kind++) {
            for (int bytes = 1; bytes <= 64; bytes *= 2) {
                epoch = (struct epoch){sync, kind, 1, bytes, 0};
                time_case(bytes);
            }
        }
    }
}

static void many(void)
{
    for (int sync = 0; sync < SYNCS; sync++) {
        for (int kind = 0; kind < KINDS; kind++) {
            for (int ops = 1; ops <= MOST_OPS; ops *= 4) {
                epoch = (struct epoch){sync, kind, ops, 8, 0};
                time_case(ops);
            }
        }
    }
}

/* The first operations of a process make the connection, and count for no case. */
static void warm_up(int w)
{
    enum { TIMES = 1000 };

    win = window[w];
    batch(TIMES);
    spent = 0;
}

static void waiting(void)
{
    static const struct {
        int kind, bytes;
    } cases[] = {{PUT, 8}, {PUT, 65536}, {GET, 8}, {ACC, 8}, {RGET, 8}, {RACC, 8}};

    for (int w = 0; w < windows; w++)
        MPI_Win_lock_all(0, window[w]);
    epoch = (struct epoch){FLUSH, PUT, 1, 8, 0};
    for (int w = 0; w < windows; w++)
        warm_up(turn(0, w));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        epoch = (struct epoch){FLUSH, cases[i].kind, 1, cases[i].bytes, 0};
        time_case(cases[i].bytes);
    }
    for (int w = 0; w < windows; w++)
        MPI_Win_unlock_all(window[w]);
}

static void time_overlap(void)
{
    double alone[WINDOWS][1 + BATCHES], hidden[WINDOWS][1 + BATCHES];
    int b, count = epochs();

    for (b = 0; goes_on(b); b++) {
        for (int k = 0; k < windows; k++) {
            int w = turn(b, k);

            epoch.compute = 0;
            alone[w][b] = epoch.compute = batch(count);
            hidden[w][b] = 100 * (2 * alone[w][b] - batch(count)) / alone[w][b];
        }
    }
    for (int w = 0; w < windows; w++) {
        report_case(w, epoch.bytes, "-alone", median(alone[w] + 1, b - 1) * 1e6);
        report_case(w, epoch.bytes, "-hidden", median(hidden[w] + 1, b - 1));
    }
}

static void overlap(void)
{
    for (int sync = 0; sync < SYNCS; sync++) {
        for (int kind = 0; kind < KINDS; kind++) {
            for (int bytes = 1024; bytes <= MOST_BYTES; bytes *= 4) {
                epoch = (struct epoch){sync, kind, OVERLAPPED, bytes, 0};
                time_overlap();
            }
        }
    }
}

/* Epochs of this rank.  For a fixed time, so that who is served less has done less. */
static long served(double limit)
{
    double begin, value = 1;
    long mine = 0;

    MPI_Barrier(MPI_COMM_WORLD);
    for (begin = MPI_Wtime(); MPI_Wtime() - begin < limit; mine++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Put(&value, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, win);
        MPI_Win_unlock(0, win);
    }
    return mine;
}

static void contend(void)
{
    double rates[WINDOWS][BATCHES], shares[WINDOWS][BATCHES], limit = 0.2;
    int n = batches < FEW ? batches : FEW;

    for (int b = 0; b < n; b++) {
        for (int k = 0; k < windows; k++) {
            int w = turn(b, k);
            long mine = served(limit), sum, least;

            MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
            MPI_Allreduce(&mine, &least, 1, MPI_LONG, MPI_MIN, MPI_COMM_WORLD);
            rates[w][b] = (double) sum / limit;
            shares[w][b] = (double) least * size / (double) sum;
        }
    }
    for (int w = 0; w < windows; w++) {
        report(w, "rate", median(rates[w], n));
        report(w, "least-share", median(shares[w], n));
    }
}

/* ---- passive target ---- */

enum { UPDATES = 2048, FLUSHED = 512, READS = 512 };

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static uint64_t seed(void) { return 88172645463325252u + (uint64_t) rank * 2654435761u; }

/* Word 0 is the counter. */
static MPI_Aint random_place(uint64_t random)
{
    return 8 * (MPI_Aint) (1 + random / (uint64_t) size % (MOST_OPS - 1));
}

static void check(int is_right, const char *what)
{
    if (is_right)
        return;
    fprintf(stderr, "rma: rank %d: %s is wrong\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Of the slowest rank, which began when all were there. */
static double slowest(double begin, int n)
{
    double mine = (MPI_Wtime() - begin) / n * 1e6, most;

    MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

static double time_counter(void)
{
    double limit = 0.05, begin;
    long one = 1, old, mine = 0, sum, before, after;

    if (rank == 0)
        MPI_Fetch_and_op(NULL, &before, MPI_LONG, 0, 0, MPI_NO_OP, win);
    MPI_Win_flush_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (begin = MPI_Wtime(); MPI_Wtime() - begin < limit; mine++) {
        MPI_Fetch_and_op(&one, &old, MPI_LONG, 0, 0, MPI_SUM, win);
        MPI_Win_flush(0, win);
    }
    MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Fetch_and_op(NULL, &after, MPI_LONG, 0, 0, MPI_NO_OP, win);
        MPI_Win_flush(0, win);
        check(after - before == sum, "the counter");
    }
    return limit / (double) sum * 1e6;
}

/* Twice the same updates leave the table as it was. */
static double time_updates(void)
{
    double begin;

    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    for (int pass = 0; pass < 2; pass++) {
        uint64_t state = seed(), *mine = (uint64_t *) buffer;

        for (int i = 0; i < UPDATES; i++) {
            uint64_t random = mine[i % FLUSHED] = next_random(&state);

            MPI_Accumulate(&mine[i % FLUSHED], 1, MPI_UINT64_T, (int) (random % (uint64_t) size),
                           random_place(random), 1, MPI_UINT64_T, MPI_BXOR, win);
            if (i % FLUSHED == FLUSHED - 1)
                MPI_Win_flush_all(win);
        }
    }
    return slowest(begin, 2 * UPDATES);
}

static double time_reads(void)
{
    uint64_t state = seed(), word = 0;
    double begin;

    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    for (int i = 0; i < READS; i++) {
        uint64_t random = next_random(&state);
        int from = (int) (random % (uint64_t) size);

        MPI_Get(&word, 1, MPI_UINT64_T, from, random_place(random), 1, MPI_UINT64_T, win);
        MPI_Win_flush(from, win);
        check(word == 0, "a word of the table");
    }
    return slowest(begin, READS);
}

static void passive(void)
{
    static double (*const time[])(void) = {time_counter, time_updates, time_reads};
    static const char *const names[] = {"counter", "updates", "reads"};
    static double found[WINDOWS][3][BATCHES];
    int n = batches < FEW ? batches : FEW;

    memset(buffer, 0, MOST_OPS * 8);
    for (int w = 0; w < windows; w++) {
        MPI_Win_lock_all(0, window[w]);
        MPI_Put(buffer, MOST_OPS * 8, MPI_BYTE, rank, 0, MOST_OPS * 8, MPI_BYTE, window[w]);
        MPI_Win_flush(rank, window[w]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int b = 0; b < n; b++) {
        for (int k = 0; k < windows; k++) {
            int w = turn(b, k);

            for (int i = 0; i < 3; i++)
                found[w][i][b] = time[i]();
        }
    }
    for (int w = 0; w < windows; w++) {
        for (int i = 0; i < 3; i++)
            report(w, names[i], median(found[w][i], n));
        MPI_Win_unlock_all(window[w]);
    }
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

static void report_phase(int w, int phase, int ops, double (*found)[BATCHES], int n)
{
    double us[PHASE], halves[2][PHASE / 2];
    int from = PHASE + 1;
    char name[64];

    for (int e = 0; e < PHASE; e++)
        us[e] = halves[e / (PHASE / 2)][e % (PHASE / 2)] = median(found[e], n);
    for (int late = 0; late < 2; late++) {
        snprintf(name, sizeof name, "%d-%d-%s", phase, ops, late ? "late" : "early");
        report(w, name, median(halves[late], PHASE / 2));
    }
    /* sorted by now: the median of the second ten is in its middle */
    while (from > 1 && us[from - 2] <= 1.1 * halves[1][PHASE / 4])
        from--;
    snprintf(name, sizeof name, "%d-%d-from", phase, ops);
    report(w, name, from);
}

static void change(void)
{
    const int patterns[PHASES] = {4, 400, 4};
    static double found[WINDOWS][PHASES][PHASE][BATCHES];

    for (int b = 0; b < batches; b++) {
        for (int k = 0; k < windows; k++) {
            int w = turn(b, k);

            for (int p = 0; p < PHASES; p++) {
                epoch = (struct epoch){LOCK, PUT, patterns[p], 8, 0};
                time_epochs(found[w][p], b);
            }
        }
    }
    for (int w = 0; w < windows; w++)
        for (int p = 0; p < PHASES; p++)
            report_phase(w, p, patterns[p], found[w][p], batches);
}

/* ---- large windows ---- */

enum { LARGE_TIMES = 3 };

/* A line of /proc/self/status, kB; 0 where there is none. */
static long status_kb(const char *name)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    long kb = 0;

    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, name, strlen(name)) == 0)
            kb = atol(line + strlen(name));
    if (file)
        fclose(file);
    return kb;
}

/* From here on the peak is counted anew. */
static long forget_peak(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "w");

    if (file) {
        fputs("5", file);
        fclose(file);
    }
    return status_kb("VmRSS:");
}

static void large_put(int w)
{
    double found[LARGE_TIMES];
    long before, more;

    win = window[w];
    MPI_Win_lock_all(0, win);
    epoch = (struct epoch){FLUSH, PUT, 1, 8, 0};
    batch(1); /* makes the connection */
    before = forget_peak();
    epoch.bytes = LARGE_PUT;
    for (int i = 0; i < LARGE_TIMES; i++)
        found[i] = batch(1);
    more = status_kb("VmHWM:") - before;
    MPI_Bcast(&more, 1, MPI_LONG, target, MPI_COMM_WORLD);
    MPI_Win_unlock_all(win);
    report(w, "put-500MB-us", median(found, LARGE_TIMES) * 1e6);
    report(w, "target-MB", (double) more / 1e3);
}

/* Once, as programs do: a library may keep the memory of a window that it has freed. */
static void large_window(int w, const char *name, MPI_Aint gigabytes)
{
    MPI_Info info = MPI_INFO_NULL;
    int is_there, all;
    double begin, us;
    void *memory;
    MPI_Win made;

    if (mode[w]) {
        MPI_Info_create(&info);
        MPI_Info_set(info, "rma_issue", mode[w]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    is_there = MPI_Win_allocate(gigabytes * 1000 * 1000 * 1000 / size, 1, info, MPI_COMM_WORLD,
                                &memory, &made) == MPI_SUCCESS;
    us = slowest(begin, 1);
    MPI_Allreduce(&is_there, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (is_there)
        MPI_Win_free(&made);
    if (info != MPI_INFO_NULL)
        MPI_Info_free(&info);
    if (all)
        report(w, name, us);
}

static void large(void)
{
    memset(buffer, 1, LARGE_PUT);
    memset(exposed_memory, 1, LARGE_PUT);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int w = 0; w < windows; w++) {
        large_put(w);
        large_window(w, "allocate-1GB-us", 1);
        large_window(w, "allocate-16GB-us", 16);
    }
}

static const struct set {
    const char *name;
    void (*run)(void);
    MPI_Aint bytes; /* of a window */
} sets[] = {{"single", single, MOST_OPS * 8},   {"many", many, MOST_OPS * 8},
            {"waiting", waiting, MOST_OPS * 8}, {"overlap", overlap, OVERLAPPED *MOST_BYTES},
            {"contend", contend, MOST_OPS * 8}, {"passive", passive, MOST_OPS * 8},
            {"change", change, MOST_OPS * 8},   {"large", large, LARGE_PUT}};

/* NULL: these are no arguments of this program. */
static const struct set *read_arguments(int argc, char **argv, int *allocated)
{
    const struct set *set = NULL;

    for (size_t i = 0; argc > 4 && i < sizeof sets / sizeof sets[0]; i++)
        if (strcmp(argv[1], sets[i].name) == 0)
            set = &sets[i];
    if (!set || (batches = atoi(argv[2])) < 1 || batches > BATCHES ||
        (batch_us = atoi(argv[3])) < 1 || argc - 5 > WINDOWS)
        return NULL;
    *allocated = strcmp(argv[4], "allocate") == 0;
    windows = argc > 5 ? argc - 5 : 1;
    for (int w = 0; w < argc - 5; w++)
        mode[w] = argv[5 + w];
    return *allocated || strcmp(argv[4], "create") == 0 ? set : NULL;
}

/* MPI ignores a value that it does not know. */
static void check_mode(int w)
{
    MPI_Info used;
    char value[64] = "";
    int is_there;

    MPI_Win_get_info(window[w], &used);
    MPI_Info_get(used, "rma_issue", sizeof value - 1, value, &is_there);
    MPI_Info_free(&used);
    if (strcmp(value, mode[w])) {
        fprintf(stderr, "rma: this library has no rma_issue=%s\n", mode[w]);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* `memory`: NULL when the library allocates it. */
static void make_window(int w, char *memory, MPI_Aint bytes)
{
    MPI_Info info = MPI_INFO_NULL;
    char *exposed;

    if (mode[w]) {
        MPI_Info_create(&info);
        MPI_Info_set(info, "rma_issue", mode[w]);
    }
    if (memory)
        MPI_Win_create(memory, bytes, 1, info, MPI_COMM_WORLD, &window[w]);
    else
        MPI_Win_allocate(bytes, 1, info, MPI_COMM_WORLD, &exposed, &window[w]);
    if (mode[w]) {
        check_mode(w);
        MPI_Info_free(&info);
    }
}

int main(int argc, char **argv)
{
    const struct set *set;
    MPI_Group world;
    int allocated, origin = 0;
    char *memory;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    set = read_arguments(argc, argv, &allocated);
    if (!set) {
        fprintf(stderr, "usage: rma single|many|waiting|overlap|contend|passive|change|large "
                        "BATCHES US allocate|create [MODE...]\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    target = size - 1;
    exposed_memory = memory = malloc((size_t) set->bytes);
    buffer = calloc(1, (size_t) set->bytes);
    if (!memory || !buffer)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int w = 0; w < windows; w++)
        make_window(w, allocated ? NULL : memory, set->bytes);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &origin, &origin_group);
    MPI_Group_incl(world, 1, &target, &target_group);
    line_t *lines = line_share();
    line_show(lines);
    set->run();
    line_show(lines);
    MPI_Group_free(&origin_group);
    MPI_Group_free(&target_group);
    MPI_Group_free(&world);
    for (int w = 0; w < windows; w++)
        MPI_Win_free(&window[w]);
    free(buffer);
    free(memory);
    MPI_Finalize();
    return 0;
}
