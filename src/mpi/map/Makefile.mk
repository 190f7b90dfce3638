# SPDX-License-Identifier: BSD-3-Clause

include $(top_srcdir)/src/mpid/common/onecopy/Makefile.mk
include $(top_srcdir)/src/mpid/common/cmap/calibrate/Makefile.mk

mpi_core_sources += \
    src/mpi/map/map_extra.c \
    src/mpi/map/map_init.c \
    src/mpi/map/map_json.c \
    src/mpi/map/map_line.c \
    src/mpi/map/map_node.c \
    src/mpi/map/map_report.c \
    src/mpi/map/map_site.c \
    src/mpi/map/map_table.cpp

noinst_HEADERS += src/mpi/map/map_extra.h src/mpi/map/map_json.h src/mpi/map/map_table.h

bin_SCRIPTS += src/mpi/map/cmap-report
