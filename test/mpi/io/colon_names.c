/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Names with colons: only a known file system in front of the first colon is no part of the name.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

#include <sys/stat.h>
#include <unistd.h>

static void check_name(const char *name, const char *path)
{
    int value = 17, got = 0, amode = MPI_MODE_RDWR | MPI_MODE_CREATE;
    struct stat status;
    MPI_File file;

    if (MPI_File_open(MPI_COMM_SELF, name, amode, MPI_INFO_NULL, &file) != MPI_SUCCESS) {
        ct_fail("%s cannot be opened", name);
        return;
    }
    MPI_File_write_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at(file, 0, &got, 1, MPI_INT, MPI_STATUS_IGNORE);
    CT_CHECK(got == value, "%s has %d", name, got);
    MPI_File_close(&file);
    CT_CHECK(stat(path, &status) == 0, "%s made no file %s", name, path);
    CT_CHECK(MPI_File_delete(name, MPI_INFO_NULL) == MPI_SUCCESS, "%s cannot be deleted", name);
    CT_CHECK(stat(path, &status) != 0, "%s is still there", path);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    mkdir("colon:dir", 0700);
    check_name("colon_12:30:05", "colon_12:30:05");
    check_name("./colon:name", "./colon:name");
    check_name("colon:dir/file", "colon:dir/file");
    check_name("c:name", "c:name");
    check_name("ufs:colon_plain", "colon_plain");
    check_name("ufs:colon:both", "colon:both");
    rmdir("colon:dir");
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
