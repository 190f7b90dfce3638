/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE

/*
 * Communicators by hardware go by what the process is bound to in MPI_Init, whatever it is bound to
 * when the first of them is made; and threads may make the first ones at the same time.  With
 * -before the process is bound to one hardware thread in MPI_Init and to all of its own later;
 * without, the other way round.  On one node: it counts processes of a hardware thread.
 */
#include "cmaptest_threads.h"
#include "cmaptest.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>

#define THREADS 3

static cpu_set_t all;
static int size, bound_before;
static MPI_Comm comms[THREADS];

/* All threads of the process: the library may have some, of which one may have ended since. */
static void bind_to(const cpu_set_t *set)
{
    DIR *threads = opendir("/proc/self/task");
    const struct dirent *entry;

    CT_CHECK(threads != NULL, "nobody knows the threads of this process");
    while (threads && (entry = readdir(threads)))
        CT_CHECK(entry->d_name[0] == '.' ||
                     sched_setaffinity(atoi(entry->d_name), sizeof(*set), set) == 0 ||
                     errno == ESRCH,
                 "thread %s cannot be bound", entry->d_name);
    if (threads)
        closedir(threads);
}

/* Hardware threads in turns. */
static void bind_to_one(void)
{
    const char *rank = getenv("PMI_RANK");
    int left = (rank ? atoi(rank) : 0) % CPU_COUNT(&all), i = 0;
    cpu_set_t one;

    while (!CPU_ISSET(i, &all) || left-- > 0)
        i++;
    CPU_ZERO(&one);
    CPU_SET(i, &one);
    bind_to(&one);
}

static MTEST_THREAD_RETURN_TYPE split(void *arg)
{
    MPI_Comm comm;
    MPI_Info info;
    int n = 0, expected = 0, turns = CPU_COUNT(&all);

    for (int rank = ct_me % turns; rank < size && bound_before; rank += turns)
        expected++;
    if (expected == size) /* what holds them all divides nothing */
        expected = 0;
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_hw_resource_type", "hwthread");
    MPI_Comm_split_type(comms[(intptr_t) arg], MPI_COMM_TYPE_HW_GUIDED, 0, info, &comm);
    if (comm != MPI_COMM_NULL) {
        MPI_Comm_size(comm, &n);
        MPI_Comm_free(&comm);
    }
    CT_CHECK(n == expected, "%d processes are on a hardware thread that %d are bound to", n,
             expected);
    MPI_Info_free(&info);
    return (MTEST_THREAD_RETURN_TYPE) 0;
}

int main(int argc, char **argv)
{
    int provided;

    bound_before = argc > 1 && !strcmp(argv[1], "-before");
    CT_CHECK(sched_getaffinity(0, sizeof(all), &all) == 0,
             "nobody knows this process' hardware threads");
    if (bound_before)
        bind_to_one();
    MTest_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (bound_before)
        bind_to(&all);
    else
        bind_to_one();
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    if (ct_is_one_node(MPI_COMM_WORLD))
        ct_in_threads(provided == MPI_THREAD_MULTIPLE ? THREADS : 1, split);
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_free(&comms[i]);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
