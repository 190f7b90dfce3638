# SPDX-License-Identifier: BSD-3-Clause

AM_CPPFLAGS += -I$(top_srcdir)/src/mpid/common/rma_lock

mpi_core_sources += \
    src/mpid/common/rma_lock/rma_lock.c

noinst_HEADERS += \
    src/mpid/common/rma_lock/rma_lock.h
