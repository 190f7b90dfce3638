/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A file that only aggregators open, because all access is collective, has the same hints in each
 * process, and another file can be opened with them.
 */
#include <unistd.h>
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { LENGTH = 4000 };

/* All hints as one text */
static void hints_of(MPI_File file, char *text)
{
    char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];
    int keys, flag, used = 0;
    MPI_Info info;

    MPI_File_get_info(file, &info);
    MPI_Info_get_nkeys(info, &keys);
    for (int i = 0; i < keys; i++) {
        MPI_Info_get_nthkey(info, i, key);
        MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &flag);
        if (used < LENGTH)
            used += snprintf(text + used, LENGTH - used, "%s=%s ", key, value);
    }
    MPI_Info_free(&info);
}

static void open_file(const char *name, MPI_Info info, const char *unit)
{
    char mine[LENGTH] = "", first[LENGTH] = "";
    MPI_Info used, given;
    MPI_File file;

    MPI_Info_dup(info, &given);
    if (unit)
        MPI_Info_set(given, "striping_unit", unit);
    CT_CHECK(!MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE, given, &file),
             "the file cannot be opened, striping_unit %s", unit ? unit : "not given");
    hints_of(file, mine);
    memcpy(first, mine, LENGTH);
    MPI_Bcast(first, LENGTH, MPI_CHAR, 0, MPI_COMM_WORLD);
    CT_CHECK(!strcmp(mine, first), "hints are %s, in process 0 %s", mine, first);
    MPI_File_get_info(file, &used);
    MPI_File_close(&file);
    CT_CHECK(!MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR, used, &file),
             "the file cannot be opened with its own hints");
    MPI_File_close(&file);
    MPI_Info_free(&used);
    MPI_Info_free(&given);
}

int main(int argc, char **argv)
{
    const char *folder = getenv("TMPDIR");
    char name[300];
    MPI_Info info;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    snprintf(name, sizeof(name), "%s/deferred_hints.%d", folder ? folder : "/tmp", (int) getpid());
    MPI_Bcast(name, sizeof(name), MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Info_create(&info);
    MPI_Info_set(info, "romio_no_indep_rw", "true");
    MPI_Info_set(info, "cb_nodes", "1");
    open_file(name, info, NULL);
    open_file(name, info, "4096");
    MPI_Info_free(&info);
    if (ct_me == 0)
        unlink(name);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
