/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Each predefined operation on each predefined datatype: what the standard allows succeeds, what it
 * forbids fails with the class MPI_ERR_OP, and nothing ends the process.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

/* The groups of datatypes of the standard's section on predefined reduction operations */
enum { INTEGER = 1, FLOATING = 2, LOGICAL = 4, COMPLEX = 8, BYTES = 16, PAIRS = 32, NONE = 64 };

typedef struct {
    const char *name;
    MPI_Datatype type;
    int group;
} type_row;

#define TYPE(name, group) \
    { \
#name, name, group \
    }

static const type_row types[] = {
    TYPE(MPI_CHAR, NONE),
    TYPE(MPI_WCHAR, NONE),
    TYPE(MPI_SIGNED_CHAR, INTEGER),
    TYPE(MPI_UNSIGNED_CHAR, INTEGER),
    TYPE(MPI_SHORT, INTEGER),
    TYPE(MPI_UNSIGNED_SHORT, INTEGER),
    TYPE(MPI_INT, INTEGER),
    TYPE(MPI_UNSIGNED, INTEGER),
    TYPE(MPI_LONG, INTEGER),
    TYPE(MPI_UNSIGNED_LONG, INTEGER),
    TYPE(MPI_LONG_LONG, INTEGER),
    TYPE(MPI_UNSIGNED_LONG_LONG, INTEGER),
    TYPE(MPI_INT8_T, INTEGER),
    TYPE(MPI_INT64_T, INTEGER),
    TYPE(MPI_UINT16_T, INTEGER),
    TYPE(MPI_UINT32_T, INTEGER),
    TYPE(MPI_AINT, INTEGER),
    TYPE(MPI_OFFSET, INTEGER),
    TYPE(MPI_COUNT, INTEGER),
    TYPE(MPI_FLOAT, FLOATING),
    TYPE(MPI_DOUBLE, FLOATING),
    TYPE(MPI_LONG_DOUBLE, FLOATING),
    TYPE(MPI_C_BOOL, LOGICAL),
    TYPE(MPI_C_FLOAT_COMPLEX, COMPLEX),
    TYPE(MPI_C_DOUBLE_COMPLEX, COMPLEX),
    TYPE(MPI_C_LONG_DOUBLE_COMPLEX, COMPLEX),
    TYPE(MPI_BYTE, BYTES),
    TYPE(MPI_PACKED, NONE),
    TYPE(MPI_FLOAT_INT, PAIRS),
    TYPE(MPI_DOUBLE_INT, PAIRS),
    TYPE(MPI_LONG_INT, PAIRS),
    TYPE(MPI_2INT, PAIRS),
    TYPE(MPI_SHORT_INT, PAIRS),
    TYPE(MPI_LONG_DOUBLE_INT, PAIRS),
};

static const struct {
    const char *name;
    MPI_Op op;
    int groups;
} ops[] = {
    {"MPI_MAX", MPI_MAX, INTEGER | FLOATING},
    {"MPI_MIN", MPI_MIN, INTEGER | FLOATING},
    {"MPI_SUM", MPI_SUM, INTEGER | FLOATING | COMPLEX},
    {"MPI_PROD", MPI_PROD, INTEGER | FLOATING | COMPLEX},
    {"MPI_LAND", MPI_LAND, INTEGER | LOGICAL},
    {"MPI_LOR", MPI_LOR, INTEGER | LOGICAL},
    {"MPI_LXOR", MPI_LXOR, INTEGER | LOGICAL},
    {"MPI_BAND", MPI_BAND, INTEGER | BYTES},
    {"MPI_BOR", MPI_BOR, INTEGER | BYTES},
    {"MPI_BXOR", MPI_BXOR, INTEGER | BYTES},
    {"MPI_MAXLOC", MPI_MAXLOC, PAIRS},
    {"MPI_MINLOC", MPI_MINLOC, PAIRS},
};

enum { TYPES = sizeof(types) / sizeof(types[0]), OPS = sizeof(ops) / sizeof(ops[0]) };

/* MPICH takes characters for integers, and floating-point types in one more operation. */
static int may_succeed(int op, const type_row *type)
{
    if (type->group == FLOATING)
        return ops[op].op == MPI_LXOR;
    return type->type == MPI_CHAR && (ops[op].groups & INTEGER);
}

static void check(int op, const type_row *type)
{
    static char in[1024], inout[1024];
    int class, err = MPI_Reduce_local(in, inout, 17, type->type, ops[op].op);

    MPI_Error_class(err, &class);
    if (type->group & ops[op].groups)
        CT_CHECK(class == MPI_SUCCESS, "%s of %s: class %d", ops[op].name, type->name, class);
    else
        CT_CHECK(class == MPI_ERR_OP || (class == MPI_SUCCESS && may_succeed(op, type)),
                 "%s of %s: class %d", ops[op].name, type->name, class);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (int op = 0; op < OPS; op++) {
        for (int i = 0; i < TYPES; i++)
            check(op, &types[i]);
    }
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
