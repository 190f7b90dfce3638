# SPDX-License-Identifier: BSD-3-Clause

AM_CPPFLAGS += -I$(top_srcdir)/src/mpid/common/onecopy

mpi_core_sources += \
    src/mpid/common/onecopy/file.c \
    src/mpid/common/onecopy/keep.c \
    src/mpid/common/onecopy/onecopy_board.c

noinst_HEADERS += \
    src/mpid/common/onecopy/onecopy.h \
    src/mpid/common/onecopy/onecopy_impl.h
