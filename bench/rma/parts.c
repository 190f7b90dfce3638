/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The parts of a search's time (examples/bfs.c), as in figure 4.8 of X. Zhao's thesis.  This file
 * is linked with that program, and its functions call those of MPI.
 *
 * A search begins with a barrier.  Each level has a fence that opens the epoch, operations, a fence
 * that closes it, and an allreduce.  When the window is freed, rank 0 prints a line "part NAME US"
 * for each part: the median of the second half of the searches, each the mean of the processes.
 * In the first searches, libraries make connections and touch their buffers.  The parts "waited"
 * and "room" are counters of the MPI_T category CH4_RMA.  They are subtracted from the closing
 * fences and from the operations.  A library without these counters has 0 there.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include "../lib/sort.h"

enum {
    OPENING, /* the fence that opens an epoch */
    OPERATIONS,
    ROOM,    /* waited for room in the queue */
    CLOSING, /* the fence that closes it */
    WAITED,  /* in it */
    ALLREDUCE,
    LEVEL, /* the program between fence and allreduce */
    PARTS
};

enum { MOST_SEARCHES = 1000 };

static const char *const names[PARTS] = {"opening", "operations", "room", "closing",
                                         "waited",  "allreduce",  "level"};

static double us[MOST_SEARCHES][PARTS];
static int searches = -1; /* the one that lasts; before the first there is none */
static int is_closed;     /* an allreduce will end the level */
static double mark;

/* ---- the counters ---- */

static MPI_T_pvar_session session;
static MPI_T_pvar_handle waited_ns = MPI_T_PVAR_HANDLE_NULL, room_ns = MPI_T_PVAR_HANDLE_NULL;
static MPI_Win searched;
static double waited_before, room_before;

static void open_counter(const char *name, MPI_T_pvar_handle *handle)
{
    int index, count;

    if (MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_COUNTER, &index) == MPI_SUCCESS)
        MPI_T_pvar_handle_alloc(session, index, &searched, handle, &count);
}

static void open_counters(MPI_Win win)
{
    int provided;

    searched = win;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(&session);
    open_counter("rma_fence_ns", &waited_ns);
    open_counter("rma_room_ns", &room_ns);
}

static void close_counter(MPI_T_pvar_handle *handle)
{
    if (*handle != MPI_T_PVAR_HANDLE_NULL)
        MPI_T_pvar_handle_free(session, handle);
}

static void close_counters(void)
{
    close_counter(&waited_ns);
    close_counter(&room_ns);
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
}

static double counter_us(MPI_T_pvar_handle handle)
{
    unsigned long long ns = 0;

    if (handle != MPI_T_PVAR_HANDLE_NULL)
        MPI_T_pvar_read(session, handle, &ns);
    return (double) ns / 1e3;
}

/* ---- the parts ---- */

static void add(int part)
{
    double now = 1e6 * MPI_Wtime();

    if (searches >= 0 && searches < MOST_SEARCHES)
        us[searches][part] += now - mark;
    mark = now;
}

/* Moves the time that the counters show into parts of its own. */
static void split(int search)
{
    double waited = counter_us(waited_ns), room = counter_us(room_ns);

    if (search >= 0 && search < MOST_SEARCHES) {
        us[search][WAITED] = waited - waited_before;
        us[search][CLOSING] -= us[search][WAITED];
        us[search][ROOM] = room - room_before;
        us[search][OPERATIONS] -= us[search][ROOM];
    }
    waited_before = waited;
    room_before = room;
}

int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base,
                     MPI_Win *win)
{
    int mpi_errno = PMPI_Win_allocate(size, unit, info, comm, base, win);

    if (mpi_errno == MPI_SUCCESS)
        open_counters(*win);
    return mpi_errno;
}

int MPI_Barrier(MPI_Comm comm)
{
    int mpi_errno = PMPI_Barrier(comm);

    split(searches);
    searches++;
    mark = 1e6 * MPI_Wtime();
    return mpi_errno;
}

int MPI_Win_fence(int assert, MPI_Win win)
{
    int opens = assert &MPI_MODE_NOPRECEDE, mpi_errno;

    add(opens ? LEVEL : OPERATIONS);
    mpi_errno = PMPI_Win_fence(assert, win);
    add(opens ? OPENING : CLOSING);
    is_closed = !opens;
    return mpi_errno;
}

/* The one that follows the searches is no part of them. */
int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm)
{
    int mpi_errno, ends_level = is_closed;

    if (ends_level)
        add(LEVEL);
    mpi_errno = PMPI_Allreduce(from, to, count, type, op, comm);
    if (ends_level)
        add(ALLREDUCE);
    is_closed = 0;
    return mpi_errno;
}

static void print_parts(int done)
{
    double mean[MOST_SEARCHES];
    int rank, size;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int part = 0; part < PARTS; part++) {
        for (int i = done / 2; i < done; i++) {
            PMPI_Allreduce(&us[i][part], &mean[i], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
            mean[i] /= size;
        }
        sort_times(mean + done / 2, done - done / 2);
        if (rank == 0)
            printf("part %s %.3f\n", names[part], mean[done / 2 + (done - done / 2) / 2]);
    }
}

int MPI_Win_free(MPI_Win *win)
{
    split(searches);
    close_counters();
    print_parts(searches + 1 < MOST_SEARCHES ? searches + 1 : MOST_SEARCHES);
    return PMPI_Win_free(win);
}
