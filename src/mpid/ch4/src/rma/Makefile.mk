# SPDX-License-Identifier: BSD-3-Clause

mpi_core_sources += \
    src/mpid/ch4/src/rma/deferred.c \
    src/mpid/ch4/src/rma/range.c \
    src/mpid/ch4/src/rma/window/agree.c \
    src/mpid/ch4/src/rma/window/freed.c \
    src/mpid/ch4/src/rma/window/query.c
