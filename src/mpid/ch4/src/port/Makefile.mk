# SPDX-License-Identifier: BSD-3-Clause

mpi_core_sources += \
    src/mpid/ch4/src/port/dial.c \
    src/mpid/ch4/src/port/port_line.c \
    src/mpid/ch4/src/port/listen.c \
    src/mpid/ch4/src/port/meet.c \
    src/mpid/ch4/src/port/name.c \
    src/mpid/ch4/src/port/trade.c
