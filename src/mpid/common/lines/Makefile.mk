# SPDX-License-Identifier: BSD-3-Clause

AM_CPPFLAGS += -I$(top_srcdir)/src/mpid/common/lines

mpi_core_sources += \
    src/mpid/common/lines/lines.c

noinst_HEADERS += \
    src/mpid/common/lines/lines.h
