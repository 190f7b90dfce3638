/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Half a round trip between a parent and its child, beside one inside a world, on the same two
 * cores.
 *
 *   spawn [batches [trips]]      with 2 ranks
 *
 * Rank 0 spawns one process, and then exchanges messages with rank 1 and with the child, in turns.
 * Rank 0 has one core, the other two have another one; who does not take part sleeps in the kernel.
 * One line for each partner and message size: "world" or "child", bytes, median, p10 and p90 in
 * microseconds, and the median of the ratios child/world of the batches.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "../lib/sort.h"

enum { WORLD, CHILD, PARTNERS };
enum { MOST = 2000 }; /* batches */

static const int sizes[] = {8, 1024, 16384};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static char buffer[16384];
static int batches = 200, trips = 500;

static void fail(const char *what)
{
    perror(what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void take_core(int number)
{
    cpu_set_t mine, all;

    CPU_ZERO(&mine);
    if (sched_getaffinity(0, sizeof all, &all))
        fail("sched_getaffinity");
    for (int core = 0, n = 0; core < CPU_SETSIZE; core++) {
        if (CPU_ISSET(core, &all) && n++ == number)
            CPU_SET(core, &mine);
    }
    if (sched_setaffinity(0, sizeof mine, &mine))
        fail("the benchmark needs two cores");
}

/* Where the partners sleep: a semaphore for each. */
static sem_t *share(const char *name, int is_first)
{
    int file = open(name, O_RDWR | (is_first ? O_CREAT : 0), 0600);
    sem_t *beds;

    if (file < 0 || ftruncate(file, PARTNERS * sizeof(sem_t)))
        fail(name);
    beds = mmap(NULL, PARTNERS * sizeof(sem_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (beds == MAP_FAILED)
        fail("mmap");
    close(file);
    for (int i = 0; is_first && i < PARTNERS; i++)
        sem_init(&beds[i], 1, 0);
    return beds;
}

static void answer(MPI_Comm comm, int bytes)
{
    for (int i = 0; i < trips + 1; i++) {
        MPI_Recv(buffer, bytes, MPI_CHAR, 0, 0, comm, MPI_STATUS_IGNORE);
        MPI_Send(buffer, bytes, MPI_CHAR, 0, 0, comm);
    }
}

/* The partner is awake when its first answer comes. */
static double ask(MPI_Comm comm, int rank, int bytes)
{
    double begin = 0;

    for (int i = 0; i < trips + 1; i++) {
        if (i == 1)
            begin = MPI_Wtime();
        MPI_Send(buffer, bytes, MPI_CHAR, rank, 0, comm);
        MPI_Recv(buffer, bytes, MPI_CHAR, rank, 0, comm, MPI_STATUS_IGNORE);
    }
    return (MPI_Wtime() - begin) * 1e6 / (2 * trips);
}

static void take_part(MPI_Comm comm, sem_t *bed)
{
    take_core(1);
    for (int i = 0; i < SIZES * batches; i++) {
        while (sem_wait(bed)) {
        }
        answer(comm, sizes[i / batches]);
    }
}

static void show(int bytes, double us[PARTNERS][MOST])
{
    static const char *const names[] = {"world", "child"};
    static double ratios[MOST];

    for (int i = 0; i < batches; i++)
        ratios[i] = us[CHILD][i] / us[WORLD][i];
    sort_times(ratios, batches);
    for (int k = 0; k < PARTNERS; k++) {
        sort_times(us[k], batches);
        printf("%s %d %.4f %.4f %.4f %.4f\n", names[k], bytes, us[k][batches / 2],
               us[k][batches / 10], us[k][batches * 9 / 10], ratios[batches / 2]);
    }
}

static void measure(MPI_Comm inter, sem_t *beds)
{
    static double us[PARTNERS][MOST];

    take_core(0);
    for (int s = 0; s < SIZES; s++) {
        for (int i = 0; i < PARTNERS * batches; i++) {
            int partner = i % PARTNERS;

            sem_post(&beds[partner]);
            us[partner][i / PARTNERS] =
                partner == CHILD ? ask(inter, 0, sizes[s]) : ask(MPI_COMM_WORLD, 1, sizes[s]);
        }
        show(sizes[s], us);
    }
}

static MPI_Comm start_child(char **argv, const char *name)
{
    char batches_arg[16], trips_arg[16], *args[] = {batches_arg, trips_arg, (char *) name, NULL};
    MPI_Comm inter;

    snprintf(batches_arg, sizeof batches_arg, "%d", batches);
    snprintf(trips_arg, sizeof trips_arg, "%d", trips);
    MPI_Comm_spawn(argv[0], args, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter, MPI_ERRCODES_IGNORE);
    return inter;
}

int main(int argc, char **argv)
{
    char name[64] = "";
    int rank, size;
    MPI_Comm parent;
    sem_t *beds;

    MPI_Init(&argc, &argv);
    batches = argc > 1 ? atoi(argv[1]) : batches;
    trips = argc > 2 ? atoi(argv[2]) : trips;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_get_parent(&parent);
    if (batches < 1 || batches > MOST || trips < 1 || (parent == MPI_COMM_NULL && size != 2))
        MPI_Abort(MPI_COMM_WORLD, 2);
    if (parent != MPI_COMM_NULL) {
        take_part(parent, share(argv[3], 0) + CHILD);
        MPI_Comm_disconnect(&parent);
        MPI_Finalize();
        return 0;
    }
    snprintf(name, sizeof name, "/dev/shm/bench-spawn-%d", (int) getpid());
    MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (rank == 0)
        beds = share(name, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Comm inter = start_child(argv, name);

        measure(inter, beds);
        MPI_Comm_disconnect(&inter);
        unlink(name);
    } else {
        take_part(MPI_COMM_WORLD, share(name, 0) + WORLD);
    }
    MPI_Finalize();
    return 0;
}
