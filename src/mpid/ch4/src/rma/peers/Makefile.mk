# SPDX-License-Identifier: BSD-3-Clause

mpi_core_sources += \
    src/mpid/ch4/src/rma/lock.c \
    src/mpid/ch4/src/rma/peers/direct.c \
    src/mpid/ch4/src/rma/peers/epoch.c \
    src/mpid/ch4/src/rma/peers/peer_operation.c \
    src/mpid/ch4/src/rma/peers/window.c
