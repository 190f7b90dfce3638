# SPDX-License-Identifier: BSD-3-Clause

AM_CPPFLAGS += -I$(top_srcdir)/src/mpid/common/cid

mpi_core_sources += \
    src/mpid/common/cid/array_table.cpp \
    src/mpid/common/cid/bit_tree.cpp \
    src/mpid/common/cid/cid_face.cpp \
    src/mpid/common/cid/heap.cpp \
    src/mpid/common/cid/radix_table.cpp \
    src/mpid/common/cid/rbtree_table.cpp

noinst_HEADERS += \
    src/mpid/common/allocator.hpp \
    src/mpid/common/cid/bit_tree.hpp \
    src/mpid/common/cid/cid.h \
    src/mpid/common/cid/heap.hpp \
    src/mpid/common/cid/table.hpp
