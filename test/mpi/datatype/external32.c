/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * external32: bytes that are known for numbers of each kind, datatypes of several predefined types,
 * and buffers that are too small.
 */
#include <stdbool.h>
#include <wchar.h>
#include "mpitest.h"
#include "cmaptest_oracle.h"

/* `count` copies of `type` at `in` must come to `n` bytes, and back. */
static void check(const char *what, const void *in, size_t size, int count, MPI_Datatype type,
                  int n, const unsigned char *bytes)
{
    unsigned char packed[100] = {0};
    char out[200] = {0};
    MPI_Aint room, position = 0;

    MPI_Type_commit(&type);
    MPI_Pack_external_size("external32", count, type, &room);
    CT_CHECK(room == n, "%s: %ld bytes, not %d", what, (long) room, n);
    MPI_Pack_external("external32", in, count, type, packed, sizeof(packed), &position);
    CT_CHECK(position == n, "%s: moves by %ld, not %d", what, (long) position, n);
    for (int i = 0; i < n; i++)
        CT_CHECK(packed[i] == bytes[i], "%s: byte %d is %02x, not %02x", what, i, packed[i],
                 bytes[i]);
    position = 0;
    MPI_Unpack_external("external32", bytes, n, &position, out, count, type);
    CT_CHECK(position == n, "%s: moves back by %ld, not %d", what, (long) position, n);
    CT_CHECK(!memcmp(in, out, size), "%s: other data comes back", what);
}

#define BYTES(...) \
    (int) sizeof((unsigned char[]){__VA_ARGS__}), (unsigned char[]) { __VA_ARGS__ }

static void check_numbers(void)
{
    const int i[2] = {0x01020304, -2};
    const long l[2] = {0x01020304, -3};
    const unsigned long ul = 0xfffffffdul;
    const wchar_t w[2] = {L'a', 0xfffe};
    const short h = -2;
    const bool b[2] = {true, false};
    const float f[2] = {1.0f, -2.5f};
    const double d[2] = {1.0, -2.5};
    const long long ll = -2;

    check("int", i, sizeof(i), 2, MPI_INT, BYTES(1, 2, 3, 4, 255, 255, 255, 254));
    check("long", l, sizeof(l), 2, MPI_LONG, BYTES(1, 2, 3, 4, 255, 255, 255, 253));
    check("unsigned long", &ul, sizeof(ul), 1, MPI_UNSIGNED_LONG, BYTES(255, 255, 255, 253));
    check("wchar_t", w, sizeof(w), 2, MPI_WCHAR, BYTES(0, 'a', 255, 254));
    check("short", &h, sizeof(h), 1, MPI_SHORT, BYTES(255, 254));
    check("bool", b, sizeof(b), 2, MPI_C_BOOL, BYTES(1, 0));
    check("float", f, sizeof(f), 2, MPI_FLOAT, BYTES(0x3f, 0x80, 0, 0, 0xc0, 0x20, 0, 0));
    check("complex", f, sizeof(f), 1, MPI_C_FLOAT_COMPLEX,
          BYTES(0x3f, 0x80, 0, 0, 0xc0, 0x20, 0, 0));
    check("double complex", d, sizeof(d), 1, MPI_C_DOUBLE_COMPLEX,
          BYTES(0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0xc0, 4, 0, 0, 0, 0, 0, 0));
    check("long long", &ll, sizeof(ll), 1, MPI_LONG_LONG,
          BYTES(255, 255, 255, 255, 255, 255, 255, 254));
    if (MPI_COMPLEX != MPI_DATATYPE_NULL)
        check("complex of Fortran", f, sizeof(f), 1, MPI_COMPLEX,
              BYTES(0x3f, 0x80, 0, 0, 0xc0, 0x20, 0, 0));
    if (MPI_DOUBLE_COMPLEX != MPI_DATATYPE_NULL)
        check("double complex of Fortran", d, sizeof(d), 1, MPI_DOUBLE_COMPLEX,
              BYTES(0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0xc0, 4, 0, 0, 0, 0, 0, 0));
    if (MPI_LOGICAL != MPI_DATATYPE_NULL)
        check("logical", i, sizeof(int), 1, MPI_LOGICAL, BYTES(1, 2, 3, 4));
}

static void check_long_double(void)
{
    long double in[2] = {1.0L, -2.5L}, out[2] = {0};
    unsigned char packed[32];
    MPI_Aint position = 0;

    MPI_Pack_external("external32", in, 2, MPI_LONG_DOUBLE, packed, 32, &position);
    CT_CHECK(position == 32, "long double: %ld bytes", (long) position);
    CT_CHECK(packed[0] == 0x3f && packed[1] == 0xff && packed[2] == 0, "long double: 1 is wrong");
    CT_CHECK(packed[16] == 0xc0 && packed[17] == 0 && packed[18] == 0x40 && packed[19] == 0,
             "long double: -2.5 is wrong");
    position = 0;
    MPI_Unpack_external("external32", packed, 32, &position, out, 2, MPI_LONG_DOUBLE);
    CT_CHECK(out[0] == in[0] && out[1] == in[1], "long double: others come back");
}

static void check_pairs(void)
{
    struct {
        short a;
        int b;
    } short_int[2];
    struct {
        double a;
        int b;
    } double_int[2];
    struct {
        float a;
        int b;
    } float_int;
    struct {
        long a;
        int b;
    } long_int;

    memset(short_int, 0, sizeof(short_int));
    short_int[0].a = 1;
    short_int[0].b = 2;
    short_int[1].a = -1;
    short_int[1].b = 3;
    check("short and int", short_int, sizeof(short_int), 2, MPI_SHORT_INT,
          BYTES(0, 1, 0, 0, 0, 2, 255, 255, 0, 0, 0, 3));
    memset(double_int, 0, sizeof(double_int));
    double_int[0].a = 1;
    double_int[0].b = 2;
    double_int[1].b = 3;
    check("double and int", double_int, sizeof(double_int), 2, MPI_DOUBLE_INT,
          BYTES(0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3));
    float_int.a = 1;
    float_int.b = 2;
    check("float and int", &float_int, sizeof(float_int), 1, MPI_FLOAT_INT,
          BYTES(0x3f, 0x80, 0, 0, 0, 0, 0, 2));
    memset(&long_int, 0, sizeof(long_int));
    long_int.a = -1;
    long_int.b = 2;
    check("long and int", &long_int, sizeof(long_int), 1, MPI_LONG_INT,
          BYTES(255, 255, 255, 255, 0, 0, 0, 2));
}

static void check_struct(void)
{
    struct {
        char c;
        long l;
        wchar_t w[2];
        double d;
    } in[2];
    MPI_Datatype types[4] = {MPI_CHAR, MPI_LONG, MPI_WCHAR, MPI_DOUBLE}, type;
    int lengths[4] = {1, 1, 2, 1};
    MPI_Aint at[4] = {0, (char *) &in[0].l - (char *) in, (char *) in[0].w - (char *) in,
                      (char *) &in[0].d - (char *) in};

    memset(in, 0, sizeof(in));
    for (int i = 0; i < 2; i++) {
        in[i].c = (char) ('x' + i);
        in[i].l = 5 + i;
        in[i].w[0] = 'p';
        in[i].w[1] = 'q';
        in[i].d = 1;
    }
    MPI_Type_create_struct(4, lengths, at, types, &type);
    check("struct", in, sizeof(in), 2, type,
          BYTES('x', 0, 0, 0, 5, 0, 'p', 0, 'q', 0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 'y', 0, 0, 0, 6, 0,
                'p', 0, 'q', 0x3f, 0xf0, 0, 0, 0, 0, 0, 0));
    MPI_Type_free(&type);
}

/* Nothing is written where there is no room. */
static void check_room(void)
{
    char bytes[20];
    int in[4] = {1, 2, 3, 4}, small = 12, err;
    MPI_Aint position = 8;

    memset(bytes, 7, sizeof(bytes));
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    err = MPI_Pack_external("external32", in, 2, MPI_INT, bytes, small, &position);
    CT_CHECK(err != MPI_SUCCESS && position == 8, "external32 without room succeeds");
    err = MPI_Unpack_external("external32", bytes, small, &position, in, 2, MPI_INT);
    CT_CHECK(err != MPI_SUCCESS && position == 8 && in[0] == 1, "external32 without data succeeds");
    position = 8;
    err = MPI_Pack(in, 2, MPI_INT, bytes, small, &(int){8}, MPI_COMM_WORLD);
    CT_CHECK(err != MPI_SUCCESS, "MPI_Pack without room succeeds");
    err = MPI_Unpack(bytes, small, &(int){8}, in, 2, MPI_INT, MPI_COMM_WORLD);
    CT_CHECK(err != MPI_SUCCESS && in[0] == 1, "MPI_Unpack without data succeeds");
    for (int i = 0; i < (int) sizeof(bytes); i++)
        CT_CHECK(bytes[i] == 7, "byte %d is written", i);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    check_numbers();
    check_long_double();
    check_pairs();
    check_struct();
    check_room();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
