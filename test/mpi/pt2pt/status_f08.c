/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The conversions between the statuses of C, of mpi_f08 and of Fortran's arrays can be called from
 * C, by their MPI and their PMPI names. They keep all of a status, its count included, and refuse
 * the constants for ignored statuses.
 */
#include "cmaptest.h"

static const MPI_Fint numbers[3] = {1, 2, 3};

static MPI_Status of_message(void)
{
    int got[5];
    MPI_Status status;

    MPI_Sendrecv(numbers, 3, MPI_INT, 0, 7, got, 5, MPI_INT, 0, 7, MPI_COMM_SELF, &status);
    status.MPI_ERROR = 19;
    return status;
}

static void check(const MPI_Status *status, const char *way)
{
    int count = -1;

    MPI_Get_count(status, MPI_INT, &count);
    CT_CHECK(status->MPI_SOURCE == 0 && status->MPI_TAG == 7 && status->MPI_ERROR == 19 &&
                 count == 3,
             "%s: source %d, tag %d, error %d, count %d", way, status->MPI_SOURCE, status->MPI_TAG,
             status->MPI_ERROR, count);
}

static void all_ways(void)
{
    MPI_Status from = of_message(), to;
    MPI_F08_status f08;
    MPI_Fint f[MPI_F_STATUS_SIZE];

    MPI_Status_c2f08(&from, &f08);
    CT_CHECK(f08.MPI_SOURCE == 0 && f08.MPI_TAG == 7 && f08.MPI_ERROR == 19, "MPI_Status_c2f08");
    memset(&to, 255, sizeof(to));
    MPI_Status_f082c(&f08, &to);
    check(&to, "c, f08, c");

    MPI_Status_f082f(&f08, f);
    CT_CHECK(f[MPI_F_SOURCE] == 0 && f[MPI_F_TAG] == 7 && f[MPI_F_ERROR] == 19, "MPI_Status_f082f");
    memset(&to, 255, sizeof(to));
    MPI_Status_f2c(f, &to);
    check(&to, "c, f08, f, c");

    memset(&f08, 255, sizeof(f08));
    MPI_Status_f2f08(f, &f08);
    memset(&to, 255, sizeof(to));
    MPI_Status_f082c(&f08, &to);
    check(&to, "f, f08, c");
}

static void profiling_names(void)
{
    MPI_Status from = of_message(), to;
    MPI_F08_status f08;
    MPI_Fint f[MPI_F_STATUS_SIZE];

    memset(&to, 255, sizeof(to));
    PMPI_Status_c2f08(&from, &f08);
    PMPI_Status_f082f(&f08, f);
    memset(&f08, 255, sizeof(f08));
    PMPI_Status_f2f08(f, &f08);
    PMPI_Status_f082c(&f08, &to);
    check(&to, "by the names of PMPI");
}

static void refused(void)
{
    MPI_Status c;
    MPI_F08_status f08;
    MPI_Fint f[MPI_F_STATUS_SIZE];

    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CT_CHECK(MPI_Status_c2f08(MPI_STATUS_IGNORE, &f08), "MPI_STATUS_IGNORE is taken");
    CT_CHECK(MPI_Status_f082c(MPI_F08_STATUS_IGNORE, &c), "MPI_F08_STATUS_IGNORE is taken");
    CT_CHECK(MPI_Status_f082f(MPI_F08_STATUSES_IGNORE, f), "MPI_F08_STATUSES_IGNORE is taken");
    CT_CHECK(MPI_Status_f082f(NULL, f), "a null pointer is taken");
    CT_CHECK(MPI_Status_f2f08(NULL, &f08), "a null pointer is taken");
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    all_ways();
    profiling_names();
    refused();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
