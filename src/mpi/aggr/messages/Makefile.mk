# SPDX-License-Identifier: BSD-3-Clause

mpi_core_sources += src/mpi/aggr/messages/aggr_messages.c
