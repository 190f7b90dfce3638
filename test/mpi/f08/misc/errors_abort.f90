! SPDX-License-Identifier: BSD-3-Clause

! MPI_ERRORS_ABORT of mpi_f08 is an error handler of its own.
program errors_abort
    use mpi_f08
    implicit none
    type(MPI_Errhandler) :: got
    integer :: errs = 0, ierr

    call mtest_init(ierr)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ABORT)
    call MPI_Comm_get_errhandler(MPI_COMM_WORLD, got)
    if (got /= MPI_ERRORS_ABORT .or. got == MPI_ERRORS_ARE_FATAL .or. got == MPI_ERRORS_RETURN) then
        print *, 'MPI_ERRORS_ABORT is not given back'
        errs = errs + 1
    end if
    call MPI_Errhandler_free(got)
    call mtest_finalize(errs)
end program errors_abort
