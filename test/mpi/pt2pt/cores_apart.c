/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two ranks begin on one core, and exchange messages.  They may use others, so at some time they
 * are on different ones.  Each may then use the same cores as before.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include "mpi.h"
#include "mpitest.h"

enum { LONGEST = 20 }; /* seconds */

/* The thread goes on on the first core that it may use. */
static void begin_on_first(const cpu_set_t *allowed)
{
    cpu_set_t only;
    int core = 0;

    while (!CPU_ISSET(core, allowed))
        core++;
    CPU_ZERO(&only);
    CPU_SET(core, &only);
    sched_setaffinity(0, sizeof(only), &only);
    sched_setaffinity(0, sizeof(*allowed), allowed);
}

int main(int argc, char **argv)
{
    cpu_set_t allowed, after;
    int rank, size, errs = 0, apart = 0;
    double begin;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (sched_getaffinity(0, sizeof(allowed), &allowed) || CPU_COUNT(&allowed) < size) {
        MTestPrintfMsg(1, "fewer cores than ranks\n");
        MTest_Finalize(0);
        return MTestReturnValue(0);
    }
    begin_on_first(&allowed);
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    for (int over = 0; !over;) {
        int mine, theirs;

        for (int i = 0; i < 1000; i++) {
            mine = sched_getcpu();
            MPI_Sendrecv(&mine, 1, MPI_INT, 1 - rank, 0, &theirs, 1, MPI_INT, 1 - rank, 0,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            apart |= mine != theirs;
        }
        over = apart || MPI_Wtime() - begin > LONGEST;
        MPI_Allreduce(MPI_IN_PLACE, &over, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
    }
    MPI_Allreduce(MPI_IN_PLACE, &apart, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
    if (!apart) {
        errs++;
        printf("rank %d: after %d s both ranks are still on core %d\n", rank, LONGEST,
               sched_getcpu());
    }
    sched_getaffinity(0, sizeof(after), &after);
    if (!CPU_EQUAL(&allowed, &after)) {
        errs++;
        printf("rank %d: may use %d cores and could use %d before\n", rank, CPU_COUNT(&after),
               CPU_COUNT(&allowed));
    }
    MTest_Finalize(errs);
    return MTestReturnValue(errs);
}
