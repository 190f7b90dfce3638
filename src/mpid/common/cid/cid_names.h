/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of functions for the linker; written by "make lists" of src/mpid/common/cid. */
#ifndef CID_NAMES_H_INCLUDED
#define CID_NAMES_H_INCLUDED

#define cid_claim MPIR_cid_claim
#define cid_claim_held MPIR_cid_claim_held
#define cid_end MPIR_cid_end
#define cid_figures MPIR_cid_figures
#define cid_free_mask MPIR_cid_free_mask
#define cid_hold MPIR_cid_hold
#define cid_kind_from_name MPIR_cid_kind_from_name
#define cid_kind_name MPIR_cid_kind_name
#define cid_let_go MPIR_cid_let_go
#define cid_next_free MPIR_cid_next_free
#define cid_next_used MPIR_cid_next_used
#define cid_owner MPIR_cid_owner
#define cid_release MPIR_cid_release
#define cid_replace MPIR_cid_replace
#define cid_set_allocator MPIR_cid_set_allocator
#define cid_strerror MPIR_cid_strerror
#define cid_table_create MPIR_cid_table_create
#define cid_table_destroy MPIR_cid_table_destroy
#define cid_table_kind MPIR_cid_table_kind
#define cid_table_limit MPIR_cid_table_limit
#define cid_used MPIR_cid_used

#endif /* CID_NAMES_H_INCLUDED */
