! SPDX-License-Identifier: BSD-3-Clause
!
! MPIX_PERMUTE of the module mpi_f08: even ranks first.
!
program main
    use mpi_f08
    implicit none
    integer :: errs, ierr, rank, size, newrank, newsize, expected
    type(MPI_Comm) :: newcomm

    errs = 0
    call mtest_init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, size)

    call MPI_Comm_split(MPI_COMM_WORLD, MPIX_PERMUTE, mod(rank, 2), newcomm)
    call MPI_Comm_rank(newcomm, newrank)
    call MPI_Comm_size(newcomm, newsize)
    expected = rank / 2 + mod(rank, 2) * ((size + 1) / 2)
    if (newsize /= size .or. newrank /= expected) then
        errs = errs + 1
        print *, rank, ' of ', size, ' is ', newrank, ' of ', newsize, ', not ', expected
    end if
    call MPI_Comm_free(newcomm)

    call mtest_finalize(errs)
end program main
