/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * One process asks for 2^46 bytes, which is more than any machine has: the window fails on all
 * processes, and no file stays.  A window of many pages is made without looking at each of them.
 */
#define _GNU_SOURCE
#include "mpitest.h"
#include "cmaptest_oracle.h"

#include <errno.h>
#include <unistd.h>

static int size;

/* libmpi calls these functions.  Pages that msync looked at: */
static unsigned long looked_at;

int msync(void *address, size_t bytes, int flags)
{
    looked_at++;
    errno = ENOMEM; /* as if nothing were mapped there */
    return -1;
}

/* Files of shared memory that this process has made.  Another job may remove one before this
 * process has locked it. */
#define MOST_FILES 100
static char files[MOST_FILES][64];
static int made;

int mkstemp(char *name)
{
    int file = mkostemp(name, 0);

    if (file >= 0 && strstr(name, "mpich_seg_") && made < MOST_FILES)
        snprintf(files[made++], sizeof(files[0]), "%s", name);
    return file;
}

static int count_left(void)
{
    int n = 0;

    for (int i = 0; i < made; i++)
        n += access(files[i], F_OK) == 0;
    return n;
}

static int make(int kind, MPI_Aint bytes, MPI_Win *win)
{
    MPI_Info info;
    char *base;
    int err;

    MPI_Info_create(&info);
    if (kind == 1)
        MPI_Info_set(info, "alloc_shm", "false");
    if (kind == 2)
        MPI_Info_set(info, "alloc_shared_noncontig", "true");
    err = MPI_Win_allocate(bytes, 1, info, MPI_COMM_WORLD, &base, win);
    MPI_Info_free(&info);
    return err;
}

static void check_alike(int err, int kind, int who)
{
    int mine = err != MPI_SUCCESS, failed;

    MPI_Allreduce(&mine, &failed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CT_CHECK(failed == 0 || failed == size, "kind %d: %d of %d processes have an error", kind,
             failed, size);
    CT_CHECK(failed == size, "kind %d: rank %d got 2^46 bytes", kind, who);
}

/* The others ask for a page, so that all addresses could be the same. */
static void check_too_large(int kind, int who)
{
    MPI_Win win;
    int err = make(kind, ct_me == who ? (MPI_Aint) 1 << 46 : 4096, &win);

    check_alike(err, kind, who);
    if (!err)
        MPI_Win_free(&win);
}

static void check_untouched(void)
{
    const MPI_Aint bytes = (MPI_Aint) 1 << 26;
    MPI_Win win;
    int err;

    looked_at = 0;
    err = make(0, bytes, &win);
    CT_CHECK(!err, "no window of 64 MB");
    CT_CHECK(looked_at < 100, "%lu pages were looked at", looked_at);
    if (!err)
        MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    check_untouched();
    for (int kind = 0; kind < 3; kind++) {
        for (int who = 0; who < size; who++)
            check_too_large(kind, who);
    }
    CT_CHECK(made < MOST_FILES && count_left() == 0, "%d of %d files of shared memory stay",
             count_left(), made);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
