/* SPDX-License-Identifier: BSD-3-Clause */
/* More shared memory than there is: an error on all processes, not a signal when it is used, and
 * the communicator can be used on. */
#include "mpi.h"
#include "mpitest.h"
#include <stdio.h>
#include <sys/statvfs.h>

/* of a size that is no multiple of a page, for which nobody looks through all pages first */
#define MARGIN ((1ll << 30) + 1)

/* Bytes that a file in this directory can have. */
static long long room_in(const char *directory)
{
    struct statvfs fs;

    return statvfs(directory, &fs) ? 0 : (long long) fs.f_bavail * fs.f_frsize;
}

int main(int argc, char **argv)
{
    int errs = 0, sum = 0, one = 1, rank, size, error, *memory;
    long long room;
    MPI_Comm comm;
    MPI_Win win;

    MTest_Init(&argc, &argv);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);

    room = room_in("/dev/shm") > room_in("/tmp") ? room_in("/dev/shm") : room_in("/tmp");
    MPI_Bcast(&room, 1, MPI_LONG_LONG, 0, comm);
    /* a process that is alone has memory of its own, which is not limited so */
    error = size == 1 ? MPI_ERR_OTHER
                      : MPI_Win_allocate_shared(rank == 0 ? (MPI_Aint) (room + MARGIN) : 0, 1,
                                                MPI_INFO_NULL, comm, &memory, &win);
    if (error == MPI_SUCCESS) {
        fprintf(stderr, "rank %d: a window of %lld bytes where there are %lld\n", rank,
                room + MARGIN, room);
        errs++;
        MPI_Win_free(&win);
    }

    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    errs += sum != size;
    error = MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &memory, &win);
    if (error == MPI_SUCCESS) {
        *memory = rank;
        MPI_Win_free(&win);
    } else {
        MTestPrintError(error);
        errs++;
    }
    MPI_Comm_free(&comm);
    MTest_Finalize(errs);
    return MTestReturnValue(errs);
}
