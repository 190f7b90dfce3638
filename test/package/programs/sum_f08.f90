! SPDX-License-Identifier: BSD-3-Clause

! The same as sum.c, with the module mpi_f08; the sum travels around a ring, too, so that requests
! and statuses are used.
program sum_f08
    use mpi_f08
    implicit none
    character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: version
    type(MPI_Comm) :: copy
    type(MPI_Request) :: request
    type(MPI_Status) :: status
    integer :: rank, size, length, total, left, count

    call MPI_Init()
    call MPI_Comm_dup(MPI_COMM_WORLD, copy)
    call MPI_Comm_rank(copy, rank)
    call MPI_Comm_size(copy, size)
    call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, copy)
    call MPI_Irecv(left, 1, MPI_INTEGER, mod(rank + size - 1, size), 7, copy, request)
    call MPI_Send(total, 1, MPI_INTEGER, mod(rank + 1, size), 7, copy)
    call MPI_Wait(request, status)
    call MPI_Get_count(status, MPI_INTEGER, count)
    call MPI_Comm_free(copy)
    call MPI_Get_library_version(version, length)
    if (rank == 0) print '(a,i0,2a)', 'mpi_f08: ', size, ' processes: ', version(1:length)
    call MPI_Finalize()
    if (total /= size * (size - 1) / 2 .or. left /= total .or. count /= 1) stop 1
end program
