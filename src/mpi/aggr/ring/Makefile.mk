# SPDX-License-Identifier: BSD-3-Clause

mpi_core_sources += \
    src/mpi/aggr/ring/aggr_neighbours.c \
    src/mpi/aggr/ring/aggr_nonblocking.c \
    src/mpi/aggr/ring/aggr_parts.c \
    src/mpi/aggr/ring/aggr_persistent.c \
    src/mpi/aggr/ring/aggr_queue.c \
    src/mpi/aggr/ring/aggr_vectors.c
