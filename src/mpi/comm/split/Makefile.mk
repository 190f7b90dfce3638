# SPDX-License-Identifier: BSD-3-Clause

mpi_core_sources += \
    src/mpi/comm/split/split.c \
    src/mpi/comm/split/split_exchange.c \
    src/mpi/comm/split/split_gather.c \
    src/mpi/comm/split/split_grids.c \
    src/mpi/comm/split/split_order.c \
    src/mpi/comm/split/split_others.c \
    src/mpi/comm/split/split_zones.c

noinst_HEADERS += \
    src/mpi/comm/split/split_at_once.h \
    src/mpi/comm/split/split_call.h \
    src/mpi/comm/split/split_exchange.h \
    src/mpi/comm/split/split_grids.h \
    src/mpi/comm/split/split_order.h \
    src/mpi/comm/split/split_zones.h
