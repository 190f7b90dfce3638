/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of functions for the linker; written by "make lists" of src/mpid/common/cmap. */
#ifndef SPLIT_NAMES_H_INCLUDED
#define SPLIT_NAMES_H_INCLUDED

#define split_add_leaves MPIR_split_add_leaves
#define split_arrange MPIR_split_arrange
#define split_block_of MPIR_split_block_of
#define split_choose_nodes MPIR_split_choose_nodes
#define split_exchange_rows MPIR_split_exchange_rows
#define split_fail MPIR_split_fail
#define split_first_rank MPIR_split_first_rank
#define split_grids_map MPIR_split_grids_map
#define split_is_inter MPIR_split_is_inter
#define split_look MPIR_split_look
#define split_make_child MPIR_split_make_child
#define split_map MPIR_split_map
#define split_merge MPIR_split_merge
#define split_merge_blocks MPIR_split_merge_blocks
#define split_merge_nodes MPIR_split_merge_nodes
#define split_next_leaves MPIR_split_next_leaves
#define split_rank_of MPIR_split_rank_of
#define split_reserve_fill MPIR_split_reserve_fill
#define split_reserve_free MPIR_split_reserve_free
#define split_reserve_put MPIR_split_reserve_put
#define split_reserve_settle MPIR_split_reserve_settle
#define split_reserve_take MPIR_split_reserve_take
#define split_room_for MPIR_split_room_for
#define split_swap_blocks MPIR_split_swap_blocks
#define split_tree_of MPIR_split_tree_of
#define split_unit_of MPIR_split_unit_of
#define split_view_of MPIR_split_view_of
#define split_zones_begin MPIR_split_zones_begin
#define split_zones_end MPIR_split_zones_end
#define split_zones_give_up MPIR_split_zones_give_up
#define split_zones_hold MPIR_split_zones_hold
#define split_zones_lend MPIR_split_zones_lend
#define split_zones_reserve MPIR_split_zones_reserve

#endif /* SPLIT_NAMES_H_INCLUDED */
