! SPDX-License-Identifier: BSD-3-Clause
!
! The indices of MPI_Waitany, MPI_Testany, MPI_Waitsome and MPI_Testsome start at 1 in Fortran, and
! are MPI_UNDEFINED if there is no active request. Each of some requests completes in turn.
!
program main
    use mpi_f08
    implicit none
    integer, parameter :: n = 4
    integer :: errs, ierr, i, turn
    integer :: received(n)
    type(MPI_Request) :: requests(n)

    errs = 0
    call mtest_init(ierr)
    do turn = 0, 3
        do i = n, 1, -1
            call one_completes(i, turn)
        end do
        call none_is_active(turn)
        call all_complete(turn)
    end do
    call mtest_finalize(errs)

contains

    subroutine check(is_right, what)
        logical, intent(in) :: is_right
        character(len=*), intent(in) :: what

        if (is_right) return
        errs = errs + 1
        print *, what
    end subroutine check

    ! The index of the one that the call of this turn completes; `count` as MPI says.
    subroutine complete(turn, indices, count)
        integer, intent(in) :: turn
        integer, intent(out) :: indices(n), count
        logical :: flag
        type(MPI_Status) :: status, statuses(n)

        indices = -1
        count = 1
        select case (turn)
        case (0)
            call MPI_Waitany(n, requests, indices(1), status)
        case (1)
            flag = .false.
            do while (.not. flag)
                call MPI_Testany(n, requests, indices(1), flag, MPI_STATUS_IGNORE)
            end do
        case (2)
            call MPI_Waitsome(n, requests, count, indices, MPI_STATUSES_IGNORE)
        case default
            count = 0
            do while (count == 0)
                call MPI_Testsome(n, requests, count, indices, statuses)
            end do
        end select
    end subroutine complete

    subroutine begin(first, last)
        integer, intent(in) :: first, last
        integer :: i

        requests = MPI_REQUEST_NULL
        received = -1
        do i = first, last
            call MPI_Irecv(received(i), 1, MPI_INTEGER, 0, i, MPI_COMM_SELF, requests(i))
            call MPI_Send(10 * i, 1, MPI_INTEGER, 0, i, MPI_COMM_SELF)
        end do
    end subroutine begin

    subroutine one_completes(which, turn)
        integer, intent(in) :: which, turn
        integer :: indices(n), count

        call begin(which, which)
        call complete(turn, indices, count)
        call check(count == 1 .and. indices(1) == which, 'one request: wrong index')
        call check(requests(which) == MPI_REQUEST_NULL, 'one request: not complete')
        call check(received(which) == 10 * which, 'one request: wrong data')
    end subroutine one_completes

    subroutine all_complete(turn)
        integer, intent(in) :: turn
        integer :: indices(n), count, i, done
        logical :: seen(n)

        call begin(1, n)
        seen = .false.
        done = 0
        do while (done < n)
            call complete(turn, indices, count)
            call check(count >= 1 .and. count <= n, 'all requests: wrong number')
            if (count < 1 .or. count > n) return
            call check(all(indices(1:count) >= 1 .and. indices(1:count) <= n), 'all: wrong indices')
            if (any(indices(1:count) < 1 .or. indices(1:count) > n)) return
            do i = 1, count
                call check(.not. seen(indices(i)), 'all requests: an index twice')
                call check(received(indices(i)) == 10 * indices(i), 'all requests: wrong data')
                seen(indices(i)) = .true.
            end do
            done = done + count
        end do
        call check(all(seen), 'all requests: an index is missing')
    end subroutine all_complete

    subroutine none_is_active(turn)
        integer, intent(in) :: turn
        integer :: indices(n), count

        call begin(1, 0)
        call complete(turn, indices, count)
        if (turn < 2) then
            call check(indices(1) == MPI_UNDEFINED, 'no request: an index')
        else
            call check(count == MPI_UNDEFINED, 'no request: a number')
            call check(all(indices == -1), 'no request: an index')
        end if
    end subroutine none_is_active

end program main
