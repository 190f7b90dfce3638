/* SPDX-License-Identifier: BSD-3-Clause */
/* The module once more, with a place to stop before each access to another member's line. */
#define AGGR_SIMULATED
#define AGGR_NAMES_H_INCLUDED /* names of its own, but for the arena */
#define MPIR_aggr_arena_reserve MPIR_aggr_arena_reserve
#define MPIR_aggr_arena_release MPIR_aggr_arena_release
#define MPIR_aggr_arena_at MPIR_aggr_arena_at
#define MPIR_aggr_step MPIR_aggr_step
#define MPIR_aggr_group_reserve simulated_group_reserve
#define MPIR_aggr_group_cancel simulated_group_cancel
#define MPIR_aggr_group_join simulated_group_join
#define MPIR_aggr_group_leave simulated_group_leave
#define MPIR_aggr_give_way simulated_give_way
#define MPIR_aggr_turn simulated_turn
#define MPIR_aggr_wait_slowly simulated_wait_slowly
#define MPIR_aggr_begin simulated_begin
#define MPIR_aggr_wait_all simulated_wait_all
#define MPIR_aggr_ready simulated_ready
#define MPIR_aggr_barrier simulated_barrier
#define MPIR_aggr_allreduce simulated_allreduce
#define MPIR_aggr_reduce simulated_reduce
#define MPIR_aggr_scan simulated_scan
#define MPIR_aggr_exscan simulated_exscan
#define MPIR_aggr_bcast simulated_bcast
#define MPIR_aggr_bcast_failure simulated_bcast_failure
#define MPIR_aggr_bcast_elsewhere simulated_bcast_elsewhere
#define MPIR_aggr_agree simulated_agree
#define MPIR_aggr_differs simulated_differs
#define MPIR_aggr_tell_first simulated_tell_first
#define MPIR_aggr_put_nothing simulated_put_nothing
#define MPIR_aggr_leave_now simulated_leave_now
#define MPIR_aggr_count_left simulated_count_left
#define MPIR_aggr_long_begin simulated_long_begin
#define MPIR_aggr_long_end simulated_long_end
#define MPIR_aggr_desk_close simulated_desk_close
#define MPIR_aggr_bcast_long simulated_bcast_long
#define MPIR_aggr_bcast_rest simulated_bcast_rest
#define MPIR_aggr_reduce_scatter simulated_reduce_scatter
#define MPIR_aggr_allgatherv simulated_allgatherv
#define MPIR_aggr_allgather simulated_allgather
#define MPIR_aggr_gather simulated_gather
#define MPIR_aggr_scatter simulated_scatter
#define MPIR_aggr_alltoall simulated_alltoall
#define MPIR_aggr_exchange simulated_exchange
#define MPIR_aggr_board_open simulated_board_open
#define MPIR_aggr_board_close simulated_board_close
#define MPIR_aggr_board_died simulated_board_died
#define MPIR_aggr_board_reduce simulated_board_reduce
#define MPIR_aggr_divide simulated_divide
#define MPIR_aggr_ring_has simulated_ring_has
#define MPIR_aggr_ring_ready simulated_ring_ready
#define MPIR_aggr_ring_place simulated_ring_place
#define MPIR_aggr_ring_begin simulated_ring_begin
#define MPIR_aggr_ring_arrived simulated_ring_arrived
#define MPIR_aggr_ring_length simulated_ring_length
#define MPIR_aggr_ring_datum simulated_ring_datum
#define MPIR_aggr_ring_end simulated_ring_end
#define MPIR_aggr_ring_release simulated_ring_release
#define MPIR_aggr_ring_reserve simulated_ring_reserve
#define MPIR_aggr_ring_join simulated_ring_join
#define MPIR_aggr_ring_leave simulated_ring_leave
#define MPIR_aggr_ring_give_up simulated_ring_give_up
#define MPIR_aggr_borrow simulated_borrow
#define MPIR_aggr_borrowed simulated_borrowed
#define MPIR_aggr_give simulated_give
#define MPIR_aggr_takes simulated_takes
#define MPIR_aggr_describe_loan simulated_describe_loan
#define MPIR_aggr_start_copies simulated_start_copies
#define MPIR_aggr_stop_copies simulated_stop_copies
#define MPIR_aggr_lend simulated_lend
#define MPIR_aggr_end_loan simulated_end_loan
#define MPIR_aggr_tell_all simulated_tell_all
#define MPIR_aggr_conclude simulated_conclude
#define MPIR_aggr_recall simulated_recall
#define MPIR_aggr_hall_reserve simulated_hall_reserve
#define MPIR_aggr_hall_release simulated_hall_release
#define MPIR_aggr_hall_enter simulated_hall_enter
#define MPIR_aggr_meeting simulated_meeting
#define MPIR_aggr_meeting_decided simulated_meeting_decided
#define MPIR_aggr_meeting_is_complete simulated_meeting_is_complete
#define MPIR_aggr_meeting_decide simulated_meeting_decide
#define MPIR_aggr_meeting_leave simulated_meeting_leave
#include "board.c"
#include "desk.c"
#include "divide.c"
#include "group.c"
#include "loan.c"
#include "meet.c"
#include "move.c"
#include "reduce.c"
#include "ring.c"
