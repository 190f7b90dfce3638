/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Random datatypes against a model, which is a list of numbers in memory.  Checked are bounds,
 * counts of elements, packing, external32, messages to oneself and to the next process, and
 * one-sided operations.
 *
 * random_types [types] [seed] [first]
 * All processes draw the same types.  A failure prints the seed, the number and the type; the run
 * `random_types 1 SEED NUMBER` has it alone.
 */
#include "mpitest.h"
#include "cmaptest_types.h"

static uint64_t seed;
static int size, number;
static ct_rng rng;
static const ct_type *type;

#define CHECK(cond, what, ...) \
    CT_CHECK(cond, "seed %llu, type %d: " what ": %.900s", (unsigned long long) seed, number, \
             __VA_ARGS__, type->text)

/* ---- buffers ---- */

/* Memory for copies of the type.  Displacement 0 is at `origin`. */
typedef struct buffer {
    MPI_Aint bytes, before;
    char *memory, *origin;
} buffer;

enum { GAP = 0x5a, EDGE = 64 };

static buffer buffer_new(int count)
{
    MPI_Aint extent = ct_extent(type) * (count > 0 ? count - 1 : 0);
    MPI_Aint lb = ct_true_lb(type) + (extent < 0 ? extent : 0);
    MPI_Aint ub = ct_true_ub(type) + (extent > 0 ? extent : 0);
    buffer b;

    lb = lb < 0 ? lb : 0;
    ub = ub > 0 ? ub : 0;
    b.before = (EDGE - lb + 63) / 64 * 64;
    b.bytes = b.before + ub + EDGE;
    b.memory = ct_alloc(b.bytes, 1);
    b.origin = b.memory + b.before;
    memset(b.memory, GAP, b.bytes);
    return b;
}

static char *place(const buffer *b, int copy, int entry)
{
    return b->origin + copy * ct_extent(type) + type->entries[entry].at;
}

/* What process `who` has in its buffer */
static void buffer_fill(const buffer *b, int count, int who)
{
    ct_rng values = {seed * 1000 + number * 10 + who};

    for (int i = 0; i < count; i++) {
        for (int k = 0; k < type->n; k++)
            ct_number_put(&type->entries[k].number, &values, place(b, i, k));
    }
}

/* The bytes of b that are others than in `want`; what is no number is compared, too. */
static MPI_Aint buffer_difference(const buffer *b, const buffer *want, int count)
{
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < type->n; k++) {
            const ct_number *n = &type->entries[k].number;
            int used = ct_significant(n);

            if (memcmp(place(b, i, k), place(want, i, k), used))
                return place(b, i, k) - b->origin;
            /* the rest of an extended double has any value */
            memset(place(b, i, k) + used, 0, n->size - used);
            memset(place(want, i, k) + used, 0, n->size - used);
        }
    }
    for (MPI_Aint i = 0; i < b->bytes; i++) {
        if (b->memory[i] != want->memory[i])
            return i - b->before;
    }
    return -1000000;
}

#define CHECK_BUFFER(b, want, count, what) \
    do { \
        MPI_Aint at_ = buffer_difference(b, want, count); \
        CHECK(at_ == -1000000, "%s: %d copies differ at byte %ld", what, count, (long) at_); \
    } while (0)

/* ---- one type ---- */

static void check_bounds(void)
{
    MPI_Aint lb, extent, true_lb, true_extent;
    int bytes;

    MPI_Type_size(type->type, &bytes);
    CHECK(bytes == type->size, "size %d, not %ld", bytes, (long) type->size);
    MPI_Type_get_extent(type->type, &lb, &extent);
    CHECK(lb == type->lb && extent == ct_extent(type), "bounds %ld, %ld, not %ld, %ld", (long) lb,
          (long) (lb + extent), (long) type->lb, (long) type->ub);
    MPI_Type_get_true_extent(type->type, &true_lb, &true_extent);
    if (type->n == 0)
        CHECK(true_extent == 0, "true extent %ld of nothing", (long) true_extent);
    else
        CHECK(true_lb == ct_true_lb(type) && true_lb + true_extent == ct_true_ub(type),
              "true bounds %ld, %ld, not %ld, %ld", (long) true_lb, (long) (true_lb + true_extent),
              (long) ct_true_lb(type), (long) ct_true_ub(type));
}

/* Some elements, in a status */
static void check_elements(void)
{
    int all = ct_elements(type), n = ct_below(&rng, 3 * all + 1), count, elements;
    MPI_Status status = {0};

    if (all == 0)
        n = 0;
    MPI_Status_set_elements(&status, type->type, n);
    MPI_Get_elements(&status, type->type, &elements);
    CHECK(elements == n, "%d elements of %d are %d", n, all, elements);
    MPI_Get_count(&status, type->type, &count);
    if (all > 0)
        CHECK(count == (n % all ? MPI_UNDEFINED : n / all), "%d elements of %d are %d copies", n,
              all, count);
}

/* The packed form of a buffer, by the model */
static char *packed_form(const buffer *b, int count)
{
    char *bytes = ct_alloc(type->size * count, 1), *at = bytes;

    for (int i = 0; i < count; i++) {
        for (int k = 0; k < type->n; k++) {
            memcpy(at, place(b, i, k), type->entries[k].number.size);
            at += type->entries[k].number.size;
        }
    }
    return bytes;
}

/* Which byte of packed bytes is wrong, or -1 */
static MPI_Aint packed_difference(const char *bytes, const char *want, int count)
{
    const char *at = bytes;

    for (int i = 0; i < count; i++) {
        for (int k = 0; k < type->n; k++) {
            const ct_number *n = &type->entries[k].number;

            if (memcmp(at, want, ct_significant(n)))
                return at - bytes;
            at += n->size;
            want += n->size;
        }
    }
    return -1;
}

static void check_pack(int count)
{
    buffer in = buffer_new(count), out = buffer_new(count);
    MPI_Aint bytes = type->size * count;
    int room, position = 3, first = count ? ct_below(&rng, count + 1) : 0;
    char *want, *packed;

    buffer_fill(&in, count, ct_me);
    want = packed_form(&in, count);
    MPI_Pack_size(count, type->type, MPI_COMM_WORLD, &room);
    CHECK(room >= bytes, "pack size %d of %ld bytes", room, (long) bytes);
    packed = ct_alloc(bytes + 4, 1);
    memset(packed, GAP, bytes + 4);
    /* in two parts */
    MPI_Pack(in.origin, first, type->type, packed, (int) bytes + 3, &position, MPI_COMM_WORLD);
    MPI_Pack(in.origin + first * ct_extent(type), count - first, type->type, packed,
             (int) bytes + 3, &position, MPI_COMM_WORLD);
    CHECK(position == bytes + 3, "pack of %d copies moves by %d", count, position - 3);
    CHECK(packed_difference(packed + 3, want, count) < 0, "pack of %d copies: byte %ld is wrong",
          count, (long) packed_difference(packed + 3, want, count));
    CHECK(packed[2] == GAP && packed[bytes + 3] == GAP, "pack of %d copies writes too much", count);

    position = 0;
    MPI_Unpack(want, (int) bytes, &position, out.origin, count, type->type, MPI_COMM_WORLD);
    CHECK(position == bytes, "unpack of %d copies moves by %d", count, position);
    CHECK_BUFFER(&out, &in, count, "unpack");
    free(want);
    free(packed);
    free(in.memory);
    free(out.memory);
}

static void check_external(int count)
{
    buffer in = buffer_new(count), out = buffer_new(count);
    MPI_Aint bytes = ct_external_size(type) * count, room, position = 1;
    char *want = ct_alloc(bytes, 1), *packed = ct_alloc(bytes + 2, 1), *at = want;

    buffer_fill(&in, count, ct_me);
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < type->n; k++) {
            ct_number_external(&type->entries[k].number, place(&in, i, k), at);
            at += type->entries[k].number.external;
        }
    }
    packed[bytes + 1] = GAP;
    MPI_Pack_external_size("external32", count, type->type, &room);
    CHECK(room == bytes, "external32 of %d copies: size %ld, not %ld", count, (long) room,
          (long) bytes);
    MPI_Pack_external("external32", in.origin, count, type->type, packed, bytes + 1, &position);
    CHECK(position == bytes + 1, "external32 of %d copies moves by %ld, not %ld", count,
          (long) position - 1, (long) bytes);
    for (MPI_Aint i = 0; i < bytes; i++) {
        if (packed[i + 1] != want[i]) {
            CHECK(0, "external32 of %d copies: byte %ld is wrong", count, (long) i);
            break;
        }
    }
    CHECK(packed[bytes + 1] == GAP, "external32 of %d copies writes too much", count);
    position = 0;
    MPI_Unpack_external("external32", want, bytes, &position, out.origin, count, type->type);
    CHECK_BUFFER(&out, &in, count, "unpack of external32");
    free(want);
    free(packed);
    free(in.memory);
    free(out.memory);
}

/* A message from the process before to me, by the type or packed on either side */
static void check_message(int count, int before, int after)
{
    buffer in = buffer_new(count), out = buffer_new(count), want = buffer_new(count);
    int bytes = (int) type->size * count, way = ct_below(&rng, 3), got;
    char *packed, *arrived = ct_alloc(bytes, 1);
    MPI_Request requests[2];
    MPI_Status status[2];

    buffer_fill(&in, count, ct_me);
    buffer_fill(&want, count, before);
    packed = packed_form(&in, count);
    if (way == 1)
        MPI_Irecv(arrived, bytes, MPI_PACKED, before, number, MPI_COMM_WORLD, &requests[0]);
    else
        MPI_Irecv(out.origin, count, type->type, before, number, MPI_COMM_WORLD, &requests[0]);
    if (way == 2)
        MPI_Isend(packed, bytes, MPI_PACKED, after, number, MPI_COMM_WORLD, &requests[1]);
    else
        MPI_Isend(in.origin, count, type->type, after, number, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, status);
    MPI_Get_count(&status[0], MPI_BYTE, &got);
    CHECK(got == bytes, "message of %d bytes has %d", bytes, got);
    if (way == 1) {
        int position = 0;

        MPI_Unpack(arrived, bytes, &position, out.origin, count, type->type, MPI_COMM_WORLD);
    }
    CHECK_BUFFER(&out, &want, count, "message");
    free(packed);
    free(arrived);
    free(in.memory);
    free(out.memory);
    free(want.memory);
}

enum { PUT, GET, REPLACE, SUM, OPERATIONS };

static void add_numbers(const buffer *to, const buffer *from, int count)
{
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < type->n; k++) {
            char *a = place(to, i, k);
            const char *b = place(from, i, k);

            if (type->basic->type == MPI_INT)
                *(int *) a = (int) ((unsigned) *(int *) a + (unsigned) *(int *) b);
            else
                *(short *) a = (short) (*(short *) a + *(short *) b);
        }
    }
}

/* The operation of each process on the window of the next one */
static void check_one_sided(int count)
{
    int before = (ct_me + size - 1) % size, after = (ct_me + 1) % size;
    int what = ct_below(&rng, type->basic ? OPERATIONS : REPLACE);
    buffer window = buffer_new(count), here = buffer_new(count), want = buffer_new(count);
    const buffer *result = &window;
    MPI_Win win;

    if (what == SUM && type->basic->type != MPI_INT && type->basic->type != MPI_SHORT)
        what = REPLACE;
    buffer_fill(&here, count, ct_me);
    if (what == GET || what == SUM)
        buffer_fill(&window, count, ct_me + size);
    if (what == GET) {
        memset(here.memory, GAP, here.bytes);
        buffer_fill(&want, count, after + size);
        result = &here;
    } else if (what == SUM) {
        buffer theirs = buffer_new(count);

        buffer_fill(&theirs, count, before);
        buffer_fill(&want, count, ct_me + size);
        add_numbers(&want, &theirs, count);
        free(theirs.memory);
    } else {
        buffer_fill(&want, count, before);
    }

    MPI_Win_create(window.memory, window.bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (what == PUT)
        MPI_Put(here.origin, count, type->type, after, window.before, count, type->type, win);
    else if (what == GET)
        MPI_Get(here.origin, count, type->type, after, window.before, count, type->type, win);
    else
        MPI_Accumulate(here.origin, count, type->type, after, window.before, count, type->type,
                       what == SUM ? MPI_SUM : MPI_REPLACE, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    CHECK_BUFFER(result, &want, count,
                 what == PUT   ? "put"
                 : what == GET ? "get"
                 : what == SUM ? "sum"
                               : "replace");
    free(window.memory);
    free(here.memory);
    free(want.memory);
}

/* Copies that do not overlap each other */
static bool copies_fit(const ct_type *t)
{
    MPI_Aint extent = ct_extent(t) < 0 ? -ct_extent(t) : ct_extent(t);

    return extent >= ct_true_ub(t) - ct_true_lb(t);
}

static void check_type(void)
{
    int count = ct_below(&rng, 4);

    if (!copies_fit(type))
        count = ct_below(&rng, 2);
    else if (ct_below(&rng, 8) == 0 && type->size > 0)
        count = 1 + (int) (100000 / (type->size + ct_extent(type) * ct_extent(type) % 1000 + 1));
    check_bounds();
    check_elements();
    check_pack(count);
    check_external(count);
    check_message(count, ct_me, ct_me);
    check_message(count, (ct_me + size - 1) % size, (ct_me + 1) % size);
    check_one_sided(count);
}

int main(int argc, char **argv)
{
    int types = argc > 1 ? atoi(argv[1]) : 1000, first = argc > 3 ? atoi(argv[3]) : 0;

    seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (number = first; number < first + types; number++) {
        ct_shape shape = {.pairs = true};
        ct_type t;

        rng.state = seed * 1000003 + number;
        if (ct_below(&rng, 3) == 0)
            shape.basic = &ct_basics()[3 + ct_below(&rng, 2)];
        t = ct_type_random(&rng, &shape, 1 + ct_below(&rng, 4));
        type = &t;
        MPI_Type_commit(&t.type);
        check_type();
        ct_type_free(&t);
    }
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
