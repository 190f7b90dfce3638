/* SPDX-License-Identifier: BSD-3-Clause */

#include "hydra.h"
#include "hydra_server.h"
#include "pmci.h"
#include "bsci.h"
#include "pmiserv.h"
#include "pmiserv_pmi.h"
#include "beats.h"
#include "deaths.h"
#include "parent.h"
#include "../../../../include/mpir_deaths_page.h"

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
    proxy->node->active_processes--; /* a spawned process may take the place */
    return true;
}

/* What a proxy cannot hear it needs not. */
static void tell(const struct HYD_proxy *proxy, const struct HYD_pg *pg, int rank)
{
    const struct HYD_pmcd_pmi_pg_scratch *scratch = pg->pg_scratch;
    HYD_pmcd_death_t death;
    int sent, closed;

    HYD_pmcd_init_header(&death.hdr);
    death.hdr.cmd = PROCESS_DIED;
    death.hdr.rank = rank;
    death.job = MPIR_Deaths_job(scratch->kvs->kvsname);
    (void) HYDU_sock_write(proxy->control_fd, &death, sizeof(death), &sent, &closed,
                           HYDU_SOCK_COMM_MAY_END);
}

static void tell_others(const struct HYD_proxy *proxy, int rank)
{
    for (const struct HYD_pg *pg = &HYD_server_info.pg_list; pg; pg = pg->next) {
        for (const struct HYD_proxy *other = pg->proxy_list; other; other = other->next) {
            if (other != proxy && HYD_pmcd_is_connected(other))
                tell(other, proxy->pg, rank);
        }
    }
}

void HYD_pmcd_tell_of_earlier_deaths(const struct HYD_proxy *proxy)
{
    for (const death_t *death = first; death; death = death->next)
        tell(proxy, death->proxy->pg, death->rank);
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

/* Spawned processes go to other hosts, if there are any. */
static void leave_host(const struct HYD_node *node)
{
    struct HYD_node **at = &HYD_server_info.node_list;

    while (*at && *at != node)
        at = &(*at)->next;
    if (*at && (node->next || at != &HYD_server_info.node_list))
        *at = node->next;
}

static void describe_loss(const struct HYD_proxy *proxy, char *text, size_t room)
{
    const char *launcher = HYDT_bsci_info.launcher_exec;
    const int status = proxy->launcher_status, by_signal = WIFSIGNALED(status);

    if (proxy->control_fd == HYD_FD_UNSET)
        snprintf(
            text, room, ", or its launcher %.100s, has ended %s %d before it connected to mpiexec",
            launcher ? launcher : HYDT_bsci_info.launcher, by_signal ? "by signal" : "with status",
            by_signal ? WTERMSIG(status) : WEXITSTATUS(status));
    else
        snprintf(text, room, " has ended, or the connection to it");
}

static void say_lost(struct HYD_proxy *proxy, const char *how)
{
    const char *host = proxy->node->hostname;

    if (HYD_pmcd_is_silent(proxy)) {
        HYD_pmcd_leave_launcher(proxy);
        HYDU_dump_noprefix(stderr,
                           "mpiexec: host %s has not answered for %d s (MPIR_CVAR_FT_TIMEOUT); "
                           "its ranks are dead, and the others go on\n",
                           host, HYD_server_info.user_global.ft_timeout);
    } else {
        HYDU_dump_noprefix(
            stderr, "mpiexec: the proxy on host %s%s; its ranks are dead, and the others go on\n",
            host, how);
    }
}

bool HYD_pmcd_goes_on_without(struct HYD_proxy *proxy)
{
    const bool is_spawned = proxy->pg->pgid > 0;
    char how[200];
    bool is_heard = false;

    if (HYDT_bsci_info.job_is_over)
        return false;
    describe_loss(proxy, how, sizeof(how));
    if (is_spawned)
        is_heard = HYD_pmcd_spawn_misses(proxy, how);
    if (!HYD_server_info.user_global.recovery || (!is_spawned && !proxy->pid))
        return is_heard;
    for (int i = 0; i < proxy->proxy_process_count; i++) {
        if (add(proxy, i, rank_of(proxy, i)))
            tell_others(proxy, rank_of(proxy, i));
    }
    leave_host(proxy->node);
    say_lost(proxy, how);
    return true;
}

int HYD_pmcd_count_living(const struct HYD_proxy *proxy)
{
    int number = proxy->proxy_process_count;

    for (const death_t *death = first; death; death = death->next)
        number -= death->proxy == proxy;
    return number;
}

bool HYD_pmcd_takes_part(const struct HYD_proxy *proxy)
{
    return !HYD_server_info.user_global.recovery ||
           (proxy->control_fd != HYD_FD_CLOSED && HYD_pmcd_count_living(proxy) > 0);
}

/* ---- at the end ---- */

static bool have_all_died(void)
{
    for (const struct HYD_pg *pg = &HYD_server_info.pg_list; pg; pg = pg->next) {
        for (const struct HYD_proxy *proxy = pg->proxy_list; proxy; proxy = proxy->next) {
            if (HYD_pmcd_count_living(proxy) > 0)
                return false;
        }
    }
    return true;
}

int HYD_pmci_status_counts(const struct HYD_proxy *proxy, int i)
{
    return !find(proxy, i) || have_all_died();
}

static void report(const death_t *death)
{
    const struct HYD_proxy *proxy = death->proxy;
    char how[64] = "with its proxy", job[32] = "";

    if (proxy->exit_status && WIFSIGNALED(proxy->exit_status[death->i]))
        snprintf(how, sizeof(how), "by signal %d", WTERMSIG(proxy->exit_status[death->i]));
    else if (proxy->exit_status)
        snprintf(how, sizeof(how), "with status %d", WEXITSTATUS(proxy->exit_status[death->i]));
    if (proxy->pg->pgid > 0)
        snprintf(job, sizeof(job), " of spawned job %d", proxy->pg->pgid);
    HYDU_dump_noprefix(stderr, "mpiexec: rank %d%s on %s ended %s before MPI_Finalize\n",
                       death->rank, job, proxy->node->hostname, how);
}

/* If nobody lives, and some have ended with their proxies, they were killed. */
int HYD_pmci_report_deaths(int status)
{
    int number = 0;
    bool is_lost = false;

    for (const death_t *death = first; death; death = death->next) {
        if (number++ < MOST_NAMED)
            report(death);
        is_lost |= !death->proxy->exit_status;
    }
    if (number > MOST_NAMED)
        HYDU_dump_noprefix(stderr, "mpiexec: and %d more\n", number - MOST_NAMED);
    return status == 0 && is_lost && have_all_died() ? SIGKILL : status;
}
