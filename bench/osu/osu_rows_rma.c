/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of one-sided communication: process 0 works on the window of process 1, in epochs of each
 * kind.  The first half of the processes have partners in the second one, as in the other rows. */
#include <string.h>
#include "osu_rows.h"

enum { LOCK, LOCK_ALL, FLUSH, FLUSH_LOCAL, PSCW, FENCE, SYNCS };
static const char *const sync_names[SYNCS] = {"lock",        "lock_all", "flush",
                                              "flush_local", "pscw",     "fence"};
enum { CREATE, ALLOCATE, DYNAMIC, KINDS };
static const char *const kind_names[KINDS] = {"create", "allocate", "dynamic"};
enum { IN_AN_EPOCH = 32 };

static int kind, sync, target, is_origin, directions;
static MPI_Win win;
static MPI_Aint base; /* displacement in the target's window */
static MPI_Group partner;
static char *memory;
static int operations;
static void (*operation)(int i);

/* ---- operations ---- */

static MPI_Aint place(int i) { return base + (MPI_Aint) i * bytes; }

static void put(int i)
{
    MPI_Put(in + (size_t) i * (size_t) bytes, bytes, MPI_CHAR, target, place(i), bytes, MPI_CHAR,
            win);
}

static void get(int i)
{
    MPI_Get(out + (size_t) i * (size_t) bytes, bytes, MPI_CHAR, target, place(i), bytes, MPI_CHAR,
            win);
}

static void accumulate(int i)
{
    MPI_Accumulate(in + (size_t) i * (size_t) bytes, bytes / 8, MPI_LONG, target, place(i),
                   bytes / 8, MPI_LONG, MPI_SUM, win);
}

static void get_accumulate(int i)
{
    MPI_Get_accumulate(in, bytes / 8, MPI_LONG, out, bytes / 8, MPI_LONG, target, place(i),
                       bytes / 8, MPI_LONG, MPI_SUM, win);
}

static void fetch_and_op(int i)
{
    MPI_Fetch_and_op(in, out, MPI_LONG, target, place(i), MPI_SUM, win);
}

static void compare_and_swap(int i)
{
    MPI_Compare_and_swap(in, in + 8, out, MPI_LONG, target, place(i), win);
}

/* ---- epochs ---- */

static void all_operations(void)
{
    for (int i = 0; is_origin && i < operations; i++)
        operation(i);
}

static void passive_epoch(void)
{
    if (!is_origin)
        return;
    if (sync == LOCK)
        MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
    else if (sync == LOCK_ALL)
        MPI_Win_lock_all(0, win);
    all_operations();
    if (sync == LOCK)
        MPI_Win_unlock(target, win);
    else if (sync == LOCK_ALL)
        MPI_Win_unlock_all(win);
    else if (sync == FLUSH)
        MPI_Win_flush(target, win);
    else
        MPI_Win_flush_local(target, win);
}

/* In both directions each exposes its window and works on the other's. */
static void pscw_epoch(void)
{
    int exposes = !is_origin || directions == 2;

    if (exposes)
        MPI_Win_post(partner, 0, win);
    if (is_origin) {
        MPI_Win_start(partner, 0, win);
        all_operations();
        MPI_Win_complete(win);
    }
    if (exposes)
        MPI_Win_wait(win);
}

static void epoch(void)
{
    if (sync == PSCW) {
        pscw_epoch();
    } else if (sync == FENCE) {
        all_operations();
        MPI_Win_fence(0, win);
    } else {
        passive_epoch();
    }
}

/* Seconds of an epoch. */
static double seconds(int n, void (*what)(int))
{
    double found;

    operations = n;
    operation = what;
    if (sync == FENCE)
        MPI_Win_fence(0, win);
    else if (is_origin && (sync == FLUSH || sync == FLUSH_LOCAL))
        MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
    found = measured(in_a_row, epoch);
    if (sync == FENCE)
        MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    else if (is_origin && (sync == FLUSH || sync == FLUSH_LOCAL))
        MPI_Win_unlock(target, win);
    return found;
}

/* ---- windows ---- */

static void exchange_address(const char *mine)
{
    MPI_Aint address;

    MPI_Get_address(mine, &address);
    MPI_Sendrecv(&address, 1, MPI_AINT, target, 0, &base, 1, MPI_AINT, target, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static void make_window(void)
{
    MPI_Aint room = (MPI_Aint) bytes * IN_AN_EPOCH;

    base = 0;
    if (kind == ALLOCATE) {
        MPI_Win_allocate(room, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
        memset(memory, 1, (size_t) room);
        return;
    }
    MPI_Alloc_mem(room, MPI_INFO_NULL, &memory);
    memset(memory, 1, (size_t) room);
    if (kind == CREATE) {
        MPI_Win_create(memory, room, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    } else {
        MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        MPI_Win_attach(win, memory, room);
        exchange_address(memory);
    }
}

static void free_window(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (kind == DYNAMIC)
        MPI_Win_detach(win, memory);
    MPI_Win_free(&win);
    if (kind != ALLOCATE)
        MPI_Free_mem(memory);
}

/* ---- rows ---- */

static double megabytes_a_second(void (*what)(int))
{
    return directions * (double) bytes * IN_AN_EPOCH / seconds(IN_AN_EPOCH, what) / 1e6;
}

/* Both are origins for one row, which only those epochs have that both take part in. */
static void both_ways(void)
{
    int was_origin = is_origin;

    is_origin = 1;
    directions = 2;
    show("put_bibw", "MB/s", megabytes_a_second(put));
    is_origin = was_origin;
    directions = 1;
}

static void rows(void)
{
    make_window();
    show("put_latency", "us", seconds(1, put) * 1e6);
    show("get_latency", "us", seconds(1, get) * 1e6);
    show("acc_latency", "us", seconds(1, accumulate) * 1e6);
    show("get_acc_latency", "us", seconds(1, get_accumulate) * 1e6);
    show("put_bw", "MB/s", megabytes_a_second(put));
    show("get_bw", "MB/s", megabytes_a_second(get));
    if (sync == PSCW || sync == FENCE)
        both_ways();
    if (bytes == 8) {
        show("fop_latency", "us", seconds(1, fetch_and_op) * 1e6);
        show("cas_latency", "us", seconds(1, compare_and_swap) * 1e6);
    }
    free_window();
}

static int index_of(const char *name, const char *const *names, int n)
{
    int i = 0;

    while (i < n && strcmp(name, names[i]))
        i++;
    return i;
}

int one_sided(const char *kind_name, const char *sync_name)
{
    MPI_Group world;

    kind = index_of(kind_name, kind_names, KINDS);
    sync = index_of(sync_name, sync_names, SYNCS);
    if (kind == KINDS || sync == SYNCS)
        return 0;
    directions = 1;
    is_origin = rank < size / 2;
    target = is_origin ? rank + size / 2 : rank - size / 2;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &target, &partner);
    for_sizes(8, rows);
    MPI_Group_free(&partner);
    MPI_Group_free(&world);
    return 1;
}
