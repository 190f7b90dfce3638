/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * mpiexec --enable-recovery with MPIR_CVAR_FT_TIMEOUT: the host of the last rank hangs, or its
 * network is cut, as a script does it (test/kill/steps.sh).  The others are in calls that need this
 * rank.  They learn of its death, and it does nothing more from then on.
 *
 *   survive_host LOG    the last rank adds to the file LOG as long as it lives; the others go on at
 *                       the end when the script has made the file LOG.go
 */
#include "survive.h"
#include <fcntl.h>
#include <sys/stat.h>

static void live(const char *log)
{
    int fd = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600), flag;

    MPI_Barrier(world);
    for (;;) {
        MPI_Request request;

        (void) !write(fd, ".", 1);
        MPI_Isend(&me, 1, MPI_INT, 0, TAG, world, &request);
        MPI_Iprobe(MPI_ANY_SOURCE, 99, world, &flag, MPI_STATUS_IGNORE);
        usleep(10000);
    }
}

static void wait_for_victim(void)
{
    static char bytes[LONG];
    int value;

    MPI_Barrier(world);
    if (me % 2 == 0)
        expect_failed(MPI_Send(bytes, LONG, MPI_BYTE, victim, TAG + 1, world), "a long MPI_Send");
    else
        expect_failed(MPI_Recv(&value, 1, MPI_INT, victim, TAG + 1, world, MPI_STATUS_IGNORE),
                      "MPI_Recv");
}

static long length_of(const char *log)
{
    struct stat file;

    return stat(log, &file) == 0 ? (long) file.st_size : -1;
}

/* Who counts as dead is dead: the file does not grow. */
static void check_end(const char *log)
{
    const long length = length_of(log);

    usleep(300000);
    expect(length > 0 && length_of(log) == length, "the dead rank goes on writing");
}

static void wait_for_script(const char *log)
{
    char name[4096];

    snprintf(name, sizeof(name), "%s.go", log);
    while (access(name, F_OK) != 0)
        usleep(10000);
}

int main(int argc, char **argv)
{
    const char *log = argc > 1 ? argv[1] : "survive_host.log";

    MPI_Init(&argc, &argv);
    begin(argc, argv);
    call = "a wait for the lost host";
    if (me == victim)
        live(log);
    wait_for_victim();
    wait_for_death();
    check_end(log);
    wait_for_script(log);
    return finish();
}
