/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * mpiexec takes notice of proxies that have ended: 12 spawns leave at most a few zombies, which
 * have ended just now.  mpiexec is the parent of the proxy, on its own host.
 */
#include "cmaptest.h"
#include <dirent.h>
#include <unistd.h>

enum { SPAWNS = 12, FEW = 3 };

/* The parent and the state of a process; false: it is gone. */
static int look(int pid, int *parent, char *state, char *name)
{
    char file[64];
    FILE *stat;
    int found;

    snprintf(file, sizeof(file), "/proc/%d/stat", pid);
    stat = fopen(file, "r");
    if (!stat)
        return 0;
    found = fscanf(stat, "%*d (%31[^)]) %c %d", name, state, parent) == 3;
    fclose(stat);
    return found;
}

static int zombies_of(int mpiexec)
{
    DIR *dir = opendir("/proc");
    struct dirent *entry;
    int zombies = 0, parent;
    char state, name[32];

    while (dir && (entry = readdir(dir))) {
        int pid = atoi(entry->d_name);
        if (pid > 0 && look(pid, &parent, &state, name) && parent == mpiexec && state == 'Z')
            zombies++;
    }
    if (dir)
        closedir(dir);
    return zombies;
}

static void check_mpiexec(void)
{
    int mpiexec, parent, zombies;
    char state, name[32];

    if (!look(getppid(), &mpiexec, &state, name) || !look(mpiexec, &parent, &state, name) ||
        strncmp(name, "mpiexec", strlen("mpiexec")) != 0)
        return;
    zombies = zombies_of(mpiexec);
    CT_CHECK(zombies <= FEW, "mpiexec has %d zombies after %d spawns", zombies, SPAWNS);
}

int main(int argc, char **argv)
{
    MPI_Comm parent, inter;

    MTest_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        MPI_Comm_disconnect(&parent);
        MPI_Finalize();
        return 0;
    }
    for (int i = 0; i < SPAWNS; i++) {
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter,
                       MPI_ERRCODES_IGNORE);
        MPI_Comm_disconnect(&inter);
    }
    check_mpiexec();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
