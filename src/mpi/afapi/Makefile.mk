# SPDX-License-Identifier: BSD-3-Clause

mpi_core_sources += \
    src/mpi/afapi/afapi.c \
    src/mpi/afapi/afapi_alone.c \
    src/mpi/afapi/afapi_die.c \
    src/mpi/afapi/afapi_fold.c \
    src/mpi/afapi/afapi_mpi.c \
    src/mpi/afapi/afapi_supervise.c

noinst_HEADERS += \
    src/mpi/afapi/afapi_fold.h \
    src/mpi/afapi/afapi_impl.h

include_HEADERS += src/include/afapi.h
