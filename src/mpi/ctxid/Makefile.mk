# SPDX-License-Identifier: BSD-3-Clause

mpi_core_sources += \
    src/mpi/ctxid/agree/ctxid_agree.c \
    src/mpi/ctxid/agree/ctxid_inter.c \
    src/mpi/ctxid/agree/ctxid_pending.c \
    src/mpi/ctxid/agree/ctxid_rounds.c \
    src/mpi/ctxid/ctxid_block.c \
    src/mpi/ctxid/ctxid_creation.c \
    src/mpi/ctxid/ctxid_holders.c \
    src/mpi/ctxid/ctxid_offer.c \
    src/mpi/ctxid/ctxid_order.c \
    src/mpi/ctxid/ctxid_process.c \
    src/mpi/ctxid/ctxid_search.c \
    src/mpi/ctxid/ctxid_store.c
