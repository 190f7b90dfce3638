# SPDX-License-Identifier: BSD-3-Clause

AM_CPPFLAGS += -I$(top_srcdir)/src/mpid/common/rma_issue

mpi_core_sources += \
    src/mpid/common/rma_issue/rma_issue.c \
    src/mpid/common/rma_issue/rma_issue_phase.c \
    src/mpid/common/rma_issue/rma_issue_sums.c

noinst_HEADERS += \
    src/mpid/common/rma_issue/rma_issue.h \
    src/mpid/common/rma_issue/rma_issue_phase.h \
    src/mpid/common/rma_issue/rma_issue_sums.h \
    src/mpid/common/rma_issue/rma_issue_wire.h
