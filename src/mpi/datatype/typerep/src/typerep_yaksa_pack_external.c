/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * external32: big-endian, without gaps, and with a size for each predefined type that need not be
 * the one in memory.  A datatype is walked through element by element, since only its constructors
 * know the predefined types.
 */
#include "mpir_type_blocks.h"
#include "typerep_internal.h"
#include "typerep_util.h"

/* 16 bytes of IEEE 754, also where a long double has 80 bits */
#ifdef HAVE_FLOAT128
typedef __float128 quad;
#else
typedef long double quad;
#endif

/* ---- one predefined type ---- */

enum kind { KIND_BYTES, KIND_SIGNED, KIND_UNSIGNED, KIND_FLOAT, KIND_LONG_DOUBLE };

struct form {
    enum kind kind;
    int parts;               /* a complex number has two */
    MPI_Aint size, external; /* of one part, in memory and in external32 */
};

static bool is_real(MPI_Datatype type)
{
    return type == MPI_REAL || type == MPI_DOUBLE_PRECISION || type == MPI_COMPLEX ||
           type == MPI_DOUBLE_COMPLEX;
}

/* Only types of the language may have another size in memory than in external32 */
static enum kind form_kind(MPI_Datatype type, MPI_Aint size, MPI_Aint external)
{
    if (MPII_Typerep_basic_type_is_long_double(type))
        return KIND_LONG_DOUBLE;
    if (size == external)
        return KIND_BYTES;
    if (is_real(type))
        return KIND_FLOAT;
    return MPII_Typerep_basic_type_is_unsigned(type) ? KIND_UNSIGNED : KIND_SIGNED;
}

static void form_get(MPI_Datatype type, struct form *form)
{
    form->parts = MPII_Typerep_basic_type_is_complex(type) ? 2 : 1;
    MPIR_Datatype_get_size_macro(type, form->size);
    form->size /= form->parts;
    form->external = MPII_Typerep_get_basic_size_external32(type) / form->parts;
    form->kind = form_kind(type, form->size, form->external);
}

/* ---- one number ---- */

static void copy_numbers(const char *from, char *to, MPI_Aint n, MPI_Aint size)
{
    switch (size) {
        case 1: MPIR_Memcpy(to, from, n); break;
        case 4:
            for (MPI_Aint i = 0; i < n; i++)
                BASIC_copyto(from + 4 * i, to + 4 * i, 4);
            break;
        case 8:
            for (MPI_Aint i = 0; i < n; i++)
                BASIC_copyto(from + 8 * i, to + 8 * i, 8);
            break;
        default:
            for (MPI_Aint i = 0; i < n; i++)
                BASIC_copyto(from + size * i, to + size * i, size);
    }
}

/* A number whose most significant byte is the first one */
static uint64_t external_load(const char *from, MPI_Aint size, bool is_signed)
{
    uint64_t value = is_signed && (*from & 0x80) ? ~(uint64_t) 0 : 0;

    for (MPI_Aint i = 0; i < size; i++)
        value = value << 8 | (unsigned char) from[i];
    return value;
}

static void external_store(char *to, MPI_Aint size, uint64_t value)
{
    for (MPI_Aint i = size - 1; i >= 0; i--) {
        to[i] = (char) value;
        value >>= 8;
    }
}

/* An integer of `from_size` bytes as one of `to_size` */
static void resize_integer(const char *from, MPI_Aint from_size, char *to, MPI_Aint to_size,
                           bool is_signed, bool pack)
{
    char big_endian[16];

    if (pack) {
        BASIC_copyto(from, big_endian, from_size);
        external_store(to, to_size, external_load(big_endian, from_size, is_signed));
    } else {
        external_store(big_endian, to_size, external_load(from, from_size, is_signed));
        BASIC_copyto(big_endian, to, to_size);
    }
}

static quad float_load(const char *from, MPI_Aint size)
{
    float single;
    double full;
    quad value;

    if (size == sizeof(float)) {
        MPIR_Memcpy(&single, from, sizeof(single));
        return single;
    } else if (size == sizeof(double)) {
        MPIR_Memcpy(&full, from, sizeof(full));
        return full;
    }
    MPIR_Assert(size == sizeof(quad));
    MPIR_Memcpy(&value, from, sizeof(value));
    return value;
}

static void float_store(char *to, MPI_Aint size, quad value)
{
    float single = (float) value;
    double full = (double) value;

    if (size == sizeof(float)) {
        MPIR_Memcpy(to, &single, sizeof(single));
    } else if (size == sizeof(double)) {
        MPIR_Memcpy(to, &full, sizeof(full));
    } else {
        MPIR_Assert(size == sizeof(quad));
        MPIR_Memcpy(to, &value, sizeof(value));
    }
}

static void resize_float(const char *from, MPI_Aint from_size, char *to, MPI_Aint to_size,
                         bool pack)
{
    char number[16];

    if (pack) {
        float_store(number, to_size, float_load(from, from_size));
        BASIC_copyto(number, to, to_size);
    } else {
        BASIC_copyto(from, number, from_size);
        float_store(to, to_size, float_load(number, from_size));
    }
}

static void long_double_copy(const char *from, char *to, bool pack)
{
    long double value;
    quad number;

    if (pack) {
        MPIR_Memcpy(&value, from, sizeof(value));
        number = value;
        BASIC_copyto(&number, to, sizeof(number));
    } else {
        BASIC_copyto(from, &number, sizeof(number));
        value = (long double) number;
        MPIR_Memcpy(to, &value, sizeof(value));
    }
}

/* ---- a walk through a datatype ---- */

struct walk {
    char *memory;   /* where displacement 0 is */
    char *external; /* the next bytes */
    bool pack;
    MPI_Datatype last; /* `form` is of this type */
    struct form form;
};

static void convert_elements(struct walk *w, char *memory, MPI_Aint n, MPI_Datatype type)
{
    const struct form *f = &w->form;
    char *external = w->external;

    if (type != w->last) {
        form_get(type, &w->form);
        w->last = type;
    }
    n *= f->parts;
    w->external += n * f->external;

    if (f->kind == KIND_BYTES) {
        copy_numbers(w->pack ? memory : external, w->pack ? external : memory, n, f->size);
        return;
    }
    for (MPI_Aint i = 0; i < n; i++, memory += f->size, external += f->external) {
        const char *from = w->pack ? memory : external;
        char *to = w->pack ? external : memory;
        MPI_Aint from_size = w->pack ? f->size : f->external;
        MPI_Aint to_size = w->pack ? f->external : f->size;

        if (f->kind == KIND_LONG_DOUBLE)
            long_double_copy(from, to, w->pack);
        else if (f->kind == KIND_FLOAT)
            resize_float(from, from_size, to, to_size, w->pack);
        else
            resize_integer(from, from_size, to, to_size, f->kind == KIND_SIGNED, w->pack);
    }
}

/* Whether copies of the datatype are elements of one type without gaps */
static bool is_plain(const MPIR_Datatype *type)
{
    return type->is_contig && type->size > 0 && type->basic_type != MPI_DATATYPE_NULL &&
           MPIR_Type_is_element(type->basic_type);
}

static int convert_block(void *state, MPI_Aint disp, MPI_Aint count, MPI_Datatype part)
{
    struct walk *w = state;
    char *memory = w->memory;
    MPIR_Datatype *type;
    MPI_Aint size, extent;
    int rc = 0;

    if (MPIR_Type_is_element(part)) {
        convert_elements(w, memory + disp, count, part);
        return 0;
    }
    MPIR_Datatype_get_ptr(part, type);
    if (!HANDLE_IS_BUILTIN(part) && is_plain(type)) {
        MPIR_Datatype_get_size_macro(type->basic_type, size);
        convert_elements(w, memory + disp + type->true_lb, count * (type->size / size),
                         type->basic_type);
        return 0;
    }
    MPIR_Datatype_get_extent_macro(part, extent);
    for (MPI_Aint i = 0; i < count && !rc; i++) {
        w->memory = memory + disp + i * extent;
        rc = MPIR_Type_blocks(part, NULL, convert_block, w);
    }
    w->memory = memory;
    return rc;
}

static MPI_Aint convert(void *memory, void *external, bool pack, MPI_Aint count, MPI_Datatype type)
{
    struct walk w = {
        .memory = memory, .external = external, .pack = pack, .last = MPI_DATATYPE_NULL};

    convert_block(&w, 0, count, type);
    return w.external - (char *) external;
}

int MPIR_Typerep_pack_external(const void *inbuf, MPI_Aint incount, MPI_Datatype datatype,
                               void *outbuf, MPI_Aint *actual_pack_bytes)
{
    *actual_pack_bytes = convert((void *) inbuf, outbuf, true, incount, datatype);
    return MPI_SUCCESS;
}

int MPIR_Typerep_unpack_external(const void *inbuf, void *outbuf, MPI_Aint outcount,
                                 MPI_Datatype datatype, MPI_Aint *actual_unpack_bytes)
{
    *actual_unpack_bytes = convert(outbuf, (void *) inbuf, false, outcount, datatype);
    return MPI_SUCCESS;
}

/* ---- the size in external32 ---- */

static MPI_Count external_size(MPI_Datatype type)
{
    return MPIR_Type_is_element(type) ? MPII_Typerep_get_basic_size_external32(type)
                                      : MPIR_Type_sum(type, external_size);
}

MPI_Aint MPIR_Typerep_size_external32(MPI_Datatype type) { return external_size(type); }
