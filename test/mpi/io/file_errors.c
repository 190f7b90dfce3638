/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A disk that fails: reads and writes return MPI_ERR_IO, also where another process has read or
 * written for this one, and end on all processes. Afterwards the same calls succeed. Blocking,
 * nonblocking and collective; gaps in memory and in the file; over the drivers UFS and NFS.
 *
 * The system's calls are those of this file, so that they fail when the test wants it.
 */
#define _GNU_SOURCE
#include <aio.h>
#include <dlfcn.h>
#include <errno.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { PIECE = 8, PIECES = 600, MINE = PIECE * PIECES };

static int me, size;
static char path[300];

/* ---- a file that fails ---- */

static int reads_fail, writes_fail;
static struct stat bad; /* which file that is */

static int is_bad(int fd)
{
    struct stat s;

    return fstat(fd, &s) == 0 && s.st_dev == bad.st_dev && s.st_ino == bad.st_ino;
}

static int fails(int fd, int now)
{
    int no = now && is_bad(fd);

    if (no)
        errno = EIO;
    return no;
}

ssize_t pread(int fd, void *buffer, size_t n, off_t at)
{
    return fails(fd, reads_fail) ? -1 : syscall(SYS_pread64, fd, buffer, n, at);
}

ssize_t read(int fd, void *buffer, size_t n)
{
    return fails(fd, reads_fail) ? -1 : syscall(SYS_read, fd, buffer, n);
}

ssize_t pwrite(int fd, const void *buffer, size_t n, off_t at)
{
    return fails(fd, writes_fail) ? -1 : syscall(SYS_pwrite64, fd, buffer, n, at);
}

ssize_t write(int fd, const void *buffer, size_t n)
{
    return fails(fd, writes_fail) ? -1 : syscall(SYS_write, fd, buffer, n);
}

/* What runs in the background has moved the data, but tells of an error. */
int aio_error(const struct aiocb *cb)
{
    static int (*real)(const struct aiocb *);
    int err;

    if (!real)
        real = (int (*)(const struct aiocb *)) dlsym(RTLD_NEXT, "aio_error");
    err = real(cb);
    return err == 0 && (reads_fail || writes_fail) && is_bad(cb->aio_fildes) ? EIO : err;
}

/* ---- the calls ---- */

/* The blocks of the processes in turn, in a file with or without a gap behind all of them. */
typedef struct layout {
    const char *name;
    int in_turn, gap, memory_gap;
} layout;

static const layout layouts[] = {
    {"plain", 0, 0, 0},
    {"gaps in memory", 0, 0, 1},
    {"in turn", 1, 0, 0},
    {"in turn, with gaps", 1, 1, 0},
    {"in turn, with gaps in file and memory", 1, 1, 1},
};

static MPI_File file;
static MPI_Datatype in_memory;
static int n_elements;
static char given[2 * MINE], got[2 * MINE];

static int wait_for(int err, MPI_Request *request)
{
    return err == MPI_SUCCESS ? MPI_Wait(request, MPI_STATUS_IGNORE) : err;
}

static int read_one(void)
{
    return MPI_File_read_at(file, 0, got, n_elements, in_memory, MPI_STATUS_IGNORE);
}

static int write_one(void)
{
    return MPI_File_write_at(file, 0, given, n_elements, in_memory, MPI_STATUS_IGNORE);
}

static int iread_one(void)
{
    MPI_Request request;

    return wait_for(MPI_File_iread_at(file, 0, got, n_elements, in_memory, &request), &request);
}

static int iwrite_one(void)
{
    MPI_Request request;

    return wait_for(MPI_File_iwrite_at(file, 0, given, n_elements, in_memory, &request), &request);
}

static int read_all(void)
{
    return MPI_File_read_at_all(file, 0, got, n_elements, in_memory, MPI_STATUS_IGNORE);
}

static int write_all(void)
{
    return MPI_File_write_at_all(file, 0, given, n_elements, in_memory, MPI_STATUS_IGNORE);
}

static const struct {
    const char *name;
    int (*call)(void);
    int writes, is_collective;
} calls[] = {
    {"write_at", write_one, 1, 0},     {"read_at", read_one, 0, 0},
    {"iwrite_at", iwrite_one, 1, 0},   {"iread_at", iread_one, 0, 0},
    {"write_at_all", write_all, 1, 1}, {"read_at_all", read_all, 0, 1},
};

/* ---- the runs ---- */

/* How a file is opened. */
typedef struct way {
    const char *name;
    int aggregate, atomic;
    const char *sieve;
} way;

static const way ways[] = {
    {"", 0, 0, "automatic"},
    {", atomic", 0, 1, "automatic"},
    {", without sieve", 0, 1, "disable"},
    {", aggregated", 1, 0, "automatic"},
};

static void open_file(const char *driver, const layout *l, const way *w)
{
    char name[400];
    MPI_Datatype block, view;
    MPI_Info info;
    int stride = l->in_turn ? PIECE * (size + l->gap) : PIECE;

    MPI_Info_create(&info);
    MPI_Info_set(info, "romio_cb_read", w->aggregate ? "enable" : "disable");
    MPI_Info_set(info, "romio_cb_write", w->aggregate ? "enable" : "disable");
    MPI_Info_set(info, "romio_ds_read", w->sieve);
    MPI_Info_set(info, "romio_ds_write", w->sieve);
    MPI_Info_set(info, "cb_buffer_size", "4096"); /* in several rounds */
    MPI_Info_set(info, "ind_rd_buffer_size", "4096");
    MPI_Info_set(info, "ind_wr_buffer_size", "4096");
    snprintf(name, sizeof(name), "%s:%s", driver, path);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file);
    MPI_File_set_atomicity(file, w->atomic);
    MPI_Type_contiguous(PIECE, MPI_BYTE, &block);
    MPI_Type_create_resized(block, 0, stride, &view);
    MPI_Type_commit(&view);
    MPI_File_set_view(file, me * (l->in_turn ? PIECE : MINE), MPI_BYTE, view, "native",
                      MPI_INFO_NULL);
    MPI_Type_free(&view);
    MPI_Type_create_resized(block, 0, l->memory_gap ? 2 * PIECE : PIECE, &in_memory);
    MPI_Type_commit(&in_memory);
    n_elements = PIECES;
    MPI_Type_free(&block);
    MPI_Info_free(&info);
}

static void check_data(const char *what, const char *layout_name, int memory_gap)
{
    int wrong = 0, stride = memory_gap ? 2 * PIECE : PIECE;

    for (int i = 0; i < PIECES; i++)
        wrong += memcmp(got + i * stride, given + i * stride, PIECE) != 0;
    CT_CHECK(wrong == 0, "%s, %s: %d pieces are wrong", what, layout_name, wrong);
}

/* A write with gaps reads first what is in them. */
typedef enum failure { THE_CALL, WHAT_WRITES_READ, FAILURES } failure;

/* One process has a bad disk, or all. */
static void run(const char *driver, const layout *l, int which, const way *w, failure f,
                int all_bad)
{
    int err, class = MPI_SUCCESS;
    int here = all_bad || me == 0;
    char what[100];

    if (w->aggregate && !calls[which].is_collective)
        return;
    if (f == WHAT_WRITES_READ && !(w->aggregate && l->gap && calls[which].writes))
        return;
    snprintf(what, sizeof(what), "%s:%s%s", driver, calls[which].name, w->name);
    open_file(driver, l, w);
    stat(path, &bad);
    MPI_Barrier(MPI_COMM_WORLD);
    write_all();
    MPI_Barrier(MPI_COMM_WORLD);

    reads_fail = here && (f == WHAT_WRITES_READ || !calls[which].writes);
    writes_fail = here && f == THE_CALL && calls[which].writes;
    err = calls[which].call();
    reads_fail = writes_fail = 0;
    MPI_Error_class(err, &class);
    if (here || w->aggregate)
        CT_CHECK(class == MPI_ERR_IO, "%s, %s: class %d", what, l->name, class);
    else
        CT_CHECK(class == MPI_SUCCESS, "%s, %s: class %d of a good disk", what, l->name, class);

    MPI_Barrier(MPI_COMM_WORLD);
    memset(got, 0, sizeof(got));
    err = calls[which].call();
    CT_CHECK(err == MPI_SUCCESS, "%s, %s: code %d afterwards", what, l->name, err);
    MPI_Barrier(MPI_COMM_WORLD);
    read_all();
    check_data(what, l->name, l->memory_gap);
    MPI_Type_free(&in_memory);
    MPI_File_close(&file);
}

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static void run_all(const char *driver)
{
    for (size_t l = 0; l < LENGTH(layouts); l++)
        for (size_t which = 0; which < LENGTH(calls); which++)
            for (size_t w = 0; w < LENGTH(ways); w++)
                for (int f = 0; f < FAILURES; f++)
                    for (int all_bad = 0; all_bad < 2; all_bad++)
                        run(driver, &layouts[l], (int) which, &ways[w], (failure) f, all_bad);
}

int main(int argc, char **argv)
{
    const char *folder = getenv("TMPDIR");

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ct_me = me;
    /* requests have no file; their errors go here */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    snprintf(path, sizeof(path), "%s/file_errors.%d", folder ? folder : "/tmp", (int) getpid());
    MPI_Bcast(path, sizeof(path), MPI_CHAR, 0, MPI_COMM_WORLD);
    for (size_t i = 0; i < sizeof(given); i++)
        given[i] = (char) (me + i * 7 % 101);

    run_all("ufs");
    run_all("nfs");

    if (me == 0)
        unlink(path);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
