/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * An info object is the program's: a window that is created with it, and MPI_Win_set_info, leave
 * its values as they are. Values that are lists serve a second window, too.
 */
#include "cmaptest.h"

static const char *const hints[][2] = {{"accumulate_ordering", "rar,waw"},
                                       {"which_accumulate_ops", "sum,max,cswap"},
                                       {"perf_preference", "lat,mr"}};

enum { HINTS = sizeof(hints) / sizeof(hints[0]) };

static void check_value(MPI_Info info, const char *key, const char *value, const char *what)
{
    char got[MPI_MAX_INFO_VAL] = "";
    int length = sizeof(got), flag = 0;

    MPI_Info_get_string(info, key, &length, got, &flag);
    CT_CHECK(flag && strcmp(got, value) == 0, "%s: %s is %s, not %s", what, key, got, value);
}

static void check_all(MPI_Info info, const char *what)
{
    for (int i = 0; i < HINTS; i++)
        check_value(info, hints[i][0], hints[i][1], what);
}

int main(int argc, char **argv)
{
    MPI_Info info, used;
    MPI_Win win;

    MTest_Init(&argc, &argv);
    MPI_Info_create(&info);
    for (int i = 0; i < HINTS; i++)
        MPI_Info_set(info, hints[i][0], hints[i][1]);
    for (int i = 0; i < 2; i++) {
        MPI_Win_create(NULL, 0, 1, info, MPI_COMM_WORLD, &win);
        check_all(info, "after MPI_Win_create");
        MPI_Win_set_info(win, info);
        check_all(info, "after MPI_Win_set_info");
        MPI_Win_get_info(win, &used);
        check_value(used, "accumulate_ordering", "rar,waw", "the window");
        MPI_Info_free(&used);
        MPI_Win_free(&win);
    }
    MPI_Info_free(&info);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
