/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows whose memory is the program's, of processes of one node: the kernel copies, and several
 * operations share one system call.  Each process changes its slice of every other process's window
 * by random operations whose targets overlap, and keeps a copy of what must be there.  Operations
 * of datatypes with gaps are messages: they keep their order to the others, and all are atomic to
 * each other on counters that all processes share.
 *
 * direct_updates [-copies | -copies=no]   system calls must copy, or none may; on several nodes
 *                                         none may in either case
 */
#include "cmaptest_mpit.h"
#include <sys/mman.h>
#include <unistd.h>

enum { WORDS = 48, COUNTERS = 3, ROUNDS = 60, STEPS = 90, LONG_ARRAY = 5000 };
enum { CREATED, DYNAMIC, KINDS };
enum { LOCK, LOCK_ALL, FENCE, PSCW, EPOCHS };

static const char *const kind_names[KINDS] = {"created", "dynamic"};
static int rank, size, kind;
static MPI_Win win;
static long *memory;          /* size slices, COUNTERS, LONG_ARRAY */
static long model[16][WORDS]; /* [target]: my slice there */
static long added;            /* by this process, to each counter */
static MPI_Aint begins[16];   /* of the others' memory, as displacements */
static int unit;              /* bytes of a displacement */
static MPI_Datatype gaps;     /* the first and the third of three words */
static long origin[STEPS][WORDS], result[STEPS][WORDS], want[STEPS][WORDS], compare[STEPS];
static int lengths[STEPS]; /* words of result that must be as wanted */
static unsigned state;

static unsigned draw(unsigned below)
{
    state = state * 1103515245u + 12345u;
    return (state >> 16) % below;
}

static MPI_Aint place(int target, int word)
{
    return begins[target] + (MPI_Aint) (rank * WORDS + word) * (MPI_Aint) sizeof(long) / unit;
}

static MPI_Aint counter_place(int target, int i)
{
    return begins[target] + (MPI_Aint) (size * WORDS + i) * (MPI_Aint) sizeof(long) / unit;
}

static void make_window(void)
{
    size_t bytes = (size_t) (size * WORDS + COUNTERS + LONG_ARRAY) * sizeof(long);
    MPI_Aint mine = 0;

    memory = calloc(1, bytes);
    unit = kind == CREATED ? (int) sizeof(long) : 1;
    if (kind == CREATED) {
        MPI_Win_create(memory, (MPI_Aint) bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    } else {
        MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        MPI_Win_attach(win, memory, (MPI_Aint) bytes);
        MPI_Get_address(memory, &mine);
    }
    MPI_Allgather(&mine, 1, MPI_AINT, begins, 1, MPI_AINT, MPI_COMM_WORLD);
    memset(model, 0, sizeof(model));
    added = 0;
}

static void free_window(void)
{
    if (kind == DYNAMIC)
        MPI_Win_detach(win, memory);
    MPI_Win_free(&win);
    free(memory);
}

/* ---- operations ---- */

static void fill(int step, int n)
{
    for (int i = 0; i < n; i++)
        origin[step][i] = 1 + (long) draw(1000);
}

static void wants(int step, const long *was, int n)
{
    memcpy(want[step], was, (size_t) n * sizeof(long));
    lengths[step] = n;
}

static void swap(int step, int target, int at)
{
    long *was = &model[target][at];

    compare[step] = draw(2) ? *was : *was + 1;
    MPI_Compare_and_swap(&origin[step][0], &compare[step], result[step], MPI_LONG, target,
                         place(target, at), win);
    wants(step, was, 1);
    if (compare[step] == *was)
        *was = origin[step][0];
}

/* Two words and a gap between them; the origin has none. */
static void with_gaps(int step, int target, int at)
{
    MPI_Accumulate(origin[step], 2, MPI_LONG, target, place(target, at), 1, gaps, MPI_SUM, win);
    model[target][at] += origin[step][0];
    model[target][at + 2] += origin[step][1];
}

static void add(int step, int target, int at, int n)
{
    if (draw(2)) {
        MPI_Accumulate(origin[step], n, MPI_LONG, target, place(target, at), n, MPI_LONG, MPI_SUM,
                       win);
    } else {
        MPI_Get_accumulate(origin[step], n, MPI_LONG, result[step], n, MPI_LONG, target,
                           place(target, at), n, MPI_LONG, MPI_SUM, win);
        wants(step, &model[target][at], n);
    }
    for (int i = 0; i < n; i++)
        model[target][at + i] += origin[step][i];
}

static void replace(int step, int target, int at, int n)
{
    MPI_Accumulate(origin[step], n, MPI_LONG, target, place(target, at), n, MPI_LONG, MPI_REPLACE,
                   win);
    memcpy(&model[target][at], origin[step], (size_t) n * sizeof(long));
}

static void look(int step, int target, int at, int n)
{
    MPI_Get_accumulate(NULL, 0, MPI_LONG, result[step], n, MPI_LONG, target, place(target, at), n,
                       MPI_LONG, MPI_NO_OP, win);
    wants(step, &model[target][at], n);
}

static void count(int step, int target)
{
    static const long one = 1, ones[2] = {1, 1};

    if (draw(3) == 0) {
        MPI_Accumulate(ones, 2, MPI_LONG, target, counter_place(target, 0), 1, gaps, MPI_SUM, win);
    } else {
        MPI_Fetch_and_op(&one, result[step], MPI_LONG, target, counter_place(target, 0), MPI_SUM,
                         win);
        MPI_Accumulate(&one, 1, MPI_LONG, target, counter_place(target, 2), 1, MPI_LONG, MPI_SUM,
                       win);
    }
    added++;
}

static void operate(int step, int target)
{
    int n = 1 + (int) draw(6), at = (int) draw(WORDS - 6);

    lengths[step] = 0;
    fill(step, n);
    switch (draw(8)) {
        case 0: swap(step, target, at); break;
        case 1:
            fill(step, 2);
            with_gaps(step, target, at);
            break;
        case 2: replace(step, target, at, n); break;
        case 3: look(step, target, at, n); break;
        case 4: count(step, target); break;
        default: add(step, target, at, n);
    }
}

static void check_results(void)
{
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < lengths[step]; i++)
            CT_CHECK(result[step][i] == want[step][i], "%s: operation %d, word %d: %ld, not %ld",
                     kind_names[kind], step, i, result[step][i], want[step][i]);
    }
}

/* ---- epochs ---- */

static void many_updates(int target)
{
    for (int step = 0; step < STEPS; step++)
        operate(step, target < 0 ? (int) draw((unsigned) size) : target);
}

static void updates(int epoch)
{
    int target = (int) draw((unsigned) size);
    MPI_Group all;

    switch (epoch) {
        case LOCK:
            MPI_Win_lock(draw(2) ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target, 0, win);
            many_updates(target);
            MPI_Win_unlock(target, win);
            break;
        case LOCK_ALL:
            MPI_Win_lock_all(draw(2) ? MPI_MODE_NOCHECK : 0, win);
            many_updates(-1);
            MPI_Win_flush_all(win);
            check_results();
            many_updates(-1);
            MPI_Win_unlock_all(win);
            break;
        case FENCE:
            MPI_Win_fence(0, win);
            many_updates(-1);
            MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
            break;
        default:
            MPI_Comm_group(MPI_COMM_WORLD, &all);
            MPI_Win_post(all, 0, win);
            MPI_Win_start(all, 0, win);
            many_updates(-1);
            MPI_Win_complete(win);
            MPI_Win_wait(win);
            MPI_Group_free(&all);
    }
    check_results();
}

/* More pieces than a system call takes, by put and get. */
static void pieces(int target)
{
    enum { PIECES = 200 };
    long out[PIECES], in[PIECES];
    MPI_Aint begin =
        begins[target] + (MPI_Aint) (size * WORDS + COUNTERS) * (MPI_Aint) sizeof(long) / unit;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
    for (int i = 0; i < PIECES; i++) {
        out[i] = rank * 1000 + i;
        MPI_Put(&out[i], 1, MPI_LONG, target, begin + (7 * i) * (MPI_Aint) sizeof(long) / unit, 1,
                MPI_LONG, win);
    }
    MPI_Win_flush(target, win);
    for (int i = 0; i < PIECES; i++)
        MPI_Get(&in[i], 1, MPI_LONG, target, begin + (7 * i) * (MPI_Aint) sizeof(long) / unit, 1,
                MPI_LONG, win);
    MPI_Win_unlock(target, win);
    for (int i = 0; i < PIECES; i++)
        CT_CHECK(in[i] == out[i], "%s: piece %d is %ld", kind_names[kind], i, in[i]);
}

/* An array that is done in parts, added to by all. */
static void long_array(void)
{
    long *ones = malloc(LONG_ARRAY * sizeof(long)), *sums = memory + size * WORDS + COUNTERS;
    MPI_Aint begin = (MPI_Aint) (size * WORDS + COUNTERS) * (MPI_Aint) sizeof(long) / unit;

    for (int i = 0; i < LONG_ARRAY; i++)
        ones[i] = i;
    MPI_Win_fence(0, win);
    memset(sums, 0, LONG_ARRAY * sizeof(long));
    MPI_Win_fence(0, win);
    for (int target = 0; target < size; target++)
        MPI_Accumulate(ones, LONG_ARRAY, MPI_LONG, target, begins[target] + begin, LONG_ARRAY,
                       MPI_LONG, MPI_SUM, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    for (int i = 0; i < LONG_ARRAY; i++)
        CT_CHECK(sums[i] == (long) size * i, "%s: sum %d is %ld", kind_names[kind], i, sums[i]);
    free(ones);
}

static void check_memory(void)
{
    long all, found = 0, mine[WORDS];

    MPI_Barrier(MPI_COMM_WORLD);
    for (int target = 0; target < size; target++) {
        MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
        MPI_Get(mine, WORDS, MPI_LONG, target, place(target, 0), WORDS, MPI_LONG, win);
        MPI_Win_unlock(target, win);
        CT_CHECK(!memcmp(mine, model[target], sizeof(mine)), "%s: the slice at %d is wrong",
                 kind_names[kind], target);
    }
    MPI_Reduce(&added, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    for (int i = 0; i < COUNTERS; i += 2) {
        long sum;

        MPI_Reduce(&memory[size * WORDS + i], &sum, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
        found += sum;
    }
    MPI_Win_unlock(rank, win);
    if (rank == 0)
        CT_CHECK(found == 2 * all, "%s: the counters are %ld, not %ld", kind_names[kind], found,
                 2 * all);
}

/* An address without memory is an error of the origin, and the window goes on. */
static void no_memory_there(void)
{
    long value = 1;
    int error, class, page = (int) sysconf(_SC_PAGESIZE), target = (rank + 1) % size;
    void *gone = mmap(NULL, (size_t) page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MPI_Aint mine, theirs;

    munmap(gone, (size_t) page);
    MPI_Get_address(gone, &mine);
    MPI_Sendrecv(&mine, 1, MPI_AINT, (rank + size - 1) % size, 0, &theirs, 1, MPI_AINT, target, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
    error = MPI_Put(&value, 1, MPI_LONG, target, theirs, 1, MPI_LONG, win);
    if (!error)
        error = MPI_Win_unlock(target, win);
    else
        MPI_Win_unlock(target, win);
    class = MPI_SUCCESS;
    MPI_Error_class(error, &class);
    CT_CHECK(class == MPI_ERR_RMA_RANGE, "no memory: class %d", class);
    MPI_Win_set_errhandler(win, MPI_ERRORS_ARE_FATAL);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void check_kind(int must_copy)
{
    make_window();
    for (int round = 0; round < ROUNDS; round++)
        updates(round % EPOCHS);
    check_memory();
    pieces((rank + 1) % size);
    long_array();
    MPI_Barrier(MPI_COMM_WORLD);
    if (kind == DYNAMIC && must_copy == 1 && size > 1)
        no_memory_there();
    free_window();
}

int main(int argc, char **argv)
{
    const int ends[2] = {0, 2};
    int must_copy = -1, counted;
    ct_pvar copies;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 1; i < argc; i++)
        must_copy = !strcmp(argv[i], "-copies") ? 1 : !strcmp(argv[i], "-copies=no") ? 0 : -1;
    if (must_copy == 1 && !ct_is_one_node(MPI_COMM_WORLD))
        must_copy = 0;
    state = (unsigned) rank * 7919u + 12345u;
    MPI_Type_create_indexed_block(2, 1, ends, MPI_LONG, &gaps);
    MPI_Type_commit(&gaps);
    ct_mpit_begin();
    counted = ct_pvar_find("rma_copies", &copies);
    for (kind = 0; kind < KINDS; kind++)
        check_kind(must_copy);
    if (counted && must_copy >= 0)
        CT_CHECK((ct_pvar_read(&copies) > 0) == must_copy, "%lld system calls have copied",
                 ct_pvar_read(&copies));
    if (counted)
        ct_pvar_close(&copies);
    ct_mpit_end();
    MPI_Type_free(&gaps);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
