/* SPDX-License-Identifier: BSD-3-Clause */

#include "hydra.h"
#include "hydra_server.h"
#include "bscu.h"
#include "demux.h"
#include "beats.h"
#include <pthread.h>
#include <sys/socket.h>
#include <sys/wait.h>

/* The main thread puts beats in, and marks those whose proxies it leaves.  The other one answers
 * and removes them. */
typedef struct beat {
    int fd;                        /* -1: the other side has closed it */
    const struct HYD_proxy *proxy; /* NULL: the main thread has left it */
    uint64_t heard;
    bool is_silent;
    struct beat *next;
} beat_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static beat_t *first;

/* ---- the thread ---- */

/* Who does not read the answers has no lease. */
static void answer(beat_t *beat)
{
    uint64_t said;
    ssize_t bytes;

    while ((bytes = recv(beat->fd, &said, sizeof(said), MSG_PEEK | MSG_DONTWAIT)) ==
           (ssize_t) sizeof(said)) {
        (void) recv(beat->fd, &said, sizeof(said), MSG_DONTWAIT);
        beat->heard = HYD_pmcd_beat_now();
        (void) send(beat->fd, &said, sizeof(said), MSG_DONTWAIT | MSG_NOSIGNAL);
    }
    if (bytes == 0 || (bytes < 0 && errno != EAGAIN && errno != EINTR)) {
        close(beat->fd);
        beat->fd = -1;
    }
}

/* The main thread reads the end of the connection, or fails to write to it. */
static void judge(beat_t *beat)
{
    const uint64_t limit = HYD_pmcd_beat_limit(HYD_server_info.user_global.ft_timeout);

    if (beat->is_silent || beat->proxy->control_fd < 0 || HYD_pmcd_beat_now() - beat->heard < limit)
        return;
    beat->is_silent = true;
    shutdown(beat->proxy->control_fd, SHUT_RDWR);
}

static void drop(beat_t **at)
{
    beat_t *beat = *at;

    *at = beat->next;
    if (beat->fd >= 0)
        close(beat->fd);
    MPL_free(beat);
}

static void look_at_all(void)
{
    beat_t **at = &first;

    while (*at) {
        if (!(*at)->proxy) {
            drop(at);
            continue;
        }
        if ((*at)->fd >= 0)
            answer(*at);
        judge(*at);
        at = &(*at)->next;
    }
}

/* It sleeps instead of polling: with many proxies a beat arrives at any time. */
static void *watch(void *arg MPL_UNUSED)
{
    const uint64_t every =
        HYD_pmcd_beat_limit(HYD_server_info.user_global.ft_timeout) / HYD_PMCD_LOOKS;
    const struct timespec pause = {.tv_sec = every / 1000000000, .tv_nsec = every % 1000000000};

    for (;;) {
        pthread_mutex_lock(&lock);
        look_at_all();
        pthread_mutex_unlock(&lock);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static bool start_thread(void)
{
    static bool is_started;

    is_started = is_started || HYD_pmcd_beat_thread(watch);
    return is_started;
}

/* ---- the main thread ---- */

static const struct HYD_proxy *find_proxy(const struct HYD_pg *pg, int id)
{
    const struct HYD_proxy *proxy = pg->proxy_list;

    while (proxy && proxy->proxy_id != id)
        proxy = proxy->next;
    return proxy;
}

/* A proxy whose beat is not taken reads the end of the connection, and ends. */
static void put_in(const struct HYD_proxy *proxy, int fd)
{
    beat_t *beat = proxy && start_thread() ? MPL_malloc(sizeof(*beat), MPL_MEM_OTHER) : NULL;

    if (!beat) {
        close(fd);
        return;
    }
    *beat = (beat_t){.fd = fd, .proxy = proxy, .heard = HYD_pmcd_beat_now()};
    pthread_mutex_lock(&lock);
    beat->next = first;
    first = beat;
    pthread_mutex_unlock(&lock);
}

bool HYD_pmcd_beats_take(const struct HYD_pg *pg, int fd, int id)
{
    if (id >= 0)
        return false;
    HYDT_dmx_deregister_fd(fd);
    put_in(find_proxy(pg, ~id), fd);
    return true;
}

bool HYD_pmcd_is_silent(const struct HYD_proxy *proxy)
{
    bool is_silent = false;

    pthread_mutex_lock(&lock);
    for (const beat_t *beat = first; beat; beat = beat->next)
        is_silent |= beat->proxy == proxy && beat->is_silent;
    pthread_mutex_unlock(&lock);
    return is_silent;
}

void HYD_pmcd_beats_leave(const struct HYD_proxy *proxy)
{
    pthread_mutex_lock(&lock);
    for (beat_t *beat = first; beat; beat = beat->next) {
        if (beat->proxy == proxy)
            beat->proxy = NULL;
    }
    pthread_mutex_unlock(&lock);
}

/* ---- the launcher of a lost host ---- */

static void leave_output(int fd)
{
    for (int i = 0; i < HYD_bscu_fd_count; i++) {
        if (HYD_bscu_fd_list[i] != fd)
            continue;
        HYDT_dmx_deregister_fd(fd);
        close(fd);
        HYD_bscu_fd_list[i] = HYD_FD_CLOSED;
    }
}

static void end_launcher(int pid)
{
    killpg(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    for (int i = 0; i < HYD_bscu_pid_count; i++) {
        if (HYD_bscu_pid_list[i] == pid)
            HYD_bscu_pid_list[i] = -1;
    }
}

/* Slurm's has started all proxies, and sees itself that a host is lost. */
void HYD_pmcd_leave_launcher(struct HYD_proxy *proxy)
{
    if (proxy->launcher_out == HYD_FD_UNSET)
        return;
    leave_output(proxy->launcher_out);
    leave_output(proxy->launcher_err);
    if (!proxy->launcher_end)
        end_launcher(proxy->launcher_pid);
}
