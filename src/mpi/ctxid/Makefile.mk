# SPDX-License-Identifier: BSD-3-Clause

mpi_core_sources += \
    src/mpi/ctxid/agree/ctxid_agree.c \
    src/mpi/ctxid/agree/ctxid_between.c \
    src/mpi/ctxid/ctxid_block.c \
    src/mpi/ctxid/ctxid_claims.c \
    src/mpi/ctxid/ctxid_comms.c \
    src/mpi/ctxid/ctxid_fold.c \
    src/mpi/ctxid/ctxid_freed.c \
    src/mpi/ctxid/ctxid_holders.c \
    src/mpi/ctxid/ctxid_holders_report.c \
    src/mpi/ctxid/ctxid_init.c \
    src/mpi/ctxid/agree/ctxid_entries.c \
    src/mpi/ctxid/agree/ctxid_inter.c \
    src/mpi/ctxid/agree/ctxid_nonblock.c \
    src/mpi/ctxid/ctxid_offer.c \
    src/mpi/ctxid/ctxid_order.c \
    src/mpi/ctxid/agree/ctxid_pending.c \
    src/mpi/ctxid/ctxid_process.c \
    src/mpi/ctxid/agree/ctxid_rounds.c \
    src/mpi/ctxid/ctxid_return.c \
    src/mpi/ctxid/ctxid_search.c \
    src/mpi/ctxid/ctxid_settle.c \
    src/mpi/ctxid/ctxid_spare.c \
    src/mpi/ctxid/ctxid_store.c

noinst_HEADERS += \
    src/mpi/ctxid/agree/ctxid_agree.h \
    src/mpi/ctxid/ctxid_block.h \
    src/mpi/ctxid/ctxid_freed.h \
    src/mpi/ctxid/ctxid_holders.h \
    src/mpi/ctxid/ctxid_holders_report.h \
    src/mpi/ctxid/ctxid_notes.h \
    src/mpi/ctxid/ctxid_parts.h \
    src/mpi/ctxid/ctxid_reserved.h \
    src/mpi/ctxid/agree/ctxid_pending.h \
    src/mpi/ctxid/agree/ctxid_rounds.h \
    src/mpi/ctxid/ctxid_spare.h \
    src/mpi/ctxid/ctxid_store.h
