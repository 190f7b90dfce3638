/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Random datatypes, each with its model: the type map as a plain list of numbers in memory.
 * The model follows the definitions of the standard and asks MPI nothing but how much a struct is
 * padded, which is up to the library.
 */
#ifndef CMAPTEST_TYPES_H_INCLUDED
#define CMAPTEST_TYPES_H_INCLUDED

#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>
#include "cmaptest_oracle.h"

/* The most entries of a type map, and how far from 0 they are */
enum { CT_MOST_ENTRIES = 300, CT_FARTHEST = 20000 };

/* ---- numbers of the predefined types ---- */

enum ct_class { CT_BYTES, CT_SIGNED, CT_UNSIGNED, CT_FLOATING, CT_BOOLEAN };

/* One number: its class, its size in memory and in external32, and whether an element begins */
typedef struct ct_number {
    enum ct_class kind;
    int size, external;
    bool begins;
} ct_number;

typedef struct ct_basic {
    MPI_Datatype type;
    MPI_Aint extent;
    int n; /* numbers */
    int at[2];
    ct_number number[2];
} ct_basic;

#define CT_ONE(type, c, kind, external) \
    { \
        type, sizeof(c), 1, {0}, \
        { \
            { \
                kind, sizeof(c), external, true \
            } \
        } \
    }
#define CT_COMPLEX(type, c, external) \
    { \
        type, 2 * sizeof(c), 2, {0, sizeof(c)}, \
        { \
            {CT_FLOATING, sizeof(c), external, true}, { CT_FLOATING, sizeof(c), external, false } \
        } \
    }
#define CT_PAIR(type, c, kind, external) \
    { \
        type, sizeof(struct { \
            c a; \
            int b; \
        }), \
            2, \
            {0, offsetof( \
                    struct { \
                        c a; \
                        int b; \
                    }, \
                    b)}, \
        { \
            {kind, sizeof(c), external, true}, { CT_SIGNED, sizeof(int), 4, true } \
        } \
    }

enum { CT_FIRST_PAIR = 22, CT_N_BASICS = 28 };

/* MPI's handles are no constants for every library */
static inline const ct_basic *ct_basics(void)
{
    static ct_basic basics[CT_N_BASICS];
    static bool filled;

    if (!filled) {
        const ct_basic all[] = {
            CT_ONE(MPI_BYTE, char, CT_BYTES, 1),
            CT_ONE(MPI_CHAR, char, CT_BYTES, 1),
            CT_ONE(MPI_UNSIGNED_CHAR, char, CT_BYTES, 1),
            CT_ONE(MPI_SHORT, short, CT_SIGNED, 2),
            CT_ONE(MPI_INT, int, CT_SIGNED, 4),
            CT_ONE(MPI_UNSIGNED, unsigned, CT_UNSIGNED, 4),
            CT_ONE(MPI_LONG, long, CT_SIGNED, 4),
            CT_ONE(MPI_UNSIGNED_LONG, unsigned long, CT_UNSIGNED, 4),
            CT_ONE(MPI_LONG_LONG, long long, CT_SIGNED, 8),
            CT_ONE(MPI_INT16_T, int16_t, CT_SIGNED, 2),
            CT_ONE(MPI_UINT64_T, uint64_t, CT_UNSIGNED, 8),
            CT_ONE(MPI_AINT, MPI_Aint, CT_SIGNED, 8),
            CT_ONE(MPI_OFFSET, MPI_Offset, CT_SIGNED, 8),
            CT_ONE(MPI_WCHAR, wchar_t, CT_UNSIGNED, 2),
            CT_ONE(MPI_C_BOOL, bool, CT_BOOLEAN, 1),
            CT_ONE(MPI_FLOAT, float, CT_FLOATING, 4),
            CT_ONE(MPI_DOUBLE, double, CT_FLOATING, 8),
            CT_ONE(MPI_LONG_DOUBLE, long double, CT_FLOATING, 16),
            CT_COMPLEX(MPI_C_FLOAT_COMPLEX, float, 4),
            CT_COMPLEX(MPI_C_DOUBLE_COMPLEX, double, 8),
            CT_COMPLEX(MPI_C_LONG_DOUBLE_COMPLEX, long double, 16),
            CT_ONE(MPI_UNSIGNED_SHORT, unsigned short, CT_UNSIGNED, 2),
            CT_PAIR(MPI_FLOAT_INT, float, CT_FLOATING, 4),
            CT_PAIR(MPI_DOUBLE_INT, double, CT_FLOATING, 8),
            CT_PAIR(MPI_LONG_INT, long, CT_SIGNED, 4),
            CT_PAIR(MPI_SHORT_INT, short, CT_SIGNED, 2),
            CT_PAIR(MPI_LONG_DOUBLE_INT, long double, CT_FLOATING, 16),
            CT_PAIR(MPI_2INT, int, CT_SIGNED, 4),
        };
        memcpy(basics, all, sizeof(basics));
        filled = true;
    }
    return basics;
}

/* The bytes of a number that mean something: 10 of those of an extended double */
static inline int ct_significant(const ct_number *number)
{
    return number->kind == CT_FLOATING && number->size == sizeof(long double) && LDBL_MANT_DIG == 64
               ? 10
               : number->size;
}

static inline bool ct_is_little_endian(void)
{
    const int one = 1;

    return *(const char *) &one == 1;
}

/* Writes a random number that external32 can hold. */
static inline void ct_number_put(const ct_number *number, ct_rng *rng, char *to)
{
    int bits = 8 * (number->external < number->size ? number->external : number->size);
    uint64_t x = ((uint64_t) ct_random(rng) << 32) | ct_random(rng);
    int64_t value = (int64_t) (x << (64 - bits)) >> (64 - bits);

    if (number->kind == CT_FLOATING) {
        float f = (float) (value >> (bits - 24)) / 3;
        double d = (double) value / 3;
        long double l = (long double) value / 3;

        memset(to, 0, number->size);
        if (number->size == sizeof(f))
            memcpy(to, &f, sizeof(f));
        else if (number->size == sizeof(d))
            memcpy(to, &d, sizeof(d));
        else
            memcpy(to, &l, ct_significant(number));
        return;
    }
    if (number->kind == CT_BOOLEAN)
        value &= 1;
    else if (number->kind == CT_UNSIGNED)
        value = (int64_t) (x << (64 - bits) >> (64 - bits));
    for (int i = 0; i < number->size; i++)
        to[ct_is_little_endian() ? i : number->size - 1 - i] = (char) (value >> 8 * i);
}

/* 80 bits as 128: the bit before the point is not stored, the fraction is longer */
static inline void ct_external_extended(const char *from, char *to)
{
    uint64_t mantissa = 0;

    memset(to, 0, 16);
    to[0] = from[9];
    to[1] = from[8];
    for (int i = 0; i < 8; i++)
        mantissa |= (uint64_t) (unsigned char) from[i] << 8 * i;
    mantissa <<= 1;
    for (int i = 0; i < 8; i++)
        to[2 + i] = (char) (mantissa >> (56 - 8 * i));
}

/* The number in external32: big-endian, the low bytes of a longer integer */
static inline void ct_number_external(const ct_number *number, const char *from, char *to)
{
    if (ct_significant(number) == 10 && number->size != 10) {
        ct_external_extended(from, to);
        return;
    }
    for (int i = 0; i < number->external; i++) {
        int low = number->external - 1 - i;

        to[i] = from[ct_is_little_endian() ? low : number->size - 1 - low];
    }
}

/* ---- models ---- */

/* A place in memory, and one in a file with the view external32.  Displacements that were given in
 * extents follow those of the file; displacements in bytes stay. */
typedef struct ct_place {
    MPI_Aint at, external;
} ct_place;

typedef struct ct_entry {
    MPI_Aint at, external_at;
    ct_number number;
} ct_entry;

typedef struct ct_type {
    MPI_Datatype type;
    const ct_basic *basic; /* the only predefined type, or NULL */
    bool mixed;            /* it has several */
    bool bounded;          /* lb and ub were given */
    MPI_Aint lb, ub;
    MPI_Aint external_lb, external_ub;
    MPI_Aint size;
    int n, room;
    ct_entry *entries;
    char text[1000]; /* how it was made */
} ct_type;

static inline MPI_Aint ct_extent(const ct_type *t) { return t->ub - t->lb; }

static inline MPI_Aint ct_external_extent(const ct_type *t)
{
    return t->external_ub - t->external_lb;
}

static inline ct_place ct_here(MPI_Aint at) { return (ct_place){at, at}; }

/* `n` extents of the type */
static inline ct_place ct_extents(MPI_Aint n, const ct_type *t)
{
    return (ct_place){n * ct_extent(t), n * ct_external_extent(t)};
}

static inline ct_place ct_plus(ct_place a, ct_place b)
{
    return (ct_place){a.at + b.at, a.external + b.external};
}

static inline MPI_Aint ct_external_size(const ct_type *t)
{
    MPI_Aint size = 0;

    for (int i = 0; i < t->n; i++)
        size += t->entries[i].number.external;
    return size;
}

static inline int ct_elements(const ct_type *t)
{
    int n = 0;

    for (int i = 0; i < t->n; i++)
        n += t->entries[i].number.begins;
    return n;
}

static inline MPI_Aint ct_true_lb(const ct_type *t)
{
    MPI_Aint lb = t->n ? t->entries[0].at : 0;

    for (int i = 1; i < t->n; i++)
        lb = t->entries[i].at < lb ? t->entries[i].at : lb;
    return lb;
}

static inline MPI_Aint ct_true_ub(const ct_type *t)
{
    MPI_Aint ub = t->n ? t->entries[0].at + t->entries[0].number.size : 0;

    for (int i = 1; i < t->n; i++) {
        MPI_Aint end = t->entries[i].at + t->entries[i].number.size;

        ub = end > ub ? end : ub;
    }
    return ub;
}

static inline void ct_type_free(ct_type *t)
{
    const ct_basic *basics = ct_basics();

    for (int i = 0; i < CT_N_BASICS; i++) {
        if (t->type == basics[i].type)
            t->type = MPI_DATATYPE_NULL;
    }
    if (t->type != MPI_DATATYPE_NULL)
        MPI_Type_free(&t->type);
    free(t->entries);
    t->entries = NULL;
}

static inline void ct_add_entry(ct_type *t, ct_place place, ct_number number)
{
    if (t->n == t->room) {
        t->room = 2 * t->room + 8;
        t->entries = realloc(t->entries, t->room * sizeof(ct_entry));
        if (!t->entries)
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    t->entries[t->n++] = (ct_entry){place.at, place.external, number};
    t->size += number.size;
}

static inline void ct_add_bounds(ct_type *t, ct_place lb, ct_place ub, bool bounded, bool first)
{
    if (first || (bounded && !t->bounded)) {
        t->lb = lb.at;
        t->ub = ub.at;
        t->external_lb = lb.external;
        t->external_ub = ub.external;
        t->bounded = bounded;
    } else if (bounded == t->bounded) {
        t->lb = lb.at < t->lb ? lb.at : t->lb;
        t->ub = ub.at > t->ub ? ub.at : t->ub;
        t->external_lb = lb.external < t->external_lb ? lb.external : t->external_lb;
        t->external_ub = ub.external > t->external_ub ? ub.external : t->external_ub;
    }
}

static inline void ct_set_bounds(ct_type *t, ct_place lb, ct_place ub)
{
    t->bounded = false;
    ct_add_bounds(t, lb, ub, true, true);
}

/* `count` copies of `part`, the first at `place` */
static inline void ct_add_block(ct_type *t, ct_place place, int count, const ct_type *part)
{
    for (int i = 0; i < count && (part->n || part->bounded); i++) {
        ct_place here = ct_plus(place, ct_extents(i, part));
        bool first = t->n == 0 && !t->bounded;

        ct_add_bounds(t, ct_plus(here, (ct_place){part->lb, part->external_lb}),
                      ct_plus(here, (ct_place){part->ub, part->external_ub}), part->bounded, first);
        for (int k = 0; k < part->n; k++) {
            const ct_entry *e = &part->entries[k];

            ct_add_entry(t, ct_plus(here, (ct_place){e->at, e->external_at}), e->number);
        }
    }
    if (count > 0 && part->n > 0) {
        t->mixed = t->mixed || part->mixed || (t->basic && t->basic != part->basic);
        t->basic = t->mixed ? NULL : part->basic;
    }
}

static inline void ct_say(ct_type *t, const char *format, ...)
{
    size_t used = strlen(t->text);
    va_list args;

    va_start(args, format);
    vsnprintf(t->text + used, sizeof(t->text) - used, format, args);
    va_end(args);
}

static inline ct_type ct_type_basic(const ct_basic *basic)
{
    ct_type t = {.type = basic->type, .basic = basic, .lb = 0, .ub = basic->extent};
    char name[MPI_MAX_OBJECT_NAME];
    int length;

    for (int i = 0; i < basic->n; i++) {
        ct_add_entry(&t, (ct_place){basic->at[i], t.external_ub}, basic->number[i]);
        t.external_ub += basic->number[i].external;
    }
    MPI_Type_get_name(basic->type, name, &length);
    ct_say(&t, "%s", name + 4);
    return t;
}

/* ---- constructors ---- */

/* Limits of a generated type */
typedef struct ct_shape {
    bool forward;          /* displacements as file views want them: none below the last end */
    bool overlaps;         /* may take a byte twice */
    bool pairs;            /* may have the types of MPI_MINLOC */
    const ct_basic *basic; /* only this predefined type, if not NULL */
    const ct_type *leaf;   /* only copies of this type, if not NULL */
} ct_shape;

enum { CT_MOST_BLOCKS = 5 };

/* Random blocks: displacements in units of `unit` bytes.  In a forward type each begins behind the
 * one before it. */
static inline int ct_random_blocks(ct_rng *rng, const ct_shape *shape, const ct_type *part,
                                   MPI_Aint unit, bool one_length, int *lengths, MPI_Aint *disps)
{
    int n = ct_below(rng, CT_MOST_BLOCKS), length = ct_below(rng, 4);
    MPI_Aint behind = 0;

    for (int i = 0; i < n; i++) {
        lengths[i] = one_length ? length : ct_below(rng, 4);
        if (shape->forward) {
            disps[i] = behind + ct_below(rng, 3) * (unit < 4 ? 4 : 1);
            behind = disps[i] + (lengths[i] * ct_extent(part) + unit - 1) / (unit ? unit : 1);
        } else {
            disps[i] = (ct_below(rng, 40) - 20) * (unit == 1 ? 1 + ct_below(rng, 7) : 1);
        }
    }
    return n;
}

static inline void ct_make_contiguous(ct_type *t, ct_rng *rng, const ct_shape *shape,
                                      const ct_type *part)
{
    int n = ct_below(rng, 5);

    MPI_Type_contiguous(n, part->type, &t->type);
    ct_say(t, "contiguous(%d, %s)", n, part->text);
    ct_add_block(t, ct_here(0), n, part);
}

static inline void ct_make_vector(ct_type *t, ct_rng *rng, const ct_shape *shape,
                                  const ct_type *part)
{
    int n = ct_below(rng, 5), length = ct_below(rng, 4), in_bytes = ct_below(rng, 2);
    MPI_Aint stride = shape->forward ? length + ct_below(rng, 3) : ct_below(rng, 15) - 7;

    if (in_bytes)
        stride = stride * ct_extent(part) + (shape->forward ? ct_below(rng, 9) : 0);
    if (in_bytes)
        MPI_Type_create_hvector(n, length, stride, part->type, &t->type);
    else
        MPI_Type_vector(n, length, (int) stride, part->type, &t->type);
    ct_say(t, "%svector(%d, %d, %ld, %s)", in_bytes ? "h" : "", n, length, (long) stride,
           part->text);
    for (int i = 0; i < n; i++)
        ct_add_block(t, in_bytes ? ct_here(i * stride) : ct_extents(i * stride, part), length,
                     part);
}

static inline void ct_make_indexed(ct_type *t, ct_rng *rng, const ct_shape *shape,
                                   const ct_type *part)
{
    int in_bytes = ct_below(rng, 2), one_length = ct_below(rng, 2);
    int lengths[CT_MOST_BLOCKS], places[CT_MOST_BLOCKS];
    MPI_Aint disps[CT_MOST_BLOCKS];
    MPI_Aint unit = in_bytes ? 1 : ct_extent(part);
    int n = ct_random_blocks(rng, shape, part, unit, one_length, lengths, disps);

    for (int i = 0; i < n; i++)
        places[i] = (int) disps[i];
    if (one_length && in_bytes)
        MPI_Type_create_hindexed_block(n, n ? lengths[0] : 0, disps, part->type, &t->type);
    else if (one_length)
        MPI_Type_create_indexed_block(n, n ? lengths[0] : 0, places, part->type, &t->type);
    else if (in_bytes)
        MPI_Type_create_hindexed(n, lengths, disps, part->type, &t->type);
    else
        MPI_Type_indexed(n, lengths, places, part->type, &t->type);
    ct_say(t, "%sindexed%s(", in_bytes ? "h" : "", one_length ? "_block" : "");
    for (int i = 0; i < n; i++) {
        ct_say(t, "%d at %ld, ", lengths[i], (long) disps[i]);
        ct_add_block(t, in_bytes ? ct_here(disps[i]) : ct_extents(disps[i], part), lengths[i],
                     part);
    }
    ct_say(t, "%s)", part->text);
}

static inline void ct_make_resized(ct_type *t, ct_rng *rng, const ct_shape *shape,
                                   const ct_type *part)
{
    MPI_Aint lb = ct_below(rng, 33) - 16, extent = ct_extent(part) + ct_below(rng, 24);

    if (!shape->forward && ct_below(rng, 3) == 0)
        extent = -extent;
    if (shape->forward) {
        lb = 0;
        extent = ct_true_ub(part) + ct_below(rng, 24);
    }
    MPI_Type_create_resized(part->type, lb, extent, &t->type);
    ct_say(t, "resized(%ld, %ld, %s)", (long) lb, (long) extent, part->text);
    ct_add_block(t, ct_here(0), 1, part);
    ct_set_bounds(t, ct_here(lb), ct_here(lb + extent));
}

static inline void ct_make_dup(ct_type *t, ct_rng *rng, const ct_shape *shape, const ct_type *part)
{
    MPI_Type_dup(part->type, &t->type);
    ct_say(t, "dup(%s)", part->text);
    ct_add_block(t, ct_here(0), 1, part);
}

enum { CT_MOST_DIMENSIONS = 3 };

/* Which indices of a dimension belong to the type */
typedef struct ct_dimension {
    int size;
    bool mine[16];
} ct_dimension;

/* The chosen elements of an array, the index of the last dimension given varying fastest.  `before`
 * elements come before them. */
static inline void ct_add_array(ct_type *t, const ct_dimension *dims, int n, int before,
                                const ct_type *part)
{
    int stride = 1;

    for (int i = 1; i < n; i++)
        stride *= dims[i].size;
    for (int i = 0; i < dims[0].size; i++) {
        if (!dims[0].mine[i])
            continue;
        if (n == 1)
            ct_add_block(t, ct_extents(before + i, part), 1, part);
        else
            ct_add_array(t, dims + 1, n - 1, before + i * stride, part);
    }
}

static inline void ct_add_dimensions(ct_type *t, ct_dimension *dims, int n, int order,
                                     const ct_type *part)
{
    int whole = 1;

    for (int i = 0; i < n; i++)
        whole *= dims[i].size;
    for (int i = 0; order == MPI_ORDER_FORTRAN && i < n / 2; i++) {
        ct_dimension swap = dims[i];

        dims[i] = dims[n - 1 - i];
        dims[n - 1 - i] = swap;
    }
    ct_add_array(t, dims, n, 0, part);
    ct_set_bounds(t, ct_here(0), ct_extents(whole, part));
}

static inline void ct_make_subarray(ct_type *t, ct_rng *rng, const ct_shape *shape,
                                    const ct_type *part)
{
    int n = 1 + ct_below(rng, CT_MOST_DIMENSIONS);
    int order = ct_below(rng, 2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    int sizes[CT_MOST_DIMENSIONS], parts[CT_MOST_DIMENSIONS], begins[CT_MOST_DIMENSIONS];
    ct_dimension dims[CT_MOST_DIMENSIONS] = {{0}};

    ct_say(t, "subarray(%s", order == MPI_ORDER_C ? "C" : "Fortran");
    for (int i = 0; i < n; i++) {
        dims[i].size = sizes[i] = 1 + ct_below(rng, 6);
        parts[i] = 1 + ct_below(rng, sizes[i]);
        begins[i] = ct_below(rng, sizes[i] - parts[i] + 1);
        for (int k = begins[i]; k < begins[i] + parts[i]; k++)
            dims[i].mine[k] = true;
        ct_say(t, ", %d at %d of %d", parts[i], begins[i], sizes[i]);
    }
    ct_say(t, ", %s)", part->text);
    MPI_Type_create_subarray(n, sizes, parts, begins, order, part->type, &t->type);
    ct_add_dimensions(t, dims, n, order, part);
}

static inline void ct_make_darray(ct_type *t, ct_rng *rng, const ct_shape *shape,
                                  const ct_type *part)
{
    static const int ways[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE};
    int n = 1 + ct_below(rng, CT_MOST_DIMENSIONS), rank, all = 1;
    int order = ct_below(rng, 2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    int sizes[CT_MOST_DIMENSIONS], way[CT_MOST_DIMENSIONS], blocks[CT_MOST_DIMENSIONS];
    int procs[CT_MOST_DIMENSIONS];
    ct_dimension dims[CT_MOST_DIMENSIONS] = {{0}};

    for (int i = 0; i < n; i++) {
        dims[i].size = sizes[i] = 1 + ct_below(rng, 8);
        way[i] = ways[ct_below(rng, 3)];
        procs[i] = way[i] == MPI_DISTRIBUTE_NONE ? 1 : 1 + ct_below(rng, 3);
        all *= procs[i];
        blocks[i] = MPI_DISTRIBUTE_DFLT_DARG;
        if (way[i] == MPI_DISTRIBUTE_CYCLIC && ct_below(rng, 2))
            blocks[i] = 1 + ct_below(rng, 3);
        else if (way[i] == MPI_DISTRIBUTE_BLOCK && ct_below(rng, 2))
            blocks[i] = (sizes[i] + procs[i] - 1) / procs[i] + ct_below(rng, 2);
    }
    rank = ct_below(rng, all);
    ct_say(t, "darray(%s, %d of %d", order == MPI_ORDER_C ? "C" : "Fortran", rank, all);
    MPI_Type_create_darray(all, rank, n, sizes, way, blocks, procs, order, part->type, &t->type);
    for (int i = n - 1, rest = rank; i >= 0; i--) {
        int mine = rest % procs[i], block = blocks[i];

        rest /= procs[i];
        if (block == MPI_DISTRIBUTE_DFLT_DARG)
            block = way[i] == MPI_DISTRIBUTE_CYCLIC ? 1 : (sizes[i] + procs[i] - 1) / procs[i];
        for (int k = 0; k < sizes[i]; k++)
            dims[i].mine[k] = way[i] == MPI_DISTRIBUTE_NONE || k / block % procs[i] == mine;
        ct_say(t, ", %s %d of %d by %d",
               way[i] == MPI_DISTRIBUTE_NONE    ? "none"
               : way[i] == MPI_DISTRIBUTE_BLOCK ? "block"
                                                : "cyclic",
               block, sizes[i], procs[i]);
    }
    ct_say(t, ", %s)", part->text);
    ct_add_dimensions(t, dims, n, order, part);
}

static inline ct_type ct_type_random(ct_rng *rng, const ct_shape *shape, int depth);

static inline void ct_make_struct(ct_type *t, ct_rng *rng, const ct_shape *shape, int depth)
{
    int n = 1 + ct_below(rng, 4), lengths[4];
    MPI_Aint disps[4], behind = 0, lb, extent;
    MPI_Datatype types[4];
    ct_type parts[4];

    ct_say(t, "struct(");
    for (int i = 0; i < n; i++) {
        parts[i] = ct_type_random(rng, shape, depth - 1);
        types[i] = parts[i].type;
        lengths[i] = ct_below(rng, 3);
        disps[i] = shape->forward ? behind + ct_below(rng, 9) : ct_below(rng, 200) - 100;
        behind = disps[i] + lengths[i] * ct_extent(&parts[i]);
        ct_say(t, "%d at %ld %s%s", lengths[i], (long) disps[i], parts[i].text,
               i < n - 1 ? ", " : "");
        ct_add_block(t, ct_here(disps[i]), lengths[i], &parts[i]);
    }
    ct_say(t, ")");
    MPI_Type_create_struct(n, lengths, disps, types, &t->type);
    for (int i = 0; i < n; i++)
        ct_type_free(&parts[i]);
    /* the padding for alignment is the library's choice */
    MPI_Type_get_extent(t->type, &lb, &extent);
    if (!t->bounded && t->n && lb == t->lb && lb + extent > t->ub && lb + extent < t->ub + 16)
        t->ub = lb + extent;
}

typedef void (*ct_maker)(ct_type *, ct_rng *, const ct_shape *, const ct_type *);

/* A type whose entries do not overlap, unless they may */
static inline bool ct_fits(const ct_type *t, const ct_shape *shape)
{
    static char taken[4 * CT_FARTHEST];
    bool fits = t->n <= CT_MOST_ENTRIES && ct_extent(t) < CT_FARTHEST &&
                ct_extent(t) > -CT_FARTHEST && t->lb > -CT_FARTHEST && t->lb < CT_FARTHEST;

    if (!fits || ct_true_lb(t) < -CT_FARTHEST || ct_true_ub(t) > CT_FARTHEST)
        return false;
    if (shape->forward && (t->lb != 0 || ct_true_lb(t) < 0 || ct_true_ub(t) > t->ub))
        return false;
    for (int i = 0; i < t->n && !shape->overlaps; i++) {
        char *at = taken + 2 * CT_FARTHEST + t->entries[i].at;

        for (int k = 0; k < t->entries[i].number.size; k++) {
            fits = fits && !at[k];
            at[k] = 1;
        }
    }
    for (int i = 0; i < t->n && !shape->overlaps; i++)
        memset(taken + 2 * CT_FARTHEST + t->entries[i].at, 0, t->entries[i].number.size);
    return fits;
}

static inline ct_type ct_type_leaf(ct_rng *rng, const ct_shape *shape)
{
    int n = shape->pairs ? CT_N_BASICS : CT_FIRST_PAIR;

    if (shape->leaf) {
        ct_type t = {.type = MPI_DATATYPE_NULL};

        ct_make_dup(&t, rng, shape, shape->leaf);
        return t;
    }
    return ct_type_basic(shape->basic ? shape->basic : &ct_basics()[ct_below(rng, n)]);
}

/* A type of at most `depth` constructors, one in another.  Not committed. */
static inline ct_type ct_type_random(ct_rng *rng, const ct_shape *shape, int depth)
{
    static const ct_maker makers[] = {
        ct_make_contiguous, ct_make_vector,  ct_make_vector,   ct_make_indexed, ct_make_indexed,
        ct_make_indexed,    ct_make_resized, ct_make_subarray, ct_make_darray,  ct_make_dup,
    };
    enum { MAKERS = sizeof(makers) / sizeof(makers[0]) };

    for (int tries = 0; depth > 0 && tries < 50; tries++) {
        int which = ct_below(rng, MAKERS + 2);
        ct_type t = {.type = MPI_DATATYPE_NULL};

        if (which < MAKERS) {
            ct_type part = ct_type_random(rng, shape, depth - 1);

            makers[which](&t, rng, shape, &part);
            ct_type_free(&part);
        } else {
            ct_make_struct(&t, rng, shape, depth);
        }
        if (ct_fits(&t, shape))
            return t;
        ct_type_free(&t);
    }
    return ct_type_leaf(rng, shape);
}

#endif /* CMAPTEST_TYPES_H_INCLUDED */
