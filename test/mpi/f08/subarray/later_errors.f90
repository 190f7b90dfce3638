! SPDX-License-Identifier: BSD-3-Clause
!
! A nonblocking reduction into a section fails when it is waited for, because the members' counts
! differ. The handler of the communicator is called once; that of MPI_COMM_WORLD, which ends the
! program, is not.
!
program main
    use mpi_f08
    implicit none
    integer, parameter :: n = 6
    integer :: errs, ierr, rank, ranks, calls, told
    integer, asynchronous :: mine(n), wide(3 * n)
    type(MPI_Comm) :: comm
    type(MPI_Errhandler) :: handler

    errs = 0
    calls = 0
    call mtest_init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    call MPI_Comm_dup(MPI_COMM_WORLD, comm)
    call MPI_Comm_create_errhandler(count_calls, handler)
    call MPI_Comm_set_errhandler(comm, handler)
    call MPI_Barrier(comm)
    call MPI_Barrier(comm)
    if (ranks > 1) then
        call waited()
        call tested()
    end if
    call MPI_Errhandler_free(handler)
    call MPI_Comm_free(comm)
    call mtest_finalize(errs)

contains

    subroutine count_calls(comm, code)
        type(MPI_Comm) :: comm
        integer :: code

        calls = calls + 1
        told = code
    end subroutine count_calls

    function begun() result(request)
        type(MPI_Request) :: request

        calls = 0
        told = MPI_SUCCESS
        mine = rank
        call MPI_Iallreduce(mine, wide(2::3), merge(n, n - 1, rank == 0), MPI_INTEGER, MPI_SUM, &
            comm, request)
    end function begun

    subroutine check_error(what)
        character(len=*), intent(in) :: what
        integer :: class

        call MPI_Error_class(told, class)
        if (class == MPI_ERR_TRUNCATE .and. calls == 1) return
        errs = errs + 1
        print *, what, ': the class is ', class, ', and the handler was called ', calls, ' times'
    end subroutine check_error

    subroutine waited()
        type(MPI_Request) :: request

        request = begun()
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call check_error('MPI_Wait')
    end subroutine waited

    subroutine tested()
        type(MPI_Request) :: request
        logical :: is_over

        request = begun()
        is_over = .false.
        do while (.not. is_over .and. calls == 0)
            call MPI_Test(request, is_over, MPI_STATUS_IGNORE)
        end do
        call check_error('MPI_Test')
    end subroutine tested

end program main
