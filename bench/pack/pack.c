/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pack: MPI_Pack and MPI_Unpack of nested datatypes, one, two and three levels deep.  Run it with
 * two builds, one of them made with --full-datatypes, to see what yaksa's functions for three
 * levels of nesting are worth:
 *
 *   install/bin/mpicc -O2 -o pack bench/pack/pack.c && ./pack            (one process)
 *
 * One line a type: levels, what it is, bytes, microseconds to pack and to unpack (medians of
 * ROUNDS).
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../lib/sort.h"

#define ROUNDS 101
#define SIDE 24   /* elements of the block in each dimension */
#define STRIDE 32 /* of the array around it */

struct shape {
    const char *name;
    int levels;
    MPI_Datatype (*make)(MPI_Datatype element, int levels);
};

/* Takes `inner` over: types made of it keep what they need. */
static MPI_Datatype replaced(MPI_Datatype inner, MPI_Datatype outer, MPI_Datatype element)
{
    if (inner != element)
        MPI_Type_free(&inner);
    return outer;
}

/* Bytes from one element to the next in a dimension. */
static MPI_Aint step_of(MPI_Datatype element, int dimension)
{
    MPI_Aint lb, step;
    MPI_Type_get_extent(element, &lb, &step);
    for (step *= 2; dimension > 0; dimension--)
        step *= STRIDE;
    return step;
}

/* Every second element of a row; every row of a plane; every plane: none of them contiguous. */
static MPI_Datatype vectors(MPI_Datatype element, int levels)
{
    MPI_Datatype type = element, next;
    for (int d = 0; d < levels; d++) {
        MPI_Type_create_hvector(SIDE, 1, step_of(element, d), type, &next);
        type = replaced(type, next, element);
    }
    return type;
}

/* The same block by displacements that are not equally far apart. */
static MPI_Datatype blocks(MPI_Datatype element, int levels)
{
    MPI_Datatype type = element, next;
    MPI_Aint places[SIDE];
    for (int d = 0; d < levels; d++) {
        for (int i = 0; i < SIDE; i++)
            places[i] = step_of(element, d) * (i + i / 8);
        MPI_Type_create_hindexed_block(SIDE, 1, places, type, &next);
        type = replaced(type, next, element);
    }
    return type;
}

/* Displacements outside, vectors inside. */
static MPI_Datatype mixed(MPI_Datatype element, int levels)
{
    MPI_Datatype type = vectors(element, levels - 1), next;
    MPI_Aint places[SIDE];
    int lengths[SIDE];
    for (int i = 0; i < SIDE; i++) {
        places[i] = step_of(element, levels - 1) * (i + i / 8);
        lengths[i] = 1;
    }
    MPI_Type_create_hindexed(SIDE, lengths, places, type, &next);
    return replaced(type, next, element);
}

static void measure(const struct shape *shape, MPI_Datatype element, const char *name, char *array,
                    char *packed, int room)
{
    MPI_Datatype type = shape->make(element, shape->levels);
    double pack[ROUNDS], unpack[ROUNDS];
    int size;
    MPI_Type_commit(&type);
    MPI_Type_size(type, &size);
    for (int r = 0; r < ROUNDS; r++) {
        int end = 0, start = 0;
        double t0 = MPI_Wtime();
        MPI_Pack(array, 1, type, packed, room, &end, MPI_COMM_SELF);
        double t1 = MPI_Wtime();
        MPI_Unpack(packed, end, &start, array, 1, type, MPI_COMM_SELF);
        unpack[r] = MPI_Wtime() - t1;
        pack[r] = t1 - t0;
    }
    sort_times(pack, ROUNDS);
    sort_times(unpack, ROUNDS);
    printf("%d,%s of %s,%d,%.3f,%.3f\n", shape->levels, shape->name, name, size,
           1e6 * pack[ROUNDS / 2], 1e6 * unpack[ROUNDS / 2]);
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    static const struct shape shapes[] = {
        {"vectors", 1, vectors}, {"vectors", 2, vectors}, {"vectors", 3, vectors},
        {"blocks", 2, blocks},   {"blocks", 3, blocks},   {"mixed", 2, mixed},
        {"mixed", 3, mixed},
    };
    int room = SIDE * SIDE * SIDE * 8;
    size_t bytes = (size_t) 8 * 2 * STRIDE * STRIDE * STRIDE;

    MPI_Init(&argc, &argv);
    char *array = malloc(bytes), *packed = malloc(room);
    if (!array || !packed)
        MPI_Abort(MPI_COMM_WORLD, 1);
    memset(array, 1, bytes);
    printf("levels,type,bytes,pack_us,unpack_us\n");
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        measure(&shapes[i], MPI_DOUBLE, "double", array, packed, room);
        measure(&shapes[i], MPI_INT, "int", array, packed, room);
        measure(&shapes[i], MPI_CHAR, "char", array, packed, room);
    }
    free(array);
    free(packed);
    MPI_Finalize();
    return 0;
}
