/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A request is complete when MPI says so: the data of MPI_Rget and MPI_Rget_accumulate are there
 * when MPI_Wait returns, and the origin buffer of MPI_Rput and MPI_Raccumulate may be overwritten,
 * whatever the datatypes of origin and target.
 *
 * Each process has a block in the memory of each target, where it alone writes.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { PUT, GET, ACC, GET_ACC, KINDS };
enum { WAIT, WAITALL, TEST, TESTALL, COMPLETIONS };
enum { MOST_REQUESTS = 4, PART = 20000, BLOCK = MOST_REQUESTS * PART };

static const char *const kind_names[] = {"Rput", "Rget", "Raccumulate", "Rget_accumulate"};

/* Of types with the same number of bytes in one element, all of ints or all pairs. */
typedef struct {
    const char *name;
    MPI_Datatype type;
    int is_pair;
} layout;

static layout layouts[8];
static int n_layouts, size;
static MPI_Win win;
static char *origin, *result, *model, *there;
static ct_rng mine;

static void add_layout(const char *name, MPI_Datatype type, int is_pair)
{
    MPI_Type_commit(&type);
    layouts[n_layouts++] = (layout){name, type, is_pair};
}

/* A pair of a double and an int has a gap behind it. */
static void make_layouts(void)
{
    MPI_Datatype type, part;
    int lengths[] = {1, 2, 1}, places[] = {5, 0, 3};

    MPI_Type_contiguous(4, MPI_INT, &type);
    add_layout("contiguous", type, 0);
    MPI_Type_vector(4, 1, 2, MPI_INT, &type);
    add_layout("vector", type, 0);
    MPI_Type_indexed(3, lengths, places, MPI_INT, &type);
    add_layout("indexed", type, 0);
    MPI_Type_contiguous(4, MPI_INT, &part);
    MPI_Type_create_resized(part, 0, 28, &type);
    MPI_Type_free(&part);
    add_layout("resized", type, 0);
    MPI_Type_dup(MPI_DOUBLE_INT, &type);
    add_layout("copy of a pair", type, 1);
    MPI_Type_vector(1, 1, 1, MPI_DOUBLE_INT, &type);
    add_layout("vector of a pair", type, 1);
}

static void free_layouts(void)
{
    while (n_layouts > 0)
        MPI_Type_free(&layouts[--n_layouts].type);
}

static void randomize(char *buffer, size_t bytes)
{
    for (size_t i = 0; i + sizeof(uint32_t) <= bytes; i += sizeof(uint32_t)) {
        uint32_t word = ct_random(&mine) >> 8;
        memcpy(&buffer[i], &word, sizeof(word));
    }
}

static MPI_Aint my_block(void) { return (MPI_Aint) ct_me * BLOCK; }

/* What the target has in this process' block, by calls whose completion is that of the flush. */
static void write_block(int target)
{
    MPI_Put(model, BLOCK, MPI_BYTE, target, my_block(), BLOCK, MPI_BYTE, win);
    MPI_Win_flush(target, win);
}

static void read_block(int target)
{
    MPI_Get(there, BLOCK, MPI_BYTE, target, my_block(), BLOCK, MPI_BYTE, win);
    MPI_Win_flush(target, win);
}

static int pack(const char *from, int count, MPI_Datatype type, int *data)
{
    int bytes = 0;

    MPI_Pack(from, count, type, data, PART, &bytes, MPI_COMM_SELF);
    return bytes;
}

/* The operation on the model; `wanted` gets what the result is to hold. */
static void apply(int kind, char *origin_part, char *wanted, const layout *at_origin,
                  char *model_part, const layout *at_target, int count, MPI_Op op)
{
    static int data[PART / sizeof(int)], old[PART / sizeof(int)];
    int bytes = pack(model_part, count, at_target->type, old), position = 0;

    if (kind == GET || kind == GET_ACC)
        MPI_Unpack(old, bytes, &position, wanted, count, at_origin->type, MPI_COMM_SELF);
    if (kind == GET || op == MPI_NO_OP)
        return;
    pack(origin_part, count, at_origin->type, data);
    for (int i = 0; op == MPI_SUM && i < bytes / (int) sizeof(int); i++)
        data[i] += old[i];
    position = 0;
    MPI_Unpack(data, bytes, &position, model_part, count, at_target->type, MPI_COMM_SELF);
}

static void call(int kind, int part, const layout *at_origin, int target, const layout *at_target,
                 int count, MPI_Op op, MPI_Request *request)
{
    MPI_Aint disp = my_block() + part * PART;
    char *in = origin + part * PART, *out = result + part * PART;

    if (kind == PUT)
        MPI_Rput(in, count, at_origin->type, target, disp, count, at_target->type, win, request);
    else if (kind == GET)
        MPI_Rget(out, count, at_origin->type, target, disp, count, at_target->type, win, request);
    else if (kind == ACC)
        MPI_Raccumulate(in, count, at_origin->type, target, disp, count, at_target->type, op, win,
                        request);
    else
        MPI_Rget_accumulate(in, count, at_origin->type, out, count, at_origin->type, target, disp,
                            count, at_target->type, op, win, request);
}

static void complete(int how, int n, MPI_Request *requests)
{
    int done = 0;

    if (how == WAITALL)
        MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    while (how == TESTALL && !done)
        MPI_Testall(n, requests, &done, MPI_STATUSES_IGNORE);
    for (int i = 0; i < n; i++) {
        if (how == WAIT)
            MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        for (done = how != TEST; !done;)
            MPI_Test(&requests[i], &done, MPI_STATUS_IGNORE);
    }
}

/* n requests at once, each on a part of its own. */
static void round_of(int kind, int target, const layout *at_origin, const layout *at_target,
                     int count, int n, int how)
{
    static char wanted[BLOCK];
    MPI_Request requests[MOST_REQUESTS];
    MPI_Op op = kind == PUT || at_origin->is_pair            ? MPI_REPLACE
                : kind == GET_ACC && ct_below(&mine, 3) == 0 ? MPI_NO_OP
                                                             : MPI_SUM;

    randomize(model, BLOCK);
    write_block(target);
    randomize(origin, BLOCK);
    randomize(result, BLOCK);
    memcpy(wanted, result, BLOCK);
    for (int i = 0; i < n; i++) {
        apply(kind, origin + i * PART, wanted + i * PART, at_origin, model + i * PART, at_target,
              count, op);
        call(kind, i, at_origin, target, at_target, count, op, &requests[i]);
    }
    complete(how, n, requests);
    CT_CHECK(!memcmp(result, wanted, BLOCK),
             "%s of %d %s from %d, there %s: the data have not arrived", kind_names[kind], count,
             at_origin->name, target, at_target->name);
    memset(origin, 0xff, BLOCK);
    MPI_Win_flush(target, win);
    read_block(target);
    CT_CHECK(!memcmp(there, model, BLOCK), "%s of %d %s to %d, there %s: wrong data",
             kind_names[kind], count, at_origin->name, target, at_target->name);
}

static void check_nobody(int kind, const layout *at_origin, const layout *at_target)
{
    MPI_Request request = MPI_REQUEST_NULL;

    call(kind, 0, at_origin, MPI_PROC_NULL, at_target, 3, MPI_REPLACE, &request);
    complete(WAIT, 1, &request);
}

static void check_pair(int target, const layout *at_origin, const layout *at_target)
{
    static const int counts[] = {0, 1, 100, 600};

    for (int kind = 0; kind < KINDS; kind++) {
        for (int i = 0; i < 4; i++)
            round_of(kind, target, at_origin, at_target, counts[i],
                     1 + ct_below(&mine, MOST_REQUESTS), ct_below(&mine, COMPLETIONS));
        check_nobody(kind, at_origin, at_target);
    }
}

static void check_target(int target)
{
    for (int i = 0; i < n_layouts; i++) {
        for (int j = 0; j < n_layouts; j++) {
            if (layouts[i].is_pair == layouts[j].is_pair)
                check_pair(target, &layouts[i], &layouts[j]);
        }
    }
}

static void check_window(int allocated)
{
    MPI_Aint bytes = (MPI_Aint) size * BLOCK;
    char *memory = NULL, *base;

    if (allocated) {
        MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    } else {
        memory = ct_alloc(1, bytes);
        MPI_Win_create(memory, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    }
    MPI_Win_lock_all(0, win);
    for (int i = 1; i < size; i++)
        check_target((ct_me + i) % size);
    MPI_Win_unlock_all(win);
    MPI_Win_lock(MPI_LOCK_SHARED, ct_me / 2, 0, win);
    check_target(ct_me / 2);
    MPI_Win_unlock(ct_me / 2, win);
    MPI_Win_free(&win);
    free(memory);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    mine.state = (uint64_t) ct_me;
    origin = ct_alloc(1, BLOCK);
    result = ct_alloc(1, BLOCK);
    model = ct_alloc(1, BLOCK);
    there = ct_alloc(1, BLOCK);
    make_layouts();
    for (int allocated = 0; allocated < 2; allocated++)
        check_window(allocated);
    free_layouts();
    free(origin);
    free(result);
    free(model);
    free(there);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
