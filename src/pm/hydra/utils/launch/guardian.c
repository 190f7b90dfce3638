/* SPDX-License-Identifier: BSD-3-Clause */

#include "guardian.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* One of both. */
typedef struct {
    uint64_t lease;
    pid_t rank;
} word_t;

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

static bool is_over(uint64_t lease, int *ms)
{
    struct timespec now;
    uint64_t ns;

    *ms = -1;
    if (lease == 0)
        return false;
    clock_gettime(CLOCK_MONOTONIC, &now);
    ns = (uint64_t) now.tv_sec * 1000000000 + (uint64_t) now.tv_nsec;
    *ms = lease > ns ? (int) ((lease - ns) / 1000000) + 1 : 0;
    return lease <= ns;
}

/* False: the proxy has ended, or the lease has. */
static bool get_word(int from, word_t *word, uint64_t lease)
{
    struct pollfd poll_fd = {.fd = from, .events = POLLIN};
    ssize_t bytes;
    int ready, ms;

    do {
        /* a word that has come may be another lease */
        const bool is_last = is_over(lease, &ms);

        ready = poll(&poll_fd, 1, ms);
        if (is_last && ready == 0)
            return false;
    } while (ready <= 0);
    do
        bytes = read(from, word, sizeof(*word));
    while (bytes < 0 && errno == EINTR);
    return bytes == sizeof(*word);
}

/* Meanwhile the number may belong to another process, if the rank and its group have ended.  A
 * rank is in the session of its proxy. */
static void kill_group(pid_t rank)
{
    pid_t session = getsid(rank);

    if (session == -1 || session == getsid(0))
        kill(-rank, SIGKILL);
}

static void guard(int from, pid_t proxy)
{
    pid_t *ranks = NULL;
    size_t n = 0;
    word_t word;
    uint64_t lease = 0;

    while (get_word(from, &word, lease)) {
        pid_t *more = word.rank ? realloc(ranks, (n + 1) * sizeof(pid_t)) : NULL;

        if (!word.rank)
            lease = word.lease;
        if (!more)
            continue;
        ranks = more;
        ranks[n++] = word.rank;
    }
    for (size_t i = 0; i < n; i++)
        kill_group(ranks[i]);
    if (getppid() == proxy)
        kill(proxy, SIGKILL);
    _exit(0);
}

/* What ends the proxy, by a signal to its group or by a key, leaves the guardian alive. */
static void become_guardian(int from, pid_t proxy)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGTSTP};

    setpgid(0, 0);
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        signal(signals[i], SIG_IGN);
    close_all_but(from);
    guard(from, proxy);
}

void HYDU_guardian_start(void)
{
    pid_t proxy;
    int ends[2];

    if (guardian != -1 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
        return;
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    proxy = getpid();
    guardian = fork();
    if (guardian == 0)
        become_guardian(ends[0], proxy);
    close(ends[0]);
    if (guardian == -1)
        close(ends[1]);
    else
        to_guardian = ends[1];
}

/* If the guardian has been killed, the ranks go on without. */
static bool tell(word_t word, int flags)
{
    return send(to_guardian, &word, sizeof(word), MSG_NOSIGNAL | flags) == (ssize_t) sizeof(word);
}

void HYDU_guardian_add(pid_t rank) { (void) tell((word_t){.rank = rank}, 0); }

/* The proxy does not wait for a guardian that is stopped. */
bool HYDU_guardian_set_lease(uint64_t end)
{
    return tell((word_t){.lease = end}, MSG_DONTWAIT) || errno == EAGAIN;
}

void HYDU_guardian_stop(void)
{
    if (guardian != -1) {
        kill(guardian, SIGKILL);
        waitpid(guardian, NULL, 0);
    }
}
