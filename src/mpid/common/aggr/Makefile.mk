# SPDX-License-Identifier: BSD-3-Clause

AM_CPPFLAGS += -I$(top_srcdir)/src/mpid/common/aggr

mpi_core_sources += \
    src/mpid/common/aggr/arena.c \
    src/mpid/common/aggr/board.c \
    src/mpid/common/aggr/desk.c \
    src/mpid/common/aggr/divide.c \
    src/mpid/common/aggr/group.c \
    src/mpid/common/aggr/meet.c \
    src/mpid/common/aggr/move.c \
    src/mpid/common/aggr/reduce.c \
    src/mpid/common/aggr/ring.c

noinst_HEADERS += \
    src/mpid/common/aggr/aggr.h \
    src/mpid/common/aggr/aggr_impl.h
