# SPDX-License-Identifier: BSD-3-Clause

# Our C++ is seen by libmpi alone, as all C is, and has MPICH's prefix in a static library.
lib_lib@MPILIBNAME@_la_CXXFLAGS = $(AM_CXXFLAGS) @VISIBILITY_CFLAGS@ -Dcmap=MPIR_cmap -Dcid=MPIR_cid

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

bin_SCRIPTS += src/mpi/map/cmap-report
