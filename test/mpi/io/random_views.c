/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Random file views and buffers against a model, which is the bytes of the file.  Transfers take
 * explicit offsets, individual and shared pointers, alone and together, blocking, nonblocking and
 * in two parts, native and in external32.  Hints cut the transfers into small pieces.
 *
 * random_views [views] [seed] [first]
 * All processes draw the same, also what the others do, so that each knows the whole file.  A
 * failure prints the seed, the number and the types; `random_views 1 SEED NUMBER` runs it alone.
 */
#include <unistd.h>
#include "mpitest.h"
#include "cmaptest_types.h"

enum { MOST_RANKS = 8, FILE_BYTES = 600000, STEPS = 8, MOST_DATA = 3000 };
enum { EXPLICIT, INDIVIDUAL, SHARED }; /* pointers */
enum { BLOCKING, NONBLOCKING, SPLIT };

static uint64_t seed;
static int size, number;
static ct_rng rng; /* the same on all */
static MPI_File file;
static char name[300];
static char *model; /* the bytes of the file */
static ct_type etype, filetype, buftype;
static bool external;
static int per_tile; /* etypes in a copy of the file type */
static MPI_Offset disps[MOST_RANKS], position[MOST_RANKS], shared_position;
static MPI_Aint tile[MOST_RANKS];   /* bytes from one copy to the next */
static MPI_Offset room[MOST_RANKS]; /* etypes that the file has for a process */
static char history[3000];

#define CHECK(cond, what, ...) \
    CT_CHECK(cond, "seed %llu, view %d: " what "; %sview of %.700s by %.200s, buffer %.500s:%s", \
             (unsigned long long) seed, number, __VA_ARGS__, external ? "external32 " : "", \
             filetype.text, etype.text, buftype.text, history)

static void note(const char *format, ...)
{
    size_t used = strlen(history);
    va_list args;

    va_start(args, format);
    vsnprintf(history + used, sizeof(history) - used, format, args);
    va_end(args);
}

/* ---- the model of the file ---- */

/* Where number k of etype `at` of the view of a process is in the file */
static MPI_Offset place_in_file(int rank, MPI_Offset at, int k)
{
    MPI_Offset copy = at / per_tile;
    const ct_entry *e = &filetype.entries[at % per_tile * etype.n + k];

    return disps[rank] + copy * tile[rank] + (external ? e->external_at : e->at);
}

static void write_number(int rank, MPI_Offset at, int k, const char *from)
{
    const ct_number *n = &etype.entries[k].number;
    char *to = model + place_in_file(rank, at, k);

    if (external)
        ct_number_external(n, from, to);
    else
        memcpy(to, from, n->size);
}

/* Whether the file has this number there */
static bool same_number(int rank, MPI_Offset at, int k, const char *number)
{
    const ct_number *n = &etype.entries[k].number;
    char bytes[32];

    if (!external)
        return !memcmp(model + place_in_file(rank, at, k), number, n->size);
    ct_number_external(n, number, bytes);
    return !memcmp(model + place_in_file(rank, at, k), bytes, n->external);
}

/* ---- buffers ---- */

typedef struct buffer {
    MPI_Aint bytes;
    char *memory, *origin;
    int count; /* of buftype */
    int etypes;
} buffer;

enum { GAP = 0x5a, EDGE = 64 };

static buffer buffer_new(int count)
{
    MPI_Aint extent = ct_extent(&buftype) * (count > 0 ? count - 1 : 0);
    MPI_Aint lb = ct_true_lb(&buftype) + (extent < 0 ? extent : 0);
    MPI_Aint ub = ct_true_ub(&buftype) + (extent > 0 ? extent : 0);
    buffer b = {.count = count};

    lb = lb < 0 ? lb : 0;
    ub = ub > 0 ? ub : 0;
    b.etypes = count * (buftype.n / etype.n);
    b.bytes = EDGE * 2 - lb + ub;
    b.memory = ct_alloc(b.bytes, 1);
    b.origin = b.memory + EDGE - lb;
    memset(b.memory, GAP, b.bytes);
    return b;
}

/* Number k of etype i in a buffer */
static char *place(const buffer *b, int i, int k)
{
    int at = i * etype.n + k;

    return b->origin + at / buftype.n * ct_extent(&buftype) + buftype.entries[at % buftype.n].at;
}

static uint64_t values_of(int rank, int step)
{
    return seed * 7919 + number * 1000 + step * 10 + rank;
}

static void buffer_fill(const buffer *b, int rank, int step)
{
    ct_rng values = {values_of(rank, step)};

    for (int i = 0; i < b->etypes; i++) {
        for (int k = 0; k < etype.n; k++)
            ct_number_put(&etype.entries[k].number, &values, place(b, i, k));
    }
}

/* ---- one operation ---- */

typedef struct step {
    bool write, collective;
    int pointer, how, number;
    int count[MOST_RANKS];     /* copies of buftype */
    MPI_Offset at[MOST_RANKS]; /* etypes */
} step;

static bool takes_part(const step *s, int rank) { return s->collective || s->count[rank] > 0; }

/* `verb` and `place` stand in the names of MPI's functions; then come their arguments before the
 * datatype. */
#define TRANSFER(verb, place, ...) \
    do { \
        MPI_Datatype t = buftype.type; \
        MPI_Request request; \
\
        if (s->how == NONBLOCKING && s->collective) \
            MPI_File_i##verb##place##_all(__VA_ARGS__, t, &request); \
        else if (s->how == NONBLOCKING) \
            MPI_File_i##verb##place(__VA_ARGS__, t, &request); \
        else if (s->how == SPLIT) \
            MPI_File_##verb##place##_all_begin(__VA_ARGS__, t); \
        else if (s->collective) \
            MPI_File_##verb##place##_all(__VA_ARGS__, t, status); \
        else \
            MPI_File_##verb##place(__VA_ARGS__, t, status); \
        if (s->how == NONBLOCKING) \
            MPI_Wait(&request, status); \
        else if (s->how == SPLIT) \
            MPI_File_##verb##place##_all_end(file, b->origin, status); \
    } while (0)

#define TRANSFER_SHARED(verb) \
    do { \
        MPI_Datatype t = buftype.type; \
        MPI_Request request; \
\
        if (s->collective && s->how == SPLIT) { \
            MPI_File_##verb##_ordered_begin(file, b->origin, b->count, t); \
            MPI_File_##verb##_ordered_end(file, b->origin, status); \
        } else if (s->collective) { \
            MPI_File_##verb##_ordered(file, b->origin, b->count, t, status); \
        } else if (s->how == NONBLOCKING) { \
            MPI_File_i##verb##_shared(file, b->origin, b->count, t, &request); \
            MPI_Wait(&request, status); \
        } else { \
            MPI_File_##verb##_shared(file, b->origin, b->count, t, status); \
        } \
    } while (0)

static void transfer(const step *s, const buffer *b, MPI_Status *status)
{
    MPI_Offset at = s->at[ct_me];

    if (s->pointer == EXPLICIT && s->write)
        TRANSFER(write, _at, file, at, b->origin, b->count);
    else if (s->pointer == EXPLICIT)
        TRANSFER(read, _at, file, at, b->origin, b->count);
    else if (s->pointer == INDIVIDUAL && s->write)
        TRANSFER(write, , file, b->origin, b->count);
    else if (s->pointer == INDIVIDUAL)
        TRANSFER(read, , file, b->origin, b->count);
    else if (s->write)
        TRANSFER_SHARED(write);
    else
        TRANSFER_SHARED(read);
}

static void check_status(const step *s, const buffer *b, MPI_Status *status)
{
    int count;

    MPI_Get_count(status, buftype.type, &count);
    CHECK(count == b->count, "step %d: %d copies, not %d", s->number, count, b->count);
}

static void check_read(const step *s, const buffer *b)
{
    char *seen = ct_alloc(b->bytes, 1);

    for (int i = 0; i < b->etypes; i++) {
        for (int k = 0; k < etype.n; k++) {
            int bytes = etype.entries[k].number.size;
            char *at = place(b, i, k);

            if (!same_number(ct_me, s->at[ct_me] + i, k, at)) {
                CHECK(0, "step %d: number %d of etype %d is not what is at byte %ld", s->number, k,
                      i, (long) place_in_file(ct_me, s->at[ct_me] + i, k));
                free(seen);
                return;
            }
            memset(seen + (at - b->memory), 1, bytes);
        }
    }
    for (MPI_Aint i = 0; i < b->bytes; i++) {
        if (!seen[i] && b->memory[i] != GAP) {
            CHECK(0, "step %d: a read writes into a gap", s->number);
            break;
        }
    }
    free(seen);
}

/* All processes write to the model. */
static void model_write(const step *s)
{
    for (int r = 0; r < size; r++) {
        buffer b = buffer_new(s->count[r]);

        buffer_fill(&b, r, s->number);
        for (int i = 0; i < b.etypes; i++) {
            for (int k = 0; k < etype.n; k++)
                write_number(r, s->at[r] + i, k, place(&b, i, k));
        }
        free(b.memory);
    }
}

static void check_position(const step *s)
{
    MPI_Offset at, byte;

    MPI_File_get_position(file, &at);
    CHECK(at == position[ct_me], "step %d: position %ld, not %ld", s->number, (long) at,
          (long) position[ct_me]);
    MPI_File_get_byte_offset(file, at, &byte);
    if (etype.n > 0 && etype.entries[0].at == 0 && !external)
        CHECK(byte == place_in_file(ct_me, at, 0), "step %d: etype %ld is at byte %ld, not %ld",
              s->number, (long) at, (long) byte, (long) place_in_file(ct_me, at, 0));
}

static void run_step(const step *s)
{
    buffer b = buffer_new(s->count[ct_me]);
    MPI_Status status;

    if (s->write)
        buffer_fill(&b, ct_me, s->number);
    if (takes_part(s, ct_me)) {
        transfer(s, &b, &status);
        check_status(s, &b, &status);
    }
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(file);
    if (s->write)
        model_write(s);
    else
        check_read(s, &b);
    check_position(s);
    free(b.memory);
}

/* ---- what is drawn ---- */

/* The etypes that a process may use: all of its view, or a part where all have one view */
static MPI_Offset first_of(int rank, bool together)
{
    return together ? room[rank] / size * rank : 0;
}

static MPI_Offset end_of(int rank, bool together)
{
    return together ? room[rank] / size * (rank + 1) : room[rank];
}

/* A number of copies of the buffer's type that come to `etypes` etypes at most */
static int draw_count(MPI_Offset etypes)
{
    int most = MOST_DATA / (int) (buftype.size * size + 1) + 1;
    int fit = (int) etypes / (buftype.n / etype.n);

    most = fit < most ? fit : most;
    if (most <= 0)
        return 0;
    return ct_below(&rng, 3) ? ct_below(&rng, most + 1) : ct_below(&rng, 2);
}

static MPI_Offset draw_offset(int rank, bool together)
{
    MPI_Offset first = first_of(rank, together), etypes = end_of(rank, together) - first;
    int most = 2 * (buftype.n / etype.n) + 1;

    return first + ct_below(&rng, etypes < most ? (int) etypes + 1 : most);
}

static void draw_places(step *s, bool together, bool one_writes)
{
    int each = buftype.n / etype.n, only = ct_below(&rng, size);

    for (int r = 0; r < size; r++) {
        if (s->pointer == EXPLICIT) {
            s->at[r] = draw_offset(r, together);
            s->count[r] = draw_count(end_of(r, together) - s->at[r]);
        } else if (s->pointer == INDIVIDUAL) {
            s->at[r] = position[r];
            s->count[r] = draw_count(end_of(r, together) - position[r]);
            position[r] += s->count[r] * each;
        } else {
            s->at[r] = shared_position;
            s->count[r] = one_writes && r != only ? 0 : draw_count(room[r] - shared_position);
            shared_position += s->count[r] * each;
        }
    }
}

/* Moves the individual pointers. */
static void seek(bool together)
{
    for (int r = 0; r < size; r++) {
        MPI_Offset to = draw_offset(r, together);
        bool relative = ct_below(&rng, 2);

        if (r == ct_me)
            MPI_File_seek(file, relative ? to - position[r] : to,
                          relative ? MPI_SEEK_CUR : MPI_SEEK_SET);
        position[r] = to;
    }
    note(" seek;");
}

static void run_steps(bool together)
{
    static const char *const pointers[] = {"explicit", "individual", "shared"};
    static const char *const ways[] = {"", " nonblocking", " split"};

    for (int i = 0; i < STEPS; i++) {
        step s = {.number = i};
        bool one_writes;

        s.write = ct_below(&rng, 2);
        s.pointer = ct_below(&rng, together ? 3 : 2);
        s.collective = ct_below(&rng, 2);
        s.how = ct_below(&rng, s.collective ? 3 : 2);
        /* the order of those who use the shared pointer is not known */
        one_writes = s.pointer == SHARED && !s.collective;
        if (s.pointer == INDIVIDUAL && (together || ct_below(&rng, 2)))
            seek(together);
        draw_places(&s, together, one_writes);
        note(" %s %s%s%s;", s.write ? "write" : "read", pointers[s.pointer],
             s.collective ? " together" : "", ways[s.how]);
        run_step(&s);
    }
}

static MPI_Info random_hints(void)
{
    static const char *const sizes[] = {"32", "100", "1000", "10000"};
    static const char *const ways[] = {"enable", "disable", "automatic"};
    static const char *const names[] = {"romio_cb_write", "romio_cb_read", "romio_ds_write",
                                        "romio_ds_read"};
    static const char *const buffers[] = {"cb_buffer_size", "ind_rd_buffer_size",
                                          "ind_wr_buffer_size"};
    MPI_Info info;

    MPI_Info_create(&info);
    for (int i = 0; i < 4; i++) {
        const char *way = ways[ct_below(&rng, 3)];

        if (ct_below(&rng, 2))
            MPI_Info_set(info, names[i], way);
    }
    for (int i = 0; i < 3; i++) {
        const char *bytes = sizes[ct_below(&rng, 4)];

        if (ct_below(&rng, 2))
            MPI_Info_set(info, buffers[i], bytes);
    }
    return info;
}

/* A type whose numbers have no bytes without meaning */
static ct_type plain_type(const ct_shape *shape, int depth)
{
    for (;;) {
        ct_type t = ct_type_random(&rng, shape, depth);
        bool plain = t.n > 0 && t.size <= 200;

        for (int i = 0; i < t.n; i++)
            plain = plain && ct_significant(&t.entries[i].number) == t.entries[i].number.size;
        /* places of two views must not meet in an etype */
        if (plain && ct_true_lb(&t) >= t.lb && ct_true_ub(&t) <= t.ub)
            return t;
        ct_type_free(&t);
    }
}

static ct_type filled_type(const ct_shape *shape, int depth, MPI_Aint most)
{
    for (;;) {
        ct_type t = ct_type_random(&rng, shape, depth);
        MPI_Aint gap = ct_extent(&t) < 0 ? -ct_extent(&t) : ct_extent(&t);

        if (t.n > 0 && t.size <= most && gap >= ct_true_ub(&t) - ct_true_lb(&t))
            return t;
        ct_type_free(&t);
    }
}

static bool in_order(const ct_type *t)
{
    for (int i = 1; i < t->n; i++) {
        if (t->entries[i].at < t->entries[i - 1].at + t->entries[i - 1].number.size ||
            t->entries[i].external_at <
                t->entries[i - 1].external_at + t->entries[i - 1].number.external)
            return false;
    }
    return t->n == 0 || (t->entries[0].at >= 0 && t->entries[0].external_at >= 0);
}

/* The views of all: one for all, side by side, or in turns */
static bool set_views(void)
{
    int how = ct_below(&rng, 3);
    MPI_Aint extent = external ? ct_external_extent(&filetype) : ct_extent(&filetype);
    MPI_Offset begin = ct_below(&rng, 50);
    MPI_Datatype view = filetype.type;

    for (int r = 0; r < size; r++) {
        MPI_Offset end = how == 1 ? FILE_BYTES / size * (r + 1) : FILE_BYTES;

        disps[r] = begin + (how == 1 ? FILE_BYTES / size * r : how == 2 ? r * extent : 0);
        tile[r] = how == 2 ? size * extent : extent;
        room[r] = (end - disps[r]) / tile[r] * per_tile;
        position[r] = 0;
    }
    shared_position = 0;
    if (how == 2) {
        MPI_Type_create_resized(filetype.type, filetype.lb, size * extent, &view);
        MPI_Type_commit(&view);
    }
    note(" %s at %d;", how == 0 ? "one view" : how == 1 ? "side by side" : "in turns", (int) begin);
    MPI_File_set_view(file, disps[ct_me], etype.type, view, external ? "external32" : "native",
                      MPI_INFO_NULL);
    if (how == 2)
        MPI_Type_free(&view);
    return how == 0;
}

/* All bytes of the file, as the operating system sees them */
static void check_file(void)
{
    char *bytes = ct_alloc(FILE_BYTES, 1);
    FILE *f = fopen(name, "rb");
    size_t n = f ? fread(bytes, 1, FILE_BYTES, f) : 0;

    if (f)
        fclose(f);
    CHECK(n == FILE_BYTES, "%ld bytes in the file", (long) n);
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] != model[i]) {
            CHECK(0, "byte %ld of the file is wrong", (long) i);
            break;
        }
    }
    free(bytes);
}

/* A file that is full of something */
static void new_file(void)
{
    for (int i = 0; i < FILE_BYTES; i++)
        model[i] = (char) (i * 7 + i / 256);
    if (ct_me == 0) {
        FILE *f = fopen(name, "wb");

        if (!f || fwrite(model, 1, FILE_BYTES, f) != FILE_BYTES || fclose(f))
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void one_view(void)
{
    ct_shape small = {.forward = true, .pairs = true}, forward = {.forward = true}, any = {0};
    MPI_Info info = random_hints();
    bool together;

    history[0] = 0;
    external = ct_below(&rng, 4) == 0;
    do {
        etype = plain_type(&small, ct_below(&rng, 3));
    } while (!in_order(&etype));
    MPI_Type_commit(&etype.type);
    forward.leaf = any.leaf = &etype;
    for (;;) {
        filetype = filled_type(&forward, 1 + ct_below(&rng, 3), 2000);
        if (in_order(&filetype))
            break;
        ct_type_free(&filetype);
    }
    MPI_Type_commit(&filetype.type);
    buftype = filled_type(&any, ct_below(&rng, 3), 600);
    MPI_Type_commit(&buftype.type);
    per_tile = filetype.n / etype.n;

    new_file();
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR, info, &file);
    together = set_views();
    if (ct_below(&rng, 4) == 0)
        MPI_File_set_atomicity(file, 1);
    run_steps(together);
    MPI_File_close(&file);
    check_file();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Info_free(&info);
    ct_type_free(&etype);
    ct_type_free(&filetype);
    ct_type_free(&buftype);
}

int main(int argc, char **argv)
{
    int views = argc > 1 ? atoi(argv[1]) : 100, first = argc > 3 ? atoi(argv[3]) : 0;
    const char *folder = getenv("TMPDIR");

    seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(name, sizeof(name), "%s/random_views.%d", folder ? folder : "/tmp", (int) getpid());
    MPI_Bcast(name, sizeof(name), MPI_CHAR, 0, MPI_COMM_WORLD);
    model = ct_alloc(FILE_BYTES, 1);
    for (number = first; number < first + views; number++) {
        rng.state = seed * 1000003 + number;
        one_view();
    }
    if (ct_me == 0)
        unlink(name);
    free(model);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
