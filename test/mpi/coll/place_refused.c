/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_IN_PLACE where it has no meaning: each such call fails with the class MPI_ERR_BUFFER, on all
 * processes that pass it.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

static MPI_Comm ring;
static int buffer[64], counts[2] = {1, 1}, places[2] = {0, 1};
static MPI_Aint bytes[2] = {0, 4};
static MPI_Datatype types[2];
static MPI_Request request;

enum { CALLS = 12 };

static int call(int which)
{
    void *here = MPI_IN_PLACE;
    int other = ct_me ? 0 : 1;

    switch (which) {
        case 0: return MPI_Bcast(here, 4, MPI_INT, 0, ring);
        case 1: return MPI_Ibcast(here, 4, MPI_INT, 0, ring, &request);
        case 2: return MPI_Bcast_init(here, 4, MPI_INT, 0, ring, MPI_INFO_NULL, &request);
        case 3: return MPI_Neighbor_allgather(here, 1, MPI_INT, buffer, 1, MPI_INT, ring);
        case 4:
            return MPI_Neighbor_allgatherv(buffer, 1, MPI_INT, here, counts, places, MPI_INT, ring);
        case 5: return MPI_Neighbor_alltoall(buffer, 1, MPI_INT, here, 1, MPI_INT, ring);
        case 6:
            return MPI_Ineighbor_alltoallv(here, counts, places, MPI_INT, buffer, counts, places,
                                           MPI_INT, ring, &request);
        case 7:
            return MPI_Neighbor_alltoallw(buffer, counts, bytes, types, here, counts, bytes, types,
                                          ring);
        case 8:
            return MPI_Neighbor_allgather_init(here, 1, MPI_INT, buffer, 1, MPI_INT, ring,
                                               MPI_INFO_NULL, &request);
        case 9: /* not at the root */
            return MPI_Gather(here, 1, MPI_INT, buffer, 1, MPI_INT, other, ring);
        case 10:
            return MPI_Igatherv(here, 1, MPI_INT, buffer, counts, places, MPI_INT, other, ring,
                                &request);
        default: return MPI_Scatter(buffer, 1, MPI_INT, here, 1, MPI_INT, other, ring);
    }
}

int main(int argc, char **argv)
{
    int periodic = 1, size, class;

    MTest_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    MPI_Comm_rank(ring, &ct_me);
    MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
    types[0] = types[1] = MPI_INT;
    for (int i = 0; i < CALLS; i++) {
        MPI_Error_class(call(i), &class);
        CT_CHECK(class == MPI_ERR_BUFFER, "call %d: class %d", i, class);
    }
    MPI_Comm_free(&ring);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
