/* SPDX-License-Identifier: BSD-3-Clause */

#include "hydra.h"
#include "pmiserv_pmi.h"
#include "common.h"
#include "parent.h"

static const char port_key[] = "PARENT_ROOT_PORT_NAME";

HYD_status HYD_pmcd_tell_parent_port(struct HYD_exec *exec_list, const char *key, const char *value)
{
    HYD_status status = HYD_SUCCESS;

    if (strcmp(key, port_key) != 0)
        goto fn_exit;
    for (struct HYD_exec *exec = exec_list; exec; exec = exec->next) {
        status = HYDU_append_env_to_list("MPICH_PARENT_PORT", value, &exec->user_env);
        HYDU_ERR_POP(status, "unable to add a variable\n");
    }

fn_exit:
    return status;
fn_fail:
    goto fn_exit;
}

bool HYD_pmcd_is_connected(const struct HYD_proxy *proxy)
{
    return proxy->control_fd != HYD_FD_UNSET && proxy->control_fd != HYD_FD_CLOSED;
}

void HYD_pmcd_tell_proxy(const struct HYD_proxy *proxy, enum HYD_pmcd_cmd what)
{
    struct HYD_pmcd_hdr hdr;
    int sent, closed;

    HYD_pmcd_init_header(&hdr);
    hdr.cmd = what;
    if (HYDU_sock_write(proxy->control_fd, &hdr, sizeof(hdr), &sent, &closed,
                        HYDU_SOCK_COMM_MAY_END) != HYD_SUCCESS)
        HYDU_dump(stderr, "cannot tell %s that a process ended\n", proxy->node->hostname);
}

static void tell_proxies(const struct HYD_pg *pg, enum HYD_pmcd_cmd what)
{
    for (const struct HYD_proxy *proxy = pg->proxy_list; proxy; proxy = proxy->next) {
        if (HYD_pmcd_is_connected(proxy))
            HYD_pmcd_tell_proxy(proxy, what);
    }
}

bool HYD_pmcd_ends_early(const struct HYD_proxy *proxy, enum HYD_pmcd_cmd what)
{
    struct HYD_pmcd_pmi_pg_scratch *scratch = proxy->pg->pg_scratch;

    switch (what) {
        case ASKS_PARENT: scratch->asking++; return true;
        case LEFT_EARLY:
            scratch->asking--;
            scratch->has_left_early = 1;
            tell_proxies(proxy->pg, LEFT_EARLY);
            return true;
        case PARENT_GOES_ON:
            scratch->asking--;
            if (scratch->has_left_early)
                HYD_pmcd_tell_proxy(proxy, LEFT_EARLY);
            else if (scratch->asking == 0)
                tell_proxies(proxy->pg, PARENT_GOES_ON);
            return true;
        default: return false;
    }
}

void HYD_pmcd_tell_if_left_early(const struct HYD_proxy *proxy)
{
    const struct HYD_pmcd_pmi_pg_scratch *scratch = proxy->pg->pg_scratch;

    if (scratch->has_left_early)
        HYD_pmcd_tell_proxy(proxy, LEFT_EARLY);
}

static const char *port_of(const struct HYD_pg *pg)
{
    const struct HYD_pmcd_pmi_pg_scratch *scratch = pg->pg_scratch;
    const struct HYD_pmcd_pmi_kvs_pair *pair = scratch->kvs->key_pair;

    while (pair && strcmp(pair->key, port_key) != 0)
        pair = pair->next;
    return pair ? pair->val : NULL;
}

bool HYD_pmcd_spawn_misses(struct HYD_proxy *proxy, const char *how)
{
    struct HYD_pmcd_pmi_pg_scratch *scratch = proxy->pg->pg_scratch;
    const char *port = port_of(proxy->pg);
    char text[400];
    bool heard;

    snprintf(text, sizeof(text), "the proxy on host %.180s%.199s", proxy->node->hostname, how);
    heard = scratch->has_left_early || (port && HYD_pmcd_tell_port(port, text));
    if (heard || !proxy->pid) {
        scratch->has_left_early = 1;
        tell_proxies(proxy->pg, LEFT_EARLY);
    }
    return heard;
}
