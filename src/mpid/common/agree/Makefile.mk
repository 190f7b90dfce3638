# SPDX-License-Identifier: BSD-3-Clause

AM_CPPFLAGS += -I$(top_srcdir)/src/mpid/common/agree

mpi_core_sources += \
    src/mpid/common/agree/agree.c

noinst_HEADERS += \
    src/mpid/common/agree/agree.h
