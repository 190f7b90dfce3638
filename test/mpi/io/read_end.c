/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Collective reads that end beyond the end of the file: the status says how much was there, if
 * processes read for others or for themselves, blocking or not.
 */
#include <unistd.h>
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { IN_FILE = 103 };

static char name[300];
static int size;

/* Bytes that are taken in turns, `piece` at a time: how many of the first 100 of a process exist */
static int bytes_there(int piece)
{
    int n = 0;

    for (int i = 0; i < 100; i++)
        n += (i / piece * size + ct_me) * piece + i % piece < IN_FILE;
    return n;
}

static void check(const char *aggregate, const char *sieve, int piece, int is_blocking)
{
    char bytes[100];
    MPI_Datatype block, view;
    MPI_Request request;
    MPI_Status status;
    MPI_Info info;
    MPI_File file;
    int n;

    MPI_Info_create(&info);
    MPI_Info_set(info, "romio_cb_read", aggregate);
    MPI_Info_set(info, "romio_ds_read", sieve);
    MPI_Type_contiguous(piece, MPI_BYTE, &block);
    MPI_Type_create_resized(block, 0, (MPI_Aint) piece * size, &view);
    MPI_Type_commit(&view);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, info, &file);
    MPI_File_set_view(file, ct_me * piece, MPI_BYTE, view, "native", MPI_INFO_NULL);
    if (is_blocking) {
        MPI_File_read_all(file, bytes, 100, MPI_BYTE, &status);
    } else {
        MPI_File_iread_all(file, bytes, 100, MPI_BYTE, &request);
        MPI_Wait(&request, &status);
    }
    MPI_Get_count(&status, MPI_BYTE, &n);
    CT_CHECK(n == bytes_there(piece), "aggregate %s, sieve %s, %d in turn%s: %d bytes read, not %d",
             aggregate, sieve, piece, is_blocking ? "" : ", nonblocking", n, bytes_there(piece));
    MPI_File_close(&file);
    MPI_Type_free(&block);
    MPI_Type_free(&view);
    MPI_Info_free(&info);
}

int main(int argc, char **argv)
{
    const char *folder = getenv("TMPDIR");

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(name, sizeof(name), "%s/read_end.%d", folder ? folder : "/tmp", (int) getpid());
    MPI_Bcast(name, sizeof(name), MPI_CHAR, 0, MPI_COMM_WORLD);
    if (ct_me == 0) {
        FILE *f = fopen(name, "wb");

        for (int i = 0; f && i < IN_FILE; i++)
            fputc(i, f);
        if (!f || fclose(f))
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int way = 0; way < 3; way++) {
        static const char *const ways[] = {"enable", "disable", "automatic"};

        for (int piece = 1; piece <= 100; piece += 33) {
            check(ways[way], "enable", piece, 0);
            check(ways[way], "enable", piece, 1);
            check(ways[way], "disable", piece, 1);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (ct_me == 0)
        unlink(name);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
