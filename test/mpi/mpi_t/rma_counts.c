/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The variables of the category CH4_RMA count for the window to which they are bound, and for no
 * other: one message for an epoch of one put, native operations, changes of habit, exchanges that a
 * process enters early, exchanges and barriers of fences, and time waited by its cause once a tool
 * has a handle.  Under eager operations they stay 0.
 */
#include "cmaptest_mpit.h"
#include <unistd.h>

enum {
    EPOCHS = 10,
    LONG = 1 << 14, /* elements, which no message holds */
    ROUNDS = 1000,  /* until a process has waited */
    LATE_US = 1000
};

static int size, memory[LONG], from[LONG];

typedef struct {
    MPI_T_pvar_handle handle;
    int found;
} variable;

/* Bound to the window.  The handle of MPI_T keeps the address. */
static variable open_for(const char *name, MPI_Win *win)
{
    variable v = {MPI_T_PVAR_HANDLE_NULL, 0};
    int index, count = 0;

    if (MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_COUNTER, &index) == MPI_SUCCESS)
        v.found =
            MPI_T_pvar_handle_alloc(ct_pvar_session, index, win, &v.handle, &count) == MPI_SUCCESS;
    CT_CHECK(v.found && count == 1, "%s: %d values", name, count);
    return v;
}

static long long value_of(const variable *v)
{
    unsigned long long value = ~0ull;

    if (!v->found)
        return -1;
    CT_CHECK(MPI_T_pvar_read(ct_pvar_session, v->handle, &value) == MPI_SUCCESS, "no value");
    return (long long) value;
}

static void close_variable(variable *v)
{
    if (v->found)
        MPI_T_pvar_handle_free(ct_pvar_session, &v->handle);
}

static void check_binding(void)
{
    int index, verbosity, class_, bind, readonly, continuous, atomic;
    MPI_Datatype type;
    MPI_T_enum values;

    CT_CHECK(MPI_T_pvar_get_index("rma_messages", MPI_T_PVAR_CLASS_COUNTER, &index) == MPI_SUCCESS,
             "there is no rma_messages");
    MPI_T_pvar_get_info(index, NULL, NULL, &verbosity, &class_, &type, &values, NULL, NULL, &bind,
                        &readonly, &continuous, &atomic);
    CT_CHECK(bind == MPI_T_BIND_MPI_WIN, "bound to %d", bind);
}

static void check_value(const char *name, const variable *v, long long wanted)
{
    CT_CHECK(value_of(v) == wanted, "%s is %lld, not %lld", name, value_of(v), wanted);
}

/* Epochs of one put each; the first rank is the origin. */
static void put_under_locks(MPI_Win win, int count)
{
    for (int i = 0; i < EPOCHS && ct_me == 0; i++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, size - 1, 0, win);
        MPI_Put(from, count, MPI_INT, size - 1, 0, count, MPI_INT, win);
        MPI_Win_unlock(size - 1, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void check_locks(MPI_Win *win, MPI_Win *other, int eager)
{
    variable messages = open_for("rma_messages", win), packed = open_for("rma_packed", win),
             others = open_for("rma_messages", other), waited = open_for("rma_lock_ns", win),
             native = open_for("rma_native", win), habits = open_for("rma_habits", win);
    int wanted = ct_me == 0 && size > 1 && !eager ? EPOCHS : 0;

    put_under_locks(*win, 1);
    CT_CHECK(value_of(&messages) == wanted, "%lld messages, not %d", value_of(&messages), wanted);
    CT_CHECK(value_of(&packed) == wanted, "%lld operations, not %d", value_of(&packed), wanted);
    CT_CHECK(value_of(&others) == 0, "%lld messages in another window", value_of(&others));
    CT_CHECK((value_of(&waited) > 0) == (wanted > 0), "%lld ns waited", value_of(&waited));
    close_variable(&messages);
    close_variable(&packed);
    close_variable(&others);
    check_value("rma_native", &native, 0);
    check_value("rma_habits", &habits, wanted > 0);
    close_variable(&waited);
    close_variable(&native);
    close_variable(&habits);
}

/* Two epochs of a kind make a habit, and the habit of short ones goes before that of long ones
 * comes. */
static void check_long(MPI_Win *win, int eager)
{
    variable native = open_for("rma_native", win), habits = open_for("rma_habits", win);
    int is_origin = ct_me == 0 && size > 1 && !eager;

    put_under_locks(*win, LONG);
    check_value("rma_native", &native, is_origin ? EPOCHS : 0);
    check_value("rma_habits", &habits, is_origin ? 2 : 0);
    close_variable(&native);
    close_variable(&habits);
}

/* The first rank puts into the last one, whose post comes late. */
static void put_before_post(MPI_Win win)
{
    MPI_Group world, other;
    int rank = ct_me == 0 ? size - 1 : 0;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &rank, &other);
    if (ct_me == 0) {
        MPI_Win_start(other, 0, win);
        for (int i = 0; i < 3; i++)
            MPI_Put(from, 1, MPI_INT, rank, i, 1, MPI_INT, win);
        MPI_Win_complete(win);
    } else if (ct_me == size - 1) {
        usleep(LATE_US);
        MPI_Win_post(other, 0, win);
        MPI_Win_wait(win);
    }
    MPI_Group_free(&other);
    MPI_Group_free(&world);
}

/* The put waits if there is room for one operation, otherwise the end of the epoch.  A busy machine
 * may delay the origin more than the post. */
static void check_posts(MPI_Win *win, int eager)
{
    int is_narrow = getenv("MPIR_CVAR_CH4_RMA_ISSUE_QUEUE") != NULL, waits = size > 1 && !eager;
    variable post = open_for("rma_post_ns", win), room = open_for("rma_room_ns", win);
    int has_waited = 0;

    for (int i = 0; i < ROUNDS && waits && !has_waited; i++) {
        put_before_post(*win);
        has_waited = value_of(is_narrow ? &room : &post) > 0;
        MPI_Bcast(&has_waited, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    CT_CHECK(has_waited == waits, "rank 0 has not waited for %s", is_narrow ? "room" : "a post");
    CT_CHECK(is_narrow || value_of(&room) == 0, "%lld ns waited for room", value_of(&room));
    CT_CHECK(ct_me == 0 || value_of(&post) == 0, "%lld ns waited for a post", value_of(&post));
    close_variable(&post);
    close_variable(&room);
}

static void check_fences(MPI_Win *win, int eager)
{
    variable exchanges = open_for("rma_exchanges", win), barriers = open_for("rma_barriers", win);
    variable early = open_for("rma_early_exchanges", win);
    int fences;

    MPI_Win_fence(0, *win);
    for (int i = 0; i < EPOCHS; i++) {
        MPI_Put(from, 1, MPI_INT, (ct_me + 1) % size, 1, 1, MPI_INT, *win);
        MPI_Win_fence(0, *win);
    }
    check_value("rma_early_exchanges", &early, 0);
    MPI_Put(from, LONG, MPI_INT, (ct_me + 1) % size, 0, LONG, MPI_INT, *win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, *win);
    check_value("rma_early_exchanges", &early, eager ? 0 : 1);
    fences = (int) (value_of(&exchanges) + value_of(&barriers));
    CT_CHECK(eager || size == 1 || fences >= EPOCHS, "%d exchanges and barriers", fences);
    CT_CHECK(!eager || value_of(&exchanges) == 0, "%lld exchanges", value_of(&exchanges));
    close_variable(&early);
    close_variable(&exchanges);
    close_variable(&barriers);
}

int main(int argc, char **argv)
{
    const char *mode = getenv("MPIR_CVAR_CH4_RMA_ISSUE");
    MPI_Win win, other;
    int index;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ct_mpit_begin();
    if (MPI_T_pvar_get_index("rma_messages", MPI_T_PVAR_CLASS_COUNTER, &index) == MPI_SUCCESS) {
        int eager = mode && !strcmp(mode, "eager");

        MPI_Win_create(memory, sizeof(memory), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        MPI_Win_create(memory, sizeof(memory), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &other);
        check_binding();
        check_locks(&win, &other, eager);
        check_long(&win, eager);
        check_posts(&win, eager);
        check_fences(&win, eager);
        MPI_Win_free(&other);
        MPI_Win_free(&win);
    }
    ct_mpit_end();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
