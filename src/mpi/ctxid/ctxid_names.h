/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of functions for the linker; written by "make lists" of src/mpid/common/cid. */
#ifndef CTXID_NAMES_H_INCLUDED
#define CTXID_NAMES_H_INCLUDED

#define ctxid_close MPIR_ctxid_close
#define ctxid_error MPIR_ctxid_error
#define ctxid_from_words MPIR_ctxid_from_words
#define ctxid_get_figures MPIR_ctxid_get_figures
#define ctxid_mask_words MPIR_ctxid_mask_words
#define ctxid_next_call MPIR_ctxid_next_call
#define ctxid_of_prefix MPIR_ctxid_of_prefix
#define ctxid_offer MPIR_ctxid_offer
#define ctxid_open MPIR_ctxid_open
#define ctxid_pack MPIR_ctxid_pack
#define ctxid_refuse_inter MPIR_ctxid_refuse_inter
#define ctxid_settle MPIR_ctxid_settle
#define ctxid_settle_masks MPIR_ctxid_settle_masks
#define ctxid_show_masks MPIR_ctxid_show_masks
#define ctxid_to_words MPIR_ctxid_to_words
#define ctxid_unpack MPIR_ctxid_unpack
#define ctxid_visit MPIR_ctxid_visit

#endif /* CTXID_NAMES_H_INCLUDED */
