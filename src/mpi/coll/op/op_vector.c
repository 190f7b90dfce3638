/* SPDX-License-Identifier: BSD-3-Clause */

/* Predefined operations on arrays: see op_kernels.h. */

#include "mpiimpl.h"
#include "mpir_op_util.h"
#include "mpir_tvars.h"
#include "op_kernels.h"
#include "op_vector.h"

/*
=== BEGIN_MPI_T_CVAR_INFO_BLOCK ===

cvars:
    - name        : MPIR_CVAR_OP_VECTORS
      category    : COLLECTIVE
      type        : string
      default     : auto
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_DETAIL
      scope       : MPI_T_SCOPE_LOCAL
      description : |-
        The vector instructions by which predefined operations combine arrays.
        auto   - the widest that the processor has
        avx512 - 64 bytes
        avx2   - 32 bytes
        plain  - 16 bytes, in each processor of its architecture
        none   - MPICH's own loops

=== END_MPI_T_CVAR_INFO_BLOCK ===
*/

/* Fewer elements are as quick without a table. */
#define FEWEST 8

/* What the operations of a family take. */
enum { ARITHMETIC = 1, LOGICAL = 2, BITWISE = 4, ADDITION = 8 };

/* A predefined datatype, by the low bits of its handle. */
static struct {
    unsigned char families; /* 0: no kernel is for it */
    unsigned char element, bytes;
} types[256];

static const MPIR_Op_kernels_t *kernels;

static const unsigned char family_of[OP_KERNELS] = {
    [OP_MAX] = ARITHMETIC,  [OP_MIN] = ARITHMETIC,
    [OP_PROD] = ARITHMETIC, [OP_SUM] = ARITHMETIC | ADDITION,
    [OP_LAND] = LOGICAL,    [OP_LOR] = LOGICAL,
    [OP_LXOR] = LOGICAL,    [OP_BAND] = BITWISE,
    [OP_BOR] = BITWISE,     [OP_BXOR] = BITWISE};

/* False: there is no kernel. */
static bool fold(int op, const void *in, void *inout, MPI_Aint count, MPI_Datatype type)
{
    int index = type & 0xff;

    if (count < FEWEST || !HANDLE_IS_BUILTIN(type) || !(types[index].families & family_of[op]))
        return false;
    (*kernels)[op][types[index].element](in, inout, (size_t) count * types[index].bytes);
    return true;
}

#define VECTORED(name, op, otherwise) \
    static void name(void *in, void *inout, MPI_Aint *count, MPI_Datatype *type) \
    { \
        if (!fold(op, in, inout, *count, *type)) \
            otherwise(in, inout, count, type); \
    }

VECTORED(max, OP_MAX, MPIR_MAXF)
VECTORED(min, OP_MIN, MPIR_MINF)
VECTORED(sum, OP_SUM, MPIR_SUM)
VECTORED(prod, OP_PROD, MPIR_PROD)
VECTORED(land, OP_LAND, MPIR_LAND)
VECTORED(band, OP_BAND, MPIR_BAND)
VECTORED(lor, OP_LOR, MPIR_LOR)
VECTORED(bor, OP_BOR, MPIR_BOR)
VECTORED(lxor, OP_LXOR, MPIR_LXOR)
VECTORED(bxor, OP_BXOR, MPIR_BXOR)

static MPIR_op_function *const vectored[OP_KERNELS] = {max,  min, sum, prod, land,
                                                       band, lor, bor, lxor, bxor};

/* The element of so many bytes, or -1. */
static int integer_element(size_t bytes, bool is_signed)
{
    int first = is_signed ? ELEMENT_S8 : ELEMENT_U8;

    return bytes == 1   ? first
           : bytes == 2 ? first + 1
           : bytes == 4 ? first + 2
           : bytes == 8 ? first + 3
                        : -1;
}

static void note(MPI_Datatype type, size_t bytes, int element, int families)
{
    if (element < 0 || !HANDLE_IS_BUILTIN(type))
        return;
    types[type & 0xff].families = (unsigned char) families;
    types[type & 0xff].element = (unsigned char) element;
    types[type & 0xff].bytes = (unsigned char) bytes;
}

/* The handle has the size.  The C type may be one that this compiler does not have, as _Float16. */
static void note_floats(MPI_Datatype type, size_t parts, int families)
{
    size_t bytes = MPIR_Datatype_get_basic_size(type), part = bytes / parts;

    note(type, bytes, part == 4 ? ELEMENT_F32 : part == 8 ? ELEMENT_F64 : -1, families);
}

/* MPICH's lists name the datatypes and their C types.  A logical of Fortran is none of them: what
 * is true there, the compiler decides. */
static void note_types(void)
{
#undef MPIR_OP_TYPE_MACRO
#define MPIR_OP_TYPE_MACRO(mpi_type, c_type, name) \
    note(mpi_type, sizeof(c_type), integer_element(sizeof(c_type), (c_type) -1 < (c_type) 1), \
         ARITHMETIC | LOGICAL | BITWISE);
    MPIR_OP_TYPE_GROUP(C_INTEGER)
    MPIR_OP_TYPE_GROUP(C_INTEGER_EXTRA)
    MPIR_OP_TYPE_GROUP(FORTRAN_INTEGER)
    MPIR_OP_TYPE_GROUP(FORTRAN_INTEGER_EXTRA)
#undef MPIR_OP_TYPE_MACRO
#define MPIR_OP_TYPE_MACRO(mpi_type, c_type, name) note_floats(mpi_type, 1, ARITHMETIC);
    MPIR_OP_TYPE_GROUP(FLOATING_POINT)
    MPIR_OP_TYPE_GROUP(FLOATING_POINT_EXTRA)
#undef MPIR_OP_TYPE_MACRO
#define MPIR_OP_TYPE_MACRO(mpi_type, c_type, name) note_floats(mpi_type, 2, ADDITION);
    MPIR_OP_TYPE_GROUP(COMPLEX)
    MPIR_OP_TYPE_GROUP(COMPLEX_EXTRA)
#undef MPIR_OP_TYPE_MACRO
#define MPIR_OP_TYPE_MACRO(mpi_type, c_type, name) note(mpi_type, 1, ELEMENT_U8, BITWISE);
    MPIR_OP_TYPE_GROUP(BYTE)
#undef MPIR_OP_TYPE_MACRO
#ifdef HAVE__BOOL
    note(MPI_C_BOOL, sizeof(_Bool), integer_element(sizeof(_Bool), false), LOGICAL);
#endif
}

int MPIR_Op_vector_init(void)
{
    const char *name = MPIR_CVAR_OP_VECTORS;

    if (!strcmp(name, "none"))
        return MPI_SUCCESS;
    kernels = MPIR_Op_kernels(name);
    if (!kernels)
        return MPIR_Cvar_wrong_value("MPIR_CVAR_OP_VECTORS", name,
                                     "auto, plain, none, and what this processor has of avx2, "
                                     "avx512");
    note_types();
    for (int op = 0; op < OP_KERNELS; op++)
        MPIR_Op_table[op + 1] = vectored[op];
    return MPI_SUCCESS;
}
