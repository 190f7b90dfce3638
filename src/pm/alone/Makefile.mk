# SPDX-License-Identifier: BSD-3-Clause

bin_PROGRAMS += src/pm/alone/mpialone

src_pm_alone_mpialone_SOURCES = src/pm/alone/mpialone.c
