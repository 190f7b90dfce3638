/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Under `lazy`, operations between fences wait for the fence, in windows of all kinds, also where a
 * window has processes of the same node and of others.  All arrive at the fence.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { WORDS = 64, ROUNDS = 3 };

static int size, others; /* processes, and those of other nodes */
static MPI_T_pvar_session session;

enum { MESSAGES, NATIVE, PACKED, COUNTS };

/* Of the window that is checked. */
static MPI_T_pvar_handle counts[COUNTS];

static void open_counts(MPI_Win *win)
{
    static const char *const names[COUNTS] = {"rma_messages", "rma_native", "rma_packed"};
    int index, n;

    for (int i = 0; i < COUNTS; i++) {
        counts[i] = MPI_T_PVAR_HANDLE_NULL;
        if (MPI_T_pvar_get_index(names[i], MPI_T_PVAR_CLASS_COUNTER, &index) == MPI_SUCCESS)
            MPI_T_pvar_handle_alloc(session, index, win, &counts[i], &n);
    }
}

static void close_counts(void)
{
    for (int i = 0; i < COUNTS; i++)
        if (counts[i] != MPI_T_PVAR_HANDLE_NULL)
            MPI_T_pvar_handle_free(session, &counts[i]);
}

static unsigned long long read_count(int which)
{
    unsigned long long value = 0;

    if (counts[which] != MPI_T_PVAR_HANDLE_NULL)
        MPI_T_pvar_read(session, counts[which], &value);
    return value;
}

static unsigned long long gone_out(void) { return read_count(MESSAGES) + read_count(NATIVE); }

/* Each process writes its own word everywhere: on its node at once, elsewhere at the fence. */
static void check_round(MPI_Win win, long *memory, int round, const char *kind)
{
    unsigned long long before = gone_out(), packed = read_count(PACKED);
    long value = 100 * round + ct_me;

    for (int i = 0; i < size; i++)
        MPI_Put(&value, 1, MPI_LONG, i, ct_me, 1, MPI_LONG, win);
    CT_CHECK(gone_out() == before, "%s, round %d: %llu operations and messages before the fence",
             kind, round, gone_out() - before);
    MPI_Win_fence(0, win);
    packed = read_count(PACKED) - packed;
    CT_CHECK(packed >= others, "%s, round %d: %llu operations in messages, not %d", kind, round,
             packed, others);
    for (int i = 0; i < size; i++)
        CT_CHECK(memory[i] == 100 * round + i, "%s, round %d: word %d is %ld", kind, round, i,
                 memory[i]);
    /* no process writes the next round while another one reads */
    MPI_Win_fence(0, win);
}

static void check_window(MPI_Win win, long *memory, const char *kind)
{
    open_counts(&win);
    MPI_Win_fence(0, win);
    for (int round = 0; round < ROUNDS; round++)
        check_round(win, memory, round, kind);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    close_counts();
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    static long created[WORDS];
    MPI_Info info;
    MPI_Win win;
    MPI_Comm node;
    long *allocated;
    int provided;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &others);
    others = size - others;
    MPI_Comm_free(&node);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(&session);
    MPI_Info_create(&info);
    MPI_Info_set(info, "rma_issue", "lazy");
    MPI_Win_create(created, sizeof(created), sizeof(long), info, MPI_COMM_WORLD, &win);
    check_window(win, created, "MPI_Win_create");
    MPI_Win_allocate(sizeof(created), sizeof(long), info, MPI_COMM_WORLD, &allocated, &win);
    check_window(win, allocated, "MPI_Win_allocate");
    MPI_Info_free(&info);
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
