! SPDX-License-Identifier: BSD-3-Clause
!
! The module mpi: without an active request MPI_Waitany and MPI_Testany give MPI_UNDEFINED as the
! index, also while none has completed; otherwise indices start at 1.
!
program main
    use mpi
    implicit none
    integer :: errs, ierr, indx, received
    integer :: requests(2), status(MPI_STATUS_SIZE)
    logical :: flag

    errs = 0
    call mtest_init(ierr)
    requests = MPI_REQUEST_NULL
    call MPI_Waitany(2, requests, indx, status, ierr)
    call check(indx == MPI_UNDEFINED, 'MPI_Waitany of no request')
    call MPI_Testany(2, requests, indx, flag, status, ierr)
    call check(flag .and. indx == MPI_UNDEFINED, 'MPI_Testany of no request')
    call MPI_Irecv(received, 1, MPI_INTEGER, 0, 1, MPI_COMM_SELF, requests(2), ierr)
    call MPI_Testany(2, requests, indx, flag, status, ierr)
    call check(.not. flag .and. indx == MPI_UNDEFINED, 'MPI_Testany before the message')
    call MPI_Send(7, 1, MPI_INTEGER, 0, 1, MPI_COMM_SELF, ierr)
    call MPI_Waitany(2, requests, indx, status, ierr)
    call check(indx == 2 .and. received == 7, 'MPI_Waitany of the second request')
    call mtest_finalize(errs)

contains

    subroutine check(is_right, what)
        logical, intent(in) :: is_right
        character(len=*), intent(in) :: what

        if (is_right) return
        errs = errs + 1
        print *, what, indx
    end subroutine check

end program main
