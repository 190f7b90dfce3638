/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of functions for the linker; written by "make lists" of src/mpid/common/aggr. */
#ifndef AGGR_NAMES_H_INCLUDED
#define AGGR_NAMES_H_INCLUDED

#define aggr_agree MPIR_aggr_agree
#define aggr_allgather MPIR_aggr_allgather
#define aggr_allreduce MPIR_aggr_allreduce
#define aggr_alltoall MPIR_aggr_alltoall
#define aggr_arena_at MPIR_aggr_arena_at
#define aggr_arena_attach MPIR_aggr_arena_attach
#define aggr_arena_create MPIR_aggr_arena_create
#define aggr_arena_detach MPIR_aggr_arena_detach
#define aggr_arena_figures MPIR_aggr_arena_figures
#define aggr_arena_name MPIR_aggr_arena_name
#define aggr_arena_release MPIR_aggr_arena_release
#define aggr_arena_reserve MPIR_aggr_arena_reserve
#define aggr_barrier MPIR_aggr_barrier
#define aggr_bcast MPIR_aggr_bcast
#define aggr_bcast_elsewhere MPIR_aggr_bcast_elsewhere
#define aggr_bcast_failure MPIR_aggr_bcast_failure
#define aggr_begin MPIR_aggr_begin
#define aggr_board_close MPIR_aggr_board_close
#define aggr_board_open MPIR_aggr_board_open
#define aggr_board_reduce MPIR_aggr_board_reduce
#define aggr_compare MPIR_aggr_compare
#define aggr_copies_bytes MPIR_aggr_copies_bytes
#define aggr_copy MPIR_aggr_copy
#define aggr_copy_of MPIR_aggr_copy_of
#define aggr_differs MPIR_aggr_differs
#define aggr_divide MPIR_aggr_divide
#define aggr_exchange MPIR_aggr_exchange
#define aggr_exscan MPIR_aggr_exscan
#define aggr_gather MPIR_aggr_gather
#define aggr_give_way MPIR_aggr_give_way
#define aggr_group_cancel MPIR_aggr_group_cancel
#define aggr_group_join MPIR_aggr_group_join
#define aggr_group_leave MPIR_aggr_group_leave
#define aggr_group_reserve MPIR_aggr_group_reserve
#define aggr_knows_room MPIR_aggr_knows_room
#define aggr_least MPIR_aggr_least
#define aggr_line_of MPIR_aggr_line_of
#define aggr_my_line MPIR_aggr_my_line
#define aggr_now MPIR_aggr_now
#define aggr_place MPIR_aggr_place
#define aggr_publish MPIR_aggr_publish
#define aggr_reached MPIR_aggr_reached
#define aggr_ready MPIR_aggr_ready
#define aggr_reduce MPIR_aggr_reduce
#define aggr_relax MPIR_aggr_relax
#define aggr_scan MPIR_aggr_scan
#define aggr_scatter MPIR_aggr_scatter
#define aggr_step MPIR_aggr_step
#define aggr_wait MPIR_aggr_wait
#define aggr_wait_all MPIR_aggr_wait_all
#define aggr_wait_slowly MPIR_aggr_wait_slowly
#define aggr_writes MPIR_aggr_writes

#endif /* AGGR_NAMES_H_INCLUDED */
