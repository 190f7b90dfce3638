/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What it takes to create communicators.  Driven by comms.py, which runs it again and again against
 * several builds in turn.  Needs nothing beyond MPI 3.
 *
 *   comms create [batches [times]]      each way to create one: a line a case with its name and the
 *                                       median, p10 and p90 of the batches, in us a call
 *   comms pending [batches [times]]     the same of MPI_Comm_create_group by ranks 0 and 2 of 3,
 *                                       "alone" and "beside" an MPI_Comm_idup of ranks 0 and 1 that
 *                                       1 has not called yet
 *   comms small|large [number [seed]]   the stress test of the paper on context identifiers
 *                                       (section 4.1): one existing communicator after the other is
 *                                       split, so that 8 to 16 of its members are in the new one,
 *                                       or all of the world's ranks but 0 to 8.  A line a rank,
 *                                       when MPI tells: "density" of its table of ids, mean over
 *                                       the run, and ids used and elements allocated at its end.  A
 *                                       line a split:  "split" and the mean us of those in it
 *   comms memory [number]               "memory" and the resident bytes of a duplicate of the world
 *   comms limit [most]                  duplicates the world until that fails: "limit", how many
 *                                       there were, "error" or "none", and how many could be
 *                                       created again after half of them were freed
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../lib/sort.h"

enum { SAMPLED = 20 }; /* splits from one look at the table of ids to the next */

static int me, ranks;

static void *room(size_t n, size_t size)
{
    void *memory = calloc(n ? n : 1, size);
    if (!memory) {
        fprintf(stderr, "comms: no memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

/* The same on all ranks when the seeds are. */
static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t) ((*state >> 33) % below);
}

static void shuffle(int *list, int n, uint64_t *state)
{
    for (int i = n - 1; i > 0; i--) {
        int j = (int) draw(state, (uint32_t) i + 1), t = list[i];
        list[i] = list[j];
        list[j] = t;
    }
}

/* ---- ways to create a communicator ---- */

static int *random_key; /* of each rank, a permutation */
static MPI_Group everyone, half;

static void make_arguments(void)
{
    uint64_t state = 1;
    int range[1][3] = {{0, (ranks - 1) / 2, 1}};

    random_key = room(ranks, sizeof(int));
    for (int i = 0; i < ranks; i++)
        random_key[i] = i;
    shuffle(random_key, ranks, &state);
    MPI_Comm_group(MPI_COMM_WORLD, &everyone);
    MPI_Group_range_incl(everyone, 1, range, &half);
}

static void free_arguments(void)
{
    MPI_Group_free(&everyone);
    MPI_Group_free(&half);
    free(random_key);
}

static void by_dup(MPI_Comm *comm) { MPI_Comm_dup(MPI_COMM_WORLD, comm); }

static void by_two_colours(MPI_Comm *comm) { MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, comm); }

static void by_equal_colours(MPI_Comm *comm) { MPI_Comm_split(MPI_COMM_WORLD, 0, me, comm); }

static void by_reversed_keys(MPI_Comm *comm) { MPI_Comm_split(MPI_COMM_WORLD, 0, -me, comm); }

static void by_random_keys(MPI_Comm *comm)
{
    MPI_Comm_split(MPI_COMM_WORLD, 0, random_key[me], comm);
}

static void by_group(MPI_Comm *comm) { MPI_Comm_create_group(MPI_COMM_WORLD, everyone, 1, comm); }

static void by_half_group(MPI_Comm *comm)
{
    int mine;

    *comm = MPI_COMM_NULL;
    MPI_Group_rank(half, &mine);
    if (mine != MPI_UNDEFINED)
        MPI_Comm_create_group(MPI_COMM_WORLD, half, 2, comm);
}

typedef void (*create_t)(MPI_Comm *comm);
typedef double (*timed_t)(create_t create, MPI_Comm *comm, int times);

/* Microseconds a call: all calls together. */
static double time_of_all(create_t create, MPI_Comm *comm, int times)
{
    double start = MPI_Wtime();

    for (int i = 0; i < times; i++)
        create(&comm[i]);
    return (MPI_Wtime() - start) / times * 1e6;
}

/* Microseconds of the median call. */
static double time_of_median(create_t create, MPI_Comm *comm, int times)
{
    double *us = room(times, sizeof(double)), median;

    for (int i = 0; i < times; i++)
        us[i] = time_of_all(create, &comm[i], 1);
    sort_times(us, times);
    median = us[times / 2];
    free(us);
    return median;
}

static const struct {
    const char *name;
    create_t create;
    timed_t timed;
} ways[] = {
    {"dup", by_dup, time_of_all},
    {"dup_median", by_dup, time_of_median}, /* one that needs no message, if there are such */
    {"split_two", by_two_colours, time_of_all},
    {"split_equal", by_equal_colours, time_of_all},
    {"split_reversed", by_reversed_keys, time_of_all},
    {"split_random", by_random_keys, time_of_all},
    {"create_group", by_group, time_of_all},
    {"create_group_half", by_half_group, time_of_all},
};

/* Of the rank that took longest: created one after the other, freed untimed. */
static double create_many(timed_t timed, create_t create, MPI_Comm *comm, int times)
{
    double us, most;

    MPI_Barrier(MPI_COMM_WORLD);
    us = timed(create, comm, times);
    MPI_Allreduce(&us, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    for (int i = 0; i < times; i++)
        if (comm[i] != MPI_COMM_NULL)
            MPI_Comm_free(&comm[i]);
    return most;
}

static void measure_creation(int batches, int times)
{
    MPI_Comm *comm = room(times, sizeof(MPI_Comm));
    double *us = room(batches, sizeof(double));

    make_arguments();
    for (size_t k = 0; k < sizeof(ways) / sizeof(ways[0]); k++) {
        if (ways[k].create == by_half_group && ranks < 4)
            continue; /* a communicator of one */
        create_many(ways[k].timed, ways[k].create, comm, times);
        for (int i = 0; i < batches; i++)
            us[i] = create_many(ways[k].timed, ways[k].create, comm, times);
        sort_times(us, batches);
        if (me == 0)
            printf("%s %.3f %.3f %.3f\n", ways[k].name, us[batches / 2], us[batches / 10],
                   us[batches * 9 / 10]);
    }
    free_arguments();
    free(us);
    free(comm);
}

/* ---- beside one that waits ---- */

/* FIRST: untimed, as a table of ids that is full shows later */
enum { LATE = 1, OTHER = 2, TAG = 1, FIRST = 1500 };

static MPI_Comm group_of_two(int a, int b, MPI_Group *group)
{
    MPI_Comm comm = MPI_COMM_NULL;
    int members[2] = {a, b};

    MPI_Comm_group(MPI_COMM_WORLD, &everyone);
    MPI_Group_incl(everyone, 2, members, group);
    MPI_Group_free(&everyone);
    if (me == a || me == b)
        MPI_Comm_create_group(MPI_COMM_WORLD, *group, TAG, &comm);
    return comm;
}

/* us a communicator, freed untimed.  Of ranks 0 and OTHER. */
static double create_pairs(MPI_Group pair, MPI_Comm *comm, int times)
{
    int other = OTHER - me;
    double us;

    MPI_Sendrecv(NULL, 0, MPI_INT, other, TAG, NULL, 0, MPI_INT, other, TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    us = MPI_Wtime();
    for (int i = 0; i < times; i++)
        MPI_Comm_create_group(MPI_COMM_WORLD, pair, TAG, &comm[i]);
    us = (MPI_Wtime() - us) / times * 1e6;
    for (int i = 0; i < times; i++)
        MPI_Comm_free(&comm[i]);
    return us;
}

static void print_pairs(const char *name, MPI_Group pair, int batches, int times)
{
    MPI_Comm *comm = room(times, sizeof(MPI_Comm));
    double *us = room(batches, sizeof(double));

    for (int done = 0; done < FIRST; done += times)
        create_pairs(pair, comm, times);
    for (int i = 0; i < batches; i++)
        us[i] = create_pairs(pair, comm, times);
    sort_times(us, batches);
    if (me == 0)
        printf("%s %.3f %.3f %.3f\n", name, us[batches / 2], us[batches / 10],
               us[batches * 9 / 10]);
    free(us);
    free(comm);
}

/* Leaves its core to the others until rank 0 has sent. */
static void come_late(void)
{
    for (int sent = 0; !sent; usleep(10000))
        MPI_Iprobe(0, TAG, MPI_COMM_WORLD, &sent, MPI_STATUS_IGNORE);
    MPI_Recv(NULL, 0, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void measure_pending(int batches, int times)
{
    MPI_Group late, pair;
    MPI_Comm first = group_of_two(0, LATE, &late), second = group_of_two(0, OTHER, &pair), copy;
    MPI_Request request = MPI_REQUEST_NULL;

    if (me == LATE)
        come_late();
    else
        print_pairs("alone", pair, batches, times);
    if (me == 0) {
        MPI_Send(NULL, 0, MPI_INT, LATE, TAG, MPI_COMM_WORLD);
        MPI_Comm_idup(first, &copy, &request);
    }
    if (me == LATE) {
        come_late();
        MPI_Comm_idup(first, &copy, &request);
    } else {
        print_pairs("beside", pair, batches, times);
    }
    if (me == 0)
        MPI_Send(NULL, 0, MPI_INT, LATE, TAG, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (me != OTHER) {
        MPI_Comm_free(&copy);
        MPI_Comm_free(&first);
    }
    if (me != LATE)
        MPI_Comm_free(&second);
    MPI_Group_free(&late);
    MPI_Group_free(&pair);
}

/* ---- the table of ids ---- */

/* The value of a performance variable of this process; -1 in an MPI that does not have it. */
static long read_pvar(const char *name)
{
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    union {
        int i;
        unsigned u;
        unsigned long ul;
        unsigned long long ull;
    } value = {0};
    int n, which = -1, count, cls = 0, is_continuous = 0, ignored;

    MPI_T_pvar_get_num(&n);
    for (int i = 0; i < n && which < 0; i++) {
        char found[128];
        int length = sizeof(found);
        MPI_T_enum values;
        MPI_T_pvar_get_info(i, found, &length, &ignored, &cls, &type, &values, NULL, NULL, &ignored,
                            &ignored, &is_continuous, &ignored);
        if (!strcmp(found, name))
            which = i;
    }
    if (which < 0)
        return -1;
    MPI_T_pvar_session_create(&session);
    MPI_T_pvar_handle_alloc(session, which, NULL, &handle, &count);
    if (!is_continuous)
        MPI_T_pvar_start(session, handle);
    MPI_T_pvar_read(session, handle, &value);
    MPI_T_pvar_handle_free(session, &handle);
    MPI_T_pvar_session_free(&session);
    if (type == MPI_UNSIGNED_LONG_LONG)
        return (long) value.ull;
    return type == MPI_UNSIGNED_LONG ? (long) value.ul : (long) value.u;
}

struct density {
    double sum;
    int samples;
    long used, allocated; /* at the last one */
};

static void sample_density(struct density *density)
{
    density->used = read_pvar("ctxid_used");
    density->allocated = read_pvar("ctxid_table_allocated");
    density->sum += density->allocated > 0 ? (double) density->used / density->allocated : 1;
    density->samples++;
}

static void print_density(const struct density *density)
{
    double mine[3], *all = room(3 * (size_t) ranks, sizeof(double));

    mine[0] = density->sum / density->samples;
    mine[1] = (double) density->used;
    mine[2] = (double) density->allocated;
    MPI_Gather(mine, 3, MPI_DOUBLE, all, 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; me == 0 && i < ranks && mine[2] >= 0; i++)
        printf("density %.4f %.0f %.0f\n", all[3 * i], all[3 * i + 1], all[3 * i + 2]);
    free(all);
}

/* ---- the stress test ---- */

struct sample {
    int size;
    int parent;               /* which of the samples before */
    MPI_Comm comm;            /* MPI_COMM_NULL: not a member */
    unsigned char *is_member; /* by rank in the world: all ranks know all communicators */
};

/* One of those with at least so many members; the world is one. */
static int select_parent(const struct sample *live, int n, int size, uint64_t *state)
{
    int fit = 0, k;

    for (int i = 0; i < n; i++)
        fit += live[i].size >= size;
    k = (int) draw(state, (uint32_t) fit);
    for (int i = 0;; i++)
        if (live[i].size >= size && k-- == 0)
            return i;
}

/* `size` of the parent's members. */
static void choose_members(const struct sample *parent, struct sample *child, int size,
                           uint64_t *state)
{
    int *list = room(ranks, sizeof(int)), n = 0;

    for (int i = 0; i < ranks; i++)
        if (parent->is_member[i])
            list[n++] = i;
    shuffle(list, n, state);
    child->size = size;
    child->comm = MPI_COMM_NULL;
    child->is_member = room(ranks, 1);
    for (int i = 0; i < size; i++)
        child->is_member[list[i]] = 1;
    free(list);
}

static int draw_size(int is_small, uint64_t *state)
{
    int size = is_small ? 8 + (int) draw(state, 9) : ranks - (int) draw(state, 9);

    return size > ranks ? ranks : size < 1 ? 1 : size;
}

/* All of it is drawn before the first split.  A choice takes the longer the more communicators
 * there are: where processes share a core, one would spend that time while another one's split
 * waits for the core, and all see their caches swept. */
static struct sample *draw_samples(int is_small, int n, uint64_t *state)
{
    struct sample *live = room(n + 1, sizeof(struct sample));

    live[0].size = ranks;
    live[0].comm = MPI_COMM_WORLD;
    live[0].is_member = room(ranks, 1);
    memset(live[0].is_member, 1, ranks);
    for (int i = 1; i <= n; i++) {
        int size = draw_size(is_small, state);
        live[i].parent = select_parent(live, i, size, state);
        choose_members(&live[live[i].parent], &live[i], size, state);
    }
    return live;
}

static void free_samples(struct sample *live, int n)
{
    for (int i = 0; i <= n; i++) {
        if (i > 0 && live[i].comm != MPI_COMM_NULL)
            MPI_Comm_free(&live[i].comm);
        free(live[i].is_member);
    }
    free(live);
}

/* Everybody waits for everybody before, so that no time is that of a process which came late. */
static double split(const struct sample *parent, struct sample *child)
{
    double start;

    MPI_Barrier(MPI_COMM_WORLD);
    if (parent->comm == MPI_COMM_NULL)
        return 0;
    start = MPI_Wtime();
    MPI_Comm_split(parent->comm, child->is_member[me] ? 0 : MPI_UNDEFINED, 0, &child->comm);
    return (MPI_Wtime() - start) * 1e6;
}

static void print_means(double *us, const int *sizes, int n)
{
    double *sum = room(n, sizeof(double));

    MPI_Reduce(us, sum, n, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    for (int i = 0; me == 0 && i < n; i++)
        printf("split %.3f\n", sum[i] / sizes[i]);
    free(sum);
}

static void stress(int is_small, int n, int seed)
{
    uint64_t state = (uint64_t) seed;
    struct sample *live = draw_samples(is_small, n, &state);
    double *us = room(n, sizeof(double));
    int *sizes = room(n, sizeof(int)), provided;
    struct density density = {0};

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    for (int i = 0; i < n; i++) {
        const struct sample *parent = &live[live[i + 1].parent];
        us[i] = split(parent, &live[i + 1]);
        sizes[i] = parent->size;
        if (i % SAMPLED == SAMPLED - 1 || i == n - 1)
            sample_density(&density);
    }
    MPI_T_finalize();
    print_density(&density);
    print_means(us, sizes, n);
    free_samples(live, n);
    free(sizes);
    free(us);
}

/* ---- memory and the limit ---- */

static double resident_bytes(void)
{
    long ignored, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    if (!file || fscanf(file, "%ld %ld", &ignored, &pages) != 2)
        pages = 0;
    if (file)
        fclose(file);
    return (double) pages * (double) sysconf(_SC_PAGESIZE);
}

/* The first ones fill pools and caches, and bring code into memory, such as that which finds the
 * line of a creation (the 512th is the first): they are not counted.  Mean over the processes. */
static void measure_memory(int n)
{
    enum { UNCOUNTED = 520 };
    MPI_Comm *comm = room(UNCOUNTED + n, sizeof(MPI_Comm));
    double before = 0, mine, sum;

    memset(comm, 1, (UNCOUNTED + n) * sizeof(MPI_Comm)); /* resident before it is measured */
    for (int i = 0; i < UNCOUNTED + n; i++) {
        if (i == UNCOUNTED)
            before = resident_bytes();
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
    }
    mine = (resident_bytes() - before) / n;
    MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (me == 0)
        printf("memory %.1f\n", sum / ranks);
    for (int i = 0; i < UNCOUNTED + n; i++)
        MPI_Comm_free(&comm[i]);
    free(comm);
}

static int duplicate(MPI_Comm *comm, int from, int most)
{
    while (from < most && MPI_Comm_dup(MPI_COMM_WORLD, &comm[from]) == MPI_SUCCESS)
        from++;
    return from;
}

static void measure_limit(int most)
{
    MPI_Comm *comm = room(most, sizeof(MPI_Comm));
    int n, again;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    n = duplicate(comm, 0, most);
    for (int i = n / 2; i < n; i++)
        MPI_Comm_free(&comm[i]);
    again = duplicate(comm, n / 2, n);
    if (me == 0)
        printf("limit %d %s %d\n", n, n < most ? "error" : "none", again - n / 2);
    for (int i = 0; i < again; i++)
        MPI_Comm_free(&comm[i]);
    free(comm);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int first = argc > 2 ? atoi(argv[2]) : 0, second = argc > 3 ? atoi(argv[3]) : 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (!strcmp(what, "create")) {
        measure_creation(first > 0 ? first : 10, second > 0 ? second : 20);
    } else if (!strcmp(what, "pending")) {
        measure_pending(first > 0 ? first : 10, second > 0 ? second : 20);
    } else if (!strcmp(what, "small") || !strcmp(what, "large")) {
        stress(!strcmp(what, "small"), first > 0 ? first : 2000, second > 0 ? second : 1);
    } else if (!strcmp(what, "memory")) {
        measure_memory(first > 0 ? first : 1500);
    } else if (!strcmp(what, "limit")) {
        measure_limit(first > 0 ? first : 140000);
    } else {
        fprintf(stderr, "usage: comms create|pending|small|large|memory|limit [number [number]]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Finalize();
    return 0;
}
