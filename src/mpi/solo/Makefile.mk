# SPDX-License-Identifier: BSD-3-Clause

mpi_core_sources += \
    src/mpi/solo/solo.c \
    src/mpi/solo/solo_scenario.c

noinst_HEADERS += src/mpi/solo/solo_scenario.h
