/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * One call writes and one reads more than 2 GiB, or 4 GiB: by all calls with a count above 2^31,
 * and by views and datatypes whose blocks are as large.  The bytes at the edges of blocks and of
 * each GiB of memory arrive, in the file and back in memory, and those between blocks stay as they
 * were.  The buffer takes far less memory than addresses, because most of its parts show the same
 * pages.  The first process moves the most; the others have a few bytes between its blocks.
 *
 * Without 5 GB of memory and 6 GB of room in TMPDIR the test is skipped.
 *
 * Arguments: calls, strided, nfs, collective; all without one
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { PART = 1 << 26, EDGE = 1 << 12, BEHIND = 1000, PIECE = 5 };

/* Bytes of memory or of the file, in their order */
struct layout {
    int n;
    MPI_Count disp[2], length[2];
};

struct way {
    int call, in_bytes;
    const char *driver, *sieve, *aggregate;
};

enum {
    AT,
    I_AT,
    POINTER,
    I_POINTER,
    SHARED,
    I_SHARED,
    AT_ALL,
    I_AT_ALL,
    SPLIT_AT_ALL,
    ALL,
    I_ALL,
    SPLIT_ALL,
    ORDERED,
    SPLIT_ORDERED,
    CALLS
};

static const char *const names[CALLS] = {
    "at",       "i_at",         "pointer", "i_pointer", "shared",    "i_shared", "at_all",
    "i_at_all", "split_at_all", "all",     "i_all",     "split_all", "ordered",  "split_ordered"};

static const MPI_Count GIB = 1 << 30;
static int size;
static char name[300];
static char *memory;
static MPI_Count room;

/* ---- memory ---- */

static void map_again(MPI_Count first, MPI_Count last, int fd)
{
    int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;

    if (mmap(memory + first, last - first, PROT_READ | PROT_WRITE, flags | MAP_FIXED, fd, 0) ==
        MAP_FAILED)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Pages of their own around each GiB; the same ones elsewhere */
static void map_memory(MPI_Count bytes)
{
    FILE *file = tmpfile();

    room = (bytes / PART + 1) * PART;
    memory = mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (!file || ftruncate(fileno(file), PART) || memory == MAP_FAILED)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (MPI_Count i = 0; i < room; i += PART)
        map_again(i, i + PART, fileno(file));
    for (MPI_Count i = 0; i < room; i += GIB)
        map_again(i ? i - EDGE : 0, i + EDGE, -1);
    fclose(file);
}

/* The next place in pages of their own; `room` behind the last */
static MPI_Count next_edge(MPI_Count i)
{
    MPI_Count in_gib = ++i % GIB;

    if (in_gib >= EDGE && in_gib < GIB - EDGE)
        i += GIB - EDGE - in_gib;
    return i < room ? i : room;
}

static char value(MPI_Count i) { return 1 + (i + 3 * (i / GIB) + 5 * ct_me) % 125; }

/* ---- layouts ---- */

static MPI_Count bytes_of(const struct layout *l)
{
    return l->length[0] + (l->n == 2 ? l->length[1] : 0);
}

/* Where byte `i` is */
static MPI_Count place_of(const struct layout *l, MPI_Count i)
{
    return i < l->length[0] ? l->disp[0] + i : l->disp[1] + i - l->length[0];
}

/* Which byte is there, or -1 */
static MPI_Count byte_at(const struct layout *l, MPI_Count place)
{
    MPI_Count before = 0;

    for (int i = 0; i < l->n; before += l->length[i++])
        if (place >= l->disp[i] && place < l->disp[i] + l->length[i])
            return before + place - l->disp[i];
    return -1;
}

static MPI_Datatype type_of(const struct layout *l)
{
    MPI_Datatype type;

    MPI_Type_create_hindexed_c(l->n, l->length, l->disp, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    return type;
}

static struct layout contiguous(MPI_Count bytes)
{
    struct layout l = {1, {0}, {bytes}};

    return l;
}

/* A block, room for some bytes of each other process, and a few more bytes */
static struct layout two_blocks(MPI_Count block)
{
    struct layout l = {2, {0, block + PIECE * (size - 1)}, {block, BEHIND}};

    return l;
}

/* ---- transfers ---- */

#define START_AND_WAIT(call) (err = (call), err ? err : MPI_Wait(&request, status))
#define BEGIN_AND_END(begin, end) (err = (begin), err ? err : (end))

static int do_write(MPI_File f, int call, MPI_Count n, MPI_Datatype t, MPI_Status *status)
{
    MPI_Request request;
    int err;

    switch (call) {
        case AT: return MPI_File_write_at_c(f, 0, memory, n, t, status);
        case I_AT: return START_AND_WAIT(MPI_File_iwrite_at_c(f, 0, memory, n, t, &request));
        case POINTER: return MPI_File_write_c(f, memory, n, t, status);
        case I_POINTER: return START_AND_WAIT(MPI_File_iwrite_c(f, memory, n, t, &request));
        case SHARED: return MPI_File_write_shared_c(f, memory, n, t, status);
        case I_SHARED: return START_AND_WAIT(MPI_File_iwrite_shared_c(f, memory, n, t, &request));
        case AT_ALL: return MPI_File_write_at_all_c(f, 0, memory, n, t, status);
        case I_AT_ALL:
            return START_AND_WAIT(MPI_File_iwrite_at_all_c(f, 0, memory, n, t, &request));
        case SPLIT_AT_ALL:
            return BEGIN_AND_END(MPI_File_write_at_all_begin_c(f, 0, memory, n, t),
                                 MPI_File_write_at_all_end(f, memory, status));
        case ALL: return MPI_File_write_all_c(f, memory, n, t, status);
        case I_ALL: return START_AND_WAIT(MPI_File_iwrite_all_c(f, memory, n, t, &request));
        case SPLIT_ALL:
            return BEGIN_AND_END(MPI_File_write_all_begin_c(f, memory, n, t),
                                 MPI_File_write_all_end(f, memory, status));
        case ORDERED: return MPI_File_write_ordered_c(f, memory, n, t, status);
        default:
            return BEGIN_AND_END(MPI_File_write_ordered_begin_c(f, memory, n, t),
                                 MPI_File_write_ordered_end(f, memory, status));
    }
}

static int do_read(MPI_File f, int call, MPI_Count n, MPI_Datatype t, MPI_Status *status)
{
    MPI_Request request;
    int err;

    switch (call) {
        case AT: return MPI_File_read_at_c(f, 0, memory, n, t, status);
        case I_AT: return START_AND_WAIT(MPI_File_iread_at_c(f, 0, memory, n, t, &request));
        case POINTER: return MPI_File_read_c(f, memory, n, t, status);
        case I_POINTER: return START_AND_WAIT(MPI_File_iread_c(f, memory, n, t, &request));
        case SHARED: return MPI_File_read_shared_c(f, memory, n, t, status);
        case I_SHARED: return START_AND_WAIT(MPI_File_iread_shared_c(f, memory, n, t, &request));
        case AT_ALL: return MPI_File_read_at_all_c(f, 0, memory, n, t, status);
        case I_AT_ALL: return START_AND_WAIT(MPI_File_iread_at_all_c(f, 0, memory, n, t, &request));
        case SPLIT_AT_ALL:
            return BEGIN_AND_END(MPI_File_read_at_all_begin_c(f, 0, memory, n, t),
                                 MPI_File_read_at_all_end(f, memory, status));
        case ALL: return MPI_File_read_all_c(f, memory, n, t, status);
        case I_ALL: return START_AND_WAIT(MPI_File_iread_all_c(f, memory, n, t, &request));
        case SPLIT_ALL:
            return BEGIN_AND_END(MPI_File_read_all_begin_c(f, memory, n, t),
                                 MPI_File_read_all_end(f, memory, status));
        case ORDERED: return MPI_File_read_ordered_c(f, memory, n, t, status);
        default:
            return BEGIN_AND_END(MPI_File_read_ordered_begin_c(f, memory, n, t),
                                 MPI_File_read_ordered_end(f, memory, status));
    }
}

static MPI_File open_file(const struct way *w, MPI_Offset first, MPI_Datatype view)
{
    char full[320];
    MPI_Info info;
    MPI_File file;

    snprintf(full, sizeof(full), "%s%s", w->driver, name);
    MPI_Info_create(&info);
    MPI_Info_set(info, "romio_ds_read", w->sieve);
    MPI_Info_set(info, "romio_ds_write", w->sieve);
    MPI_Info_set(info, "romio_cb_read", w->aggregate);
    MPI_Info_set(info, "romio_cb_write", w->aggregate);
    if (MPI_File_open(MPI_COMM_WORLD, full, MPI_MODE_RDWR | MPI_MODE_CREATE, info, &file))
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Info_free(&info);
    MPI_File_set_view(file, first, MPI_BYTE, view, "native", MPI_INFO_NULL);
    return file;
}

static void move(const struct way *w, const struct layout *in_memory, const struct layout *in_file,
                 int is_write, const char *what)
{
    MPI_Datatype view = type_of(in_file), type = type_of(in_memory);
    int is_shared = w->call == SHARED || w->call == I_SHARED || w->call >= ORDERED;
    MPI_Offset first = is_shared || in_file->n == 2 ? 0 : in_file->disp[0];
    MPI_File file = open_file(w, first, in_file->n == 2 ? view : MPI_BYTE);
    MPI_Count n = w->in_bytes ? in_memory->length[0] : 1, moved = -1;
    MPI_Datatype t = w->in_bytes ? MPI_BYTE : type;
    MPI_Status status;
    int err;

    if (w->call >= AT_ALL || ct_me == 0) {
        err = is_write ? do_write(file, w->call, n, t, &status)
                       : do_read(file, w->call, n, t, &status);
        CT_CHECK(!err, "%s: error in %s", what, is_write ? "write" : "read");
        if (!err) {
            MPI_Get_elements_x(&status, MPI_BYTE, &moved);
            CT_CHECK(moved == bytes_of(in_memory), "%s: %lld bytes in %s, not %lld", what,
                     (long long) moved, is_write ? "write" : "read",
                     (long long) bytes_of(in_memory));
        }
    }
    MPI_File_close(&file);
    MPI_Type_free(&view);
    MPI_Type_free(&type);
    MPI_Barrier(MPI_COMM_WORLD);
}

static int file_has(int fd, MPI_Count place, int want)
{
    char byte = -1;

    return pread(fd, &byte, 1, place) == 1 && byte == want;
}

static void check_file(const struct layout *in_memory, const struct layout *in_file,
                       const char *what)
{
    int fd = open(name, O_RDONLY), wrong = 0;

    for (MPI_Count i = 0; i < room && wrong < 3; i = next_edge(i)) {
        MPI_Count byte = byte_at(in_memory, i);

        if (byte >= 0 && !file_has(fd, place_of(in_file, byte), value(i))) {
            ct_fail("%s: byte %lld is not in the file", what, (long long) byte);
            wrong++;
        }
    }
    close(fd);
}

static void check_gap(const struct layout *in_file, const char *what)
{
    int fd = open(name, O_RDONLY);

    for (MPI_Count i = in_file->length[0]; in_file->n == 2 && i < in_file->disp[1]; i++)
        CT_CHECK(file_has(fd, i, 0), "%s: something is between the blocks, at %lld", what,
                 (long long) i);
    close(fd);
}

static void check_memory(const struct layout *in_memory, const char *what)
{
    int wrong = 0;

    for (MPI_Count i = 0; i < room && wrong < 3; i = next_edge(i)) {
        char want = byte_at(in_memory, i) < 0 ? 0 : value(i);

        if (memory[i] != want) {
            ct_fail("%s: memory has %d at %lld, not %d", what, memory[i], (long long) i, want);
            wrong++;
        }
    }
}

static void check(const struct way *w, MPI_Count block, int file_blocks, int memory_blocks)
{
    MPI_Count bytes = block + (file_blocks == 2 || memory_blocks == 2 ? BEHIND : 0);
    struct layout in_file = file_blocks == 2 ? two_blocks(block) : contiguous(bytes);
    struct layout in_memory = memory_blocks == 2 ? two_blocks(block) : contiguous(bytes);
    int takes_part = ct_me == 0 || w->call >= AT_ALL;
    char what[200];

    snprintf(what, sizeof(what),
             "%s%s, %lld bytes in a block, %d in the file, %d in memory, sieve "
             "%s, aggregate %s",
             w->driver, names[w->call], (long long) block, file_blocks, memory_blocks, w->sieve,
             w->aggregate);
    if (ct_me) {
        in_memory = contiguous(PIECE);
        in_file = contiguous(PIECE);
        in_file.disp[0] = (file_blocks == 2 ? block : bytes) + PIECE * (ct_me - 1);
    }
    for (MPI_Count i = 0; i < room; i = next_edge(i))
        memory[i] = value(i);
    move(w, &in_memory, &in_file, 1, what);
    if (takes_part)
        check_file(&in_memory, &in_file, what);
    if (w->call < AT_ALL && ct_me == 0)
        check_gap(&in_file, what);
    for (MPI_Count i = 0; i < room; i = next_edge(i))
        memory[i] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    move(w, &in_memory, &in_file, 0, what);
    if (takes_part)
        check_memory(&in_memory, what);
    MPI_Barrier(MPI_COMM_WORLD);
    if (ct_me == 0)
        unlink(name);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- ways ---- */

static void check_calls(void)
{
    struct way w = {0, 1, "", "automatic", "disable"};

    for (w.call = 0; w.call < CALLS; w.call++)
        check(&w, 2 * GIB + BEHIND, 1, 1);
}

static void check_strided(const char *driver)
{
    static const char *const sieves[] = {"enable", "disable"};

    for (int i = 0; i < 2; i++) {
        struct way w = {POINTER, 0, driver, sieves[i], "disable"};

        check(&w, 2 * GIB + BEHIND, 2, 1);
        check(&w, 2 * GIB + BEHIND, 1, 2);
        w.call = AT;
        check(&w, 2 * GIB + BEHIND, 2, 2);
    }
}

static void check_collective(void)
{
    struct way w = {ALL, 0, "", "automatic", "enable"};

    check(&w, 4 * GIB + BEHIND, 2, 1);
    check(&w, 4 * GIB + BEHIND, 2, 2);
    w.call = I_ALL;
    check(&w, 4 * GIB + BEHIND, 2, 1);
    check(&w, 4 * GIB + BEHIND, 1, 2);
}

static int is_room(const char *folder)
{
    FILE *file = fopen("/proc/meminfo", "r");
    char line[200];
    long long kilobytes = 0;
    struct statvfs disk;
    int mine, all;

    while (file && fgets(line, sizeof(line), file))
        sscanf(line, "MemAvailable: %lld", &kilobytes);
    if (file)
        fclose(file);
    mine = kilobytes > 5000000 && !statvfs(folder, &disk) &&
           disk.f_bavail * (double) disk.f_frsize > 6e9;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all;
}

int main(int argc, char **argv)
{
    static const char *const parts[] = {"calls", "strided", "nfs", "collective"};
    const char *folder = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!is_room(folder)) {
        if (ct_me == 0)
            printf("skipped: 5 GB of memory and 6 GB in %s are needed\n", folder);
        MTest_Finalize(0);
        return 0;
    }
    snprintf(name, sizeof(name), "%s/large_files.%d", folder, (int) getpid());
    MPI_Bcast(name, sizeof(name), MPI_CHAR, 0, MPI_COMM_WORLD);
    map_memory(ct_me == 0 ? 4 * GIB + 10 * BEHIND : BEHIND);
    for (int i = 0; i < 4; i++) {
        int is_wanted = argc == 1;

        for (int j = 1; j < argc; j++)
            is_wanted |= !strcmp(argv[j], parts[i]);
        if (!is_wanted)
            continue;
        if (i == 0)
            check_calls();
        else if (i < 3)
            check_strided(i == 1 ? "" : "nfs:");
        else
            check_collective();
    }
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
