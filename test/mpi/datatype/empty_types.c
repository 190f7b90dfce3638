/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Datatypes without data, made by each constructor: no bytes, no bounds unless they were given, and
 * nothing moves in any call.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { KINDS = 9 };

static const int zeros[2], places[2] = {5, 9};
static const MPI_Aint far_places[2] = {0, 40};

static MPI_Datatype empty_type(int kind)
{
    MPI_Datatype type = MPI_DATATYPE_NULL, nothing, types[2] = {MPI_INT, MPI_DOUBLE};
    int ones[2] = {1, 1};

    MPI_Type_contiguous(0, MPI_CHAR, &nothing);
    switch (kind) {
        case 0: MPI_Type_contiguous(0, MPI_CHAR, &type); break;
        case 1: MPI_Type_vector(3, 0, 2, MPI_INT, &type); break;
        case 2: MPI_Type_create_hvector(3, 0, 20, MPI_INT, &type); break;
        case 3: MPI_Type_indexed(2, zeros, places, MPI_INT, &type); break;
        case 4: MPI_Type_create_hindexed_block(2, 0, far_places, MPI_INT, &type); break;
        case 5: MPI_Type_create_struct(2, zeros, far_places, types, &type); break;
        case 6: MPI_Type_contiguous(7, nothing, &type); break;
        case 7:
            types[0] = types[1] = nothing;
            MPI_Type_create_struct(2, ones, far_places, types, &type);
            break;
        case 8: MPI_Type_create_resized(nothing, -8, 24, &type); break;
    }
    MPI_Type_free(&nothing);
    MPI_Type_commit(&type);
    return type;
}

static void check_bounds(MPI_Datatype type, int kind)
{
    MPI_Aint lb, extent, true_lb, true_extent;
    int size;

    MPI_Type_size(type, &size);
    MPI_Type_get_extent(type, &lb, &extent);
    MPI_Type_get_true_extent(type, &true_lb, &true_extent);
    CT_CHECK(size == 0 && true_extent == 0, "type %d: %d bytes, true extent %ld", kind, size,
             (long) true_extent);
    CT_CHECK(lb == (kind == 8 ? -8 : 0) && extent == (kind == 8 ? 24 : 0),
             "type %d: lb %ld, extent %ld", kind, (long) lb, (long) extent);
}

static void check_packing(MPI_Datatype type, int kind, int count)
{
    char text[8] = "abcdefg", bytes[16] = "hijklmnopqrstuv";
    int position = 2, room;
    MPI_Aint place = 2, external;

    MPI_Pack_size(count, type, MPI_COMM_WORLD, &room);
    MPI_Pack_external_size("external32", count, type, &external);
    CT_CHECK(external == 0, "type %d: %ld bytes in external32", kind, (long) external);
    MPI_Pack(text, count, type, bytes, sizeof(bytes), &position, MPI_COMM_WORLD);
    MPI_Unpack(bytes, sizeof(bytes), &position, text, count, type, MPI_COMM_WORLD);
    MPI_Pack_external("external32", text, count, type, bytes, sizeof(bytes), &place);
    MPI_Unpack_external("external32", bytes, sizeof(bytes), &place, text, count, type);
    CT_CHECK(position == 2 && place == 2, "type %d: %d copies move", kind, count);
    CT_CHECK(!strcmp(text, "abcdefg") && !strcmp(bytes, "hijklmnopqrstuv"),
             "type %d: %d copies write", kind, count);
}

static void check_messages(MPI_Datatype type, int kind, int count)
{
    char text[8] = "abcdefg", other[8] = "hijklmn";
    int size, before, after, n;
    MPI_Request requests[2];
    MPI_Status status;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    before = (ct_me + size - 1) % size;
    after = (ct_me + 1) % size;
    MPI_Irecv(text, count, type, ct_me, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(other, count, type, ct_me, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Sendrecv(text, count, type, after, 2, other, 1, MPI_INT, before, 2, MPI_COMM_WORLD,
                 &status);
    MPI_Get_count(&status, MPI_INT, &n);
    CT_CHECK(n == 0, "type %d: %d integers arrived", kind, n);
    MPI_Get_count(&status, type, &n);
    CT_CHECK(n == 0, "type %d: %d copies arrived", kind, n);
    MPI_Get_elements(&status, type, &n);
    CT_CHECK(n == 0, "type %d: %d elements arrived", kind, n);
    MPI_Bcast(text, count, type, 0, MPI_COMM_WORLD);
    MPI_Allgather(text, count, type, other, count, type, MPI_COMM_WORLD);
    CT_CHECK(!strcmp(text, "abcdefg") && !strcmp(other, "hijklmn"), "type %d: messages write",
             kind);
}

static void check_window(MPI_Datatype type, int kind)
{
    char memory[32] = "memory", text[8] = "abcdefg";
    int size;
    MPI_Win win;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_create(memory, sizeof(memory), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(text, 2, type, (ct_me + 1) % size, 8, 2, type, win);
    MPI_Get(text, 2, type, (ct_me + 1) % size, 8, 2, type, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    CT_CHECK(!strcmp(memory, "memory") && !strcmp(text, "abcdefg"), "type %d: window changed",
             kind);
}

/* A part without data and bounds has no influence on a struct. */
static void check_in_struct(MPI_Datatype type, int kind)
{
    MPI_Datatype types[2] = {type, MPI_INT}, outer;
    MPI_Aint at[2] = {100, 4}, lb, extent;
    int lengths[2] = {3, 1};

    MPI_Type_create_struct(2, lengths, at, types, &outer);
    MPI_Type_get_extent(outer, &lb, &extent);
    if (kind == 8)
        CT_CHECK(lb == 92 && extent == 72, "bounds of the part: lb %ld, extent %ld", (long) lb,
                 (long) extent);
    else
        CT_CHECK(lb == 4 && extent == 4, "type %d in a struct: lb %ld, extent %ld", kind, (long) lb,
                 (long) extent);
    MPI_Type_free(&outer);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    for (int kind = 0; kind < KINDS; kind++) {
        MPI_Datatype type = empty_type(kind);

        check_bounds(type, kind);
        for (int count = 0; count < 4; count++) {
            check_packing(type, kind, count);
            check_messages(type, kind, count);
        }
        check_window(type, kind);
        check_in_struct(type, kind);
        MPI_Type_free(&type);
    }
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
