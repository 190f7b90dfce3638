# SPDX-License-Identifier: BSD-3-Clause

AM_CPPFLAGS += -I$(top_srcdir)/src/mpid/common/colours

mpi_core_sources += \
    src/mpid/common/colours/colours_members.c \
    src/mpid/common/colours/colours_merge.c \
    src/mpid/common/colours/colours_piece.c \
    src/mpid/common/colours/colours_wire.c

noinst_HEADERS += \
    src/mpid/common/colours/colours.h \
    src/mpid/common/colours/colours_piece.h
