# SPDX-License-Identifier: BSD-3-Clause

mpi_core_sources += \
    src/mpi/comm/split/split.c \
    src/mpi/comm/split/split_blocks.c \
    src/mpi/comm/split/split_child.c \
    src/mpi/comm/split/split_grids.c \
    src/mpi/comm/split/split_nodes.c \
    src/mpi/comm/split/split_order.c \
    src/mpi/comm/split/split_reserve.c \
    src/mpi/comm/split/split_resource.c

noinst_HEADERS += \
    src/mpi/comm/split/split_call.h \
    src/mpi/comm/split/split_blocks.h \
    src/mpi/comm/split/split_grids.h \
    src/mpi/comm/split/split_nodes.h \
    src/mpi/comm/split/split_order.h \
    src/mpi/comm/split/split_reserve.h
