/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Without memory, what a communicator gets later on ends in an error of MPI, and works when there is memory again: its
 * name, and the communicators by nodes which its first collective operation needs.
 */
#include "cmaptest.h"
#include "cmaptest_malloc.h"

#ifdef CT_HAVE_MALLOC

static __thread int none_left; /* of this thread only: libraries have threads of their own */
static __thread int refused;

static int ct_refuses(void)
{
    refused += none_left;
    return none_left;
}

static void ct_allocated(void *p, size_t size)
{
}

static void ct_frees(void *p)
{
}

/* The world backwards: its communicators by nodes need maps that are not there yet, at every process.  (A process for
 * which all is there goes on, and waits for the others in vain.) */
static MPI_Comm fresh_comm(void)
{
    MPI_Comm comm;

    MPI_Comm_split(MPI_COMM_WORLD, 0, -ct_me, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return comm;
}

static void expect_no_memory(int result, const char *what)
{
    int error_class = MPI_SUCCESS;

    MPI_Error_class(result, &error_class);
    CT_CHECK(refused == 0 || error_class == MPI_ERR_NO_MEM || error_class == MPI_ERR_OTHER,
             "%s without memory: class %d", what, error_class);
    CT_CHECK(refused > 0 || result == MPI_SUCCESS, "%s fails with all the memory", what);
}

static void check_name(void)
{
    MPI_Comm comm = fresh_comm();
    char name[MPI_MAX_OBJECT_NAME];
    int length, result;

    none_left = 1;
    refused = 0;
    result = MPI_Comm_set_name(comm, "no room");
    none_left = 0;
    expect_no_memory(result, "MPI_Comm_set_name");
    MPI_Comm_get_name(comm, name, &length);
    CT_CHECK(!strcmp(name, result == MPI_SUCCESS ? "no room" : ""), "the name is '%s'", name);
    MPI_Comm_set_name(comm, "room");
    MPI_Comm_get_name(comm, name, &length);
    CT_CHECK(!strcmp(name, "room"), "the name is '%s', not 'room'", name);
    MPI_Comm_free(&comm);
}

/* At all processes, so that nobody waits for one that gave up. */
static void check_first_use(int by_nodes)
{
    MPI_Comm comm = fresh_comm();
    int value = 0, result, size, failed = 0, failures;

    MPI_Comm_size(comm, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    none_left = by_nodes;
    refused = 0;
    result = by_nodes ? MPI_Bcast(&value, 1, MPI_INT, 0, comm) : MPI_SUCCESS;
    none_left = 0;
    expect_no_memory(result, "the first MPI_Bcast");
    failed = result != MPI_SUCCESS;
    MPI_Allreduce(&failed, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CT_CHECK(failures == by_nodes * size, "%d of %d processes have no memory", failures, size);

    value = ct_me == size - 1 ? 18 : 0; /* who is rank 0 */
    result = MPI_Bcast(&value, 1, MPI_INT, 0, comm);
    CT_CHECK(result == MPI_SUCCESS && value == 18, "MPI_Bcast with memory gives %d", value);
    MPI_Comm_free(&comm);
}

static void check_all(int by_nodes)
{
    check_name();
    for (int i = 0; i < 5; i++)
        check_first_use(by_nodes);
}

#else

static void check_all(int by_nodes)
{
    MTestPrintfMsg(1, "skipped: the names of the C library's own allocator are not known here\n");
}

#endif

/* Argument: -nodes (collective operations go by nodes) */
int main(int argc, char **argv)
{
    int by_nodes = 0;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    for (int i = 1; i < argc; i++)
        by_nodes = by_nodes || !strcmp(argv[i], "-nodes");
    check_all(by_nodes);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
