/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Threads whose first file calls come together: each opens, writes, reads and deletes its own file.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

#include <pthread.h>

enum { THREADS = 8 };

static pthread_barrier_t all_here;
static int wrong[THREADS];

static void *use_file(void *arg)
{
    int me = (int) (intptr_t) arg, value = 100 + me, got = 0;
    char name[32];
    MPI_File file;

    snprintf(name, sizeof(name), "first_file_call.%d", me);
    pthread_barrier_wait(&all_here);
    wrong[me] =
        MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
    if (wrong[me])
        return NULL;
    MPI_File_write_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at(file, 0, &got, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    wrong[me] = MPI_File_delete(name, MPI_INFO_NULL) || got != value;
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    int provided;

    MTest_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    pthread_barrier_init(&all_here, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, use_file, (void *) (intptr_t) i);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        CT_CHECK(!wrong[i], "thread %d could not use its file", i);
    }
    pthread_barrier_destroy(&all_here);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
