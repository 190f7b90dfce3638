# SPDX-License-Identifier: BSD-3-Clause

bin_PROGRAMS += src/pm/rank1/mpirank1

src_pm_rank1_mpirank1_SOURCES = src/pm/rank1/mpirank1.c src/mpi/solo/solo_scenario.c
src_pm_rank1_mpirank1_CPPFLAGS = -I$(top_srcdir)/src/mpi/solo
