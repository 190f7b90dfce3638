/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_env_keys.h"
#include "mpir_memory_kinds.h"

#include <fcntl.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { ROOM = 2 * MPI_MAX_INFO_VAL }; /* for all words of the command; longer ones are cut off */

/* A value that is too long is left out: a part of it would be wrong. */
static int set(MPIR_Info *info, const char *key, const char *value)
{
    if (strlen(value) >= MPI_MAX_INFO_VAL)
        return MPI_SUCCESS;
    return MPIR_Info_set_impl(info, key, value);
}

/* Each word of the text ends with a null byte, as in /proc.  Returns the length. */
static size_t words_of(int argc, char **argv, char *text)
{
    size_t used = 0;

    for (int i = 0; i < argc && argv[i] && used + strlen(argv[i]) < ROOM; i++) {
        strcpy(text + used, argv[i]);
        used += strlen(argv[i]) + 1;
    }
    return used;
}

static size_t words_of_system(char *text)
{
    int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    size_t used = 0;
    ssize_t got = file >= 0;

    while (got > 0 && used < ROOM) {
        got = read(file, text + used, ROOM - used);
        used += got > 0 ? (size_t) got : 0;
    }
    if (file >= 0)
        close(file);
    return used;
}

/* The first word is the command.  Spaces separate the others. */
static int set_command(MPIR_Info *info, int argc, char **argv)
{
    char text[ROOM + 1];
    size_t used = argc > 0 && argv ? words_of(argc, argv, text) : words_of_system(text);
    size_t first;
    int mpi_errno;

    if (used == 0)
        return MPI_SUCCESS;
    text[used] = '\0';
    first = strlen(text) + 1;
    mpi_errno = set(info, "command", text);
    if (mpi_errno != MPI_SUCCESS || first >= used)
        return mpi_errno;
    for (size_t i = first; i + 1 < used; i++)
        text[i] = text[i] ? text[i] : ' ';
    return set(info, "argv", text + first);
}

static int set_place(MPIR_Info *info)
{
    char directory[MPI_MAX_INFO_VAL];
    struct utsname system;
    int mpi_errno = MPI_SUCCESS;

    if (getcwd(directory, sizeof(directory)))
        mpi_errno = set(info, "wdir", directory);
    if (mpi_errno != MPI_SUCCESS || uname(&system) < 0)
        return mpi_errno;
    mpi_errno = set(info, "host", system.nodename);
    return mpi_errno != MPI_SUCCESS ? mpi_errno : set(info, "arch", system.machine);
}

/* The value of a variable of the environment, which mpiexec or the user sets. */
static int set_variable(MPIR_Info *info, const char *key, const char *variable)
{
    const char *value = getenv(variable);

    return value ? set(info, key, value) : MPI_SUCCESS;
}

int MPIR_Env_keys_set(MPIR_Info *info, int argc, char **argv)
{
    int mpi_errno = set_command(info, argc, argv);

    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = set_place(info);
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = set_variable(info, "maxprocs", "MPICH_MAXPROCS");
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = set_variable(info, "thread_level", "MPIR_CVAR_DEFAULT_THREAD_LEVEL");
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = MPIR_Memory_kinds_report(info, 0);
    MPIR_ERR_CHECK(mpi_errno);

fn_fail:
    return mpi_errno;
}
