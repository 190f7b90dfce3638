/* SPDX-License-Identifier: BSD-3-Clause */

#include "hydra.h"
#include "pmiserv_pmi.h"
#include "common.h"
#include "parent.h"

HYD_status HYD_pmcd_tell_parent_port(struct HYD_exec *exec_list, const char *key,
                                     const char *value)
{
    HYD_status status = HYD_SUCCESS;

    if (strcmp(key, "PARENT_ROOT_PORT_NAME") != 0)
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

static bool is_connected(const struct HYD_proxy *proxy)
{
    return proxy->control_fd != HYD_FD_UNSET && proxy->control_fd != HYD_FD_CLOSED;
}

/* A proxy that ends meanwhile does not need to know. */
static void tell_proxy(const struct HYD_proxy *proxy)
{
    struct HYD_pmcd_hdr hdr;
    int sent, closed;

    HYD_pmcd_init_header(&hdr);
    hdr.cmd = LEFT_EARLY;
    if (HYDU_sock_write(proxy->control_fd, &hdr, sizeof(hdr), &sent, &closed,
                        HYDU_SOCK_COMM_MAY_END) != HYD_SUCCESS)
        HYDU_dump(stderr, "cannot tell %s that a process ended\n", proxy->node->hostname);
}

void HYD_pmcd_left_early(struct HYD_proxy *proxy)
{
    struct HYD_pmcd_pmi_pg_scratch *scratch = proxy->pg->pg_scratch;

    scratch->has_left_early = 1;
    for (const struct HYD_proxy * other = proxy->pg->proxy_list; other; other = other->next) {
        if (other != proxy && is_connected(other))
            tell_proxy(other);
    }
}

void HYD_pmcd_tell_if_left_early(const struct HYD_proxy *proxy)
{
    const struct HYD_pmcd_pmi_pg_scratch *scratch = proxy->pg->pg_scratch;

    if (scratch->has_left_early)
        tell_proxy(proxy);
}
