/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The fourteen communicators of table 6.1 of S. M. Mir Taheri's thesis inside MPI, scaled to the
 * world that there is.  Driven by table61.py.
 *
 *   table61 all MESSAGES GATHERS   each communicator: a line "NUMBER MEMBERS REPRESENTATION
 *                                  CREATE_US MESSAGES_US GATHERS_US MAP_BYTES HEAP_BYTES"
 *   table61 alone NUMBER           in the world of mpirank1: "NUMBER MEMBERS REPRESENTATION
 *                                  CREATE_US MAP_BYTES"
 *   table61 groups                 MPI_Group_incl alone, of each: "NUMBER MEMBERS US"
 *   table61 firsts WORLD           the first member of each in a world of that size
 *
 * Times are those of the slowest rank.  Creation is MPI_Group_incl and MPI_Comm_create, the mean
 * of COPIES communicators that are alive together, as in section 6.6; bytes are those of one, in
 * the heap of rank 0.  In a world of mpirank1 a time is the median of TIMES, after one that is not
 * counted.  Messages go between random members, and a barrier ends them.  An MPI
 * library without compressed maps has the representation "-".
 */
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../lib/sort.h"

enum { COPIES = 8, TAG = 1, REST_US = 500, TIMES = 5 };
enum { THESIS = 200000, SMALL = 4096 };

static int me, world;

/* ---- random numbers ---- */

static unsigned long long state;

static int below(int n)
{
    state = state * 2862933555777941757ull + 3037000493ull;
    return (int) ((state >> 33) % (unsigned) n);
}

static void shuffle(int *list, int n)
{
    for (int i = n - 1; i > 0; i--) {
        int j = below(i + 1), kept = list[i];
        list[i] = list[j];
        list[j] = kept;
    }
}

/* ---- the communicators ---- */

typedef struct list {
    int n, *members;
} list;

static list room_for(int n)
{
    list made = {0, malloc((size_t) n * sizeof(int))};

    if (!made.members) {
        fprintf(stderr, "table61: no memory\n");
        exit(1);
    }
    return made;
}

static list strided(int size, int first, int step)
{
    list made = room_for(size);

    for (int i = first; i < size; i += step)
        made.members[made.n++] = i;
    return made;
}

/* y = 81 x + 11453 with x > 0; a small world has a shorter step. */
static list line(int size)
{
    int step = size < SMALL ? 5 : 81;

    return strided(size, (int) ((long long) size * 11453 / THESIS) + step, step);
}

/* [0, *, *, 0, *, *]: the first index is 0, so that all are among the first side^5. */
static list cube(int size)
{
    list made = room_for(size);
    int side = 2;

    while (side < 10 &&
           (long long) (side + 1) * (side + 1) * (side + 1) * (side + 1) * (side + 1) <= size)
        side++;
    for (int outer = 0; outer < side * side; outer++)
        for (int inner = 0; inner < side * side; inner++)
            if (outer * side * side * side + inner < size)
                made.members[made.n++] = outer * side * side * side + inner;
    return made;
}

static list ranges(int size)
{
    int length = size / 16 < 100 ? size / 16 : 100;
    list made = room_for(size);

    for (int i = 0; i < size; i++)
        if (i / length % 2 == 0)
            made.members[made.n++] = i;
    return made;
}

static int ascending(const void *a, const void *b)
{
    int x = *(const int *) a, y = *(const int *) b;

    return (x > y) - (x < y);
}

static list drawn(int size, int n, int least, int ordered)
{
    list made = strided(size, 0, 1);

    shuffle(made.members, size);
    made.n = n > least ? n : least;
    if (ordered)
        qsort(made.members, (size_t) made.n, sizeof(int), ascending);
    return made;
}

static list blocks(int size, int length, int least)
{
    list made = room_for(size);

    length = length > least ? length : least;
    for (int block = 0; block < 10; block++) {
        int *begin = made.members + made.n;
        for (int i = 0; i < length; i++)
            made.members[made.n++] = (int) ((long long) size * block / 10) + i;
        shuffle(begin, length);
    }
    return made;
}

/* REQUIRES size >= 32. */
static list communicator(int number, int size)
{
    state = (unsigned long long) number;
    switch (number) {
        case 1: return strided(size, 0, 2);
        case 2: return line(size);
        case 3: return cube(size);
        case 4: return ranges(size);
        case 5:
        case 6:
        case 7: return strided(size, 0, 2 * number - 7);
        case 8: return drawn(size, size / 40, 8, 1);
        case 9: return drawn(size, size / 4, 8, 1);
        case 10: return drawn(size, size / 20, 8, 0);
        case 11: return drawn(size, size / 10, 12, 0);
        case 12: return drawn(size, size / 2, 16, 0);
        case 13: return blocks(size, size / 200, 2);
        default: return blocks(size, size / 20, 3);
    }
}

enum { COMMUNICATORS = 14 };

/* ---- what MPI says about a map ---- */

static void get_representation(MPI_Comm comm, char name[MPI_MAX_INFO_VAL])
{
    MPI_Info info;
    int found;

    MPI_Comm_get_info(comm, &info);
    MPI_Info_get(info, "cmap_representation", MPI_MAX_INFO_VAL - 1, name, &found);
    if (!found)
        strcpy(name, "-");
    MPI_Info_free(&info);
}

/* Of all maps; 0 where there are none. */
static long long map_bytes(void)
{
    unsigned long long bytes = 0;
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
    int provided, index, count;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    if (MPI_T_pvar_get_index("cmap_bytes", MPI_T_PVAR_CLASS_LEVEL, &index) == MPI_SUCCESS) {
        MPI_T_pvar_session_create(&session);
        MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count);
        MPI_T_pvar_read(session, handle, &bytes);
        MPI_T_pvar_handle_free(session, &handle);
        MPI_T_pvar_session_free(&session);
    }
    MPI_T_finalize();
    return (long long) bytes;
}

static long long heap_bytes(void)
{
    struct mallinfo2 info = mallinfo2();

    return (long long) (info.uordblks + info.hblkhd);
}

/* ---- times ---- */

/* All ranks meet; those that wait leave their cores to the others. */
static void meet(void)
{
    MPI_Request request;
    int is_there = 0;

    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (MPI_Test(&request, &is_there, MPI_STATUS_IGNORE); !is_there;
         MPI_Test(&request, &is_there, MPI_STATUS_IGNORE))
        usleep(REST_US);
}

static double slowest(double us)
{
    double most;

    MPI_Allreduce(&us, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

static MPI_Comm create(const list *members)
{
    MPI_Group all, group;
    MPI_Comm made;

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, members->n, members->members, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, &made);
    MPI_Group_free(&group);
    MPI_Group_free(&all);
    return made;
}

static double creations(const list *members, MPI_Comm made[COPIES])
{
    double us = 0;

    for (int i = 0; i < COPIES; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = MPI_Wtime();
        made[i] = create(members);
        us += (MPI_Wtime() - begin) * 1e6 / COPIES;
    }
    return us;
}

static double messages(MPI_Comm comm, int n)
{
    int rank, size;
    long long word = 0;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Barrier(comm);
    double begin = MPI_Wtime();
    state = 1;
    for (int i = 0; i < n; i++) {
        int from = below(size), to = (from + 1 + below(size - 1)) % size;
        if (rank == from)
            MPI_Send(&word, 8, MPI_BYTE, to, TAG, comm);
        else if (rank == to)
            MPI_Recv(&word, 8, MPI_BYTE, from, TAG, comm, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(comm);
    return (MPI_Wtime() - begin) * 1e6;
}

static double gathers(MPI_Comm comm, int n)
{
    int size;
    long long word = 0, *words;

    MPI_Comm_size(comm, &size);
    words = malloc((size_t) size * sizeof *words);
    MPI_Barrier(comm);
    double begin = MPI_Wtime();
    for (int i = 0; i < n; i++)
        MPI_Gather(&word, 8, MPI_BYTE, words, 8, MPI_BYTE, 0, comm);
    double us = (MPI_Wtime() - begin) * 1e6;
    MPI_Barrier(comm);
    free(words);
    return us;
}

/* Each two ranks make their endpoints, and the first communicators get their memory. */
static void warm_up(void)
{
    list everyone = strided(world, 0, 1);
    MPI_Comm made = create(&everyone);
    long long out = 0, in;

    for (int ahead = 1; ahead < world; ahead++)
        MPI_Sendrecv(&out, 8, MPI_BYTE, (me + ahead) % world, TAG, &in, 8, MPI_BYTE,
                     (me + world - ahead) % world, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    gathers(made, 1);
    MPI_Comm_free(&made);
    free(everyone.members);
}

/* Rank 0 of the communicator says what it is, also to rank 0 of the world, which prints. */
static void print_line(int number, const list *members, MPI_Comm comm, const double us[3],
                       long long maps, long long heap)
{
    char name[MPI_MAX_INFO_VAL] = "";

    if (comm != MPI_COMM_NULL)
        get_representation(comm, name);
    MPI_Bcast(name, sizeof name, MPI_CHAR, members->members[0], MPI_COMM_WORLD);
    MPI_Bcast(&maps, 1, MPI_LONG_LONG, members->members[0], MPI_COMM_WORLD);
    MPI_Bcast(&heap, 1, MPI_LONG_LONG, members->members[0], MPI_COMM_WORLD);
    if (me == 0) {
        printf("%d %d %s %.2f %.2f %.2f %lld %lld\n", number, members->n, name, us[0], us[1], us[2],
               maps, heap);
        fflush(stdout);
    }
}

static void measure(int number, int n_messages, int n_gathers)
{
    list members = communicator(number, world);
    MPI_Comm made[COPIES];
    double us[3] = {0};
    long long maps, heap;

    meet();
    maps = map_bytes();
    heap = heap_bytes();
    us[0] = slowest(creations(&members, made));
    maps = map_bytes() - maps;
    heap = (heap_bytes() - heap) / COPIES;
    if (made[0] != MPI_COMM_NULL)
        us[1] = messages(made[0], n_messages);
    meet();
    if (made[0] != MPI_COMM_NULL)
        us[2] = gathers(made[0], n_gathers);
    meet();
    us[1] = slowest(us[1]);
    us[2] = slowest(us[2]);
    print_line(number, &members, made[0], us, maps, heap);
    for (int i = 0; i < COPIES; i++)
        if (made[i] != MPI_COMM_NULL)
            MPI_Comm_free(&made[i]);
    free(members.members);
}

static double median(double us[TIMES])
{
    sort_times(us, TIMES);
    return us[TIMES / 2];
}

static double create_us(const list *members)
{
    double begin = MPI_Wtime();
    MPI_Comm made = create(members);
    double us = (MPI_Wtime() - begin) * 1e6;

    MPI_Comm_free(&made);
    return us;
}

static void measure_alone(int number)
{
    list members = communicator(number, world);
    char name[MPI_MAX_INFO_VAL];
    long long maps = map_bytes();
    double us[TIMES];
    MPI_Comm made = create(&members);

    maps = map_bytes() - maps;
    get_representation(made, name);
    MPI_Comm_free(&made);
    for (int i = 0; i < TIMES; i++)
        us[i] = create_us(&members);
    printf("%d %d %s %.2f %lld\n", number, members.n, name, median(us), maps);
    free(members.members);
}

static double group_us(MPI_Group all, const list *members)
{
    MPI_Group group;
    double begin = MPI_Wtime();

    MPI_Group_incl(all, members->n, members->members, &group);
    double us = (MPI_Wtime() - begin) * 1e6;
    MPI_Group_free(&group);
    return us;
}

static void measure_groups(void)
{
    MPI_Group all;
    double us[TIMES];

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    for (int number = 1; number <= COMMUNICATORS; number++) {
        list members = communicator(number, world);
        group_us(all, &members);
        for (int i = 0; i < TIMES; i++)
            us[i] = group_us(all, &members);
        printf("%d %d %.2f\n", number, members.n, median(us));
        free(members.members);
    }
    MPI_Group_free(&all);
}

static void print_firsts(int size)
{
    for (int number = 1; number <= COMMUNICATORS; number++) {
        list members = communicator(number, size);
        printf("%d %d\n", number, members.members[0]);
        free(members.members);
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &world);
    if (strcmp(what, "firsts") == 0 && argc == 3) {
        print_firsts(atoi(argv[2]));
    } else if (world < 32) {
        fprintf(stderr, "table61: a world of at least 32 ranks, not %d\n", world);
        MPI_Abort(MPI_COMM_WORLD, 2);
    } else if (strcmp(what, "all") == 0 && argc == 4) {
        warm_up();
        for (int number = 1; number <= COMMUNICATORS; number++)
            measure(number, atoi(argv[2]), atoi(argv[3]));
    } else if (strcmp(what, "alone") == 0 && argc == 3) {
        measure_alone(atoi(argv[2]));
    } else if (strcmp(what, "groups") == 0) {
        measure_groups();
    } else {
        fprintf(stderr, "usage: table61 all MESSAGES GATHERS | alone NUMBER | groups | "
                        "firsts WORLD\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Finalize();
    return 0;
}
