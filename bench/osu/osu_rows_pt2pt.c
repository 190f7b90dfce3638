/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of messages: each process of the first half has a partner in the second one. */
#include "osu_rows.h"

enum { TAG = 1, ANSWER = 2 };

static MPI_Request there[MOST_IN_FLIGHT], back[MOST_IN_FLIGHT];
static int partner, is_first;

static void round_trip(void)
{
    if (is_first)
        MPI_Send(in, bytes, MPI_CHAR, partner, TAG, MPI_COMM_WORLD);
    MPI_Recv(out, bytes, MPI_CHAR, partner, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!is_first)
        MPI_Send(in, bytes, MPI_CHAR, partner, TAG, MPI_COMM_WORLD);
}

static void answer(void)
{
    if (is_first)
        MPI_Recv(out, 0, MPI_CHAR, partner, ANSWER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(in, 0, MPI_CHAR, partner, ANSWER, MPI_COMM_WORLD);
}

static void stream(void)
{
    for (int i = 0; i < MOST_IN_FLIGHT; i++)
        if (is_first)
            MPI_Isend(in, bytes, MPI_CHAR, partner, TAG, MPI_COMM_WORLD, &there[i]);
        else
            MPI_Irecv(out, bytes, MPI_CHAR, partner, TAG, MPI_COMM_WORLD, &there[i]);
    MPI_Waitall(MOST_IN_FLIGHT, there, MPI_STATUSES_IGNORE);
    answer();
}

static void both_ways(void)
{
    for (int i = 0; i < MOST_IN_FLIGHT; i++)
        MPI_Irecv(out, bytes, MPI_CHAR, partner, TAG, MPI_COMM_WORLD, &back[i]);
    for (int i = 0; i < MOST_IN_FLIGHT; i++)
        MPI_Isend(in, bytes, MPI_CHAR, partner, TAG, MPI_COMM_WORLD, &there[i]);
    MPI_Waitall(MOST_IN_FLIGHT, there, MPI_STATUSES_IGNORE);
    MPI_Waitall(MOST_IN_FLIGHT, back, MPI_STATUSES_IGNORE);
    answer();
}

/* ---- persistent requests: sends `there`, receives `back` ---- */

static void make_requests(void)
{
    for (int i = 0; i < MOST_IN_FLIGHT; i++) {
        MPI_Send_init(in, bytes, MPI_CHAR, partner, TAG, MPI_COMM_WORLD, &there[i]);
        MPI_Recv_init(out, bytes, MPI_CHAR, partner, TAG, MPI_COMM_WORLD, &back[i]);
    }
}

static void free_requests(void)
{
    for (int i = 0; i < MOST_IN_FLIGHT; i++) {
        MPI_Request_free(&there[i]);
        MPI_Request_free(&back[i]);
    }
}

static void start_and_wait(MPI_Request *request)
{
    MPI_Start(request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

static void persistent_trip(void)
{
    start_and_wait(is_first ? &there[0] : &back[0]);
    start_and_wait(is_first ? &back[0] : &there[0]);
}

static void persistent_stream(void)
{
    MPI_Request *mine = is_first ? there : back;

    MPI_Startall(MOST_IN_FLIGHT, mine);
    MPI_Waitall(MOST_IN_FLIGHT, mine, MPI_STATUSES_IGNORE);
    answer();
}

static void persistent_both(void)
{
    MPI_Startall(MOST_IN_FLIGHT, back);
    MPI_Startall(MOST_IN_FLIGHT, there);
    MPI_Waitall(MOST_IN_FLIGHT, there, MPI_STATUSES_IGNORE);
    MPI_Waitall(MOST_IN_FLIGHT, back, MPI_STATUSES_IGNORE);
    answer();
}

/* ---- rows ---- */

/* No bytes have no bandwidth. */
static void bandwidth(const char *name, void (*call)(void), int directions)
{
    if (bytes > 0)
        show(name, "MB/s",
             directions * (double) bytes * MOST_IN_FLIGHT / measured(in_a_row, call) / 1e6);
}

static void rows(void)
{
    show("latency", "us", measured(in_a_row, round_trip) / 2 * 1e6);
    bandwidth("bw", stream, 1);
    bandwidth("bibw", both_ways, 2);
    show("mbw_mr", "msg/s", MOST_IN_FLIGHT * (size / 2) / measured(in_a_row, stream));
    make_requests();
    show("latency_persistent", "us", measured(in_a_row, persistent_trip) / 2 * 1e6);
    bandwidth("bw_persistent", persistent_stream, 1);
    bandwidth("bibw_persistent", persistent_both, 2);
    free_requests();
}

void point_to_point(void)
{
    is_first = rank < size / 2;
    partner = is_first ? rank + size / 2 : rank - size / 2;
    for_sizes(0, rows);
}
