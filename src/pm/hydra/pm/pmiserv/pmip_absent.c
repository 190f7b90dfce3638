/* SPDX-License-Identifier: BSD-3-Clause */

#include "hydra.h"
#include "pmip.h"
#include "demux.h"
#include "absent.h"
#include <fcntl.h>

static int ends[2] = {-1, -1}; /* a pipe, in which SIGCHLD puts a byte */
static bool has_one_ended;
static bool misses_always;
static int first_absent = -1; /* number of a process here, or -1 */
static bool someone_waits;
static int first_unfinished = -1; /* likewise */
static bool ends_for_another;

HYD_status HYD_pmcd_pmip_tell(enum HYD_pmcd_cmd what, int rank, int pid, int *closed)
{
    struct HYD_pmcd_hdr hdr;
    int sent;

    HYD_pmcd_init_header(&hdr);
    hdr.cmd = what;
    hdr.rank = rank;
    hdr.pid = pid;
    return HYDU_sock_write(HYD_pmcd_pmip.upstream.control, &hdr, sizeof(hdr), &sent, closed,
                           HYDU_SOCK_COMM_MSGWAIT);
}

static void tell(enum HYD_pmcd_cmd what, int i)
{
    int closed;

    if (HYD_pmcd_pmip_tell(what, HYD_pmcd_pmip.downstream.pmi_rank[i],
                           HYD_pmcd_pmip.downstream.pid[i], &closed) != HYD_SUCCESS)
        HYDU_dump(stderr, "cannot tell mpiexec that a process ended\n");
}

void HYD_pmcd_pmip_misses_always(void) { misses_always = true; }

static bool ends_job(void) { return HYD_pmcd_pmip.user_global.auto_cleanup || misses_always; }

bool HYD_pmcd_pmip_never_comes(int i)
{
    int *fd = &HYD_pmcd_pmip.downstream.pmi_fd[i];

    if (HYD_pmcd_pmip.downstream.pmi_fd_active[i])
        return false;
    HYDT_dmx_deregister_fd(*fd);
    close(*fd);
    *fd = HYD_FD_CLOSED;
    if (ends_job() && first_absent < 0) {
        first_absent = i;
        tell(NEVER_COMES, i);
        if (someone_waits)
            tell(WAITS_IN_VAIN, first_absent);
    }
    return true;
}

/* A full pipe is an event, too. */
static void note_end(int sig MPL_UNUSED)
{
    int before = errno;

    if (write(ends[1], "", 1) < 0)
        errno = before;
}

static HYD_status see_end(int fd, HYD_event_t events MPL_UNUSED, void *userp MPL_UNUSED)
{
    char bytes[64];

    while (read(fd, bytes, sizeof(bytes)) > 0) {
    }
    has_one_ended = true;
    return HYD_SUCCESS;
}

static bool open_pipe(void)
{
    if (pipe(ends) != 0)
        return false;
    for (int i = 0; i < 2; i++)
        if (fcntl(ends[i], F_SETFD, FD_CLOEXEC) != 0 || fcntl(ends[i], F_SETFL, O_NONBLOCK) != 0)
            return false;
    return true;
}

/* Who has started the proxy may have blocked or ignored the signal. */
static bool handle_ends(void)
{
    struct sigaction action = {.sa_handler = note_end, .sa_flags = SA_RESTART | SA_NOCLDSTOP};
    sigset_t set;

    sigemptyset(&action.sa_mask);
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    return sigaction(SIGCHLD, &action, NULL) == 0 && sigprocmask(SIG_UNBLOCK, &set, NULL) == 0;
}

HYD_status HYD_pmcd_pmip_watch_processes(void)
{
    if (!open_pipe() || !handle_ends())
        return HYD_INTERNAL_ERROR;
    return HYDT_dmx_register_fd(1, ends, HYD_POLLIN, NULL, see_end);
}

bool HYD_pmcd_pmip_has_one_ended(void)
{
    bool answer = has_one_ended;

    has_one_ended = false;
    return answer;
}

/* A barrier that ends leaves someone_waits as it is; but a process that has not come by then has
 * used its connection. */
void HYD_pmcd_pmip_waits(void)
{
    if (!someone_waits && first_absent >= 0)
        tell(WAITS_IN_VAIN, first_absent);
    someone_waits = true;
}

void HYD_pmcd_pmip_ends_unfinished(int i)
{
    if (first_unfinished >= 0 || HYD_pmcd_pmip.downstream.forced_cleanup)
        return;
    first_unfinished = i;
    /* after a signal to all, the others may need time */
    if (!HYD_pmcd_pmip_had_signal())
        tell(UNFINISHED, i);
}

void HYD_pmcd_pmip_ends_for_another(void)
{
    ends_for_another = true;
    HYD_pmcd_pmip_end_others();
}

bool HYD_pmcd_pmip_is_killed_for_another(int i, int status)
{
    return (ends_for_another || (first_unfinished >= 0 && first_unfinished != i)) &&
           HYD_pmcd_pmip.downstream.forced_cleanup && WIFSIGNALED(status) &&
           WTERMSIG(status) == SIGKILL;
}

/* One whose connection nobody has read since. */
static int find_unfinished(void)
{
    for (int i = 0; i < HYD_pmcd_pmip.local.proxy_process_count; i++) {
        if (HYD_pmcd_pmip.downstream.pmi_fd[i] >= 0 && HYD_pmcd_pmip.downstream.pmi_fd_active[i])
            return i;
    }
    return -1;
}

void HYD_pmcd_pmip_unfinished_fails(void)
{
    int i = first_unfinished;

    if (!ends_job() || HYD_pmcd_pmip_had_signal())
        return;
    if (i < 0 && !HYD_pmcd_pmip.downstream.forced_cleanup)
        i = find_unfinished();
    if (i < 0 || HYD_pmcd_pmip.downstream.exit_status[i] != 0)
        return;
    HYD_pmcd_pmip.downstream.exit_status[i] = EXIT_FAILURE << 8;
    HYDU_dump(stderr, "rank %d (process %d) has ended without MPI_Finalize; so the job ends\n",
              HYD_pmcd_pmip.downstream.pmi_rank[i], (int) HYD_pmcd_pmip.downstream.pid[i]);
}
