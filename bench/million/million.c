/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Groups and communicators of one rank of a large world (mpirank1).  Prints lines "case
 * microseconds bytes":
 *   million groups                   operations on groups; bytes: what the result keeps in the heap
 *   million create CASE [SCENARIO]   one call that makes a communicator: split, as the scenario has
 *                                    it for this rank, or one of `ways` below.  Cases CASE and
 *                                    CASE-temporary, whose bytes are what the call and the scenario
 *                                    took beyond what it keeps
 */
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "solo_scenario.h"
#include "../lib/sort.h"

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
static int *random_ranks, *permutation, translated[TRANSLATED], result[TRANSLATED];
static MPI_Group world, even, both;

static MPI_Group make_group(void)
{
    MPI_Group group;
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    return group;
}

static MPI_Group make_even(void)
{
    int range[1][3] = {{0, size - 1, 2}};
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

static MPI_Group make_permutation(void)
{
    MPI_Group group;
    MPI_Group_incl(world, size, permutation, &group);
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

static double batch(MPI_Group (*make)(void), int times)
{
    double begin = now_us();

    for (int i = 0; i < times; i++) {
        MPI_Group group = make();
        if (group != MPI_GROUP_NULL)
            MPI_Group_free(&group);
    }
    return (now_us() - begin) / times;
}

static void measure(const char *name, MPI_Group (*make)(void))
{
    double us[BATCHES], once = batch(make, 1);
    int times = once > 20000 ? 1 : (int) (20000 / (once + 1)) + 1; /* 20 ms a batch */
    long long before = heap_bytes(), kept;
    MPI_Group group = make();

    kept = heap_bytes() - before;
    if (group != MPI_GROUP_NULL)
        MPI_Group_free(&group);
    for (int b = 0; b < BATCHES; b++)
        us[b] = batch(make, times);
    sort_times(us, BATCHES);
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
    permutation = shuffled(size);
    for (int i = 0; i < TRANSLATED; i++)
        translated[i] = (int) ((long long) i * ((size + 1) / 2) / TRANSLATED);
}

static void groups(void)
{
    world = make_group();
    draw_ranks();
    measure("comm_group", make_group);
    /* while no group is equal to it, as those that follow, as far as they can be */
    measure("range_incl_even", make_even);
    measure("incl_random", make_random);
    measure("incl_permutation", make_permutation);
    even = make_even();
    measure("union", make_union);
    both = make_union();
    measure("intersection", make_intersection);
    measure("difference", make_difference);
    measure("compare", compare);
    measure("translate_from_world", translate_from_world);
    measure("translate_to_world", translate_to_world);
}

/* ---- a communicator ---- */

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

static struct {
    int rank, colour, key;
    MPI_Comm parent;
    MPI_Group group;
} call;

/* REQUIRES the text that mpirank1 has as its scenario. */
static void follow(const char *text)
{
    solo_call *calls = malloc((size_t) size * sizeof *calls);
    solo_scenario scenario;

    if (!MPIR_Solo_scenario_parse(text, &scenario) ||
        MPIR_Solo_scenario_calls(&scenario, size, calls)) {
        fprintf(stderr, "million: %s is no scenario\n", text);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    call.colour = calls[call.rank].colour;
    call.key = calls[call.rank].key;
    free(calls);
}

static MPI_Comm make_split(void)
{
    MPI_Comm made;
    MPI_Comm_split(MPI_COMM_WORLD, call.colour, call.key, &made);
    return made;
}

static MPI_Comm make_dup(void)
{
    MPI_Comm made;
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    return made;
}

static MPI_Comm make_later_dup(void)
{
    MPI_Request request;
    MPI_Comm made;
    MPI_Comm_idup(MPI_COMM_WORLD, &made, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return made;
}

static MPI_Comm make_ring(void)
{
    int before = (call.rank + size - 1) % size, next = (call.rank + 1) % size;
    MPI_Comm made;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &next,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made);
    return made;
}

/* The even ranks, of which rank 0 is one. */
static void take_even(void)
{
    world = make_group();
    call.group = make_even();
}

static MPI_Comm make_created(void)
{
    MPI_Comm made;
    MPI_Comm_create(MPI_COMM_WORLD, call.group, &made);
    return made;
}

static MPI_Comm make_created_by_group(void)
{
    MPI_Comm made;
    MPI_Comm_create_group(MPI_COMM_WORLD, call.group, 0, &made);
    return made;
}

static MPI_Comm make_grid_in_order(int reorder)
{
    int dims[3] = {0}, periods[3] = {1, 1, 1};
    MPI_Comm made;

    MPI_Dims_create(size, 3, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, reorder, &made);
    return made;
}

static MPI_Comm make_grid(void) { return make_grid_in_order(0); }

static MPI_Comm make_tiled_grid(void) { return make_grid_in_order(1); }

static void take_grid(void) { call.parent = make_grid(); }

static void take_tiled_grid(void) { call.parent = make_tiled_grid(); }

static MPI_Comm make_plane(void)
{
    int remain[3] = {0, 1, 1};
    MPI_Comm made;

    MPI_Cart_sub(call.parent, remain, &made);
    return made;
}

/* The even and the odd ranks; rank 1 leads the latter. */
static void take_half(void)
{
    follow("even_odd");
    call.parent = make_split();
}

static MPI_Comm make_intercomm(void)
{
    MPI_Comm made;
    MPI_Intercomm_create(call.parent, 0, MPI_COMM_WORLD, 1 - call.rank % 2, 0, &made);
    return made;
}

/* Rank 0 is one of the living, and others are dead. */
static void learn_of_dead(void)
{
    MPI_Group dead = MPI_GROUP_EMPTY;
    int arrived;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    while (dead == MPI_GROUP_EMPTY) {
        MPI_Iprobe(call.rank, 0, MPI_COMM_WORLD, &arrived, MPI_STATUS_IGNORE);
        MPIX_Comm_failure_ack(MPI_COMM_WORLD);
        MPIX_Comm_failure_get_acked(MPI_COMM_WORLD, &dead);
    }
    MPI_Group_free(&dead);
}

static MPI_Comm make_shrunk(void)
{
    MPI_Comm made;

    MPIX_Comm_shrink(MPI_COMM_WORLD, &made);
    return made;
}

/* The first map of a process with a gap takes longer: its code comes into memory. */
static void shrink_before(void)
{
    MPI_Comm made;

    learn_of_dead();
    made = make_shrunk();
    MPI_Comm_free(&made);
}

/* It makes none. */
static MPI_Comm agree(void)
{
    int flag = 1;

    MPIX_Comm_agree(MPI_COMM_WORLD, &flag);
    return MPI_COMM_NULL;
}

static const struct way {
    const char *name;
    void (*prepare)(void);
    MPI_Comm (*make)(void);
} ways[] = {{"dup", NULL, make_dup},
            {"idup", NULL, make_later_dup},
            {"Dist_graph_create_adjacent", NULL, make_ring},
            {"create", take_even, make_created},
            {"create_group", take_even, make_created_by_group},
            {"Cart_create", NULL, make_grid},
            {"Cart_create_reorder", NULL, make_tiled_grid},
            {"Cart_sub", take_grid, make_plane},
            {"Cart_sub_reordered", take_tiled_grid, make_plane},
            {"Intercomm_create", take_half, make_intercomm},
            {"agree", learn_of_dead, agree},
            {"shrink", learn_of_dead, make_shrunk},
            {"shrink_again", shrink_before, make_shrunk}};

/* What mpirank1 has spent since the first call to find out what other ranks send; 0 if it does not
 * say. */
static double supply_us(void)
{
    static MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
    static MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    unsigned long long ns = 0;
    int provided, index, count;

    if (session == MPI_T_PVAR_SESSION_NULL) {
        MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
        MPI_T_pvar_session_create(&session);
        if (MPI_T_pvar_get_index("solo_supply_ns", MPI_T_PVAR_CLASS_COUNTER, &index) == MPI_SUCCESS)
            MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count);
    }
    if (handle != MPI_T_PVAR_HANDLE_NULL)
        MPI_T_pvar_read(session, handle, &ns);
    return (double) ns * 1e-3;
}

static void measure_creation(const char *name, MPI_Comm (*make)(void))
{
    long long heap, resident, kept, peak;
    double us, supply = supply_us();
    MPI_Comm made;

    resident = of_this_process("VmRSS");
    forget_peak();
    us = now_us();
    made = make();
    us = now_us() - us - (supply_us() - supply);
    peak = of_this_process("VmHWM") - resident;
    /* what it gives back is what it kept; the scenario's answers, 8 bytes a rank, stay, and are
     * no part of it */
    heap = heap_bytes();
    if (made != MPI_COMM_NULL)
        MPI_Comm_free(&made);
    kept = heap - heap_bytes();
    printf("%s %.1f %lld\n", name, us, kept);
    printf("%s-temporary %.1f %lld\n", name, us, peak > kept ? peak - kept : 0);
}

static int create(const char *name, const char *scenario)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &call.rank);
    if (scenario) {
        follow(scenario);
        measure_creation(name, make_split);
        return 0;
    }
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (strcmp(ways[i].name, name) == 0) {
            if (ways[i].prepare)
                ways[i].prepare();
            measure_creation(name, ways[i].make);
            return 0;
        }
    }
    fprintf(stderr, "million: %s is no way to make a communicator\n", name);
    return 1;
}

int main(int argc, char **argv)
{
    int status = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc == 2 && strcmp(argv[1], "groups") == 0)
        groups();
    else if (argc >= 3 && strcmp(argv[1], "create") == 0)
        status = create(argv[2], argc > 3 ? argv[3] : NULL);
    else
        fprintf(stderr, "usage: million groups | create CASE [SCENARIO]\n");
    MPI_Finalize();
    return status;
}
