/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * One-sided operations of more than 2^31 elements, and of more than 2^32: all elements arrive, and
 * nothing behind them.  The memory of MPI_Win_create takes far less than its addresses, because
 * its parts show the same pages.  That of MPI_Win_allocate is as large as it looks: without room
 * for it, this part is skipped.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

#include <sys/mman.h>
#include <sys/statvfs.h>

static const MPI_Count part = (MPI_Count) 1 << 24;
static MPI_Win win;

static const MPI_Count counts[] = {((MPI_Count) 1 << 31) + 5, ((MPI_Count) 1 << 32) + 5};

/* The first part and those where `counts` end have pages of their own. */
static int pages_of(MPI_Count place)
{
    return place == 0 ? 1 : place == counts[0] / part ? 2 : place == counts[1] / part ? 3 : 0;
}

/* NULL without addresses. */
static char *map_parts(void)
{
    FILE *file = tmpfile();
    int fd = file ? fileno(file) : -1, flags = MAP_SHARED | MAP_FIXED;
    MPI_Count parts = counts[1] / part + 1;
    char *memory =
        mmap(NULL, parts * part, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    int failed = memory == MAP_FAILED || fd < 0 || ftruncate(fd, 4 * part);

    for (MPI_Count i = 0; !failed && i < parts; i++)
        failed = mmap(memory + i * part, part, PROT_READ | PROT_WRITE, flags, fd,
                      pages_of(i) * part) == MAP_FAILED;
    if (file)
        fclose(file);
    return failed ? NULL : memory;
}

typedef struct {
    const char *name;
    int reads, adds;
    int (*call)(char *origin, char *result, MPI_Count n, MPI_Request *request);
} operation_t;

static int put(char *origin, char *result, MPI_Count n, MPI_Request *request)
{
    return MPI_Put_c(origin, n, MPI_BYTE, 1, 0, n, MPI_BYTE, win);
}

static int get(char *origin, char *result, MPI_Count n, MPI_Request *request)
{
    return MPI_Get_c(result, n, MPI_BYTE, 1, 0, n, MPI_BYTE, win);
}

static int accumulate(char *origin, char *result, MPI_Count n, MPI_Request *request)
{
    return MPI_Accumulate_c(origin, n, MPI_INT8_T, 1, 0, n, MPI_INT8_T, MPI_SUM, win);
}

static int get_accumulate(char *origin, char *result, MPI_Count n, MPI_Request *request)
{
    return MPI_Get_accumulate_c(origin, n, MPI_INT8_T, result, n, MPI_INT8_T, 1, 0, n, MPI_INT8_T,
                                MPI_SUM, win);
}

static int rput(char *origin, char *result, MPI_Count n, MPI_Request *request)
{
    return MPI_Rput_c(origin, n, MPI_BYTE, 1, 0, n, MPI_BYTE, win, request);
}

static int rget(char *origin, char *result, MPI_Count n, MPI_Request *request)
{
    return MPI_Rget_c(result, n, MPI_BYTE, 1, 0, n, MPI_BYTE, win, request);
}

static int raccumulate(char *origin, char *result, MPI_Count n, MPI_Request *request)
{
    return MPI_Raccumulate_c(origin, n, MPI_INT8_T, 1, 0, n, MPI_INT8_T, MPI_SUM, win, request);
}

static int rget_accumulate(char *origin, char *result, MPI_Count n, MPI_Request *request)
{
    return MPI_Rget_accumulate_c(origin, n, MPI_INT8_T, result, n, MPI_INT8_T, 1, 0, n, MPI_INT8_T,
                                 MPI_SUM, win, request);
}

static const operation_t operations[] = {
    {"put", 0, 0, put},
    {"get", 1, 0, get},
    {"accumulate", 0, 1, accumulate},
    {"get_accumulate", 1, 1, get_accumulate},
    {"rput", 0, 0, rput},
    {"rget", 1, 0, rget},
    {"raccumulate", 0, 1, raccumulate},
    {"rget_accumulate", 1, 1, rget_accumulate},
};

enum { OPERATIONS = sizeof(operations) / sizeof(operations[0]), WITHOUT_REQUEST = 4 };

/* The first element, the last one and what is behind it. */
static void set_ends(char *memory, MPI_Count n, char first, char last, char behind)
{
    memory[0] = first;
    memory[n - 1] = last;
    memory[n] = behind;
}

static void check_ends(const operation_t *op, const char *where, const char *memory, MPI_Count n,
                       char first, char last, char behind)
{
    CT_CHECK(memory[0] == first && memory[n - 1] == last && memory[n] == behind,
             "%s of %lld: %s has %d, %d and %d, not %d, %d and %d", op->name, (long long) n, where,
             memory[0], memory[n - 1], memory[n], first, last, behind);
}

static void check_result(const operation_t *op, const char *result, MPI_Count n)
{
    if (op->reads)
        check_ends(op, "the result", result, n, 20, 21, 7);
    else
        check_ends(op, "the result", result, n, 5, 6, 7);
}

static void run_origin(const operation_t *op, char *data, char *result, MPI_Count n)
{
    MPI_Request request = MPI_REQUEST_NULL;

    set_ends(data, n, 1, 2, 3);
    set_ends(result, n, 5, 6, 7);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    CT_CHECK(op->call(data, result, n, &request) == MPI_SUCCESS, "%s of %lld fails", op->name,
             (long long) n);
    if (request != MPI_REQUEST_NULL) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        check_result(op, result, n);
    }
    CT_CHECK(MPI_Win_unlock(1, win) == MPI_SUCCESS, "unlock after %s fails", op->name);
    check_result(op, result, n);
    check_ends(op, "the origin", data, n, 1, 2, 3);
}

static void check_operation(const operation_t *op, char *memory, char *data, char *result,
                            MPI_Count n)
{
    if (ct_me == 1)
        set_ends(memory, n, 20, 21, 22);
    MPI_Barrier(MPI_COMM_WORLD);
    if (ct_me == 0)
        run_origin(op, data, result, n);
    MPI_Barrier(MPI_COMM_WORLD);
    if (ct_me != 1)
        return;
    if (op->adds)
        check_ends(op, "the target", memory, n, 21, 23, 22);
    else if (op->reads)
        check_ends(op, "the target", memory, n, 20, 21, 22);
    else
        check_ends(op, "the target", memory, n, 1, 2, 22);
}

/* Process 0 is the origin, 1 the target. */
static void check_window(int num_operations, char *memory, char *data, char *result)
{
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    for (int i = 0; i < num_operations; i++)
        check_operation(&operations[i], memory, data, result, counts[0]);
}

static void check_created(char *memory, char *data, char *result)
{
    MPI_Win_create_c(memory, ct_me == 1 ? counts[1] + 1 : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                     &win);
    check_window(OPERATIONS, memory, data, result);
    check_operation(&operations[0], memory, data, result, counts[1]);
    check_operation(&operations[1], memory, data, result, counts[1]);
    MPI_Win_free(&win);
}

static long long available(void)
{
    FILE *file = fopen("/proc/meminfo", "r");
    char line[200];
    long long kilobytes = 0;

    while (file && fgets(line, sizeof(line), file))
        sscanf(line, "MemAvailable: %lld", &kilobytes);
    if (file)
        fclose(file);
    return kilobytes * 1024;
}

/* All processes ask: those of a node may differ by what others took meanwhile. */
static int is_room(void)
{
    struct statvfs shared;
    int mine = available() > 2 * counts[0] && !statvfs("/dev/shm", &shared) &&
               (long long) shared.f_bavail * (long long) shared.f_frsize > counts[0] + part;
    int all;

    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all;
}

static void check_allocated(char *data, char *result)
{
    char *memory;

    if (!is_room()) {
        MTestPrintfMsg(1, "skipped: no room for 2 GB of MPI_Win_allocate\n");
        return;
    }
    MPI_Win_allocate_c(ct_me == 1 ? counts[0] + 1 : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                       &win);
    check_window(WITHOUT_REQUEST, memory, data, result);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    char *memory, *data, *result;
    int mine, all;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    memory = map_parts();
    data = map_parts();
    result = map_parts();
    mine = memory && data && result;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (all) {
        check_created(memory, data, result);
        check_allocated(data, result);
    } else {
        MTestPrintfMsg(1, "skipped: no addresses for 13 GB of memory\n");
    }
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
