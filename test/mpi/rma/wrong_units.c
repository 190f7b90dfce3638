/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Displacement units of windows: a window keeps a unit in an int. What is not positive, or does not
 * fit, is an error of the class MPI_ERR_DISP on all forms, and no window with another unit.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

#include <limits.h>

static char memory[64];

static int create(int way, MPI_Aint unit, MPI_Win *win)
{
    char *base;

    if (way == 0)
        return MPI_Win_create_c(memory, sizeof(memory), unit, MPI_INFO_NULL, MPI_COMM_WORLD, win);
    if (way == 1)
        return MPI_Win_allocate_c(64, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &base, win);
    return MPI_Win_allocate_shared_c(64, unit, MPI_INFO_NULL, MPI_COMM_SELF, &base, win);
}

static void check_unit(MPI_Aint unit, int is_right)
{
    for (int way = 0; way < 3; way++) {
        MPI_Win win = MPI_WIN_NULL;
        int class, flag, *found;

        MPI_Error_class(create(way, unit, &win), &class);
        CT_CHECK(class == (is_right ? MPI_SUCCESS : MPI_ERR_DISP), "unit %ld, way %d: class %d",
                 (long) unit, way, class);
        if (class)
            continue;
        MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &found, &flag);
        CT_CHECK(flag && *found == unit, "unit %ld, way %d: the window has %d", (long) unit, way,
                 *found);
        MPI_Win_free(&win);
    }
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    check_unit(1, 1);
    check_unit(INT_MAX, 1);
    check_unit((MPI_Aint) INT_MAX + 1, 0);
    check_unit((MPI_Aint) 1 << 32, 0);
    check_unit(((MPI_Aint) 1 << 32) + 8, 0);
    check_unit(0, 0);
    check_unit(-8, 0);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
