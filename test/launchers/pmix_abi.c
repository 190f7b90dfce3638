/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Compiles if what src/util/mpir_pmix_lib.h says of PMIx is true for the pmix.h that is installed.
 */
#include <pmix.h>
#include "mpir_pmix_lib.h"

#define SAME_SIZE(ours_, theirs_) \
    _Static_assert(sizeof(ours_) == sizeof(theirs_), "size of " #theirs_)
#define SAME_PLACE(ours_, theirs_, member_) \
    _Static_assert(offsetof(ours_, member_) == offsetof(theirs_, member_) && \
                       sizeof(((ours_ *) 0)->member_) == sizeof(((theirs_ *) 0)->member_), \
                   "place of " #member_ " in " #theirs_)
#define SAME_NUMBER(ours_, theirs_) _Static_assert((ours_) == (theirs_), #theirs_)

SAME_SIZE(MPIR_Pmix_proc_t, pmix_proc_t);
SAME_PLACE(MPIR_Pmix_proc_t, pmix_proc_t, rank);
SAME_SIZE(MPIR_Pmix_value_t, pmix_value_t);
SAME_PLACE(MPIR_Pmix_value_t, pmix_value_t, type);
SAME_PLACE(MPIR_Pmix_value_t, pmix_value_t, data);
SAME_SIZE(MPIR_Pmix_info_t, pmix_info_t);
SAME_PLACE(MPIR_Pmix_info_t, pmix_info_t, key);
SAME_PLACE(MPIR_Pmix_info_t, pmix_info_t, flags);
SAME_PLACE(MPIR_Pmix_info_t, pmix_info_t, value);
SAME_SIZE(MPIR_Pmix_pdata_t, pmix_pdata_t);
SAME_PLACE(MPIR_Pmix_pdata_t, pmix_pdata_t, key);
SAME_PLACE(MPIR_Pmix_pdata_t, pmix_pdata_t, value);
SAME_SIZE(MPIR_Pmix_app_t, pmix_app_t);
SAME_PLACE(MPIR_Pmix_app_t, pmix_app_t, env);
SAME_PLACE(MPIR_Pmix_app_t, pmix_app_t, maxprocs);
SAME_PLACE(MPIR_Pmix_app_t, pmix_app_t, info);
SAME_PLACE(MPIR_Pmix_app_t, pmix_app_t, ninfo);

SAME_NUMBER(PMIX_EVERY_RANK, PMIX_RANK_WILDCARD);
SAME_NUMBER(PMIX_FOR_ALL, PMIX_GLOBAL);
SAME_NUMBER(PMIX_IS_BOOL, PMIX_BOOL);
SAME_NUMBER(PMIX_IS_STRING, PMIX_STRING);
SAME_NUMBER(PMIX_IS_SIZE, PMIX_SIZE);
SAME_NUMBER(PMIX_IS_INT, PMIX_INT);
SAME_NUMBER(PMIX_IS_INT32, PMIX_INT32);
SAME_NUMBER(PMIX_IS_UINT, PMIX_UINT);
SAME_NUMBER(PMIX_IS_UINT16, PMIX_UINT16);
SAME_NUMBER(PMIX_IS_UINT32, PMIX_UINT32);
SAME_NUMBER(PMIX_IS_RANK, PMIX_PROC_RANK);
SAME_NUMBER(PMIX_IS_PROC, PMIX_PROC);
SAME_NUMBER(PMIX_KILLED, PMIX_ERR_PROC_KILLED_BY_CMD);
SAME_NUMBER(PMIX_ABORTED_BY_SIGNAL, PMIX_ERR_PROC_ABORTED_BY_SIG);
SAME_NUMBER(PMIX_EXITED_WITH_STATUS, PMIX_ERR_EXIT_NONZERO_TERM);
SAME_NUMBER(PMIX_ABORTS, PMIX_ERR_PROC_REQUESTED_ABORT);
SAME_NUMBER(PMIX_EXITED_EARLY, PMIX_ERR_PROC_TERM_WO_SYNC);
SAME_NUMBER(PMIX_NOTHING_DONE, PMIX_EVENT_NO_ACTION_TAKEN);
SAME_NUMBER(PMIX_DONE_AT_ONCE, PMIX_OPERATION_SUCCEEDED);

static int differ(const char *ours, const char *theirs)
{
    return __builtin_strcmp(ours, theirs) != 0;
}

int main(void)
{
    return differ("pmix.job.size", PMIX_JOB_SIZE) || differ("pmix.appnum", PMIX_APPNUM) ||
           differ("pmix.univ.size", PMIX_UNIV_SIZE) || differ("pmix.collect", PMIX_COLLECT_DATA) ||
           differ("pmix.optional", PMIX_OPTIONAL) || differ("pmix.anlmap", PMIX_ANL_MAP) ||
           differ("pmix.hname", PMIX_HOSTNAME) || differ("pmix.host", PMIX_HOST) ||
           differ("pmix.wdir", PMIX_WDIR) || differ("pmix.evproc", PMIX_EVENT_AFFECTED_PROC);
}
