/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Comm_split takes at most 24 bytes of temporary memory a rank, and what building small maps
 * takes in any case.  Under the strategy space it tries what bzip2 makes of the map, and
 * representations that are forced are made by way of lists (wtr: of the members' order, and the
 * levels of its tree).
 *
 * The program has malloc and its family itself, and logs what is allocated and freed during a
 * split.  Temporary is what does not survive it; the most of that at one time counts.  Numbers of
 * ranks are powers of two, for which MPICH's allgather takes no memory of its own.  Of several
 * splits the one that takes least counts, since pools grow now and then.  The more ranks, the more
 * the test tells: with 256 it is 33 bytes a rank in all.
 *
 * Argument: -report (rank 0 prints the figures)
 */
#include "cmaptest_malloc.h"
#include "cmaptest_split.h"

#ifdef CT_HAVE_MALLOC
#include <malloc.h>

#define MAX_EVENTS 4096
#define REPEAT 4
#define IN_ANY_CASE 2400
#define OF_BZIP2 1120000 /* libbzip2 takes that for a block of any size */

/* ---- the allocator ---- */

typedef struct event {
    void *address;
    long long bytes; /* less than 0: freed */
} event;

static event events[MAX_EVENTS];
static int n_events, too_many;
static __thread int watching; /* only the thread that splits */

static void log_event(void *p, int sign)
{
    if (!watching)
        return;
    if (n_events == MAX_EVENTS) {
        too_many = 1;
        return;
    }
    events[n_events].address = p;
    events[n_events++].bytes = sign * (long long) malloc_usable_size(p);
}

static int ct_refuses(void) { return 0; }

static void ct_allocated(void *p, size_t size) { log_event(p, 1); }

static void ct_frees(void *p) { log_event(p, -1); }

/* ---- splits ---- */

/* Where the block of events[i] is freed, or allocated; -1: nowhere in the log. */
static int other_end(int i)
{
    int step = events[i].bytes > 0 ? 1 : -1;

    for (int j = i + step; j >= 0 && j < n_events; j += step) {
        if (events[j].address == events[i].address)
            return j;
    }
    return -1;
}

static long long most_temporary(void)
{
    long long now = 0, most = 0;

    for (int i = 0; i < n_events; i++) {
        if (other_end(i) >= 0)
            now += events[i].bytes;
        most = now > most ? now : most;
    }
    return most;
}

static long long split_once(MPI_Comm comm, int colour, int key)
{
    MPI_Comm child;

    MPI_Barrier(MPI_COMM_WORLD);
    n_events = 0;
    watching = 1;
    MPI_Comm_split(comm, colour, key, &child);
    watching = 0;
    CT_CHECK(n_events > 0 && !too_many, "%d allocations seen", n_events);
    if (child != MPI_COMM_NULL)
        MPI_Comm_free(&child);
    return most_temporary();
}

/* The most of all ranks; for the same pattern on every communicator of the size. */
static long long measure(MPI_Comm comm, int colours, int keys)
{
    int n, rank;
    long long least = LLONG_MAX, most;

    MPI_Comm_size(comm, &n);
    MPI_Comm_rank(comm, &rank);
    ct_rng rng = {7u};
    int *colour = ct_ints(n), *key = ct_ints(n);
    ct_fill_colours(colours, &rng, colour, n);
    ct_fill_keys(keys, &rng, key, n);
    for (int i = 0; i < REPEAT; i++) {
        long long bytes = split_once(comm, colour[rank], key[rank]);
        least = bytes < least ? bytes : least;
    }
    MPI_Allreduce(&least, &most, 1, MPI_LONG_LONG, MPI_MAX, MPI_COMM_WORLD);
    free(colour);
    free(key);
    return most;
}

static int is_set_to(const char *variable, const char *value)
{
    const char *setting = getenv(variable);

    return setting && !strcmp(setting, value);
}

static long long most_for(int size)
{
    int a_rank = 24;

    if (is_set_to("MPIR_CVAR_CMAP_REPRESENTATION", "wtr"))
        a_rank = 56;
    else if (getenv("MPIR_CVAR_CMAP_REPRESENTATION"))
        a_rank = 40;
    return (long long) a_rank * size + IN_ANY_CASE +
           (is_set_to("MPIR_CVAR_CMAP_STRATEGY", "space") ? OF_BZIP2 : 0);
}

static void check_all(int with_report)
{
    static const int colours[] = {CT_COLOUR_ALL, CT_COLOUR_TWO, CT_COLOUR_RANDOM};
    int size;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < CT_KEYS; k++) {
            long long most = measure(MPI_COMM_WORLD, colours[c], k);
            CT_CHECK(most <= most_for(size), "colours %s, keys %s: %lld bytes",
                     ct_colours_name(colours[c]), ct_keys_name(k), most);
            if (with_report && ct_me == 0)
                printf("colours %-10s keys %-16s %lld bytes\n", ct_colours_name(colours[c]),
                       ct_keys_name(k), most);
        }
    }
}

#else

static void check_all(int with_report)
{
    MTestPrintfMsg(1, "skipped: the names of the C library's own allocator are not known here\n");
}

#endif

int main(int argc, char **argv)
{
    int size, with_report = 0;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 1; i < argc; i++)
        with_report = with_report || !strcmp(argv[i], "-report");
    if (size >= 8 && (size & (size - 1)) == 0)
        check_all(with_report);
    else
        ct_fail("needs a power of two of processes, 8 at least");
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
