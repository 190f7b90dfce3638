/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Buffered sends in several threads. A flush or a detach waits in one thread while another receives
 * the message, and does not return before. Threads that send with a buffer of their communicator
 * each, or with one that they share, do not disturb each other.
 */
#include "cmaptest.h"
#include "mpithreadtest.h"
#include <unistd.h>

#define THREADS 4
#define ROUNDS 300

static MPI_Comm comms[THREADS];
static int has_begun; /* the receive */

static MTEST_THREAD_RETURN_TYPE receive_late(void *arg)
{
    int in;

    usleep(20000);
    __atomic_store_n(&has_begun, 1, __ATOMIC_SEQ_CST);
    MPI_Recv(&in, 1, MPI_INT, 0, 1, comms[0], MPI_STATUS_IGNORE);
    return MTEST_THREAD_RETVAL_IGN;
}

static void wait_once(int way)
{
    int out = 1, size;
    void *address;
    MPI_Request request;

    has_begun = 0;
    MPI_Comm_attach_buffer(comms[0], MPI_BUFFER_AUTOMATIC, 0);
    MPI_Bsend(&out, 1, MPI_INT, 0, 1, comms[0]);
    MTest_Start_thread(receive_late, NULL);
    if (way == 0) {
        MPI_Comm_flush_buffer(comms[0]);
    } else if (way == 1) {
        MPI_Comm_iflush_buffer(comms[0], &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Comm_detach_buffer(comms[0], &address, &size);
    }
    CT_CHECK(__atomic_load_n(&has_begun, __ATOMIC_SEQ_CST), "way %d: too early", way);
    MTest_Join_threads();
    if (way < 2)
        MPI_Comm_detach_buffer(comms[0], &address, &size);
}

static void send_rounds(MPI_Comm comm)
{
    int sum = 0;

    for (int i = 0; i < ROUNDS; i++) {
        int in[100], out[100];
        MPI_Request request;

        for (int k = 0; k < 100; k++)
            out[k] = i + k;
        MPI_Bsend(out, 100, MPI_INT, 0, i, comm);
        if (i % 3 == 0)
            MPI_Comm_iflush_buffer(comm, &request);
        MPI_Recv(in, 100, MPI_INT, 0, i, comm, MPI_STATUS_IGNORE);
        if (i % 3 == 0)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        else if (i % 3 == 1)
            MPI_Comm_flush_buffer(comm);
        sum += memcmp(in, out, sizeof(in)) != 0;
    }
    CT_CHECK(sum == 0, "%d messages differ", sum);
}

/* Odd threads have a buffer of their own; the others share that of the process. */
static MTEST_THREAD_RETURN_TYPE send_all(void *arg)
{
    int mine = (int) (intptr_t) arg, size;
    void *memory = malloc(10 * (400 + MPI_BSEND_OVERHEAD)), *address;

    if (mine % 2)
        MPI_Comm_attach_buffer(comms[mine], memory, 10 * (400 + MPI_BSEND_OVERHEAD));
    send_rounds(comms[mine]);
    if (mine % 2) {
        MPI_Comm_detach_buffer(comms[mine], &address, &size);
        CT_CHECK(address == memory, "thread %d detaches %p, not %p", mine, address, memory);
    }
    free(memory);
    return MTEST_THREAD_RETVAL_IGN;
}

int main(int argc, char **argv)
{
    static char memory[THREADS * 2 * (400 + MPI_BSEND_OVERHEAD)];
    int size;
    void *address;

    MTest_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &size);
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_dup(MPI_COMM_SELF, &comms[i]);
    for (int way = 0; way < 3; way++)
        wait_once(way);
    MPI_Buffer_attach(memory, sizeof(memory));
    for (int i = 0; i < THREADS; i++)
        MTest_Start_thread(send_all, (void *) (intptr_t) i);
    MTest_Join_threads();
    MPI_Buffer_detach(&address, &size);
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_free(&comms[i]);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
