/* SPDX-License-Identifier: BSD-3-Clause */

#include "hydra.h"
#include "pmip.h"
#include "demux.h"
#include "absent.h"

static int first_absent = -1; /* number of a process here, or -1 */
static bool someone_waits;
static int first_unfinished = -1; /* likewise */
static bool ends_for_another;

static void tell(enum HYD_pmcd_cmd what, int i)
{
    struct HYD_pmcd_hdr hdr;
    int sent, closed;

    HYD_pmcd_init_header(&hdr);
    hdr.cmd = what;
    hdr.rank = HYD_pmcd_pmip.downstream.pmi_rank[i];
    hdr.pid = HYD_pmcd_pmip.downstream.pid[i];
    if (HYDU_sock_write(HYD_pmcd_pmip.upstream.control, &hdr, sizeof(hdr), &sent, &closed,
                        HYDU_SOCK_COMM_MSGWAIT) != HYD_SUCCESS)
        HYDU_dump(stderr, "cannot tell mpiexec that a process ended\n");
}

bool HYD_pmcd_pmip_never_comes(int i)
{
    int *fd = &HYD_pmcd_pmip.downstream.pmi_fd[i];

    if (HYD_pmcd_pmip.downstream.pmi_fd_active[i])
        return false;
    HYDT_dmx_deregister_fd(*fd);
    close(*fd);
    *fd = HYD_FD_CLOSED;
    if (HYD_pmcd_pmip.user_global.auto_cleanup && first_absent < 0) {
        first_absent = i;
        tell(NEVER_COMES, i);
        if (someone_waits)
            tell(WAITS_IN_VAIN, first_absent);
    }
    return true;
}

int HYD_pmcd_pmip_seconds_to_wait(void)
{
    for (int i = 0; i < HYD_pmcd_pmip.local.proxy_process_count; i++) {
        if (HYD_pmcd_pmip.downstream.pmi_fd[i] == HYD_FD_CLOSED &&
            !HYD_pmcd_pmip.downstream.pmi_fd_active[i] &&
            HYD_pmcd_pmip.downstream.exit_status[i] == -1)
            return 1;
    }
    return -1;
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

    if (!HYD_pmcd_pmip.user_global.auto_cleanup || HYD_pmcd_pmip_had_signal())
        return;
    if (i < 0 && !HYD_pmcd_pmip.downstream.forced_cleanup)
        i = find_unfinished();
    if (i < 0 || HYD_pmcd_pmip.downstream.exit_status[i] != 0)
        return;
    HYD_pmcd_pmip.downstream.exit_status[i] = EXIT_FAILURE << 8;
    HYDU_dump(stderr, "rank %d (process %d) has ended without MPI_Finalize; so the job ends\n",
              HYD_pmcd_pmip.downstream.pmi_rank[i], (int) HYD_pmcd_pmip.downstream.pid[i]);
}
