/* SPDX-License-Identifier: BSD-3-Clause */

#include "hydra.h"
#include "bsci.h"
#include "pmiserv_pmi.h"
#include "absent.h"
#include "parent.h"

static void end_job(const struct HYD_pg *pg)
{
    const struct HYD_pmcd_pmi_pg_scratch *scratch = pg->pg_scratch;

    if (HYDT_bsci_info.job_is_over)
        return;
    HYDU_dump(stderr,
              "rank %d (process %d on %s) has ended before MPI_Init, where others wait for it; "
              "so the job ends\n",
              scratch->absent_rank, scratch->absent_pid, scratch->absent_host);
    HYD_pmcd_abort_jobs();
}

static void note_absent(const struct HYD_proxy *proxy, const struct HYD_pmcd_hdr *hdr)
{
    struct HYD_pmcd_pmi_pg_scratch *scratch = proxy->pg->pg_scratch;

    if (scratch->absent_host)
        return;
    scratch->absent_rank = hdr->rank;
    scratch->absent_pid = hdr->pid;
    scratch->absent_host = proxy->node->hostname;
}

/* The proxy has ended its own processes. */
static void end_others(const struct HYD_proxy *proxy)
{
    for (struct HYD_proxy *other = proxy->pg->proxy_list; other; other = other->next) {
        if (other != proxy && HYD_pmcd_is_connected(other))
            HYD_pmcd_tell_proxy(other, UNFINISHED);
    }
}

bool HYD_pmcd_is_missed(struct HYD_proxy *proxy, const struct HYD_pmcd_hdr *hdr)
{
    switch (hdr->cmd) {
        case NEVER_COMES:
            note_absent(proxy, hdr);
            if (proxy->pg->barrier_count > 0)
                end_job(proxy->pg);
            return true;
        case WAITS_IN_VAIN: end_job(proxy->pg); return true;
        case UNFINISHED: end_others(proxy); return true;
        default: return false;
    }
}

void HYD_pmcd_proxy_waits(const struct HYD_pg *pg)
{
    const struct HYD_pmcd_pmi_pg_scratch *scratch = pg->pg_scratch;

    if (scratch->absent_host)
        end_job(pg);
}
