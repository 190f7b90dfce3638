/* SPDX-License-Identifier: BSD-3-Clause */

#include "guardian.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int to_guardian = -1;
static pid_t guardian = -1;

/* The guardian keeps no descriptor of the proxy open: others wait for their ends. */
static void close_all_but(int kept)
{
    DIR *dir = opendir("/proc/self/fd");
    struct dirent *entry;

    if (!dir) {
        for (int fd = 0; fd < 1024; fd++) {
            if (fd != kept)
                close(fd);
        }
        return;
    }
    while ((entry = readdir(dir))) {
        int fd = atoi(entry->d_name);
        if (entry->d_name[0] != '.' && fd != kept && fd != dirfd(dir))
            close(fd);
    }
    closedir(dir);
}

static bool get_rank(int from, pid_t *rank)
{
    ssize_t bytes;

    do
        bytes = read(from, rank, sizeof(*rank));
    while (bytes < 0 && errno == EINTR);
    return bytes == sizeof(*rank);
}

/* Meanwhile the number may belong to another process, if the rank and its group have ended.  A
 * rank is in the session of its proxy. */
static void kill_group(pid_t rank)
{
    pid_t session = getsid(rank);

    if (session == -1 || session == getsid(0))
        kill(-rank, SIGKILL);
}

static void guard(int from)
{
    pid_t *ranks = NULL, rank;
    size_t n = 0;

    while (get_rank(from, &rank)) {
        pid_t *more = realloc(ranks, (n + 1) * sizeof(pid_t));
        if (!more)
            continue;
        ranks = more;
        ranks[n++] = rank;
    }
    for (size_t i = 0; i < n; i++)
        kill_group(ranks[i]);
    _exit(0);
}

/* What ends the proxy, by a signal to its group or by a key, leaves the guardian alive. */
static void become_guardian(int from)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGTSTP};

    setpgid(0, 0);
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        signal(signals[i], SIG_IGN);
    close_all_but(from);
    guard(from);
}

void HYDU_guardian_start(void)
{
    int ends[2];

    if (guardian != -1 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
        return;
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    guardian = fork();
    if (guardian == 0)
        become_guardian(ends[0]);
    close(ends[0]);
    if (guardian == -1)
        close(ends[1]);
    else
        to_guardian = ends[1];
}

/* If the guardian has been killed, the ranks go on without. */
void HYDU_guardian_add(pid_t rank) { (void) send(to_guardian, &rank, sizeof(rank), MSG_NOSIGNAL); }

void HYDU_guardian_stop(void)
{
    if (guardian != -1) {
        kill(guardian, SIGKILL);
        waitpid(guardian, NULL, 0);
    }
}
