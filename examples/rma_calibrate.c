/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the settings of one-sided issuing for the connection between two processes.
 *
 *     mpicc -O2 -o rma_calibrate rma_calibrate.c
 *     mpiexec -n 2 -hosts A,B ./rma_calibrate > rma.settings
 *     set -a; . ./rma.settings; set +a
 *
 * Under hybrid issuing, short operations wait for the end of their epoch, so that they share one
 * message with the lock and its release.  If there are more operations than _OPS, or more bytes
 * than _BYTES, the library requests the lock early.  This costs two messages more, but the
 * operations travel while the program issues others.  X. Zhao's model (section 3.2 of the thesis)
 * counts messages.  If a message takes A, and an operation takes W on its way and at the target, m
 * operations take, beside the time of the calls:
 *
 *     all wait      2 A + m W          the lock is requested early      4 A
 *
 * So waiting pays up to m = 2 A / W.  The program measures epochs of 1 to 1,024 puts of 8 bytes
 * both ways in turn.  Then it measures epochs of one put of 64 to 262,144 bytes, in a message and
 * natively.  A setting is the largest number up to which waiting takes at most PAYS of the time.
 * Comments in the output have the times.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 31, BATCH_US = 300, MOST_OPS = 1024, MOST_BYTES = 262144 };

static const double PAYS = 0.95;

static char window[MOST_BYTES], data[MOST_BYTES];

static void stop(const char *why)
{
    fprintf(stderr, "rma_calibrate: %s\n", why);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* ---- windows ---- */

static int number_of(MPI_Win win, const char *key)
{
    char text[24];
    int found;
    MPI_Info info;

    MPI_Win_get_info(win, &info);
    MPI_Info_get(info, key, (int) sizeof text - 1, text, &found);
    MPI_Info_free(&info);
    if (!found)
        stop("this MPI library has no hybrid issuing");
    return atoi(text);
}

static void show_defaults(void)
{
    MPI_Win win;
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(window, sizeof window, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    int ops = number_of(win, "rma_issue_ops"), bytes = number_of(win, "rma_issue_bytes");
    if (rank == 0)
        printf("# before: OPS=%d BYTES=%d\n", ops, bytes);
    MPI_Win_free(&win);
}

static MPI_Win create(int ops, int bytes)
{
    char text[24];
    MPI_Info info;
    MPI_Win win;

    MPI_Info_create(&info);
    MPI_Info_set(info, "rma_issue", "hybrid");
    snprintf(text, sizeof text, "%d", ops);
    MPI_Info_set(info, "rma_issue_ops", text);
    snprintf(text, sizeof text, "%d", bytes);
    MPI_Info_set(info, "rma_issue_bytes", text);
    MPI_Win_create(window, sizeof window, 1, info, MPI_COMM_WORLD, &win);
    MPI_Info_free(&info);
    return win;
}

/* ---- times ---- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *) a, y = *(const double *) b;

    return (x > y) - (x < y);
}

static double median(double figures[BATCHES])
{
    qsort(figures, BATCHES, sizeof figures[0], ascending);
    return figures[BATCHES / 2];
}

/* Microseconds of an epoch with this number of puts. */
static double epochs(MPI_Win win, int puts, int bytes, int times)
{
    double begin = MPI_Wtime();

    for (int i = 0; i < times; i++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
        for (int k = 0; k < puts; k++)
            MPI_Put(data, bytes, MPI_BYTE, 1, 8 * k, bytes, MPI_BYTE, win);
        MPI_Win_unlock(1, win);
    }
    return (MPI_Wtime() - begin) * 1e6 / times;
}

/* us[0]: waiting, us[1]: not; the answer is the ratio. */
static double compare(const MPI_Win wins[2], int puts, int bytes, double us[2])
{
    double figures[2][BATCHES], ratios[BATCHES], once = epochs(wins[0], puts, bytes, 1);
    int times;

    once = epochs(wins[0], puts, bytes, 1) + epochs(wins[1], puts, bytes, 1);
    times = once < BATCH_US ? 1 + (int) (BATCH_US / once) : 1;
    for (int b = 0; b < BATCHES; b++) {
        for (int turn = 0; turn < 2; turn++) {
            int which = (b + turn) % 2;
            figures[which][b] = epochs(wins[which], puts, bytes, times);
        }
        ratios[b] = figures[0][b] / figures[1][b];
    }
    us[0] = median(figures[0]);
    us[1] = median(figures[1]);
    return median(ratios);
}

/* What looks like a failure may come from another program: it is measured again. */
static double compare_again(const MPI_Win wins[2], int puts, int bytes, double us[2])
{
    double ratio = compare(wins, puts, bytes, us), again, us_again[2];

    for (int i = 0; i < 2 && ratio > PAYS; i++) {
        again = compare(wins, puts, bytes, us_again);
        if (again < ratio) {
            ratio = again;
            us[0] = us_again[0];
            us[1] = us_again[1];
        }
    }
    return ratio;
}

/* Half a round trip. */
static double message_us(int rank)
{
    enum { TIMES = 200 };
    double figures[BATCHES];

    for (int b = 0; b < BATCHES; b++) {
        double begin = MPI_Wtime();
        for (int i = 0; i < TIMES; i++) {
            if (rank == 0)
                MPI_Send(NULL, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
            MPI_Recv(NULL, 0, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (rank == 1)
                MPI_Send(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
        }
        figures[b] = (MPI_Wtime() - begin) * 1e6 / TIMES / 2;
    }
    return median(figures);
}

/* ---- settings ---- */

/* The first failure ends what pays; a later success may be chance. */
static int most_ops(const MPI_Win wins[2], double message)
{
    double us[2], first = 0, last = 0;
    int pays = 0, fails = 0;

    for (int puts = 1; puts <= MOST_OPS; puts *= 2) {
        double ratio = compare_again(wins, puts, 8, us);
        printf("# %7d puts of 8 bytes: waiting %.2f us, early %.2f us, ratio %.2f\n", puts, us[0],
               us[1], ratio);
        fails |= ratio > PAYS;
        if (!fails)
            pays = puts;
        if (puts == 1)
            first = us[0];
        last = us[0];
    }
    double each = (last - first) / (MOST_OPS - 1);
    if (each > 0)
        printf("# the model: a message %.2f us, a put %.3f us: waiting pays up to %.0f puts\n",
               message, each, 2 * message / each);
    return pays;
}

static int most_bytes(const MPI_Win wins[2])
{
    double us[2];
    int pays = 0, fails = 0;

    for (int bytes = 64; bytes <= MOST_BYTES; bytes *= 2) {
        double ratio = compare_again(wins, 1, bytes, us);
        printf("# %7d bytes: in a message %.2f us, natively %.2f us, ratio %.2f\n", bytes, us[0],
               us[1], ratio);
        fails |= ratio > PAYS;
        if (!fails)
            pays = bytes;
    }
    return pays;
}

/* The target of all epochs stays in a receive, which makes progress. */
static void measure(int rank)
{
    double message = message_us(rank);
    show_defaults();
    MPI_Win by_ops[2] = {create(MOST_OPS, MOST_BYTES), create(0, MOST_BYTES)};
    MPI_Win by_bytes[2] = {create(1, MOST_BYTES), create(1, 0)};

    if (rank == 0) {
        int ops = most_ops(by_ops, message), bytes = most_bytes(by_bytes);

        printf("MPIR_CVAR_CH4_RMA_ISSUE_OPS=%d\nMPIR_CVAR_CH4_RMA_ISSUE_BYTES=%d\n", ops, bytes);
        MPI_Send(NULL, 0, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
    } else {
        MPI_Recv(NULL, 0, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 2; i++) {
        MPI_Win_free(&by_ops[i]);
        MPI_Win_free(&by_bytes[i]);
    }
}

int main(int argc, char **argv)
{
    int rank, size;

    /* the settings themselves are measured, not what earlier epochs make of them */
    setenv("MPIR_CVAR_CH4_RMA_ISSUE_ADAPT", "0", 1);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != 2)
        stop("it takes 2 processes");
    measure(rank);
    MPI_Finalize();
    return 0;
}
