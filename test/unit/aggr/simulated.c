/* SPDX-License-Identifier: BSD-3-Clause */
/* The module once more, with a place to stop before each access to another member's line. */
#define AGGR_SIMULATED
#define AGGR_NAMES_H_INCLUDED  /* names of its own, but for the arena */
#define aggr_arena_reserve MPIR_aggr_arena_reserve
#define aggr_arena_release MPIR_aggr_arena_release
#define aggr_arena_at MPIR_aggr_arena_at
#define aggr_step MPIR_aggr_step
#define aggr_group_reserve simulated_group_reserve
#define aggr_group_cancel simulated_group_cancel
#define aggr_group_join simulated_group_join
#define aggr_group_leave simulated_group_leave
#define aggr_give_way simulated_give_way
#define aggr_wait_slowly simulated_wait_slowly
#define aggr_begin simulated_begin
#define aggr_wait_all simulated_wait_all
#define aggr_ready simulated_ready
#define aggr_barrier simulated_barrier
#define aggr_allreduce simulated_allreduce
#define aggr_reduce simulated_reduce
#define aggr_scan simulated_scan
#define aggr_exscan simulated_exscan
#define aggr_bcast simulated_bcast
#define aggr_bcast_failure simulated_bcast_failure
#define aggr_bcast_elsewhere simulated_bcast_elsewhere
#define aggr_agree simulated_agree
#define aggr_differs simulated_differs
#define aggr_allgather simulated_allgather
#define aggr_gather simulated_gather
#define aggr_scatter simulated_scatter
#define aggr_alltoall simulated_alltoall
#define aggr_exchange simulated_exchange
#define aggr_board_open simulated_board_open
#define aggr_board_close simulated_board_close
#define aggr_board_reduce simulated_board_reduce
#define aggr_divide simulated_divide
#include "board.c"
#include "divide.c"
#include "group.c"
#include "move.c"
#include "reduce.c"

