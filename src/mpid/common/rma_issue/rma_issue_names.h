/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of functions for the linker; written by "make lists" of src/mpid/common/rma_issue. */
#ifndef RMA_ISSUE_NAMES_H_INCLUDED
#define RMA_ISSUE_NAMES_H_INCLUDED

#define rma_issue_add MPIR_rma_issue_add
#define rma_issue_close MPIR_rma_issue_close
#define rma_issue_fits MPIR_rma_issue_fits
#define rma_issue_granted MPIR_rma_issue_granted
#define rma_issue_is_long MPIR_rma_issue_is_long
#define rma_issue_issued MPIR_rma_issue_issued
#define rma_issue_next MPIR_rma_issue_next
#define rma_issue_open MPIR_rma_issue_open
#define rma_issue_passes MPIR_rma_issue_passes
#define rma_issue_settled MPIR_rma_issue_settled
#define rma_issue_take MPIR_rma_issue_take
#define rma_issue_target_init MPIR_rma_issue_target_init
#define rma_issue_waited MPIR_rma_issue_waited

#endif /* RMA_ISSUE_NAMES_H_INCLUDED */
