/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Reads with a count above 2^31, by each call, get what is in a short file, and the status says how
 * much that is.  The buffer takes addresses, and hardly any memory.
 */
#include <sys/mman.h>
#include <unistd.h>
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { IN_FILE = 100 };

static const MPI_Count n = ((MPI_Count) 1 << 31) + 5;
static char *memory;
static MPI_File file;

/* The error of the transfer, or of its end */
static int finish(int err, MPI_Request *request, MPI_Status *status)
{
    return err ? err : MPI_Wait(request, status);
}

static void check(const char *call, int err, MPI_Status *status, int want)
{
    MPI_Count got = -1;
    int wrong = 0;

    CT_CHECK(!err, "%s: error", call);
    if (err)
        return;
    MPI_Get_elements_x(status, MPI_BYTE, &got);
    CT_CHECK(got == want, "%s: %lld bytes, not %d", call, (long long) got, want);
    for (int i = 0; i < want; i++)
        wrong += memory[i] != i;
    CT_CHECK(!wrong, "%s: %d bytes are wrong", call, wrong);
    memset(memory, -1, IN_FILE);
    MPI_Barrier(MPI_COMM_WORLD); /* all have used the shared pointer */
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
}

static void check_calls(void)
{
    MPI_Request request;
    MPI_Status status;
    int err;

    check("read_at", MPI_File_read_at_c(file, 0, memory, n, MPI_BYTE, &status), &status, IN_FILE);
    check("read", MPI_File_read_c(file, memory, n, MPI_BYTE, &status), &status, IN_FILE);
    err = MPI_File_iread_at_c(file, 0, memory, n, MPI_BYTE, &request);
    check("iread_at", finish(err, &request, &status), &status, IN_FILE);
    err = MPI_File_iread_c(file, memory, n, MPI_BYTE, &request);
    check("iread", finish(err, &request, &status), &status, IN_FILE);
    check("read_at_all", MPI_File_read_at_all_c(file, 0, memory, n, MPI_BYTE, &status), &status,
          IN_FILE);
    check("read_all", MPI_File_read_all_c(file, memory, n, MPI_BYTE, &status), &status, IN_FILE);
    err = MPI_File_iread_at_all_c(file, 0, memory, n, MPI_BYTE, &request);
    check("iread_at_all", finish(err, &request, &status), &status, IN_FILE);
    err = MPI_File_iread_all_c(file, memory, n, MPI_BYTE, &request);
    check("iread_all", finish(err, &request, &status), &status, IN_FILE);
    err = MPI_File_read_at_all_begin_c(file, 0, memory, n, MPI_BYTE);
    check("read_at_all_begin", err ? err : MPI_File_read_at_all_end(file, memory, &status), &status,
          IN_FILE);
    err = MPI_File_read_all_begin_c(file, memory, n, MPI_BYTE);
    check("read_all_begin", err ? err : MPI_File_read_all_end(file, memory, &status), &status,
          IN_FILE);
}

/* Only the first process reads what is there. */
static void check_shared_calls(void)
{
    int there = ct_me == 0 ? IN_FILE : 0, err;
    MPI_Request request;
    MPI_Status status;

    check("read_ordered", MPI_File_read_ordered_c(file, memory, n, MPI_BYTE, &status), &status,
          there);
    err = MPI_File_read_ordered_begin_c(file, memory, n, MPI_BYTE);
    check("read_ordered_begin", err ? err : MPI_File_read_ordered_end(file, memory, &status),
          &status, there);
    if (ct_me == 0)
        err = MPI_File_read_shared_c(file, memory, n, MPI_BYTE, &status);
    else
        MPI_Status_set_elements(&status, MPI_BYTE, 0);
    check("read_shared", err, &status, there);
    if (ct_me == 0)
        err = MPI_File_iread_shared_c(file, memory, n, MPI_BYTE, &request);
    else
        request = MPI_REQUEST_NULL;
    check("iread_shared", finish(err, &request, &status), &status, there);
}

static void check_file(const char *prefix, const char *name)
{
    char full[320];
    MPI_Info info;

    snprintf(full, sizeof(full), "%s%s", prefix, name);
    MPI_Info_create(&info);
    MPI_Info_set(info, "romio_cb_read", "disable");
    if (MPI_File_open(MPI_COMM_WORLD, full, MPI_MODE_RDONLY, info, &file))
        MPI_Abort(MPI_COMM_WORLD, 1);
    check_calls();
    check_shared_calls();
    MPI_File_close(&file);
    MPI_Info_free(&info);
}

int main(int argc, char **argv)
{
    const char *folder = getenv("TMPDIR");
    char name[300];

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    snprintf(name, sizeof(name), "%s/large_reads.%d", folder ? folder : "/tmp", (int) getpid());
    MPI_Bcast(name, sizeof(name), MPI_CHAR, 0, MPI_COMM_WORLD);
    memory =
        mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (ct_me == 0) {
        FILE *f = fopen(name, "wb");

        for (int i = 0; f && i < IN_FILE; i++)
            fputc(i, f);
        if (!f || fclose(f))
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    check_file("", name);
    check_file("nfs:", name);
    MPI_Barrier(MPI_COMM_WORLD);
    if (ct_me == 0)
        unlink(name);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
