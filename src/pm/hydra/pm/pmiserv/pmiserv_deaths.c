/* SPDX-License-Identifier: BSD-3-Clause */

#include "hydra.h"
#include "hydra_server.h"
#include "pmci.h"
#include "bsci.h"
#include "pmiserv.h"
#include "pmiserv_pmi.h"
#include "deaths.h"

enum { MOST_NAMED = 16 };

typedef struct death {
    const struct HYD_proxy *proxy;
    int i; /* of the process, in the proxy */
    int rank;
    struct death *next;
} death_t;

static death_t *first, **end = &first;

static const death_t *find(const struct HYD_proxy *proxy, int i)
{
    for (const death_t *death = first; death; death = death->next) {
        if (death->proxy == proxy && death->i == i)
            return death;
    }
    return NULL;
}

static bool add(const struct HYD_proxy *proxy, int i, int rank)
{
    death_t *death = find(proxy, i) ? NULL : MPL_malloc(sizeof(*death), MPL_MEM_OTHER);

    if (!death)
        return false;
    *death = (death_t){proxy, i, rank, NULL};
    *end = death;
    end = &death->next;
    return true;
}

/* What a proxy cannot hear it needs not. */
static void tell_others(const struct HYD_proxy *proxy, int rank)
{
    for (struct HYD_proxy *other = proxy->pg->proxy_list; other; other = other->next) {
        struct HYD_pmcd_hdr hdr;
        int sent, closed;

        if (other == proxy || other->control_fd < 0)
            continue;
        HYD_pmcd_init_header(&hdr);
        hdr.cmd = PROCESS_DIED;
        hdr.rank = rank;
        (void) HYDU_sock_write(other->control_fd, &hdr, sizeof(hdr), &sent, &closed,
                               HYDU_SOCK_COMM_MAY_END);
    }
}

void HYD_pmcd_died(struct HYD_proxy *proxy, const struct HYD_pmcd_hdr *hdr)
{
    if (hdr->cmd == TERMINATED_EARLY) {
        HYDU_dump_noprefix(stderr,
                           "mpiexec: rank %d has ended before all ranks of its host were "
                           "through MPI_Init; so the job ends\n",
                           hdr->pid);
    } else if (add(proxy, hdr->rank, hdr->pid)) {
        tell_others(proxy, hdr->pid);
    }
}

/* As the proxy itself numbers its processes. */
static int rank_of(const struct HYD_proxy *proxy, int i)
{
    const int others = i - proxy->filler_processes, cores = proxy->node->core_count;

    if (others < 0)
        return proxy->first_filler + i;
    return proxy->first_other + others / cores * proxy->ranks_a_round + others % cores;
}

bool HYD_pmcd_goes_on_without(struct HYD_proxy *proxy)
{
    if (!HYD_server_info.user_global.recovery || HYDT_bsci_info.job_is_over || !proxy->pid)
        return false;
    for (int i = 0; i < proxy->proxy_process_count; i++) {
        if (add(proxy, i, rank_of(proxy, i)))
            tell_others(proxy, rank_of(proxy, i));
    }
    HYDU_dump_noprefix(stderr,
                       "mpiexec: the proxy on host %s has ended, or the connection to it; "
                       "its ranks are dead, and the others go on\n",
                       proxy->node->hostname);
    return true;
}

static int count_dead(const struct HYD_proxy *proxy)
{
    int number = 0;

    for (const death_t *death = first; death; death = death->next)
        number += death->proxy == proxy;
    return number;
}

bool HYD_pmcd_takes_part(const struct HYD_proxy *proxy)
{
    return !HYD_server_info.user_global.recovery ||
           (proxy->control_fd != HYD_FD_CLOSED && count_dead(proxy) < proxy->proxy_process_count);
}

/* ---- at the end ---- */

static bool have_all_died(void)
{
    const struct HYD_proxy *proxy = HYD_server_info.pg_list.proxy_list;
    int processes = 0, dead = 0;

    for (; proxy; proxy = proxy->next) {
        processes += proxy->proxy_process_count;
        dead += count_dead(proxy);
    }
    return dead == processes;
}

int HYD_pmci_status_counts(const struct HYD_proxy *proxy, int i)
{
    return !find(proxy, i) || have_all_died();
}

static void report(const death_t *death)
{
    const struct HYD_proxy *proxy = death->proxy;
    char how[64] = "with its proxy";

    if (proxy->exit_status && WIFSIGNALED(proxy->exit_status[death->i]))
        snprintf(how, sizeof(how), "by signal %d", WTERMSIG(proxy->exit_status[death->i]));
    else if (proxy->exit_status)
        snprintf(how, sizeof(how), "with status %d", WEXITSTATUS(proxy->exit_status[death->i]));
    HYDU_dump_noprefix(stderr, "mpiexec: rank %d on %s ended %s before MPI_Finalize\n", death->rank,
                       proxy->node->hostname, how);
}

void HYD_pmci_report_deaths(void)
{
    int number = 0;

    for (const death_t *death = first; death; death = death->next) {
        if (number++ < MOST_NAMED)
            report(death);
    }
    if (number > MOST_NAMED)
        HYDU_dump_noprefix(stderr, "mpiexec: and %d more\n", number - MOST_NAMED);
}
