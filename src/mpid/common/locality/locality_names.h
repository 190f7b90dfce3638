/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of functions for the linker; written by "make lists" of src/mpid/common/locality. */
#ifndef LOCALITY_NAMES_H_INCLUDED
#define LOCALITY_NAMES_H_INCLUDED

#define locality_choose_order MPIR_locality_choose_order
#define locality_count_nodes MPIR_locality_count_nodes
#define locality_crossings MPIR_locality_crossings
#define locality_cut_of_graph MPIR_locality_cut_of_graph
#define locality_cut_on_blocks MPIR_locality_cut_on_blocks
#define locality_cut_on_list MPIR_locality_cut_on_list
#define locality_given_order MPIR_locality_given_order
#define locality_node_of MPIR_locality_node_of
#define locality_order_form MPIR_locality_order_form
#define locality_partition MPIR_locality_partition
#define locality_partition_bytes MPIR_locality_partition_bytes

#endif /* LOCALITY_NAMES_H_INCLUDED */
