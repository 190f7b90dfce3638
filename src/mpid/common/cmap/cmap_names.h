/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of functions for the linker; written by "make lists" of src/mpid/common/cmap. */
#ifndef CMAP_NAMES_H_INCLUDED
#define CMAP_NAMES_H_INCLUDED

#define cmap_addref MPIR_cmap_addref
#define cmap_affine_select MPIR_cmap_affine_select
#define cmap_array_bytes MPIR_cmap_array_bytes
#define cmap_builder_add MPIR_cmap_builder_add
#define cmap_builder_add_block MPIR_cmap_builder_add_block
#define cmap_builder_add_range MPIR_cmap_builder_add_range
#define cmap_builder_add_slice MPIR_cmap_builder_add_slice
#define cmap_builder_create MPIR_cmap_builder_create
#define cmap_builder_finish MPIR_cmap_builder_finish
#define cmap_builder_free MPIR_cmap_builder_free
#define cmap_builder_size MPIR_cmap_builder_size
#define cmap_bytes MPIR_cmap_bytes
#define cmap_cached_bytes MPIR_cmap_cached_bytes
#define cmap_compare MPIR_cmap_compare
#define cmap_compose MPIR_cmap_compose
#define cmap_concat MPIR_cmap_concat
#define cmap_decode MPIR_cmap_decode
#define cmap_describe MPIR_cmap_describe
#define cmap_difference MPIR_cmap_difference
#define cmap_excl MPIR_cmap_excl
#define cmap_force_declined MPIR_cmap_force_declined
#define cmap_from_array MPIR_cmap_from_array
#define cmap_from_range MPIR_cmap_from_range
#define cmap_get_totals MPIR_cmap_get_totals
#define cmap_incl MPIR_cmap_incl
#define cmap_intersection MPIR_cmap_intersection
#define cmap_is_set MPIR_cmap_is_set
#define cmap_is_subset MPIR_cmap_is_subset
#define cmap_iter_init MPIR_cmap_iter_init
#define cmap_iter_next MPIR_cmap_iter_next
#define cmap_iter_rewind MPIR_cmap_iter_rewind
#define cmap_limits_get MPIR_cmap_limits_get
#define cmap_limits_set MPIR_cmap_limits_set
#define cmap_load64le MPIR_cmap_load64le
#define cmap_max MPIR_cmap_max
#define cmap_min MPIR_cmap_min
#define cmap_mulhi MPIR_cmap_mulhi
#define cmap_packed_select MPIR_cmap_packed_select
#define cmap_payload_bytes MPIR_cmap_payload_bytes
#define cmap_policy_default MPIR_cmap_policy_default
#define cmap_policy_of MPIR_cmap_policy_of
#define cmap_policy_set_default MPIR_cmap_policy_set_default
#define cmap_range_excl MPIR_cmap_range_excl
#define cmap_range_incl MPIR_cmap_range_incl
#define cmap_rank MPIR_cmap_rank
#define cmap_release MPIR_cmap_release
#define cmap_rep_from_name MPIR_cmap_rep_from_name
#define cmap_rep_name MPIR_cmap_rep_name
#define cmap_representation MPIR_cmap_representation
#define cmap_select MPIR_cmap_select
#define cmap_select_is_inline MPIR_cmap_select_is_inline
#define cmap_select_many MPIR_cmap_select_many
#define cmap_select_outlined MPIR_cmap_select_outlined
#define cmap_set_allocator MPIR_cmap_set_allocator
#define cmap_sharers MPIR_cmap_sharers
#define cmap_size MPIR_cmap_size
#define cmap_strategy_from_name MPIR_cmap_strategy_from_name
#define cmap_strategy_name MPIR_cmap_strategy_name
#define cmap_strategy_of MPIR_cmap_strategy_of
#define cmap_strerror MPIR_cmap_strerror
#define cmap_translate MPIR_cmap_translate
#define cmap_union MPIR_cmap_union
#define cmap_validate MPIR_cmap_validate
#define cmap_with_policy MPIR_cmap_with_policy

#endif /* CMAP_NAMES_H_INCLUDED */
