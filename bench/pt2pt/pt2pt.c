/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What a communicator's map costs a message of 8 bytes.  Driven by pt2pt.py, which runs it again
 * and again against several builds or settings in turn.
 *
 *   pt2pt latency [batches [trips]]  half round trips between the first and the last rank of
 *                                    communicators with different maps
 *   pt2pt peers [batches [trips]]    the same with larger communicators without a closed form:
 *                                    first with second rank, first with last, and the first sends
 *                                    to all in random order
 *   pt2pt levels [batches [trips]]   first with last rank of the world, of its even ranks, of the
 *                                    even ranks of those, and so on; and the same with the order
 *                                    reversed at each level, so that rank 0 of the world is first
 *                                    and last in turn
 *   pt2pt waits [batches [trips]]    a send of 16, 64 and 256 KB to the last rank, which has posted
 *                                    the receive and waits in a barrier with the others
 *   pt2pt dup_time [times]           MPI_Comm_dup of the world
 *   pt2pt representations            the names of the representations that this MPI has
 *
 * One line a case: name, members, median, p10, p90 in microseconds, representation of the map ("-"
 * in an MPI that does not say); "latency" and "waits" of two ranks first and last what a cache line
 * takes (lib/line.h). Ranks that do not take part sleep in the kernel; between hosts they nap.
 */
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "../lib/line_mpi.h"
#include "../lib/sort.h"

enum { TAG_PING = 1, TAG_MANY = 2 };
enum { EACH = 16 }; /* messages to each peer in a batch: they fit the receiver's queue */
enum { NAP_US = 20000 };
enum { REST_US = 8000 }; /* until those who do not take part are asleep */

static int me, ranks;
static sem_t *bed;     /* one a rank, shared: who waits for it takes no time from the others */
static MPI_Comm night; /* between hosts, instead: naps, and messages that end them */

static void get_representation(MPI_Comm comm, char name[MPI_MAX_INFO_VAL])
{
    MPI_Info info;
    int flag;

    MPI_Comm_get_info(comm, &info);
    MPI_Info_get(info, "cmap_representation", MPI_MAX_INFO_VAL - 1, name, &flag);
    if (!flag)
        strcpy(name, "-");
    MPI_Info_free(&info);
}

static void print_line(const char *name, MPI_Comm comm, double *us, int n)
{
    char representation[MPI_MAX_INFO_VAL];
    int members;

    MPI_Comm_size(comm, &members);
    get_representation(comm, representation);
    sort_times(us, n);
    printf("%s %d %.4f %.4f %.4f %s\n", name, members, us[n / 2], us[n / 10], us[n * 9 / 10],
           representation);
    fflush(stdout);
}

/* ---- sleeping ---- */

static void fail(const char *what)
{
    perror(what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int is_one_node(void)
{
    MPI_Comm node;
    int here;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &here);
    MPI_Comm_free(&node);
    return here == ranks;
}

static void make_beds(void)
{
    char name[64];

    if (!is_one_node()) {
        MPI_Comm_dup(MPI_COMM_WORLD, &night);
        return;
    }

    snprintf(name, sizeof(name), "/pt2pt-%ld", (long) getpid());
    MPI_Bcast(name, sizeof(name), MPI_CHAR, 0, MPI_COMM_WORLD);
    if (me != 0)
        MPI_Barrier(MPI_COMM_WORLD);
    int file = shm_open(name, me == 0 ? O_CREAT | O_EXCL | O_RDWR : O_RDWR, 0600);
    if (file < 0 || (me == 0 && ftruncate(file, ranks * sizeof(sem_t))))
        fail("pt2pt: shared memory");
    bed = mmap(NULL, ranks * sizeof(sem_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (bed == MAP_FAILED)
        fail("pt2pt: mmap");
    close(file);
    if (me == 0) {
        for (int i = 0; i < ranks; i++)
            sem_init(&bed[i], 1, 0);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0)
        shm_unlink(name);
}

static void nap_until_woken(void)
{
    MPI_Request request;
    int woken = 0;

    MPI_Irecv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, 0, night, &request);
    while (!woken) {
        usleep(NAP_US);
        MPI_Test(&request, &woken, MPI_STATUS_IGNORE);
    }
}

static void sleep_until_woken(void)
{
    if (!bed) {
        nap_until_woken();
        return;
    }
    while (sem_wait(&bed[me]) && errno == EINTR)
        ;
}

static void wake_others(void)
{
    for (int i = 0; i < ranks; i++)
        if (i != me && !bed)
            MPI_Send(NULL, 0, MPI_BYTE, i, 0, night);
        else if (i != me)
            sem_post(&bed[i]);
}

/* ---- communicators ---- */

static MPI_Comm duplicate(void)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    return comm;
}

static MPI_Comm reversed(void)
{
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &comm);
    return comm;
}

static MPI_Comm strided(void)
{
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, me % 3 == 1 ? 0 : MPI_UNDEFINED, me, &comm);
    return comm;
}

static MPI_Comm random_order(void)
{
    MPI_Comm comm;
    uint32_t key = (uint32_t) (me + 1) * 2654435761u;

    key ^= key >> 15;
    MPI_Comm_split(MPI_COMM_WORLD, 0, (int) (key * 2246822519u >> 1), &comm);
    return comm;
}

/* The even ranks of `comm`, which is freed; of MPI_COMM_NULL the same. */
static MPI_Comm even_ranks(MPI_Comm comm, int order)
{
    MPI_Comm next;
    int rank;

    if (comm == MPI_COMM_NULL)
        return comm;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_split(comm, rank % 2 ? MPI_UNDEFINED : 0, order * rank, &next);
    MPI_Comm_free(&comm);
    return next;
}

/* Drops the odd ranks again and again, while more than one rank remains. */
static MPI_Comm chain(void)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int size = ranks; size > 2; size = (size + 1) / 2)
        comm = even_ranks(comm, 1);
    return comm;
}

/* ---- measuring ---- */

static double half_round_trip(MPI_Comm comm, int peer, int first, int n)
{
    int64_t word = 0;
    double start = MPI_Wtime();

    for (int i = 0; i < n; i++) {
        if (first)
            MPI_Send(&word, 8, MPI_BYTE, peer, TAG_PING, comm);
        MPI_Recv(&word, 8, MPI_BYTE, peer, TAG_PING, comm, MPI_STATUS_IGNORE);
        if (!first)
            MPI_Send(&word, 8, MPI_BYTE, peer, TAG_PING, comm);
    }
    return (MPI_Wtime() - start) / n / 2 * 1e6;
}

static void ping_pong(const char *name, MPI_Comm comm, int peer, int first, int batches, int trips)
{
    double *us = calloc(batches, sizeof(double));

    usleep(REST_US);
    half_round_trip(comm, peer, first, trips);
    for (int i = 0; i < batches; i++)
        us[i] = half_round_trip(comm, peer, first, trips);
    if (first)
        print_line(name, comm, us, batches);
    free(us);
}

/* Rank 0 of `comm` and `peer` exchange; all others, also those outside, sleep. */
static void measure_pair(const char *name, MPI_Comm comm, int peer, int batches, int trips)
{
    int rank = -1;

    if (comm != MPI_COMM_NULL)
        MPI_Comm_rank(comm, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 || (rank > 0 && rank == peer))
        ping_pong(name, comm, rank == 0 ? peer : 0, rank == 0, batches, trips);
    if (rank == 0)
        wake_others();
    else
        sleep_until_woken();
}

static int last_of(MPI_Comm comm)
{
    int size = 0;

    if (comm != MPI_COMM_NULL)
        MPI_Comm_size(comm, &size);
    return size - 1;
}

static void measure_case(const char *name, MPI_Comm comm, int batches, int trips)
{
    int last = last_of(comm), greatest;

    MPI_Allreduce(&last, &greatest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (greatest >= 1)
        measure_pair(name, comm, last, batches, trips);
    if (comm != MPI_COMM_NULL && comm != MPI_COMM_WORLD)
        MPI_Comm_free(&comm);
}

/* ---- large communicators without a closed form ---- */

static int is_kept(int i) { return i % 7 != 3; }

static MPI_Comm irregular_set(void)
{
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, is_kept(me) ? 0 : MPI_UNDEFINED, me, &comm);
    return comm;
}

/* An irregular set, and after it the rest. */
static MPI_Comm joined_sets(void)
{
    MPI_Comm side, inter, comm;

    MPI_Comm_split(MPI_COMM_WORLD, is_kept(me), me, &side);
    MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, is_kept(me) ? 3 : 0, 1, &inter);
    MPI_Intercomm_merge(inter, !is_kept(me), &comm);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&side);
    return comm;
}

/* EACH times every peer of rank 0, in random order. */
static int *random_peers(int size)
{
    int n = EACH * (size - 1), *peer = calloc(n, sizeof(int));
    uint32_t state = 1;

    for (int i = 0; i < n; i++)
        peer[i] = 1 + i % (size - 1);
    for (int i = n - 1; i > 0; i--) {
        state = state * 1664525u + 1013904223u;
        int j = (int) ((state >> 8) % (uint32_t) (i + 1)), t = peer[i];
        peer[i] = peer[j];
        peer[j] = t;
    }
    return peer;
}

/* Microseconds a message to send them, while nobody receives. */
static double send_to_many(MPI_Comm comm, const int *peer, int n)
{
    int64_t word = 0;

    usleep(REST_US);
    double start = MPI_Wtime();
    for (int i = 0; i < n; i++)
        MPI_Send(&word, 8, MPI_BYTE, peer[i], TAG_MANY, comm);
    double us = (MPI_Wtime() - start) / n * 1e6;
    wake_others();
    return us;
}

static void receive_each(MPI_Comm comm)
{
    int64_t word;

    sleep_until_woken();
    for (int i = 0; comm != MPI_COMM_NULL && i < EACH; i++)
        MPI_Recv(&word, 8, MPI_BYTE, 0, TAG_MANY, comm, MPI_STATUS_IGNORE);
}

static void measure_many(const char *name, MPI_Comm comm, int batches)
{
    int rank = -1, size = last_of(comm) + 1;
    double *us = calloc(batches, sizeof(double));

    if (comm != MPI_COMM_NULL)
        MPI_Comm_rank(comm, &rank);
    int *peer = rank == 0 ? random_peers(size) : NULL;
    for (int i = -2; i < batches; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank != 0)
            receive_each(comm);
        else if (i < 0)
            send_to_many(comm, peer, EACH * (size - 1));
        else
            us[i] = send_to_many(comm, peer, EACH * (size - 1));
    }
    if (rank == 0)
        print_line(name, comm, us, batches);
    free(peer);
    free(us);
}

static void measure_peers(const char *name, MPI_Comm comm, int batches, int trips)
{
    char text[64];

    snprintf(text, sizeof(text), "%s:first-second", name);
    measure_pair(text, comm, 1, batches, trips);
    snprintf(text, sizeof(text), "%s:first-last", name);
    measure_pair(text, comm, last_of(comm), batches, trips);
    snprintf(text, sizeof(text), "%s:first-many", name);
    measure_many(text, comm, batches / 4 + 1);
    if (comm != MPI_COMM_NULL)
        MPI_Comm_free(&comm);
}

/* ---- to a process that waits in a collective ---- */

/* Microseconds of a send.  All meet in a barrier before it: the receive is posted, and the last
 * rank is on its way into the next one. */
static double send_to_waiting(char *buffer, int bytes, int trips)
{
    double spent = 0;

    for (int i = 0; i < trips; i++) {
        MPI_Request request = MPI_REQUEST_NULL;

        if (me == ranks - 1)
            MPI_Irecv(buffer, bytes, MPI_BYTE, 0, TAG_PING, MPI_COMM_WORLD, &request);
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        if (me == 0)
            MPI_Send(buffer, bytes, MPI_BYTE, ranks - 1, TAG_PING, MPI_COMM_WORLD);
        spent += MPI_Wtime() - start;
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return spent / trips * 1e6;
}

static void waits(int batches, int trips)
{
    enum { LEAST = 16384, MOST = 262144 };
    double *us = calloc(batches, sizeof(double));
    char *buffer = calloc(1, MOST), name[64];
    line_t *lines = line_share();

    line_show(lines);
    for (int bytes = LEAST; bytes <= MOST; bytes *= 4) {
        send_to_waiting(buffer, bytes, trips);
        for (int i = 0; i < batches; i++)
            us[i] = send_to_waiting(buffer, bytes, trips);
        snprintf(name, sizeof(name), "waits-%d", bytes);
        if (me == 0)
            print_line(name, MPI_COMM_WORLD, us, batches);
    }
    line_show(lines);
    free(buffer);
    free(us);
}

/* ---- the rest ---- */

/* By the names of their counters. */
static void print_representations(void)
{
    static const char prefix[] = "cmap_builds_";
    int n, provided, ignored;
    MPI_Datatype type;
    MPI_T_enum values;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_get_num(&n);
    for (int i = 0; me == 0 && i < n; i++) {
        char name[128];
        int room = sizeof(name);
        MPI_T_pvar_get_info(i, name, &room, &ignored, &ignored, &type, &values, NULL, NULL,
                            &ignored, &ignored, &ignored, &ignored);
        if (!strncmp(name, prefix, sizeof(prefix) - 1))
            printf("%s\n", name + sizeof(prefix) - 1);
    }
    MPI_T_finalize();
}

static void dup_time(int times)
{
    double *us = calloc(times, sizeof(double));
    MPI_Comm comm;

    for (int i = -3; i < times; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        if (i >= 0)
            us[i] = (MPI_Wtime() - start) * 1e6;
        MPI_Comm_free(&comm);
    }
    if (me == 0)
        print_line("dup_time", MPI_COMM_WORLD, us, times);
    free(us);
}

static void latency(int batches, int trips)
{
    line_t *lines = line_share();

    line_show(lines);
    measure_case("world", MPI_COMM_WORLD, batches, trips);
    measure_case("dup", duplicate(), batches, trips);
    measure_case("reversed", reversed(), batches, trips);
    measure_case("strided", strided(), batches, trips);
    measure_case("random", random_order(), batches, trips);
    measure_case("chain", chain(), batches, trips);
    line_show(lines);
}

static void levels_of(const char *name, int order, int batches, int trips)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int size = ranks, level = 0; size > 1; size = (size + 1) / 2, level++) {
        char text[64];

        snprintf(text, sizeof(text), "%s:level-%d", name, level);
        measure_pair(text, comm, last_of(comm), batches, trips);
        comm = even_ranks(comm, order);
    }
    if (comm != MPI_COMM_NULL)
        MPI_Comm_free(&comm);
}

static void levels(int batches, int trips)
{
    levels_of("in-order", 1, batches, trips);
    levels_of("reversed", -1, batches, trips);
}

static void peers(int batches, int trips)
{
    measure_peers("set", irregular_set(), batches, trips);
    measure_peers("list", random_order(), batches, trips);
    measure_peers("joined", joined_sets(), batches, trips);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int first = argc > 2 ? atoi(argv[2]) : 40, second = argc > 3 ? atoi(argv[3]) : 500;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    make_beds();
    if (!strcmp(what, "latency")) {
        latency(first, second);
    } else if (!strcmp(what, "peers") && ranks >= 16) {
        peers(first, second);
    } else if (!strcmp(what, "levels")) {
        levels(first, second);
    } else if (!strcmp(what, "waits") && ranks > 1) {
        waits(first, second);
    } else if (!strcmp(what, "dup_time")) {
        dup_time(first);
    } else if (!strcmp(what, "representations")) {
        print_representations();
    } else {
        fprintf(stderr, "usage: pt2pt latency|peers|levels|waits|dup_time|representations "
                        "[number [number]]; peers needs 16 ranks\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Finalize();
    return 0;
}
