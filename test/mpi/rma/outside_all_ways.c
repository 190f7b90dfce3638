/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * An operation that leaves the window is an error of class MPI_ERR_RMA_RANGE whatever way it goes:
 * by loads and stores, by messages that wait, by active messages, natively once the key is known,
 * and on the process itself.  The call returns it, or the call that ends the epoch.  What lies
 * around the window stays as it is, and the next operation is as any other.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { WORDS = 40000, BESIDE = 70000 };
enum { PUT, GET, ACCUMULATE, GET_ACCUMULATE, FETCH_AND_OP, COMPARE_AND_SWAP, RPUT, RGET, KINDS };

static const char *const names[KINDS] = {
    "put",  "get", "accumulate", "get_accumulate", "fetch_and_op", "compare_and_swap",
    "rput", "rget"};
static int size;
static MPI_Win win;
static const char *way;
static long memory[BESIDE + WORDS + BESIDE], data[BESIDE], result[BESIDE];
static MPI_Datatype strided; /* 3 words, 2 apart */

/* What an operation accesses: `count` elements, or one word where the call has no count. */
typedef struct {
    const char *name;
    MPI_Aint disp;
    int count, is_strided, outside;
} place_t;

static const place_t places[] = {
    {"all", 0, WORDS, 0, 0},
    {"the last word", WORDS - 1, 1, 0, 0},
    {"behind", WORDS, 1, 0, 1},
    {"across the end", WORDS - 1, 2, 0, 1},
    {"long, across the end", WORDS / 2, WORDS, 0, 1},
    {"strided", WORDS - 5, 1, 1, 0},
    {"strided across the end", WORDS - 4, 1, 1, 1},
    {"far", (MPI_Aint) 1 << 61, 1, 0, 1},
};

enum { PLACES = sizeof(places) / sizeof(places[0]) };

static int class_of(int err)
{
    int class = MPI_SUCCESS;

    if (err)
        MPI_Error_class(err, &class);
    return class;
}

static int call(int kind, int target, const place_t *place)
{
    MPI_Datatype type = place->is_strided ? strided : MPI_LONG;
    int n = place->count * (place->is_strided ? 3 : 1), err;
    MPI_Request request = MPI_REQUEST_NULL;
    long zero = 0;

    switch (kind) {
        case PUT: return MPI_Put(data, n, MPI_LONG, target, place->disp, place->count, type, win);
        case GET: return MPI_Get(result, n, MPI_LONG, target, place->disp, place->count, type, win);
        case ACCUMULATE:
            return MPI_Accumulate(data, n, MPI_LONG, target, place->disp, place->count, type,
                                  MPI_SUM, win);
        case GET_ACCUMULATE:
            return MPI_Get_accumulate(data, n, MPI_LONG, result, n, MPI_LONG, target, place->disp,
                                      place->count, type, MPI_SUM, win);
        case FETCH_AND_OP:
            return MPI_Fetch_and_op(data, result, MPI_LONG, target, place->disp, MPI_SUM, win);
        case COMPARE_AND_SWAP:
            return MPI_Compare_and_swap(data, &zero, result, MPI_LONG, target, place->disp, win);
        case RPUT:
            err =
                MPI_Rput(data, n, MPI_LONG, target, place->disp, place->count, type, win, &request);
            break;
        default:
            err = MPI_Rget(result, n, MPI_LONG, target, place->disp, place->count, type, win,
                           &request);
            break;
    }
    if (request != MPI_REQUEST_NULL)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    return err;
}

static int applies(int kind, const place_t *place)
{
    return (kind != FETCH_AND_OP && kind != COMPARE_AND_SWAP) || place->disp >= WORDS ||
           !place->outside;
}

/* The operation, and what ends it: one of the two says that it is outside. */
static void check_told(int kind, int target, const place_t *place, int now, int later)
{
    int expected = place->outside ? MPI_ERR_RMA_RANGE : MPI_SUCCESS;

    now = class_of(now);
    later = class_of(later);
    CT_CHECK((now == expected && later == MPI_SUCCESS) || (now == MPI_SUCCESS && later == expected),
             "%s: %s of rank %d, %s: class %d, then %d", way, names[kind], target, place->name, now,
             later);
}

static void check_in_lock(int kind, int target, const place_t *place)
{
    int err;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
    err = call(kind, target, place);
    check_told(kind, target, place, err, MPI_Win_unlock(target, win));
}

static void check_in_lock_all(int kind, int target, const place_t *place)
{
    int err;

    MPI_Win_lock_all(0, win);
    for (int i = 0; i < 2; i++) {
        err = call(kind, target, place);
        check_told(kind, target, place, err, MPI_Win_flush(target, win));
    }
    err = call(kind, target, place);
    check_told(kind, target, place, err, MPI_Win_unlock_all(win));
}

/* The origin may be told, or the target. */
static void check_in_fence(int kind, int origin, const place_t *place)
{
    int err = MPI_SUCCESS, told, all, target = (origin + 1) % size;

    MPI_Win_fence(0, win);
    if (ct_me == origin)
        err = call(kind, target, place);
    told = class_of(err) == MPI_ERR_RMA_RANGE;
    told |= class_of(MPI_Win_fence(0, win)) == MPI_ERR_RMA_RANGE;
    MPI_Allreduce(&told, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CT_CHECK(all == place->outside, "%s: %s of rank %d between fences, %s: told %d", way,
             names[kind], target, place->name, all);
}

/* No operation has changed a word around the window; data are zeros, so none inside either. */
static void check_memory(const long *window)
{
    int wrong = 0;

    for (int i = 0; i < BESIDE + WORDS + BESIDE; i++)
        wrong += memory[i] != (memory + i >= window && memory + i < window + WORDS ? 0 : i);
    CT_CHECK(wrong == 0, "%s: %d words have changed", way, wrong);
}

static void check_locks(void)
{
    for (int target = 0; target < size; target++) {
        for (int kind = 0; kind < KINDS; kind++) {
            for (int i = 0; i < PLACES; i++) {
                if (!applies(kind, &places[i]))
                    continue;
                check_in_lock(kind, target, &places[i]);
                check_in_lock_all(kind, target, &places[i]);
            }
        }
    }
}

static void check_fences(void)
{
    for (int origin = 0; origin < size; origin++) {
        for (int kind = 0; kind < RPUT; kind++) {
            for (int i = 0; i < PLACES; i++) {
                if (applies(kind, &places[i]))
                    check_in_fence(kind, origin, &places[i]);
            }
        }
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}

static void check_window(void)
{
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    check_fences();
    MPI_Barrier(MPI_COMM_WORLD);
    check_locks();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
}

/* The windows begin at different places, so that the memory around them is that of their rank. */
static void check_issue(const char *issue)
{
    long *window = memory + BESIDE, *allocated;
    MPI_Info info;

    way = issue;
    MPI_Info_create(&info);
    MPI_Info_set(info, "rma_issue", issue);
    for (int i = 0; i < BESIDE + WORDS + BESIDE; i++)
        memory[i] = memory + i >= window && memory + i < window + WORDS ? 0 : i;
    MPI_Win_create(window, WORDS * sizeof(long), sizeof(long), info, MPI_COMM_WORLD, &win);
    check_window();
    check_memory(window);
    MPI_Win_allocate(WORDS * sizeof(long), sizeof(long), info, MPI_COMM_WORLD, &allocated, &win);
    memset(allocated, 0, WORDS * sizeof(long));
    check_window();
    MPI_Info_free(&info);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_vector(3, 1, 2, MPI_LONG, &strided);
    MPI_Type_commit(&strided);
    check_issue("eager");
    check_issue("hybrid");
    check_issue("lazy");
    MPI_Type_free(&strided);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
