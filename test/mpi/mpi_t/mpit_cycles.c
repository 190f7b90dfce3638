/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_T may be initialized and finalized any number of times: before MPI_Init, while MPI is in use,
 * and after MPI_Finalize.  Its variables keep their values, and what MPI does with communicators
 * does not depend on it.
 */
#include "cmaptest.h"

#define VARIABLE "MPIR_CVAR_BCAST_MIN_PROCS"

static int provided;

static int count_variables(void)
{
    int n = 0;

    MPI_T_cvar_get_num(&n);
    return n;
}

/* Writes *value when `write`, else reads it.  0 when this MPI has no such variable. */
static int access_variable(int write, int *value)
{
    int index, count;
    MPI_T_cvar_handle handle;

    if (MPI_T_cvar_get_index(VARIABLE, &index) != MPI_SUCCESS)
        return 0;
    MPI_T_cvar_handle_alloc(index, NULL, &handle, &count);
    if (write)
        MPI_T_cvar_write(handle, value);
    else
        MPI_T_cvar_read(handle, value);
    MPI_T_cvar_handle_free(&handle);
    return 1;
}

/* One cycle with a cycle in it. */
static void cycle(int variables, int want, const char *when)
{
    int value = 0;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_finalize();
    CT_CHECK(count_variables() == variables, "%s: %d variables, not %d", when, count_variables(),
             variables);
    if (access_variable(0, &value))
        CT_CHECK(want < 0 || value == want, "%s: " VARIABLE " is %d, not %d", when, value, want);
    MPI_T_finalize();
    CT_CHECK(MPI_T_finalize() != MPI_SUCCESS, "%s: one MPI_T_finalize too many succeeds", when);
}

static void use(MPI_Comm comm, const char *what)
{
    int size, rank, sum, from = 0;

    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &rank);
    MPI_Barrier(comm);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    CT_CHECK(sum == size * (size - 1) / 2, "MPI_Allreduce on %s gives %d", what, sum);
    MPI_Reduce(&rank, &from, 1, MPI_INT, MPI_MAX, 0, comm);
    MPI_Bcast(&from, 1, MPI_INT, 0, comm);
    CT_CHECK(from == size - 1, "MPI_Reduce and MPI_Bcast on %s give %d", what, from);
    MPI_Comm_free(&comm);
}

static void use_new_communicators(void)
{
    MPI_Comm comm;
    MPI_Request request;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    use(comm, "a duplicate");
    MPI_Comm_split(MPI_COMM_WORLD, ct_me % 2, -ct_me, &comm);
    use(comm, "a half");
    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    use(comm, "a pending duplicate");
}

static int begin_before_mpi(int *want)
{
    int variables;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    variables = count_variables();
    *want = 11;
    if (!access_variable(1, want))
        *want = -1;
    MPI_T_finalize();
    cycle(variables, *want, "before MPI_Init");
    return variables;
}

int main(int argc, char **argv)
{
    int want, variables = begin_before_mpi(&want);

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    for (int i = 0; i < 2; i++) {
        cycle(variables, want, "in MPI");
        use_new_communicators();
    }
    MTest_Finalize(ct_errs);
    /* nobody uses the values any more: they may be the defaults again */
    for (int i = 0; i < 2; i++)
        cycle(variables, -1, "after MPI_Finalize");
    return ct_errs != 0; /* MTest_Finalize said its words too early for the last cycles */
}
