/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_tvars.h"
#include "solo_world.h"
#include <time.h>

static unsigned long long supply; /* nanoseconds */

void MPIR_Solo_supply_init(void)
{
    MPIR_Pvar_register(MPI_T_PVAR_CLASS_COUNTER, "solo_supply_ns", &supply, NULL, "SOLO",
                       "time in which mpirank1 found out what other ranks send");
}

unsigned long long MPIR_Solo_now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (unsigned long long) time.tv_sec * 1000000000 + (unsigned long long) time.tv_nsec;
}

void MPIR_Solo_count_supply(unsigned long long since) { supply += MPIR_Solo_now() - since; }
