# SPDX-License-Identifier: BSD-3-Clause

AM_CPPFLAGS += -I$(top_srcdir)/src/mpid/common/locality

mpi_core_sources += \
    src/mpid/common/locality/graph.c \
    src/mpid/common/locality/grid.c \
    src/mpid/common/locality/nodes.c

noinst_HEADERS += \
    src/mpid/common/locality/locality.h
