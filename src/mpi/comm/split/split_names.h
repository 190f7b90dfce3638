/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of functions for the linker; written by "make lists" of src/mpid/common/cmap. */
#ifndef SPLIT_NAMES_H_INCLUDED
#define SPLIT_NAMES_H_INCLUDED

#define split_arrange MPIR_split_arrange
#define split_exchange_rows MPIR_split_exchange_rows
#define split_is_inter MPIR_split_is_inter
#define split_look MPIR_split_look
#define split_make_child MPIR_split_make_child
#define split_map MPIR_split_map
#define split_rank_of MPIR_split_rank_of
#define split_view_of MPIR_split_view_of

#endif /* SPLIT_NAMES_H_INCLUDED */
