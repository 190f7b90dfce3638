/* SPDX-License-Identifier: BSD-3-Clause */

#include "hydra.h"
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
