/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A program that no mpiexec has started publishes a name and spawns processes, several times, which
 * find the name. It finds the mpiexec of its own installation: here PATH has another one first,
 * which ends at once. If the connection to mpiexec is lost, a lookup is an error.
 *
 * Rank 0 starts it without the process manager.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cmaptest_alone.h"

static void use(MPI_Comm inter, int is_child)
{
    int rank, size, sum, first = 0;
    MPI_Comm all;

    MPI_Intercomm_merge(inter, is_child, &all);
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &size);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
    CT_CHECK(size == 3 && sum == 3, "%d processes, whose ranks add up to %d", size, sum);
    MPI_Bcast(&first, 1, MPI_INT, 0, all);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&inter);
}

static const char service[] = "cmaptest_alone", address[] = "an#address";

static void find_name(void)
{
    char port[MPI_MAX_PORT_NAME];
    int result = MPI_Lookup_name(service, MPI_INFO_NULL, port);

    CT_CHECK(result == MPI_SUCCESS, "MPI_Lookup_name: class %d", ct_class_of(result));
    CT_CHECK(result != MPI_SUCCESS || !strcmp(port, address), "the name has '%s'", port);
}

static int be_alone(char *program)
{
    char *args[] = {"-child", NULL};

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CT_CHECK(MPI_Publish_name(service, MPI_INFO_NULL, address) == MPI_SUCCESS,
             "MPI_Publish_name fails");
    find_name();
    for (int i = 0; i < 2; i++) {
        MPI_Comm inter;

        MPI_Comm_spawn(program, args, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter,
                       MPI_ERRCODES_IGNORE);
        use(inter, 0);
    }
    CT_CHECK(MPI_Unpublish_name(service, MPI_INFO_NULL, address) == MPI_SUCCESS,
             "MPI_Unpublish_name fails");
    MPI_Finalize();
    return ct_errs ? 3 : 0;
}

enum { DESCRIPTORS = 256 };

static int is_connected(int fd)
{
    struct sockaddr_storage peer;
    socklen_t size = sizeof(peer);

    return getpeername(fd, (struct sockaddr *) &peer, &size) == 0;
}

/* Starts a manager whose report of the lost process goes nowhere, as do PMI's lines on stderr. */
static int publish_quietly(void)
{
    int result, printed = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    result = MPI_Publish_name(service, MPI_INFO_NULL, address);
    dup2(printed, STDOUT_FILENO);
    return result;
}

/* Ends without MPI_Finalize, which needs the manager. */
static int be_cut_off(void)
{
    char port[MPI_MAX_PORT_NAME];
    int before[DESCRIPTORS]; /* those of the job that started this process */

    for (int fd = 0; fd < DESCRIPTORS; fd++)
        before[fd] = is_connected(fd);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CT_CHECK(publish_quietly() == MPI_SUCCESS, "MPI_Publish_name fails");
    CT_CHECK(MPI_Lookup_name("nobody", MPI_INFO_NULL, port) != MPI_SUCCESS, "an unknown name");
    signal(SIGPIPE, SIG_IGN);
    for (int fd = 0; fd < DESCRIPTORS; fd++) {
        if (!before[fd] && is_connected(fd))
            shutdown(fd, SHUT_RDWR);
    }
    CT_CHECK(MPI_Lookup_name(service, MPI_INFO_NULL, port) != MPI_SUCCESS,
             "a lookup without the manager");
    CT_CHECK(MPI_Publish_name("other", MPI_INFO_NULL, address) != MPI_SUCCESS,
             "a name without the manager");
    fflush(stdout);
    _exit(ct_errs ? 3 : 0);
}

static int be_child(void)
{
    MPI_Comm parent;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    find_name();
    MPI_Comm_get_parent(&parent);
    CT_CHECK(parent != MPI_COMM_NULL, "no parent");
    if (parent != MPI_COMM_NULL)
        use(parent, 1);
    MPI_Finalize();
    return ct_errs ? 3 : 0;
}

/* Returns the folder with an mpiexec that ends at once. */
static char *make_folder(char *folder, char *program, int room)
{
    FILE *file;

    if (!mkdtemp(folder))
        return NULL;
    snprintf(program, room, "%s/mpiexec", folder);
    file = fopen(program, "w");
    if (file) {
        fputs("#!/bin/sh\nexit 1\n", file);
        fclose(file);
        chmod(program, 0755);
    }
    return file ? folder : NULL;
}

static void start(char *program, char *what)
{
    char folder[] = "/tmp/mpiexec-XXXXXX", other[64], path[4096];
    char *args[] = {program, what, NULL};
    pid_t process;

    CT_CHECK(make_folder(folder, other, sizeof(other)), "no folder: %s", strerror(errno));
    snprintf(path, sizeof(path), "%s:%s", folder, getenv("PATH") ? getenv("PATH") : "/bin");
    process = ct_start_alone(args, "PATH", path);
    if (process > 0)
        ct_wait_alone(process, what);
    unlink(other);
    rmdir(folder);
}

int main(int argc, char **argv)
{
    int rank;

    MTest_Init(&argc, &argv);
    if (argc > 1 && !strcmp(argv[1], "-alone"))
        return be_alone(argv[0]);
    if (argc > 1 && !strcmp(argv[1], "-cut"))
        return be_cut_off();
    if (argc > 1 && !strcmp(argv[1], "-child"))
        return be_child();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    ct_me = rank;
    if (rank == 0) {
        start(argv[0], "-alone");
        start(argv[0], "-cut");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
