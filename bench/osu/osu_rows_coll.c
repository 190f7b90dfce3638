/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of collectives: a table of them gives each its blocking, nonblocking and persistent form. */
#include <stdlib.h>
#include <string.h>
#include "osu_rows.h"

/* Open MPI has them from version 5 on, and says that it is MPI 3.1. */
#ifdef OMPI_MAJOR_VERSION
#define HAS_PERSISTENT (OMPI_MAJOR_VERSION >= 5)
#else
#define HAS_PERSISTENT (MPI_VERSION >= 4)
#endif

static MPI_Comm comm;
static MPI_Request request;
static MPI_Datatype *types;
static int *counts, *places, *words;
static MPI_Aint *addresses;
static double computed; /* seconds between start and wait */

#define WORD (int) sizeof(float)

/* Name, that of the nonblocking form, the least size, arguments up to the communicator. */
#define COLLECTIVES(X) \
    X(Allgather, Iallgather, 1, in, bytes, MPI_CHAR, out, bytes, MPI_CHAR) \
    X(Allgatherv, Iallgatherv, 1, in, bytes, MPI_CHAR, out, counts, places, MPI_CHAR) \
    X(Allreduce, Iallreduce, WORD, in, out, bytes / WORD, MPI_FLOAT, MPI_SUM) \
    X(Alltoall, Ialltoall, 1, in, bytes, MPI_CHAR, out, bytes, MPI_CHAR) \
    X(Alltoallv, Ialltoallv, 1, in, counts, places, MPI_CHAR, out, counts, places, MPI_CHAR) \
    X(Alltoallw, Ialltoallw, 1, in, counts, places, types, out, counts, places, types) \
    X(Bcast, Ibcast, 1, out, bytes, MPI_CHAR, 0) \
    X(Gather, Igather, 1, in, bytes, MPI_CHAR, out, bytes, MPI_CHAR, 0) \
    X(Gatherv, Igatherv, 1, in, bytes, MPI_CHAR, out, counts, places, MPI_CHAR, 0) \
    X(Reduce, Ireduce, WORD, in, out, bytes / WORD, MPI_FLOAT, MPI_SUM, 0) \
    X(Reduce_scatter, Ireduce_scatter, WORD, in, out, words, MPI_FLOAT, MPI_SUM) \
    X(Reduce_scatter_block, Ireduce_scatter_block, WORD, in, out, bytes / WORD, MPI_FLOAT, \
      MPI_SUM) \
    X(Scatter, Iscatter, 1, in, bytes, MPI_CHAR, out, bytes, MPI_CHAR, 0) \
    X(Scatterv, Iscatterv, 1, in, counts, places, MPI_CHAR, out, bytes, MPI_CHAR, 0)

#define NEIGHBOURS(X) \
    X(Neighbor_allgather, Ineighbor_allgather, 1, in, bytes, MPI_CHAR, out, bytes, MPI_CHAR) \
    X(Neighbor_allgatherv, Ineighbor_allgatherv, 1, in, bytes, MPI_CHAR, out, counts, places, \
      MPI_CHAR) \
    X(Neighbor_alltoall, Ineighbor_alltoall, 1, in, bytes, MPI_CHAR, out, bytes, MPI_CHAR) \
    X(Neighbor_alltoallv, Ineighbor_alltoallv, 1, in, counts, places, MPI_CHAR, out, counts, \
      places, MPI_CHAR) \
    X(Neighbor_alltoallw, Ineighbor_alltoallw, 1, in, counts, addresses, types, out, counts, \
      addresses, types)

static void compute_and_wait(void)
{
    if (computed > 0)
        spin(computed);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

#define NOW_AND_LATER(name, nonblocking, least, ...) \
    static void now_##name(void) { MPI_##name(__VA_ARGS__, comm); } \
    static void later_##name(void) \
    { \
        MPI_##nonblocking(__VA_ARGS__, comm, &request); \
        compute_and_wait(); \
    }
COLLECTIVES(NOW_AND_LATER)
NEIGHBOURS(NOW_AND_LATER)

static void now_Barrier(void) { MPI_Barrier(comm); }
static void later_Barrier(void)
{
    MPI_Ibarrier(comm, &request);
    compute_and_wait();
}

#if HAS_PERSISTENT
#define MAKE(name, nonblocking, least, ...) \
    static void make_##name(void) { MPI_##name##_init(__VA_ARGS__, comm, MPI_INFO_NULL, &request); }
COLLECTIVES(MAKE)
static void make_Barrier(void) { MPI_Barrier_init(comm, MPI_INFO_NULL, &request); }
#define ENTRY(name, nonblocking, least, ...) {#name, least, now_##name, later_##name, make_##name},
#else
#define make_Barrier NULL
#define ENTRY(name, nonblocking, least, ...) {#name, least, now_##name, later_##name, NULL},
#endif
#define NEIGHBOUR_ENTRY(name, nonblocking, least, ...) \
    {#name, least, now_##name, later_##name, NULL},

static const struct collective {
    const char *name;
    int least; /* bytes; 0: it has none at all */
    void (*now)(void), (*later)(void), (*make)(void);
} collectives[] = {COLLECTIVES(ENTRY){"Barrier", 0, now_Barrier, later_Barrier, make_Barrier}},
  neighbours[] = {NEIGHBOURS(NEIGHBOUR_ENTRY)};

static const struct collective *some; /* whose rows are measured */

/* Small letters, with something before and behind. */
static const char *name_of(const char *before, const char *behind)
{
    static char name[64];
    size_t n = 0;

    for (const char *c = before; *c; c++)
        name[n++] = *c;
    for (const char *c = some->name; *c; c++)
        name[n++] = (char) (*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
    strcpy(name + n, behind);
    return name;
}

/* What the forms with a vector take: the same for all. */
static void set_counts(void)
{
    for (int i = 0; i < size; i++) {
        counts[i] = bytes;
        words[i] = bytes / WORD;
        places[i] = i * bytes;
        addresses[i] = (MPI_Aint) i * bytes;
        types[i] = MPI_CHAR;
    }
}

/* Alone, with the barrier behind, and in a row. */
static void three_rows(const char *behind, void (*call)(void))
{
    char with[32], in_row[32];

    strcat(strcpy(with, behind), "+barrier");
    strcat(strcpy(in_row, behind), "-in-a-row");
    show(name_of("", behind), "us", measured(without_barrier, call) * 1e6);
    show(name_of("", with), "us", measured(with_barrier, call) * 1e6);
    show(name_of("", in_row), "us", measured(in_a_row, call) * 1e6);
}

static void now_row(void)
{
    set_counts();
    three_rows("", some->now);
}

static void later_row(void)
{
    set_counts();
    computed = 0;
    double alone = measured(with_barrier, some->later);
    show(name_of("i", ""), "pure-us", alone * 1e6);
    show(name_of("i", "-in-a-row"), "us", measured(in_a_row, some->later) * 1e6);
    computed = alone;
    show(name_of("i", ""), "us", measured(with_barrier, some->later) * 1e6);
    computed = 0;
}

static void start(void)
{
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void persistent_row(void)
{
    set_counts();
    some->make();
    three_rows("_persistent", start);
    MPI_Request_free(&request);
}

static void neighbour_row(void)
{
    set_counts();
    show(name_of("", ""), "us", measured(without_barrier, some->now) * 1e6);
    later_row();
}

/* `most` bytes are for each process: a barrier has one row, and others begin with a size of their
 * own. */
static void rows_of(const struct collective *list, size_t n, MPI_Comm where, void (*row)(void))
{
    comm = where;
    counts = calloc((size_t) size, sizeof *counts);
    words = calloc((size_t) size, sizeof *words);
    places = calloc((size_t) size, sizeof *places);
    addresses = calloc((size_t) size, sizeof *addresses);
    types = calloc((size_t) size, sizeof *types);
    if (!counts || !words || !places || !addresses || !types)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (size_t i = 0; i < n; i++) {
        some = &list[i];
        if (row == persistent_row && !some->make)
            continue;
        bytes = 0;
        if (some->least == 0)
            row();
        else
            for_sizes(some->least == 1 ? 1 : 8, row);
    }
    free(counts);
    free(words);
    free(places);
    free(addresses);
    free(types);
}

static void rows_of_all(void (*row)(void))
{
    rows_of(collectives, sizeof collectives / sizeof collectives[0], MPI_COMM_WORLD, row);
}

void blocking(void) { rows_of_all(now_row); }
void nonblocking(void) { rows_of_all(later_row); }
void persistent(void) { rows_of_all(persistent_row); }

/* A ring: two neighbours each, also where both are the same process. */
void neighbourhood(void)
{
    MPI_Comm ring;
    int dims[1] = {size}, periods[1] = {1};

    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
    rows_of(neighbours, sizeof neighbours / sizeof neighbours[0], ring, neighbour_row);
    MPI_Comm_free(&ring);
}
