/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of functions for the linker; written by "make lists" of src/mpid/common/cid. */
#ifndef CTXID_NAMES_H_INCLUDED
#define CTXID_NAMES_H_INCLUDED

#define ctxid_close MPIR_ctxid_close
#define ctxid_error MPIR_ctxid_error
#define ctxid_fold_ballot MPIR_ctxid_fold_ballot
#define ctxid_fold_window MPIR_ctxid_fold_window
#define ctxid_freed_append MPIR_ctxid_freed_append
#define ctxid_freed_bytes MPIR_ctxid_freed_bytes
#define ctxid_freed_destroy MPIR_ctxid_freed_destroy
#define ctxid_freed_make_room MPIR_ctxid_freed_make_room
#define ctxid_freed_oldest MPIR_ctxid_freed_oldest
#define ctxid_freed_prepend MPIR_ctxid_freed_prepend
#define ctxid_freed_remove MPIR_ctxid_freed_remove
#define ctxid_get_figures MPIR_ctxid_get_figures
#define ctxid_let_others_go_on MPIR_ctxid_let_others_go_on
#define ctxid_need_local_comm MPIR_ctxid_need_local_comm
#define ctxid_of_prefix MPIR_ctxid_of_prefix
#define ctxid_offer MPIR_ctxid_offer
#define ctxid_open MPIR_ctxid_open
#define ctxid_pack MPIR_ctxid_pack
#define ctxid_reduce_between MPIR_ctxid_reduce_between
#define ctxid_refuse_among MPIR_ctxid_refuse_among
#define ctxid_settle MPIR_ctxid_settle
#define ctxid_settle_window MPIR_ctxid_settle_window
#define ctxid_show_window MPIR_ctxid_show_window
#define ctxid_unpack MPIR_ctxid_unpack
#define ctxid_visit MPIR_ctxid_visit

#endif /* CTXID_NAMES_H_INCLUDED */
