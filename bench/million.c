/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Groups and communicators of one rank of a large world (mpirank1).  Prints lines "case microseconds bytes":
 *   million groups          operations on groups; bytes: what the result keeps in the heap
 *   million split NAME      one MPI_Comm_split as the scenario NAME of mpirank1 has it for this rank, or "permutation"; cases NAME
 *                           and NAME-temporary, whose bytes are what the call and the scenario took beyond what it keeps
 *   million N               the scenario "permutation": colour and key of each of N ranks
 */
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCHES = 5, RANDOM = 10000, TRANSLATED = 1000 };

static double now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double) t.tv_sec * 1e6 + (double) t.tv_nsec * 1e-3;
}

static long long heap_bytes(void)
{
    struct mallinfo2 info = mallinfo2();

    return (long long) (info.uordblks + info.hblkhd);
}

/* ---- groups ---- */

static int size, n_random;
static int *random_ranks, translated[TRANSLATED], result[TRANSLATED];
static MPI_Group world, even, both;

static MPI_Group make_group(void)
{
    MPI_Group group;
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    return group;
}

static MPI_Group make_even(void)
{
    int range[1][3] = { {0, size - 1, 2} };
    MPI_Group group;
    MPI_Group_range_incl(world, 1, range, &group);
    return group;
}

static MPI_Group make_random(void)
{
    MPI_Group group;
    MPI_Group_incl(world, n_random, random_ranks, &group);
    return group;
}

static MPI_Group make_union(void)
{
    MPI_Group group;
    MPI_Group_union(even, world, &group);
    return group;
}

static MPI_Group make_intersection(void)
{
    MPI_Group group;
    MPI_Group_intersection(world, even, &group);
    return group;
}

static MPI_Group make_difference(void)
{
    MPI_Group group;
    MPI_Group_difference(world, even, &group);
    return group;
}

static MPI_Group compare(void)
{
    MPI_Group_compare(both, world, result);
    return MPI_GROUP_NULL;
}

static MPI_Group translate_from_world(void)
{
    MPI_Group_translate_ranks(world, TRANSLATED, translated, even, result);
    return MPI_GROUP_NULL;
}

static MPI_Group translate_to_world(void)
{
    MPI_Group_translate_ranks(even, TRANSLATED, translated, world, result);
    return MPI_GROUP_NULL;
}

static double batch(MPI_Group (*make) (void), int times)
{
    double begin = now_us();

    for (int i = 0; i < times; i++) {
        MPI_Group group = make();
        if (group != MPI_GROUP_NULL)
            MPI_Group_free(&group);
    }
    return (now_us() - begin) / times;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *) a, y = *(const double *) b;
    return (x > y) - (x < y);
}

static void measure(const char *name, MPI_Group (*make) (void))
{
    double us[BATCHES], once = batch(make, 1);
    int times = once > 20000 ? 1 : (int) (20000 / (once + 1)) + 1;      /* 20 ms a batch */
    long long before = heap_bytes(), kept;
    MPI_Group group = make();

    kept = heap_bytes() - before;
    if (group != MPI_GROUP_NULL)
        MPI_Group_free(&group);
    for (int b = 0; b < BATCHES; b++)
        us[b] = batch(make, times);
    qsort(us, BATCHES, sizeof us[0], ascending);
    printf("%s %.4f %lld\n", name, us[BATCHES / 2], kept > 0 ? kept : 0);
}

/* The first n ranks of the world after a shuffle of the whole. */
static int *shuffled(int n)
{
    int *all = malloc((size_t) size * sizeof *all);
    unsigned long long state = 1;

    for (int r = 0; r < size; r++)
        all[r] = r;
    for (int r = 0; r < n; r++) {
        state = state * 2862933555777941757ull + 3037000493ull;
        int other = r + (int) ((state >> 33) % (unsigned) (size - r)), kept = all[r];
        all[r] = all[other];
        all[other] = kept;
    }
    return all;
}

static void draw_ranks(void)
{
    n_random = size / 2 < RANDOM ? size / 2 : RANDOM;
    random_ranks = shuffled(n_random);
    for (int i = 0; i < TRANSLATED; i++)
        translated[i] = (int) ((long long) i * ((size + 1) / 2) / TRANSLATED);
}

static void groups(void)
{
    world = make_group();
    even = make_even();
    both = make_union();
    draw_ranks();
    measure("comm_group", make_group);
    measure("range_incl_even", make_even);
    measure("incl_random", make_random);
    measure("union", make_union);
    measure("intersection", make_intersection);
    measure("difference", make_difference);
    measure("compare", compare);
    measure("translate_from_world", translate_from_world);
    measure("translate_to_world", translate_to_world);
}

/* ---- a split ---- */

/* A field of /proc/self/status, in bytes. */
static long long of_this_process(const char *field)
{
    char line[128];
    long long kb = 0;
    FILE *file = fopen("/proc/self/status", "r");

    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, field, strlen(field)) == 0)
            sscanf(line + strlen(field), ": %lld", &kb);
    }
    if (file)
        fclose(file);
    return kb * 1024;
}

/* From now on VmHWM is the most since now. */
static void forget_peak(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "w");

    if (file) {
        fputs("5", file);
        fclose(file);
    }
}

/* Rows and columns of the grid, as the scenarios have them. */
static int colour_in(const char *scenario, int rank)
{
    int dims[2] = { 0, 0 };

    MPI_Dims_create(size, 2, dims);
    if (strcmp(scenario, "rows") == 0)
        return rank / dims[1];
    if (strcmp(scenario, "columns") == 0)
        return rank % dims[1];
    return strcmp(scenario, "even_odd") == 0 ? rank % 2 : 0;
}

static int key_in(const char *scenario, int rank)
{
    if (strcmp(scenario, "reversed") == 0)
        return size - 1 - rank;
    if (strcmp(scenario, "permutation") != 0)
        return rank;
    int *keys = shuffled(size), key = keys[rank];
    free(keys);
    return key;
}

static int print_permutation(int ranks)
{
    size = ranks;
    int *keys = shuffled(size);
    for (int r = 0; r < size; r++)
        printf("0 %d\n", keys[r]);
    free(keys);
    return 0;
}

static void split(const char *scenario)
{
    int rank, colour, key;
    long long heap, resident, kept, peak;
    double us;
    MPI_Comm made;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    colour = colour_in(scenario, rank);
    key = key_in(scenario, rank);
    resident = of_this_process("VmRSS");
    forget_peak();
    us = now_us();
    MPI_Comm_split(MPI_COMM_WORLD, colour, key, &made);
    us = now_us() - us;
    peak = of_this_process("VmHWM") - resident;
    /* what it gives back is what it kept; the scenario's answers, 8 bytes a rank, stay, and are no part of it */
    heap = heap_bytes();
    MPI_Comm_free(&made);
    kept = heap - heap_bytes();
    printf("%s %.1f %lld\n", scenario, us, kept);
    printf("%s-temporary %.1f %lld\n", scenario, us, peak > kept ? peak - kept : 0);
}

int main(int argc, char **argv)
{
    if (argc == 2 && atoi(argv[1]) > 0)
        return print_permutation(atoi(argv[1]));
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc == 2 && strcmp(argv[1], "groups") == 0)
        groups();
    else if (argc == 3 && strcmp(argv[1], "split") == 0)
        split(argv[2]);
    else
        fprintf(stderr, "usage: million groups | split SCENARIO | N\n");
    MPI_Finalize();
    return 0;
}
