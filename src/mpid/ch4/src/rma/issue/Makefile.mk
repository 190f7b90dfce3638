# SPDX-License-Identifier: BSD-3-Clause

mpi_core_sources += \
    src/mpid/ch4/src/rma/issue/answer.c \
    src/mpid/ch4/src/rma/issue/counts.c \
    src/mpid/ch4/src/rma/issue/early.c \
    src/mpid/ch4/src/rma/issue/end.c \
    src/mpid/ch4/src/rma/issue/engine.c \
    src/mpid/ch4/src/rma/issue/exchange.c \
    src/mpid/ch4/src/rma/issue/fence.c \
    src/mpid/ch4/src/rma/issue/init.c \
    src/mpid/ch4/src/rma/issue/issue_operation.c \
    src/mpid/ch4/src/rma/issue/lock_epoch.c \
    src/mpid/ch4/src/rma/issue/message.c \
    src/mpid/ch4/src/rma/issue/origin.c \
    src/mpid/ch4/src/rma/issue/outside.c \
    src/mpid/ch4/src/rma/issue/pack.c \
    src/mpid/ch4/src/rma/issue/perform.c \
    src/mpid/ch4/src/rma/issue/progress.c \
    src/mpid/ch4/src/rma/issue/pscw.c \
    src/mpid/ch4/src/rma/issue/settings.c \
    src/mpid/ch4/src/rma/issue/targets.c
