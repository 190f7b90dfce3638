# SPDX-License-Identifier: BSD-3-Clause

mpi_core_sources += \
    src/mpi/aggr/shared/aggr_arena.c \
    src/mpi/aggr/shared/aggr_board.c \
    src/mpi/aggr/aggr_block.c \
    src/mpi/aggr/aggr_comm.c \
    src/mpi/aggr/aggr_direct.c \
    src/mpi/aggr/aggr_error.c \
    src/mpi/aggr/shared/aggr_init.c \
    src/mpi/aggr/aggr_move.c \
    src/mpi/aggr/aggr_nodes.c \
    src/mpi/aggr/shared/aggr_place.c \
    src/mpi/aggr/shared/aggr_process.c \
    src/mpi/aggr/aggr_reduce.c \
    src/mpi/comm/split/split_at_once.c
