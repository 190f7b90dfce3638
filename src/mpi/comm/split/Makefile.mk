# SPDX-License-Identifier: BSD-3-Clause

mpi_core_sources += \
    src/mpi/comm/split/split.c \
    src/mpi/comm/split/split_exchange.c \
    src/mpi/comm/split/split_gather.c \
    src/mpi/comm/split/split_grids.c \
    src/mpi/comm/split/split_order.c \
    src/mpi/comm/split/split_others.c \
    src/mpi/comm/split/split_zones.c
