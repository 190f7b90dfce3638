# SPDX-License-Identifier: BSD-3-Clause

mpi_core_sources += \
    src/mpi/comm/maps/comm_hints.c \
    src/mpi/comm/maps/comm_maps.c \
    src/mpi/comm/maps/comm_report.c
