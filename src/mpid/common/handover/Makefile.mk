# SPDX-License-Identifier: BSD-3-Clause

AM_CPPFLAGS += -I$(top_srcdir)/src/mpid/common/handover

mpi_core_sources += \
    src/mpid/common/handover/handover.c

noinst_HEADERS += \
    src/mpid/common/handover/handover.h
