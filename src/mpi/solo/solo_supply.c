/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_tvars.h"
#include "solo_world.h"
#include <time.h>

static unsigned long long supply; /* nanoseconds */

static void read_supply(void *address MPL_UNUSED, void *obj_handle MPL_UNUSED, int count MPL_UNUSED,
                        void *buffer)
{
    *(unsigned long long *) buffer = supply;
}

void solo_supply_init(void)
{
    MPIR_Pvar_register(MPI_T_PVAR_CLASS_COUNTER, "solo_supply_ns", &supply, read_supply, "SOLO",
                       "time in which mpirank1 found out what other ranks send");
}

unsigned long long solo_now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (unsigned long long) time.tv_sec * 1000000000 + (unsigned long long) time.tv_nsec;
}

void solo_count_supply(unsigned long long since) { supply += solo_now() - since; }
