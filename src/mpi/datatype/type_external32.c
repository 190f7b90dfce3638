/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A datatype as a file with the view external32 has it: predefined types have their size there, and
 * displacements that were given as numbers of extents grow or shrink with them.
 */
#include "mpir_type_blocks.h"
#include "typerep/src/typerep_util.h"

int MPIR_Type_create_external32(MPI_Datatype type, MPI_Datatype *newtype);

/* A part and its own external form */
struct part {
    MPI_Datatype type, external;
    MPI_Aint extent;
};

struct builder {
    int mpi_errno;
    MPI_Aint n_parts, n_blocks, part_room, block_room;
    struct part *parts;
    MPI_Aint *lengths, *disps;
    MPI_Datatype *types;
};

static void *enlarge(struct builder *b, void *array, MPI_Aint room, size_t size)
{
    void *larger = MPL_realloc(array, room * size, MPL_MEM_DATATYPE);

    if (!larger) {
        MPIR_ERR_SET(b->mpi_errno, MPI_ERR_OTHER, "**nomem");
        return array;
    }
    return larger;
}

static struct part *builder_part(struct builder *b, MPI_Datatype type)
{
    struct part *p;
    MPI_Aint lb;

    for (MPI_Aint i = b->n_parts - 1; i >= 0; i--) {
        if (b->parts[i].type == type)
            return &b->parts[i];
    }
    if (b->n_parts == b->part_room) {
        b->parts = enlarge(b, b->parts, 2 * b->part_room + 2, sizeof(*b->parts));
        if (b->mpi_errno)
            return NULL;
        b->part_room = 2 * b->part_room + 2;
    }
    p = &b->parts[b->n_parts];
    p->type = type;
    b->mpi_errno = MPIR_Type_create_external32(type, &p->external);
    if (b->mpi_errno)
        return NULL;
    b->n_parts++;
    MPIR_Type_get_extent_impl(p->external, &lb, &p->extent);
    return p;
}

static MPI_Aint part_extent(void *state, MPI_Datatype type)
{
    struct part *p = builder_part(state, type);

    return p ? p->extent : 0;
}

static int add_block(void *state, MPI_Aint disp, MPI_Aint count, MPI_Datatype type)
{
    struct builder *b = state;
    struct part *p = builder_part(b, type);

    if (b->n_blocks == b->block_room) {
        MPI_Aint room = 2 * b->block_room + 8;

        b->lengths = enlarge(b, b->lengths, room, sizeof(*b->lengths));
        b->disps = enlarge(b, b->disps, room, sizeof(*b->disps));
        b->types = enlarge(b, b->types, room, sizeof(*b->types));
        b->block_room = room;
    }
    if (b->mpi_errno)
        return 1;
    b->lengths[b->n_blocks] = count;
    b->disps[b->n_blocks] = disp;
    b->types[b->n_blocks] = p->external;
    b->n_blocks++;
    return 0;
}

static void builder_free(struct builder *b)
{
    for (MPI_Aint i = 0; i < b->n_parts; i++)
        MPIR_Type_free_impl(&b->parts[i].external);
    MPL_free(b->parts);
    MPL_free(b->lengths);
    MPL_free(b->disps);
    MPL_free(b->types);
}

static int build(struct builder *b, MPI_Datatype type, MPI_Datatype *newtype)
{
    MPI_Datatype blocks;
    MPI_Aint lb, ub;
    int mpi_errno;

    MPIR_Type_blocks(type, part_extent, add_block, b);
    if (b->mpi_errno)
        return b->mpi_errno;
    mpi_errno =
        MPIR_Type_create_struct_large_impl(b->n_blocks, b->lengths, b->disps, b->types, newtype);
    if (mpi_errno || !MPIR_Type_given_bounds(type, part_extent, b, &lb, &ub))
        return mpi_errno;
    blocks = *newtype;
    mpi_errno = MPIR_Type_create_resized_large_impl(blocks, lb, ub - lb, newtype);
    MPIR_Type_free_impl(&blocks);
    return mpi_errno;
}

int MPIR_Type_create_external32(MPI_Datatype type, MPI_Datatype *newtype)
{
    struct builder b = {MPI_SUCCESS};
    int mpi_errno;

    if (MPIR_Type_is_element(type))
        return MPIR_Type_contiguous_large_impl(MPII_Typerep_get_basic_size_external32(type),
                                               MPI_BYTE, newtype);
    mpi_errno = build(&b, type, newtype);
    builder_free(&b);
    return mpi_errno;
}
