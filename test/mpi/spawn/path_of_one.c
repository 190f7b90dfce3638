/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Several programs are spawned, and the first one alone has a path: the path is not that of the
 * others, which are found by their own names.
 */
#include "cmaptest.h"
#include <libgen.h>
#include <limits.h>
#include <unistd.h>

enum { PROGRAMS = 3 };

static void spawn(void)
{
    char full[PATH_MAX] = "", copy[PATH_MAX], *name, *programs[PROGRAMS];
    int processes[PROGRAMS], children;
    MPI_Info info[PROGRAMS];
    MPI_Comm inter;

    CT_CHECK(readlink("/proc/self/exe", full, sizeof(full) - 1) > 0, "no /proc/self/exe");
    for (int i = 0; i < PROGRAMS; i++) {
        programs[i] = full;
        processes[i] = 1;
        info[i] = MPI_INFO_NULL;
    }
    name = strrchr(full, '/') + 1;
    programs[0] = name;
    strcpy(copy, full);
    MPI_Info_create(&info[0]);
    MPI_Info_set(info[0], "path", dirname(copy));
    MPI_Comm_spawn_multiple(PROGRAMS, programs, MPI_ARGVS_NULL, processes, info, 0, MPI_COMM_SELF,
                            &inter, MPI_ERRCODES_IGNORE);
    MPI_Comm_remote_size(inter, &children);
    CT_CHECK(children == PROGRAMS, "%d processes instead of %d", children, PROGRAMS);
    MPI_Comm_disconnect(&inter);
    MPI_Info_free(&info[0]);
}

int main(int argc, char **argv)
{
    MPI_Comm parent;

    MTest_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        MPI_Comm_disconnect(&parent);
        MPI_Finalize();
        return 0;
    }
    spawn();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
