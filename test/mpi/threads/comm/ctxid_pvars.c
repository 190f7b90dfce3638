/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A tool's thread reads the MPI_T variables of context ids while others create and free
 * communicators, so many that the table grows and shrinks under its eyes.  MPI may have only one
 * thread: MPI_T has its own level.
 *
 * Arguments: -rounds=N (default 20) -comms=N live at once in each thread (default 3000) -threads=N
 * (default 2)
 */
#include "mpithreadtest.h"
#include "cmaptest_mpit.h"

#include <pthread.h>
#include <stdatomic.h>

#define MOST_THREADS 8
#define LEVELS 5

static const char *const names[LEVELS] = {"ctxid_used", "ctxid_reserved", "ctxid_highest",
                                          "ctxid_table_allocated", "ctxid_table_bytes"};

static ct_pvar levels[LEVELS];
static MPI_Comm parents[MOST_THREADS];
static int rounds, live;
static atomic_int readers_done;
static atomic_llong reads;

static void *read_levels(void *unused)
{
    long long most = 2LL * MOST_THREADS * (live + 100) + 1000;

    while (!readers_done) {
        for (int i = 0; i < LEVELS; i++) {
            long long value = ct_pvar_read(&levels[i]);
            CT_CHECK(value >= 0, "%s is %lld", names[i], value);
            if (i < 2)
                CT_CHECK(value <= most, "%s is %lld", names[i], value);
        }
        reads++;
    }
    return NULL;
}

static MTEST_THREAD_RETURN_TYPE create(void *parent)
{
    MPI_Comm *made = malloc(live * sizeof(MPI_Comm));

    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < live; i++)
            MPI_Comm_dup(*(MPI_Comm *) parent, &made[i]);
        for (int i = live; i-- > 0;)
            MPI_Comm_free(&made[i]);
    }
    free(made);
    return MTEST_THREAD_RETVAL_IGN;
}

static void create_in_threads(int threads)
{
    if (threads == 1) {
        create(&parents[0]);
        return;
    }
    for (int i = 0; i < threads; i++)
        MTest_Start_thread(create, &parents[i]);
    MTest_Join_threads();
}

static long long ids_in_use(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    return ct_pvar_read(&levels[0]);
}

static void run(int threads)
{
    pthread_t reader;
    long long before = ids_in_use(), after;

    if (pthread_create(&reader, NULL, read_levels, NULL))
        MPI_Abort(MPI_COMM_WORLD, 1);
    while (reads == 0)
        sched_yield();
    create_in_threads(threads);
    readers_done = 1;
    pthread_join(reader, NULL);
    after = ids_in_use();
    CT_CHECK(after == before, "%lld ids in use afterwards, %lld before", after, before);
}

/* Stock MPICH has none. */
static int find_levels(void)
{
    for (int i = 0; i < LEVELS; i++)
        if (!ct_pvar_find(names[i], &levels[i]))
            return 0;
    return 1;
}

int main(int argc, char **argv)
{
    MTestArgList *args = MTestArgListCreate(argc, argv);
    int threads = MTestArgListGetInt_with_default(args, "threads", 2), provided;

    rounds = MTestArgListGetInt_with_default(args, "rounds", 20);
    live = MTestArgListGetInt_with_default(args, "comms", 3000);
    MTestArgListDestroy(args);
    MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided);
    MTest_Init_thread(&argc, &argv, threads == 1 ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE,
                      &provided);
    if (threads > MOST_THREADS || (threads > 1 && provided != MPI_THREAD_MULTIPLE)) {
        printf("no MPI_THREAD_MULTIPLE, or more than %d threads\n", MOST_THREADS);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_T_pvar_session_create(&ct_pvar_session);
    for (int i = 0; i < threads; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &parents[i]);
    if (find_levels())
        run(threads);
    for (int i = 0; i < threads; i++)
        MPI_Comm_free(&parents[i]);
    MPI_T_pvar_session_free(&ct_pvar_session);
    MTest_Finalize(ct_errs);
    MPI_T_finalize();
    return MTestReturnValue(ct_errs);
}
