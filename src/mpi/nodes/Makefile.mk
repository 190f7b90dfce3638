# SPDX-License-Identifier: BSD-3-Clause

include $(top_srcdir)/src/mpid/common/locality/Makefile.mk

mpi_core_sources += \
    src/mpi/nodes/node_blocks.c \
    src/mpi/nodes/comms/node_comms.c \
    src/mpi/nodes/node_maps.c \
    src/mpi/nodes/world_nodes.c
