/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpir_type_blocks.h"

/* ---- the arguments of a constructor ---- */

struct args {
    int combiner;
    const int *ints;
    const MPI_Aint *aints;
    const MPI_Aint *counts; /* NULL unless the constructor takes large counts */
    const MPI_Datatype *types;
    MPI_Aint n_ints;
};

static void args_get(const MPIR_Datatype *type, struct args *a)
{
    int *ints;
    MPI_Aint *aints, *counts;
    MPI_Datatype *types;

    MPIR_Datatype_access_contents(type->contents, &ints, &aints, &counts, &types);
    a->combiner = type->contents->combiner;
    a->ints = ints;
    a->aints = aints;
    a->counts = type->contents->nr_counts > 0 ? counts : NULL;
    a->types = types;
    a->n_ints = type->contents->nr_ints;
}

/* Argument k.  Large counts are in one array, others are integers and then addresses. */
static MPI_Aint arg(const struct args *a, MPI_Aint k)
{
    if (a->counts)
        return a->counts[k];
    return k < a->n_ints ? a->ints[k] : a->aints[k - a->n_ints];
}

/* ---- what a walk calls ---- */

struct walk {
    MPIR_Type_extent_fn extent;
    MPIR_Type_block_fn block;
    void *state;
};

static MPI_Aint walk_extent(const struct walk *w, MPI_Datatype part)
{
    MPI_Aint extent;

    if (w->extent)
        return w->extent(w->state, part);
    MPIR_Datatype_get_extent_macro(part, extent);
    return extent;
}

static int walk_block(const struct walk *w, MPI_Aint disp, MPI_Aint count, MPI_Datatype part)
{
    return count > 0 ? w->block(w->state, disp, count, part) : 0;
}

/* ---- parts of arrays ---- */

/* One dimension: runs of `length` indices that begin `step` indices apart */
struct dimension {
    MPI_Aint size, first, length, step;
};

struct array {
    int n_dims, order;
    const struct args *args;
};

static void array_get(const struct args *a, struct array *array)
{
    bool whole = a->combiner == MPI_COMBINER_SUBARRAY;

    array->args = a;
    array->n_dims = whole ? a->ints[0] : a->ints[2];
    array->order = a->ints[a->n_ints - 1];
}

static MPI_Aint subarray_arg(const struct array *array, int which, int dim)
{
    return arg(array->args, which * array->n_dims + dim + !array->args->counts);
}

static struct dimension subarray_dimension(const struct array *array, int dim)
{
    struct dimension d;

    d.size = subarray_arg(array, 0, dim);
    d.length = subarray_arg(array, 1, dim);
    d.first = subarray_arg(array, 2, dim);
    d.step = d.size;
    return d;
}

/* The rank of the process in one dimension of the grid of processes; the last one varies fastest */
static int darray_coordinate(int rank, const int *procs, int n_dims, int dim)
{
    for (int i = n_dims - 1; i > dim; i--)
        rank /= procs[i];
    return rank % procs[dim];
}

static struct dimension darray_dimension(const struct array *array, int dim)
{
    const struct args *a = array->args;
    int n = array->n_dims;
    /* the sizes are before the distributions, or elsewhere */
    const int *distribs = a->ints + 3 + (a->counts ? 0 : n);
    const int *procs = distribs + 2 * n;
    int p = procs[dim], darg = distribs[n + dim];
    struct dimension d;

    d.size = a->counts ? a->counts[dim] : a->ints[3 + dim];
    if (distribs[dim] == MPI_DISTRIBUTE_NONE) {
        p = 1;
        d.length = d.size;
    } else if (darg != MPI_DISTRIBUTE_DFLT_DARG) {
        d.length = darg;
    } else {
        d.length = distribs[dim] == MPI_DISTRIBUTE_BLOCK ? (d.size + p - 1) / p : 1;
    }
    d.first = p == 1 ? 0 : darray_coordinate(a->ints[1], procs, n, dim) * d.length;
    d.step = p * d.length;
    return d;
}

/* Dimension `level` from the one whose index varies fastest */
static struct dimension array_dimension(const struct array *array, int level)
{
    int dim = array->order == MPI_ORDER_C ? array->n_dims - 1 - level : level;

    return array->args->combiner == MPI_COMBINER_SUBARRAY ? subarray_dimension(array, dim)
                                                          : darray_dimension(array, dim);
}

static MPI_Aint array_extent(const struct array *array, MPI_Aint extent)
{
    for (int level = 0; level < array->n_dims; level++)
        extent *= array_dimension(array, level).size;
    return extent;
}

/* The elements of `level` and the faster dimensions.  An index of `level` is `stride` bytes. */
static int array_walk(const struct walk *w, const struct array *array, int level, MPI_Aint disp,
                      MPI_Aint stride)
{
    struct dimension d = array_dimension(array, level);
    int rc = 0;

    for (MPI_Aint run = d.first; run < d.size && !rc; run += d.step) {
        MPI_Aint end = MPL_MIN(run + d.length, d.size);

        if (level == 0) {
            rc = walk_block(w, disp + run * stride, end - run, array->args->types[0]);
        } else {
            MPI_Aint below = stride / array_dimension(array, level - 1).size;

            for (MPI_Aint i = run; i < end && !rc; i++)
                rc = array_walk(w, array, level - 1, disp + i * stride, below);
        }
    }
    return rc;
}

static int array_blocks(const struct walk *w, const struct args *a)
{
    struct array array;
    MPI_Aint whole, last;

    array_get(a, &array);
    whole = array_extent(&array, walk_extent(w, a->types[0]));
    last = array_dimension(&array, array.n_dims - 1).size;
    return last > 0 ? array_walk(w, &array, array.n_dims - 1, 0, whole / last) : 0;
}

/* ---- the other constructors ---- */

/* Blocks of `length` copies, `stride` bytes apart */
static int vector_blocks(const struct walk *w, const struct args *a, MPI_Aint unit)
{
    MPI_Aint stride = arg(a, 2) * unit;
    int rc = 0;

    for (MPI_Aint i = 0; i < arg(a, 0) && !rc; i++)
        rc = walk_block(w, i * stride, arg(a, 1), a->types[0]);
    return rc;
}

/* Blocks of one length, or with a length for each; displacements in multiples of `unit` bytes */
static int indexed_blocks(const struct walk *w, const struct args *a, bool one_length,
                          MPI_Aint unit)
{
    MPI_Aint n = arg(a, 0);
    MPI_Aint disps = one_length ? 2 : n + 1;
    int rc = 0;

    for (MPI_Aint i = 0; i < n && !rc; i++)
        rc = walk_block(w, arg(a, disps + i) * unit, arg(a, one_length ? 1 : i + 1), a->types[0]);
    return rc;
}

static int struct_blocks(const struct walk *w, const struct args *a)
{
    MPI_Aint n = arg(a, 0);
    int rc = 0;

    for (MPI_Aint i = 0; i < n && !rc; i++) {
        if (a->types[i] != MPI_LB && a->types[i] != MPI_UB)
            rc = walk_block(w, arg(a, n + 1 + i), arg(a, i + 1), a->types[i]);
    }
    return rc;
}

static int constructor_blocks(const struct walk *w, const struct args *a)
{
    switch (a->combiner) {
        case MPI_COMBINER_DUP:
        case MPI_COMBINER_RESIZED: return walk_block(w, 0, 1, a->types[0]);
        case MPI_COMBINER_CONTIGUOUS: return walk_block(w, 0, arg(a, 0), a->types[0]);
        case MPI_COMBINER_VECTOR: return vector_blocks(w, a, walk_extent(w, a->types[0]));
        case MPI_COMBINER_HVECTOR: return vector_blocks(w, a, 1);
        case MPI_COMBINER_INDEXED: return indexed_blocks(w, a, false, walk_extent(w, a->types[0]));
        case MPI_COMBINER_HINDEXED: return indexed_blocks(w, a, false, 1);
        case MPI_COMBINER_INDEXED_BLOCK:
            return indexed_blocks(w, a, true, walk_extent(w, a->types[0]));
        case MPI_COMBINER_HINDEXED_BLOCK: return indexed_blocks(w, a, true, 1);
        case MPI_COMBINER_STRUCT: return struct_blocks(w, a);
        case MPI_COMBINER_SUBARRAY:
        case MPI_COMBINER_DARRAY: return array_blocks(w, a);
        default: MPIR_Assert(0); return 1;
    }
}

/* ---- predefined datatypes ---- */

/* The predefined datatypes that have parts.  Where a build has not all of them, rows are
 * MPI_DATATYPE_NULL.  Fortran's pairs have two values of one type. */
static const struct {
    MPI_Datatype value, index, pair;
} pairs[] = {{MPI_FLOAT, MPI_INT, MPI_FLOAT_INT},
             {MPI_DOUBLE, MPI_INT, MPI_DOUBLE_INT},
             {MPI_LONG, MPI_INT, MPI_LONG_INT},
             {MPI_SHORT, MPI_INT, MPI_SHORT_INT},
             {MPI_INT, MPI_INT, MPI_2INT},
             {MPI_LONG_DOUBLE, MPI_INT, MPI_LONG_DOUBLE_INT},
             {MPI_INTEGER, MPI_INTEGER, MPI_2INTEGER},
             {MPI_REAL, MPI_REAL, MPI_2REAL},
             {MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_2DOUBLE_PRECISION}};

enum { PAIRS = sizeof(pairs) / sizeof(pairs[0]) };

static bool pair_parts(MPI_Datatype type, MPI_Datatype *first, MPI_Datatype *second)
{
    for (int i = 0; i < PAIRS && type != MPI_DATATYPE_NULL; i++) {
        if (pairs[i].pair == type) {
            *first = pairs[i].value;
            *second = pairs[i].index;
            return true;
        }
    }
    return false;
}

MPI_Datatype MPIR_Type_pair_of(MPI_Datatype value, MPI_Datatype index)
{
    MPI_Datatype pair = MPI_DATATYPE_NULL;

    for (int i = 0; i < PAIRS; i++) {
        if (pairs[i].value == value && pairs[i].index == index)
            pair = pairs[i].pair;
    }
    return pair;
}

bool MPIR_Type_is_element(MPI_Datatype type)
{
    MPI_Datatype first, second;

    return HANDLE_IS_BUILTIN(type) && !pair_parts(type, &first, &second);
}

static int pair_blocks(const struct walk *w, MPI_Datatype type, MPI_Datatype first,
                       MPI_Datatype second)
{
    MPI_Aint disp, unused;
    int rc = walk_block(w, 0, 1, first);

    if (rc)
        return rc;
    if (w->extent) {
        disp = walk_extent(w, first);
    } else {
        /* the second one ends where the pair ends */
        MPIR_Type_get_true_extent_impl(type, &unused, &disp);
        disp -= walk_extent(w, second);
    }
    return walk_block(w, disp, 1, second);
}

/* A datatype of one predefined type whose constructor is not known, or names no parts */
static int plain_blocks(const struct walk *w, const MPIR_Datatype *type)
{
    MPI_Aint size;

    if (type->size == 0)
        return 0;
    MPIR_Assert(type->is_contig && type->basic_type != MPI_DATATYPE_NULL);
    MPIR_Datatype_get_size_macro(type->basic_type, size);
    return walk_block(w, type->true_lb, type->size / size, type->basic_type);
}

int MPIR_Type_blocks(MPI_Datatype type, MPIR_Type_extent_fn extent, MPIR_Type_block_fn block,
                     void *state)
{
    struct walk w = {extent, block, state};
    MPI_Datatype first, second;
    MPIR_Datatype *ptr;
    struct args a;

    MPIR_Assert(!MPIR_Type_is_element(type));
    if (pair_parts(type, &first, &second))
        return pair_blocks(&w, type, first, second);
    MPIR_Datatype_get_ptr(type, ptr);
    if (!ptr->contents || ptr->contents->nr_types == 0)
        return plain_blocks(&w, ptr);
    args_get(ptr, &a);
    return constructor_blocks(&w, &a);
}

/* ---- sums ---- */

struct sum {
    MPIR_Type_measure_fn measure;
    MPI_Datatype last; /* `of_last` is its measure: many blocks have one part */
    MPI_Count of_last, total;
};

static int add_block(void *state, MPI_Aint disp ATTRIBUTE((unused)), MPI_Aint count,
                     MPI_Datatype part)
{
    struct sum *sum = state;

    if (part != sum->last) {
        sum->last = part;
        sum->of_last = sum->measure(part);
    }
    sum->total += count * sum->of_last;
    return 0;
}

MPI_Count MPIR_Type_sum(MPI_Datatype type, MPIR_Type_measure_fn measure)
{
    struct sum sum = {measure, MPI_DATATYPE_NULL, 0, 0};

    MPIR_Type_blocks(type, NULL, add_block, &sum);
    return sum.total;
}

/* ---- bounds ---- */

/* MPI_LB and MPI_UB, which MPI 3 has removed */
static bool struct_bounds(const struct args *a, MPI_Aint *lb, MPI_Aint *ub)
{
    MPI_Aint n = arg(a, 0);
    bool given = false;

    for (MPI_Aint i = 0; i < n; i++) {
        if (a->types[i] == MPI_LB)
            *lb = arg(a, n + 1 + i);
        else if (a->types[i] == MPI_UB)
            *ub = arg(a, n + 1 + i);
        else
            continue;
        given = true;
    }
    return given;
}

bool MPIR_Type_given_bounds(MPI_Datatype type, MPIR_Type_extent_fn extent, void *state,
                            MPI_Aint *lb, MPI_Aint *ub)
{
    struct walk w = {extent, NULL, state};
    struct array array;
    MPIR_Datatype *ptr;
    struct args a;

    if (MPIR_DATATYPE_IS_PREDEFINED(type))
        return false;
    MPIR_Datatype_get_ptr(type, ptr);
    if (!ptr->contents || ptr->contents->nr_types == 0)
        return false;
    args_get(ptr, &a);
    *lb = 0;
    switch (a.combiner) {
        case MPI_COMBINER_RESIZED:
            *lb = arg(&a, 0);
            *ub = *lb + arg(&a, 1);
            return true;
        case MPI_COMBINER_SUBARRAY:
        case MPI_COMBINER_DARRAY:
            array_get(&a, &array);
            *ub = array_extent(&array, walk_extent(&w, a.types[0]));
            return true;
        case MPI_COMBINER_STRUCT:
            *lb = ptr->lb;
            *ub = ptr->ub;
            return struct_bounds(&a, lb, ub);
        default: return false;
    }
}
