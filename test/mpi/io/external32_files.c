/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Files in external32: the bytes that each form of writing leaves there, and what each form of
 * reading makes of them.  A long has 4 bytes in the file, a wide character 2.
 */
#include <unistd.h>
#include <wchar.h>
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { FORMS = 12 };

struct record {
    char c;
    long l;
    wchar_t w;
};
enum { IN_FILE = 7, TWO = 2 }; /* bytes of a record in the file, records of a process */

static char name[300];
static MPI_Datatype record, in_file; /* in memory, in the file */
static int size;

static MPI_Datatype record_type(const MPI_Aint *at, MPI_Aint extent)
{
    MPI_Datatype types[3] = {MPI_CHAR, MPI_LONG, MPI_WCHAR}, plain, type;
    int ones[3] = {1, 1, 1};

    MPI_Type_create_struct(3, ones, at, types, &plain);
    MPI_Type_create_resized(plain, 0, extent, &type);
    MPI_Type_free(&plain);
    MPI_Type_commit(&type);
    return type;
}

/* Displacements that are given in bytes are those of the file in its datatype. */
static void create_types(void)
{
    struct record r;
    const MPI_Aint memory[3] = {(char *) &r.c - (char *) &r, (char *) &r.l - (char *) &r,
                                (char *) &r.w - (char *) &r};
    const MPI_Aint file[3] = {0, 1, 5};

    record = record_type(memory, sizeof(r));
    in_file = record_type(file, IN_FILE);
}

static void fill(struct record *r, int who)
{
    memset(r, 0, TWO * sizeof(*r));
    for (int i = 0; i < TWO; i++) {
        r[i].c = (char) ('a' + who);
        r[i].l = -1 - who - i;
        r[i].w = 0x100 + who + i;
    }
}

static void file_form(unsigned char *bytes, int who)
{
    for (int i = 0; i < TWO; i++) {
        unsigned long l = (unsigned long) (-1 - who - i);

        *bytes++ = (unsigned char) ('a' + who);
        for (int k = 24; k >= 0; k -= 8)
            *bytes++ = (unsigned char) (l >> k);
        *bytes++ = 1;
        *bytes++ = (unsigned char) (who + i);
    }
}

/* In the order of the processes.  A nonblocking transfer loses its datatype before it ends. */
static void transfer(MPI_File file, int form, int is_write, struct record *r)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Offset at = ct_me * TWO;
    MPI_Datatype own;
    MPI_Status status;
    int n = 0;

    MPI_Type_dup(record, &own);
#define FORM(number, write, read) \
    case number: \
        if (is_write) \
            write; \
        else \
            read; \
        break
    switch (form) {
        FORM(0, MPI_File_write(file, r, TWO, own, &status),
             MPI_File_read(file, r, TWO, own, &status));
        FORM(1, MPI_File_write_all(file, r, TWO, own, &status),
             MPI_File_read_all(file, r, TWO, own, &status));
        FORM(2, MPI_File_write_at(file, at, r, TWO, own, &status),
             MPI_File_read_at(file, at, r, TWO, own, &status));
        FORM(3, MPI_File_write_at_all(file, at, r, TWO, own, &status),
             MPI_File_read_at_all(file, at, r, TWO, own, &status));
        FORM(4, MPI_File_iwrite(file, r, TWO, own, &request),
             MPI_File_iread(file, r, TWO, own, &request));
        FORM(5, MPI_File_iwrite_all(file, r, TWO, own, &request),
             MPI_File_iread_all(file, r, TWO, own, &request));
        FORM(6, MPI_File_iwrite_at(file, at, r, TWO, own, &request),
             MPI_File_iread_at(file, at, r, TWO, own, &request));
        FORM(7, MPI_File_iwrite_at_all(file, at, r, TWO, own, &request),
             MPI_File_iread_at_all(file, at, r, TWO, own, &request));
        FORM(8, MPI_File_write_ordered(file, r, TWO, own, &status),
             MPI_File_read_ordered(file, r, TWO, own, &status));
        FORM(
            9,
            (MPI_File_write_all_begin(file, r, TWO, own), MPI_File_write_all_end(file, r, &status)),
            (MPI_File_read_all_begin(file, r, TWO, own), MPI_File_read_all_end(file, r, &status)));
        FORM(10,
             (MPI_File_write_at_all_begin(file, at, r, TWO, own),
              MPI_File_write_at_all_end(file, r, &status)),
             (MPI_File_read_at_all_begin(file, at, r, TWO, own),
              MPI_File_read_at_all_end(file, r, &status)));
        FORM(11,
             (MPI_File_write_ordered_begin(file, r, TWO, own),
              MPI_File_write_ordered_end(file, r, &status)),
             (MPI_File_read_ordered_begin(file, r, TWO, own),
              MPI_File_read_ordered_end(file, r, &status)));
    }
    MPI_Type_free(&own);
    if (request != MPI_REQUEST_NULL)
        MPI_Wait(&request, &status);
    MPI_Get_count(&status, record, &n);
    CT_CHECK(n == TWO, "form %d: %d records %s", form, n, is_write ? "written" : "read");
}

static void check_form(int form)
{
    struct record mine[TWO], seen[TWO];
    unsigned char want[TWO * IN_FILE], bytes[TWO * IN_FILE];
    MPI_File file;

    fill(mine, ct_me);
    file_form(want, ct_me);
    if (ct_me == 0)
        unlink(name);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_set_view(file, 0, in_file, in_file, "external32", MPI_INFO_NULL);
    MPI_File_seek(file, ct_me * TWO, MPI_SEEK_SET);
    transfer(file, form, 1, mine);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(file);

    MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    MPI_File_read_at(file, ct_me * TWO * IN_FILE, bytes, TWO * IN_FILE, MPI_BYTE,
                     MPI_STATUS_IGNORE);
    for (int i = 0; i < TWO * IN_FILE; i++)
        CT_CHECK(bytes[i] == want[i], "form %d: byte %d of the file is %02x, not %02x", form, i,
                 bytes[i], want[i]);

    memset(seen, 0, sizeof(seen));
    MPI_File_set_view(file, 0, in_file, in_file, "external32", MPI_INFO_NULL);
    MPI_File_seek(file, ct_me * TWO, MPI_SEEK_SET);
    transfer(file, form, 0, seen);
    CT_CHECK(!memcmp(seen, mine, sizeof(seen)), "form %d: others come back", form);
    MPI_File_close(&file);
}

/* Shared pointers without an order: one process at a time */
static void check_shared(void)
{
    struct record mine[TWO], seen[TWO];
    MPI_Request request;
    MPI_File file;

    fill(mine, ct_me);
    memset(seen, 0, sizeof(seen));
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_set_view(file, 0, in_file, in_file, "external32", MPI_INFO_NULL);
    for (int reads = 0; reads < 2; reads++) {
        for (int r = 0; r < size; r++) {
            MPI_Barrier(MPI_COMM_WORLD);
            if (r != ct_me)
                continue;
            if (reads) {
                MPI_File_read_shared(file, seen, 1, record, MPI_STATUS_IGNORE);
                MPI_File_iread_shared(file, seen + 1, 1, record, &request);
            } else {
                MPI_File_write_shared(file, mine, 1, record, MPI_STATUS_IGNORE);
                MPI_File_iwrite_shared(file, mine + 1, 1, record, &request);
            }
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_File_sync(file);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    }
    CT_CHECK(!memcmp(seen, mine, sizeof(seen)), "others come back by the shared pointer");
    MPI_File_close(&file);
}

/* What MPI tells about the view, and a read that ends early */
static void check_queries(void)
{
    MPI_Datatype etype, filetype;
    MPI_Offset disp, byte;
    MPI_Aint extent;
    MPI_File file;
    MPI_Status status;
    char datarep[MPI_MAX_DATAREP_STRING];
    int bytes, n;

    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_set_view(file, 5, MPI_BYTE, in_file, "external32", MPI_INFO_NULL);
    MPI_File_get_type_extent(file, MPI_LONG, &extent);
    CT_CHECK(extent == 4, "extent of a long: %ld", (long) extent);
    MPI_File_get_type_extent(file, MPI_LONG_DOUBLE, &extent);
    CT_CHECK(extent == 16, "extent of a long double: %ld", (long) extent);
    MPI_File_get_view(file, &disp, &etype, &filetype, datarep);
    MPI_Type_size(filetype, &bytes);
    CT_CHECK(disp == 5 && etype == MPI_BYTE && !strcmp(datarep, "external32") &&
                 bytes == (int) (1 + sizeof(long) + sizeof(wchar_t)),
             "another view: %ld, %s, %d bytes", (long) disp, datarep, bytes);
    MPI_Type_free(&filetype);

    MPI_File_set_size(file, 4 * IN_FILE + 3);
    MPI_File_set_view(file, 0, in_file, in_file, "external32", MPI_INFO_NULL);
    MPI_File_get_byte_offset(file, 2, &byte);
    CT_CHECK(byte == 2 * IN_FILE, "third record at byte %ld", (long) byte);
    MPI_File_set_view(file, 0, MPI_LONG, MPI_LONG, "external32", MPI_INFO_NULL);
    MPI_File_read_at(file, 7, (long[4]){0}, 4, MPI_LONG, &status);
    MPI_Get_count(&status, MPI_LONG, &n);
    CT_CHECK(n == 0, "%d numbers read at the end", n);
    MPI_File_read_at(file, 5, (long[4]){0}, 4, MPI_LONG, &status);
    MPI_Get_count(&status, MPI_LONG, &n);
    CT_CHECK(n == 2, "%d numbers read before the end, not 2", n);
    MPI_File_close(&file);
}

int main(int argc, char **argv)
{
    const char *folder = getenv("TMPDIR");

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(name, sizeof(name), "%s/external32.%d", folder ? folder : "/tmp", (int) getpid());
    MPI_Bcast(name, sizeof(name), MPI_CHAR, 0, MPI_COMM_WORLD);
    create_types();
    for (int form = 0; form < FORMS; form++)
        check_form(form);
    check_shared();
    MPI_Barrier(MPI_COMM_WORLD);
    if (ct_me == 0)
        check_queries();
    MPI_Barrier(MPI_COMM_WORLD);
    if (ct_me == 0)
        unlink(name);
    MPI_Type_free(&record);
    MPI_Type_free(&in_file);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
