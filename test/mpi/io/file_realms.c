/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Collective I/O of a file that was opened with hints about persistent file realms: the data
 * arrive, and the file tells which hint it has taken.
 */
#include <unistd.h>
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { BLOCK = 100, BLOCKS = 50, MINE = BLOCK * BLOCKS };

static int size;
static char name[300];

static void check_taken(MPI_File file)
{
    char value[MPI_MAX_INFO_VAL + 1] = "";
    MPI_Info info;
    int there;

    MPI_File_get_info(file, &info);
    MPI_Info_get(info, "romio_cb_pfr", MPI_MAX_INFO_VAL, value, &there);
    CT_CHECK(there && !strcmp(value, "disable"), "romio_cb_pfr is '%s'", value);
    MPI_Info_free(&info);
}

static void check(const char *hint, const char *nodes)
{
    int *given = ct_ints(MINE), *got = ct_ints(MINE), wrong = 0;
    MPI_Datatype view;
    MPI_Info info;
    MPI_File file;

    MPI_Info_create(&info);
    MPI_Info_set(info, "romio_cb_pfr", hint);
    MPI_Info_set(info, "cb_nodes", nodes);
    MPI_Info_set(info, "cb_config_list", "*:*");
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file);
    check_taken(file);
    MPI_Type_vector(BLOCKS, BLOCK, BLOCK * size, MPI_INT, &view);
    MPI_Type_commit(&view);
    MPI_File_set_view(file, (MPI_Offset) ct_me * BLOCK * (int) sizeof(int), MPI_INT, view, "native",
                      info);
    for (int i = 0; i < MINE; i++)
        given[i] = ct_me * MINE + i;
    for (int round = 0; round < 3; round++) {
        MPI_File_write_at_all(file, round * MINE, given, MINE, MPI_INT, MPI_STATUS_IGNORE);
        MPI_File_read_at_all(file, round * MINE, got, MINE, MPI_INT, MPI_STATUS_IGNORE);
        for (int i = 0; i < MINE; i++)
            wrong += got[i] != given[i];
    }
    CT_CHECK(wrong == 0, "%s with %s aggregators: %d integers are wrong", hint, nodes, wrong);
    MPI_File_close(&file);
    MPI_Type_free(&view);
    MPI_Info_free(&info);
    free(given);
    free(got);
}

int main(int argc, char **argv)
{
    const char *folder = getenv("TMPDIR");

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(name, sizeof(name), "%s/file_realms.%d", folder ? folder : "/tmp", (int) getpid());
    MPI_Bcast(name, sizeof(name), MPI_CHAR, 0, MPI_COMM_WORLD);
    check("enable", "1");
    check("enable", "2");
    check("automatic", "2");
    if (ct_me == 0)
        unlink(name);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
