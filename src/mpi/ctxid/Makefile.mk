# SPDX-License-Identifier: BSD-3-Clause

mpi_core_sources += \
    src/mpi/ctxid/ctxid_agree.c \
    src/mpi/ctxid/ctxid_between.c \
    src/mpi/ctxid/ctxid_freed.c \
    src/mpi/ctxid/ctxid_init.c \
    src/mpi/ctxid/ctxid_inter.c \
    src/mpi/ctxid/ctxid_nonblock.c \
    src/mpi/ctxid/ctxid_offer.c \
    src/mpi/ctxid/ctxid_store.c

noinst_HEADERS += \
    src/mpi/ctxid/ctxid_agree.h \
    src/mpi/ctxid/ctxid_freed.h \
    src/mpi/ctxid/ctxid_names.h \
    src/mpi/ctxid/ctxid_store.h
