/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * File views and buffers of datatypes in datatypes: what is written is where the packed form of the
 * same datatype says.  Subarrays in all constructors, pairs, a struct that does not begin at 0,
 * data before the address of a buffer, large counts, a view without data.
 */
#include <unistd.h>
#include "mpitest.h"
#include "cmaptest_oracle.h"

static char name[300];
static int size;

static int *file_ints(long *n)
{
    FILE *f = fopen(name, "rb");
    int *ints;

    fseek(f, 0, SEEK_END);
    *n = ftell(f) / (long) sizeof(int);
    ints = ct_ints((int) *n);
    rewind(f);
    if (fread(ints, sizeof(int), *n, f) != (size_t) *n)
        ct_fail("the file cannot be read");
    fclose(f);
    return ints;
}

static MPI_File open_file(void)
{
    MPI_File file;

    if (ct_me == 0)
        unlink(name);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    return file;
}

/* Integers through a view of this type; which place each has is what packing places tells. */
static void check_view(const char *what, MPI_Datatype type, int together)
{
    MPI_Aint lb, extent;
    int bytes, n, position = 0, wrong = 0, *places, *packed, *data, *back;
    long ints;
    MPI_File file;
    MPI_Status status;

    MPI_Type_commit(&type);
    MPI_Type_get_true_extent(type, &lb, &extent);
    MPI_Type_size(type, &bytes);
    n = bytes / (int) sizeof(int);
    places = ct_ints((int) ((lb + extent) / sizeof(int)) + 1);
    packed = ct_ints(n);
    data = ct_ints(n);
    back = ct_ints(n);
    for (int i = 0; i < (int) ((lb + extent) / sizeof(int)); i++)
        places[i] = i;
    MPI_Pack(places, 1, type, packed, bytes, &position, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++)
        data[i] = 1000000 * (ct_me + 1) + i;

    file = open_file();
    MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL);
    if (together)
        MPI_File_write_all(file, data, n, MPI_INT, &status);
    else
        MPI_File_write(file, data, n, MPI_INT, &status);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(file);
    MPI_File_read_at_all(file, 0, back, n, MPI_INT, &status);
    CT_CHECK(!memcmp(back, data, bytes), "%s: other integers come back", what);
    MPI_File_close(&file);
    MPI_Barrier(MPI_COMM_WORLD);
    free(places);
    places = file_ints(&ints);
    for (int i = 0; i < n; i++)
        wrong += packed[i] >= ints || places[packed[i]] != data[i];
    CT_CHECK(wrong == 0, "%s: %d of %d integers are in wrong places", what, wrong, n);
    MPI_Type_free(&type);
    free(places);
    free(packed);
    free(data);
    free(back);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void check_subarrays(int together)
{
    int sizes[2] = {4, 3 * size}, parts[2] = {2, 2}, begins[2] = {1, 3 * ct_me + 1};
    int lengths[3] = {2, 0, 1}, ones[3] = {1, 1, 1}, at[3] = {0, 3, 4};
    MPI_Aint far[3], whole = 4L * 3 * size * (long) sizeof(int);
    MPI_Datatype array, type, types[3];

    MPI_Type_create_subarray(2, sizes, parts, begins, MPI_ORDER_C, MPI_INT, &array);
    for (int i = 0; i < 3; i++) {
        far[i] = at[i] * whole;
        types[i] = array;
    }
    MPI_Type_indexed(3, lengths, at, array, &type);
    check_view("indexed", type, together);
    MPI_Type_indexed(3, ones, at, array, &type);
    check_view("indexed, one each", type, together);
    MPI_Type_create_hindexed(3, lengths, far, array, &type);
    check_view("hindexed", type, together);
    MPI_Type_create_indexed_block(3, 1, at, array, &type);
    check_view("indexed block", type, together);
    MPI_Type_create_hindexed_block(3, 1, far, array, &type);
    check_view("hindexed block", type, together);
    MPI_Type_create_struct(3, lengths, far, types, &type);
    check_view("struct", type, together);
    MPI_Type_vector(2, 1, 2, array, &type);
    check_view("vector", type, together);
    MPI_Type_contiguous(3, array, &type);
    check_view("contiguous", type, together);
    MPI_Type_contiguous_c(3, array, &type);
    check_view("contiguous with a large count", type, together);
    MPI_Type_create_hindexed_c(2, (MPI_Count[]){1, 2}, (MPI_Count[]){0, 2 * whole}, array, &type);
    check_view("hindexed with large counts", type, together);
    MPI_Type_free(&array);
}

/* An int and a float from byte 4 on, every 16 bytes: one block in each copy */
static void check_struct(void)
{
    MPI_Datatype types[2] = {MPI_INT, MPI_FLOAT}, pair, type;
    MPI_Aint at[2] = {4, 8}, far = 1024L * ct_me;
    int ones[2] = {1, 1};

    MPI_Type_create_struct(2, ones, at, types, &pair);
    MPI_Type_create_hvector(5, 1, 16, pair, &type);
    MPI_Type_free(&pair);
    MPI_Type_create_hindexed_block(1, 1, &far, type, &pair);
    MPI_Type_free(&type);
    check_view("struct that begins at 4", pair, 1);
}

/* `count` copies of the type at `buf`, which are `bytes` bytes when packed, alone and together */
static void check_buffer(const char *what, void *buf, int count, MPI_Datatype type)
{
    char want[200], seen[200];
    int position = 0;
    MPI_File file;
    MPI_Status status;

    MPI_Type_commit(&type);
    MPI_Pack(buf, count, type, want, sizeof(want), &position, MPI_COMM_WORLD);
    for (int together = 0; together < 2; together++) {
        file = open_file();
        if (together)
            MPI_File_write_at_all(file, 200 * ct_me, buf, count, type, &status);
        else
            MPI_File_write_at(file, 200 * ct_me, buf, count, type, &status);
        MPI_File_read_at(file, 200 * ct_me, seen, position, MPI_BYTE, &status);
        CT_CHECK(!memcmp(seen, want, position), "%s: other bytes are in the file", what);
        MPI_File_close(&file);
    }
}

static void check_buffers(void)
{
    struct {
        short a;
        int b;
    } pairs[3] = {{1, 2}, {3, 4}, {5, 6}};
    struct {
        double a;
        int b;
    } wide[3] = {{1, 2}, {3, 4}, {5, 6}};
    int ints[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8}, before = -3, three[2] = {-3, 2};
    MPI_Datatype type;

    check_buffer("short and int", pairs, 3, MPI_SHORT_INT);
    check_buffer("double and int", wide, 3, MPI_DOUBLE_INT);
    MPI_Type_create_indexed_block(1, 2, &before, MPI_INT, &type);
    check_buffer("data before the address", ints + 4, 1, type);
    MPI_Type_free(&type);
    MPI_Type_create_indexed_block(2, 2, three, MPI_INT, &type);
    check_buffer("data before and behind the address", ints + 4, 1, type);
    MPI_Type_free(&type);
}

/* A process whose view has no data takes part in what all do. */
static void check_no_data(void)
{
    int length = ct_me == 0 ? 1 : 0, at = 0, data = 7, seen = 0, n = ct_me == 0;
    MPI_Datatype type;
    MPI_File file;
    MPI_Offset position;
    MPI_Status status;

    MPI_Type_indexed(1, &length, &at, MPI_INT, &type);
    MPI_Type_commit(&type);
    file = open_file();
    MPI_File_set_view(file, 8, MPI_INT, type, "native", MPI_INFO_NULL);
    MPI_File_write_all(file, &data, n, MPI_INT, &status);
    MPI_File_get_position(file, &position);
    CT_CHECK(position == n, "position %ld, not %d", (long) position, n);
    MPI_File_read_at_all(file, 0, &seen, n, MPI_INT, &status);
    CT_CHECK(seen == 7 * n, "read %d, not %d", seen, 7 * n);
    MPI_File_close(&file);
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    const char *folder = getenv("TMPDIR");

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(name, sizeof(name), "%s/nested_views.%d", folder ? folder : "/tmp", (int) getpid());
    MPI_Bcast(name, sizeof(name), MPI_CHAR, 0, MPI_COMM_WORLD);
    check_subarrays(0);
    check_subarrays(1);
    check_struct();
    check_buffers();
    check_no_data();
    MPI_Barrier(MPI_COMM_WORLD);
    if (ct_me == 0)
        unlink(name);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
