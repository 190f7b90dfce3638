/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Comm_split by descriptions as one rank of a large world, in regular patterns. Each exchange
 * carries a short description, and beside these the split takes a kilobyte of temporary memory.
 * The memory that splits reserve for other patterns gets no page; pages count as temporary.
 * Prints for each pattern "NAME EXCHANGES BYTES TEMPORARY FIRST_US US RECEIPT_US": bytes of the
 * longest description, the most temporary bytes at one time, the local time of the first split and
 * of a later one (median), and what it takes to copy the bytes that come to where they are received
 * (median of the later ones), which is no part of the local time.  From the third split on they get
 * the descriptions that came in the second, with offers as all ranks make them now: mpirank1 finds
 * descriptions by a walk over all ranks, after which little of the library is left in the caches.
 * The first split of a communicator exchanges by ranks, the later ones by nodes.
 *
 * Arguments: ROUNDS (4 to 32), and the scenarios that mpirank1 has.  mpirank1 needs each of them
 * twice, and without descriptions ROUNDS times.
 */
#include "mpiimpl.h"
#include "cmaptest_malloc.h"
#include "solo_scenario.h"
#include "solo_world.h"

#ifdef CT_HAVE_MALLOC
#include <malloc.h>
#include <sys/mman.h>
#include <time.h>

enum {
    LIVE_ROUNDS = 2, /* in which mpirank1 supplies the descriptions */
    LEAST_ROUNDS = 4,
    MOST_ROUNDS = 32,
    OFFER = 8, /* where it is in a description */
    MOST_BYTES = 256,
    MOST_TEMPORARY = 1024,
    MOST_EVENTS = 1024,
    MOST_EXCHANGES = 64
};

/* ---- the allocator ---- */

typedef struct event {
    void *address;
    long long bytes; /* less than 0: freed */
} event;

static event events[MOST_EVENTS];
static int n_events;
static bool is_watching;

static void log_event(void *p, long long bytes)
{
    if (!is_watching)
        return;
    if (n_events == MOST_EVENTS)
        MPI_Abort(MPI_COMM_WORLD, 3);
    events[n_events++] = (event){.address = p, .bytes = bytes};
}

static int ct_refuses(void) { return 0; }

static void ct_allocated(void *p, size_t size) { log_event(p, (long long) size); }

static void ct_frees(void *p) { log_event(p, -1); }

/* Where the block of events[i] is freed; -1: it survives. */
static int end_of(int i)
{
    for (int j = i + 1; j < n_events; j++) {
        if (events[j].address == events[i].address)
            return j;
    }
    return -1;
}

/* The most bytes at one time of blocks that do not survive. */
static long long most_temporary(void)
{
    long long now = 0, most = 0, ends[MOST_EVENTS] = {0};

    for (int i = 0; i < n_events; i++) {
        int end = events[i].bytes >= 0 ? end_of(i) : -1;
        now -= ends[i];
        if (end >= 0) {
            now += events[i].bytes;
            ends[end] = events[i].bytes;
        }
        most = MPL_MAX(most, now);
    }
    return most;
}

/* ---- the reserve ---- */

enum { PAGE = 4096, LEAST_MAPPED = 65536 };

/* Bytes of its pages.  A small one, which is not mapped, has none here. */
static long long reserved_pages(void)
{
    split_reserve reserve = MPIR_split_reserve_take(1);
    size_t pages = (reserve.bytes + PAGE - 1) / PAGE;
    unsigned char *is_there = malloc(pages);
    long long n = 0;

    if (reserve.bytes >= LEAST_MAPPED) {
        if (mincore(reserve.memory, reserve.bytes, is_there))
            MPI_Abort(MPI_COMM_WORLD, 5);
        for (size_t i = 0; i < pages; i++)
            n += is_there[i] & 1;
    }
    free(is_there);
    MPIR_split_reserve_put(reserve);
    return n * PAGE;
}

/* ---- what mpirank1 does for the other ranks is no part of the split ---- */

static MPIR_Others_t others;
static double supply_us, receipt_us;
static int exchanges;
static size_t longest;

static double now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double) t.tv_sec * 1e6 + (double) t.tv_nsec * 1e-3;
}

/* What came in each exchange of the last live round; NULL: this rank only sent. */
static uint8_t *heard[MOST_EXCHANGES];
static bool is_replay, heard_takes_part;

static void forget_heard(void)
{
    for (int i = 0; i < MOST_EXCHANGES; i++) {
        free(heard[i]);
        heard[i] = NULL;
    }
}

static int foresee(const struct split_call *call, MPIR_Comm *local, bool *takes_part)
{
    double begin = now_us();
    int mpi_errno = MPI_SUCCESS;

    is_watching = false;
    if (!is_replay)
        mpi_errno = MPIR_Others_missing.foresee(call, local, &heard_takes_part);
    *takes_part = heard_takes_part;
    is_watching = true;
    supply_us += now_us() - begin;
    return mpi_errno;
}

/* The offer is that of zones->mine, since all ranks make the same. */
static int hear_again(split_zones *zones)
{
    size_t bytes = MPIR_colours_bytes(heard[exchanges]);

    if (!MPIR_split_zones_hold(zones, bytes))
        return MPI_ERR_NO_MEM;
    double begin = now_us();
    memcpy(zones->theirs, heard[exchanges], bytes);
    receipt_us += now_us() - begin;
    memcpy(zones->theirs + OFFER, zones->mine + OFFER, COLOURS_HEADER - OFFER);
    return MPI_SUCCESS;
}

static int hear(split_zones *zones, MPIR_Comm *local, int to, const split_block *from)
{
    int mpi_errno;

    if (is_replay)
        return from->rank == MPI_PROC_NULL ? MPI_SUCCESS : hear_again(zones);
    mpi_errno = MPIR_Others_missing.swap_blocks(zones, local, to, from);
    if (mpi_errno == MPI_SUCCESS && from->rank != MPI_PROC_NULL) {
        heard[exchanges] = malloc(MPIR_colours_bytes(zones->theirs));
        memcpy(heard[exchanges], zones->theirs, MPIR_colours_bytes(zones->theirs));
    }
    return mpi_errno;
}

static int swap(split_zones *zones, MPIR_Comm *local, int to, const split_block *from)
{
    double begin = now_us();
    int mpi_errno;

    is_watching = false;
    if (to != MPI_PROC_NULL)
        longest = MPL_MAX(longest, MPIR_colours_bytes(zones->mine));
    mpi_errno = hear(zones, local, to, from);
    if (mpi_errno == MPI_SUCCESS && from->rank != MPI_PROC_NULL)
        longest = MPL_MAX(longest, MPIR_colours_bytes(zones->theirs));
    exchanges++;
    is_watching = true;
    supply_us += now_us() - begin;
    return mpi_errno;
}

/* Without descriptions (MPIR_CVAR_SPLIT_DESCRIBED=0): for a comparison of times. */
static int get_rows(struct split_call *call, MPIR_Comm *local, struct MPIR_Ctxid *ctxid)
{
    static split_row *rows;
    size_t bytes = (size_t) local->local_size * sizeof(*rows);
    double begin = now_us();
    int mpi_errno;

    is_watching = false;
    if (rows) {
        memcpy(call->local.table, rows, bytes);
        receipt_us += now_us() - begin;
    }
    mpi_errno = MPIR_Others_missing.get_rows(call, local, ctxid);
    rows = rows ? rows : malloc(bytes);
    memcpy(rows, call->local.table, bytes);
    is_watching = true;
    supply_us += now_us() - begin;
    return mpi_errno;
}

static void watch_exchanges(void)
{
    others = *MPIR_Others;
    others.get_rows = get_rows;
    others.foresee = foresee;
    others.swap_blocks = swap;
    MPIR_Others = &others;
}

/* ---- splits ---- */

static int rank, size, rounds;

static solo_call own_call(const char *text)
{
    solo_call *calls = malloc((size_t) size * sizeof(*calls)), own;
    solo_scenario scenario;

    if (!MPIR_Solo_scenario_parse(text, &scenario) ||
        MPIR_Solo_scenario_calls(&scenario, size, calls))
        MPI_Abort(MPI_COMM_WORLD, 2);
    own = calls[rank];
    free(calls);
    return own;
}

typedef struct times {
    double own, receipt; /* us */
} times;

static times split_once(solo_call call)
{
    MPI_Comm child;
    double us;

    n_events = exchanges = 0;
    longest = 0;
    supply_us = receipt_us = 0;
    is_watching = true;
    us = now_us();
    MPI_Comm_split(MPI_COMM_WORLD, call.colour, call.key, &child);
    us = now_us() - us - supply_us;
    is_watching = false;
    MPI_Comm_free(&child);
    return (times){.own = us, .receipt = receipt_us};
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *) a, y = *(const double *) b;

    return (x > y) - (x < y);
}

static double median(double us[], int n)
{
    qsort(us, n, sizeof(us[0]), ascending);
    return us[n / 2];
}

/* One exchange for each power of two, and two more of a pair. */
static int most_exchanges(void)
{
    int steps = 0;

    while (size >> (steps + 1))
        steps++;
    return size == 1 << steps ? steps : steps + 2;
}

/* Of several splits the one that takes least counts, since pools grow now and then. */
static int measure(const char *text)
{
    solo_call call = own_call(text);
    double us[MOST_ROUNDS], receipt[MOST_ROUNDS], first;
    long long temporary = LLONG_MAX;

    for (int i = 0; i < rounds; i++) {
        is_replay = i >= LIVE_ROUNDS;
        if (!is_replay)
            forget_heard();
        times spent = split_once(call);
        us[i] = spent.own;
        receipt[i] = spent.receipt;
        temporary = MPL_MIN(temporary, most_temporary() + reserved_pages());
    }
    first = us[0];
    printf("%s %d %d %lld %.1f %.1f %.1f\n", text, exchanges, (int) longest, temporary, first,
           median(us + LIVE_ROUNDS, rounds - LIVE_ROUNDS),
           median(receipt + LIVE_ROUNDS, rounds - LIVE_ROUNDS));
    return exchanges == 0 || exchanges > most_exchanges() || longest > MOST_BYTES ||
           temporary > MOST_TEMPORARY;
}

int main(int argc, char **argv)
{
    int failed = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    rounds = argc > 1 ? atoi(argv[1]) : 0;
    if (rounds < LEAST_ROUNDS || rounds > MOST_ROUNDS)
        MPI_Abort(MPI_COMM_WORLD, 4);
    watch_exchanges();
    for (int i = 2; i < argc; i++)
        failed |= measure(argv[i]);
    MPI_Finalize();
    return failed;
}
#else
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    return 0;
}
#endif
