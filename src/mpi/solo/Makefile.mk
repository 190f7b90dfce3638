# SPDX-License-Identifier: BSD-3-Clause

mpi_core_sources += \
    src/mpi/solo/solo.c \
    src/mpi/solo/solo_blocks.c \
    src/mpi/solo/solo_scenario.c \
    src/mpi/solo/solo_supply.c \
    src/mpi/solo/solo_world.c
