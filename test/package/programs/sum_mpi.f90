! SPDX-License-Identifier: BSD-3-Clause

! The same as sum.c, with the module mpi.
program sum_mpi
    use mpi
    implicit none
    character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: version
    integer :: rank, size, length, total, ierror

    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
    call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    call MPI_Get_library_version(version, length, ierror)
    if (rank == 0) print '(a,i0,2a)', 'Fortran: ', size, ' processes: ', version(1:length)
    call MPI_Finalize(ierror)
    if (total /= size * (size - 1) / 2) stop 1
end program
