/* SPDX-License-Identifier: BSD-3-Clause */

#define _GNU_SOURCE /* dladdr, struct ucred */
#include "mpichconf.h"
#include "pmi_alone.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOK_EVERY = 50, PATIENCE = 60000 }; /* milliseconds */

extern char **environ;

/* Libraries are in lib/ or lib/<machine>/ beside bin/. */
static bool find_beside(const char *library, const char *program, char *path, size_t room)
{
    static const char *const places[] = {"../bin", "../../bin"};
    int folder = (int) (strrchr(library, '/') - library);

    for (int i = 0; i < 2; i++) {
        snprintf(path, room, "%.*s/%s/%s", folder, library, places[i], program);
        if (access(path, X_OK) == 0)
            return true;
    }
    return false;
}

/* A program of this installation, wherever that is; otherwise PATH's. */
static void find_program(const char *program, char *path, size_t room)
{
    Dl_info info;
    bool is_found = dladdr((void *) MPIR_PMI_alone_join, &info) != 0;
    char *library = is_found ? realpath(info.dli_fname, NULL) : NULL;

    if (!library || !find_beside(library, program, path, room))
        snprintf(path, room, "%s", program);
    free(library);
}

/* The first character of the socket's name is 0: it has no file. */
static int listen_at(char *name, size_t room)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    uint64_t secret;
    socklen_t length;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || getrandom(&secret, sizeof(secret), 0) != sizeof(secret))
        return -1;
    snprintf(name, room, "mpialone-%016llx", (unsigned long long) secret);
    strcpy(at.sun_path + 1, name);
    length = (socklen_t) (offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
    if (bind(fd, (struct sockaddr *) &at, length) != 0 || listen(fd, 1) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Without what another mpiexec has told its own proxies; NULL: there is no memory. */
static char **environment_for_mpiexec(void)
{
    int n = 0, kept = 0;
    char **copy;

    while (environ[n])
        n++;
    copy = calloc((size_t) n + 1, sizeof(*copy));
    for (int i = 0; copy && i < n; i++) {
        if (strncmp(environ[i], "HYDI_", 5) != 0)
            copy[kept++] = environ[i];
    }
    return copy;
}

/* It has no input: this process may read its own. It looks for its proxy beside args[0]. */
static pid_t start_mpiexec(char *mpiexec, char *name)
{
    char helper[4096], **environment = environment_for_mpiexec();
    char *args[] = {mpiexec, "-n", "1", helper, name, NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid = -1;

    find_program("mpialone", helper, sizeof(helper));
    if (!environment || posix_spawn_file_actions_init(&actions) != 0) {
        free(environment);
        return -1;
    }
    if (posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) != 0 ||
        posix_spawnp(&pid, mpiexec, &actions, NULL, args, environment) != 0)
        pid = -1;
    posix_spawn_file_actions_destroy(&actions);
    free(environment);
    return pid;
}

static bool is_own_user(int fd)
{
    struct ucred peer;
    socklen_t length = sizeof(peer);

    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == geteuid();
}

/* A connection of the helper, or -1: mpiexec has ended, or takes too long. */
static int await_helper(int listens, pid_t mpiexec)
{
    struct pollfd poll_fd = {.fd = listens, .events = POLLIN};

    for (int waited = 0; waited < PATIENCE; waited += LOOK_EVERY) {
        int fd = -1;

        if (poll(&poll_fd, 1, LOOK_EVERY) > 0)
            fd = accept4(listens, NULL, NULL, SOCK_CLOEXEC);
        if (fd >= 0 && is_own_user(fd))
            return fd;
        if (fd >= 0)
            close(fd);
        if (waitpid(mpiexec, NULL, WNOHANG) != 0)
            return -1;
    }
    return -1;
}

/* A file descriptor that comes with a byte, or -1. */
static int receive_descriptor(int from)
{
    char byte;
    struct iovec data = {.iov_base = &byte, .iov_len = 1};
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof(control)};
    struct cmsghdr *head;
    int fd = -1;

    if (recvmsg(from, &message, MSG_CMSG_CLOEXEC) != 1)
        return -1;
    head = CMSG_FIRSTHDR(&message);
    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
        head->cmsg_len == CMSG_LEN(sizeof(int)))
        memcpy(&fd, CMSG_DATA(head), sizeof(fd));
    return fd;
}

/* The connection to the helper stays open: its end is the end of this process. */
int MPIR_PMI_alone_join(int *pmi_fd)
{
    char name[64], mpiexec[4096];
    int helper = -1, listens = listen_at(name, sizeof(name));
    pid_t pid;

    *pmi_fd = -1;
    find_program("mpiexec.hydra", mpiexec, sizeof(mpiexec));
    pid = listens >= 0 ? start_mpiexec(mpiexec, name) : -1;
    if (pid > 0)
        helper = await_helper(listens, pid);
    if (helper >= 0)
        *pmi_fd = receive_descriptor(helper);
    if (listens >= 0)
        close(listens);
    if (*pmi_fd < 0)
        fprintf(stderr,
                "MPI: no mpiexec has started this program, and a call needs one; '%s -n 1' "
                "gives no connection to it.\n",
                mpiexec);
    return *pmi_fd < 0 ? -1 : 0;
}
