/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Collectives of two processes whose blocks have less than 2^31 elements each, and more in all: the
 * first and the last element of each block arrive, and nothing behind them. Each algorithm of the
 * collective is taken in turn. The buffers take far less memory than addresses, because most of
 * their parts show the same pages; what MPI allocates does not. Without 12 GB of memory the test is
 * skipped.
 *
 * Arguments: the names of collectives, all without one
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"
#include "cmaptest_mpit.h"

#include <sys/mman.h>
#include <unistd.h>

enum { PART = 1 << 24, PROCESSES = 2 };

static const MPI_Count block = 1100000000;
static signed char *send, *receive;

/* ---- memory ---- */

/* Parts with the ends of blocks have pages of their own. */
static int pages_of(MPI_Count place)
{
    for (int i = 0; i <= PROCESSES; i++) {
        if (place == i * block / PART)
            return 2 * i + 1;
        if (i && place == (i * block - 1) / PART)
            return 2 * i;
    }
    return 0;
}

/* NULL without addresses */
static signed char *map_parts(void)
{
    FILE *file = tmpfile();
    MPI_Count parts = PROCESSES * block / PART + 1;
    int fd = file ? fileno(file) : -1;
    signed char *memory =
        mmap(NULL, parts * PART, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    int failed =
        memory == MAP_FAILED || fd < 0 || ftruncate(fd, (2 * PROCESSES + 2) * (off_t) PART);

    for (MPI_Count i = 0; !failed && i < parts; i++)
        failed = mmap(memory + i * PART, PART, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
                      pages_of(i) * (off_t) PART) == MAP_FAILED;
    if (file)
        fclose(file);
    return failed ? NULL : memory;
}

static int is_room(void)
{
    FILE *file = fopen("/proc/meminfo", "r");
    char line[200];
    long long kilobytes = 0;
    int mine, all;

    while (file && fgets(line, sizeof(line), file))
        sscanf(line, "MemAvailable: %lld", &kilobytes);
    if (file)
        fclose(file);
    mine = send && receive && kilobytes > 12000000;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all;
}

/* ---- contents ---- */

static int value(int rank, int i) { return 10 + 3 * rank + i; }

static void set_block(signed char *memory, int i, int first, int last)
{
    memory[i * block] = first;
    memory[(i + 1) * block - 1] = last;
}

static void fill(void)
{
    for (int i = 0; i < PROCESSES; i++) {
        set_block(send, i, value(ct_me, i), value(ct_me, i) + 40);
        set_block(receive, i, -1, -2);
    }
    send[PROCESSES * block] = receive[PROCESSES * block] = -3;
}

static void expect(const char *name, int i, int first, int last)
{
    const signed char *memory = receive + i * block;

    CT_CHECK(memory[0] == first && memory[block - 1] == last,
             "%s: block %d has %d and %d, not %d and %d", name, i, memory[0], memory[block - 1],
             first, last);
}

static void expect_of(const char *name, int i, int rank, int sent)
{
    expect(name, i, value(rank, sent), value(rank, sent) + 40);
}

static void expect_sum(const char *name, int i, int sent)
{
    int sum = value(0, sent) + value(1, sent);

    expect(name, i, sum, sum + 80);
}

static void expect_rest(const char *name, int blocks)
{
    if (blocks < PROCESSES)
        expect(name, blocks, -1, -2);
    CT_CHECK(receive[PROCESSES * block] == -3, "%s writes behind the last block", name);
}

/* ---- collectives ---- */

#define TYPE MPI_SIGNED_CHAR
#define WORLD MPI_COMM_WORLD

static const int counts[PROCESSES] = {1100000000, 1100000000}, places[PROCESSES] = {0, 1100000000};
static MPI_Request request;

static int allgather(int later)
{
    return later ? MPI_Iallgather(send, block, TYPE, receive, block, TYPE, WORLD, &request)
                 : MPI_Allgather(send, block, TYPE, receive, block, TYPE, WORLD);
}

static int allgatherv(int later)
{
    return later
               ? MPI_Iallgatherv(send, block, TYPE, receive, counts, places, TYPE, WORLD, &request)
               : MPI_Allgatherv(send, block, TYPE, receive, counts, places, TYPE, WORLD);
}

static int gather(int later)
{
    return later ? MPI_Igather(send, block, TYPE, receive, block, TYPE, 0, WORLD, &request)
                 : MPI_Gather(send, block, TYPE, receive, block, TYPE, 0, WORLD);
}

static int scatter(int later)
{
    return later ? MPI_Iscatter(send, block, TYPE, receive, block, TYPE, 0, WORLD, &request)
                 : MPI_Scatter(send, block, TYPE, receive, block, TYPE, 0, WORLD);
}

static int alltoall(int later)
{
    return later ? MPI_Ialltoall(send, block, TYPE, receive, block, TYPE, WORLD, &request)
                 : MPI_Alltoall(send, block, TYPE, receive, block, TYPE, WORLD);
}

static int alltoallv(int later)
{
    return later ? MPI_Ialltoallv(send, counts, places, TYPE, receive, counts, places, TYPE, WORLD,
                                  &request)
                 : MPI_Alltoallv(send, counts, places, TYPE, receive, counts, places, TYPE, WORLD);
}

static int bcast(int later)
{
    if (ct_me == 0) {
        for (int i = 0; i < PROCESSES; i++)
            set_block(receive, i, value(0, i), value(0, i) + 40);
    }
    return later ? MPI_Ibcast_c(receive, PROCESSES * block, TYPE, 0, WORLD, &request)
                 : MPI_Bcast_c(receive, PROCESSES * block, TYPE, 0, WORLD);
}

static int reduce_scatter(int later)
{
    return later ? MPI_Ireduce_scatter(send, receive, counts, TYPE, MPI_SUM, WORLD, &request)
                 : MPI_Reduce_scatter(send, receive, counts, TYPE, MPI_SUM, WORLD);
}

static int reduce_scatter_block(int later)
{
    return later ? MPI_Ireduce_scatter_block(send, receive, block, TYPE, MPI_SUM, WORLD, &request)
                 : MPI_Reduce_scatter_block(send, receive, block, TYPE, MPI_SUM, WORLD);
}

static int allreduce(int later)
{
    return later
               ? MPI_Iallreduce_c(send, receive, PROCESSES * block, TYPE, MPI_SUM, WORLD, &request)
               : MPI_Allreduce_c(send, receive, PROCESSES * block, TYPE, MPI_SUM, WORLD);
}

enum result { FROM_ALL, TO_ROOT, FROM_ROOT, EXCHANGED, OF_ROOT, OWN_SUM, ALL_SUMS };

static const struct collective {
    const char *name;
    int (*call)(int later);
    enum result result;
} collectives[] = {
    {"ALLGATHER", allgather, FROM_ALL},
    {"ALLGATHERV", allgatherv, FROM_ALL},
    {"GATHER", gather, TO_ROOT},
    {"SCATTER", scatter, FROM_ROOT},
    {"ALLTOALL", alltoall, EXCHANGED},
    {"ALLTOALLV", alltoallv, EXCHANGED},
    {"BCAST", bcast, OF_ROOT},
    {"REDUCE_SCATTER", reduce_scatter, OWN_SUM},
    {"REDUCE_SCATTER_BLOCK", reduce_scatter_block, OWN_SUM},
    {"ALLREDUCE", allreduce, ALL_SUMS},
};

static void check_block(enum result result, const char *name, int i)
{
    switch (result) {
        case FROM_ALL:
        case TO_ROOT: expect_of(name, i, i, 0); break;
        case FROM_ROOT: expect_of(name, i, 0, ct_me); break;
        case EXCHANGED: expect_of(name, i, i, ct_me); break;
        case OF_ROOT: expect_of(name, i, 0, i); break;
        case OWN_SUM: expect_sum(name, i, ct_me); break;
        case ALL_SUMS: expect_sum(name, i, i); break;
    }
}

static void check(enum result result, const char *name)
{
    int blocks = result == FROM_ROOT || result == OWN_SUM ? 1 : PROCESSES;

    if (result == TO_ROOT && ct_me)
        blocks = 0;
    for (int i = 0; i < blocks; i++)
        check_block(result, name, i);
    expect_rest(name, blocks);
}

/* ---- algorithms ---- */

static int find_variable(const char *name, int *values)
{
    static char description[5000];
    int index, level, binding, scope, no_name = 0, length = sizeof(description);
    MPI_Datatype type;
    MPI_T_enum unused;

    if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS)
        return -1;
    MPI_T_cvar_get_info(index, NULL, &no_name, &level, &type, &unused, description, &length,
                        &binding, &scope);
    *values = ct_cvar_values(description);
    return index;
}

static void check_form(const struct collective *what, int later)
{
    char name[100], text[200];
    int values = 0, variable;

    snprintf(name, sizeof(name), "MPIR_CVAR_%s%s_INTRA_ALGORITHM", later ? "I" : "", what->name);
    variable = find_variable(name, &values);
    CT_CHECK(variable >= 0 && values > 1, "%s is not there", name);
    for (int i = 0; variable >= 0 && i < values; i++) {
        ct_cvar_set(variable, i);
        snprintf(text, sizeof(text), "%s=%d", name, i);
        MTestPrintfMsg(1, "%s\n", text);
        fill();
        MPI_Barrier(WORLD);
        CT_CHECK(what->call(later) == MPI_SUCCESS, "%s fails", text);
        if (later)
            CT_CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS, "%s fails later", text);
        check(what->result, text);
    }
    if (variable >= 0)
        ct_cvar_set(variable, 0);
}

static int is_wanted(const char *name, int argc, char **argv)
{
    int wanted = argc < 2;

    for (int i = 1; i < argc; i++)
        wanted |= !strcmp(name, argv[i]);
    return wanted;
}

int main(int argc, char **argv)
{
    int provided;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &ct_me);
    MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    send = map_parts();
    receive = map_parts();
    if (!is_room()) {
        MTestPrintfMsg(1, "skipped: no room\n");
    } else {
        for (size_t i = 0; i < sizeof(collectives) / sizeof(collectives[0]); i++) {
            if (!is_wanted(collectives[i].name, argc, argv))
                continue;
            check_form(&collectives[i], 0);
            check_form(&collectives[i], 1);
        }
    }
    MPI_T_finalize();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
