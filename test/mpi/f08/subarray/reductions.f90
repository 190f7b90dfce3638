! SPDX-License-Identifier: BSD-3-Clause
!
! Sections of arrays as buffers of functions that no datatype of a section can help: reductions,
! whose operations take predefined datatypes, and functions with arrays of counts. Either buffer may
! be a section, elements between those of a section stay, and so do elements behind the last that
! is received. Persistent requests refuse sections. More elements than a section has are an error.
!
program main
    use mpi_f08
    implicit none
    integer, parameter :: n = 5, untouched = -7
    integer :: errs, ierr, rank, ranks, i, total
    integer, asynchronous :: mine(3 * n), plain(n), wide(3 * n), all_of(3 * n)
    integer, asynchronous, allocatable :: many(:), gathered(:)
    integer, allocatable :: counts(:), displs(:)

    errs = 0
    call mtest_init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    total = ranks * (ranks + 1) / 2
    mine = [((rank + 1) * i, i = 1, 3 * n)]
    allocate(many(3 * n * ranks), gathered(2 * n * ranks), counts(ranks), displs(ranks))
    many = [((rank + 1) * i, i = 1, 3 * n * ranks)]
    counts = n
    displs = [(n * (i - 1), i = 1, ranks)]
    call blocking()
    call nonblocking()
    call with_counts()
    call refused()
    call mtest_finalize(errs)

contains

    ! What the sum of mine(1::3) is, and of mine(3 * n:1:-3)
    function forward() result(sums)
        integer :: sums(n), k

        sums = [(total * k, k = 1, 3 * n, 3)]
    end function forward

    function backward() result(sums)
        integer :: sums(n), k

        sums = [(total * k, k = 3 * n, 1, -3)]
    end function backward

    ! The second of each three got `values`, and the others nothing.
    subroutine check_wide(values, what)
        integer, intent(in) :: values(:)
        character(len=*), intent(in) :: what
        integer :: want(3 * n)

        want = untouched
        want(2:3*size(values):3) = values
        call check(all(wide == want), what)
        wide = untouched
    end subroutine check_wide

    subroutine blocking()
        integer :: upto

        upto = (rank + 1) * (rank + 2) / 2
        wide = untouched
        call MPI_Allreduce(mine(::3), plain, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
        call check(all(plain == forward()), 'allreduce from a section')
        call MPI_Allreduce(mine(3*n:1:-3), wide(2::3), n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
        call check_wide(backward(), 'allreduce from a section into one')
        call MPI_Allreduce(mine, wide(2::3), n - 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
        call check_wide([(total * i, i = 1, n - 1)], 'allreduce into a part of a section')
        call MPI_Allreduce(mine(::3), wide(2::3), int(n, MPI_COUNT_KIND), MPI_INTEGER, MPI_SUM, &
            MPI_COMM_WORLD)
        call check_wide(forward(), 'allreduce of a large count')
        wide(2::3) = mine(::3)
        call MPI_Allreduce(MPI_IN_PLACE, wide(2::3), n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
        call check_wide(forward(), 'allreduce in place')

        call MPI_Reduce(mine(::3), wide(2::3), n, MPI_INTEGER, MPI_SUM, ranks - 1, MPI_COMM_WORLD)
        if (rank == ranks - 1) then
            call check_wide(forward(), 'reduce')
        else
            call check_wide([integer ::], 'reduce elsewhere')
        end if
        ! where there is nothing to receive, the section may be smaller
        if (rank == ranks - 1) then
            call MPI_Reduce(mine(::3), wide(2::3), n, MPI_INTEGER, MPI_SUM, ranks - 1, &
                MPI_COMM_WORLD)
            call check_wide(forward(), 'reduce to a section')
        else
            call MPI_Reduce(mine(::3), wide(1:4:2), n, MPI_INTEGER, MPI_SUM, ranks - 1, &
                MPI_COMM_WORLD)
            call check_wide([integer ::], 'reduce beside a small section')
        end if
        call MPI_Scan(mine(::3), wide(2::3), n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
        call check_wide(forward() / total * upto, 'scan')
        call MPI_Exscan(mine(::3), wide(2::3), n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
        if (rank > 0) call check_wide(forward() / total * (upto - rank - 1), 'exscan')
        wide = untouched
        wide(2::3) = 1
        call MPI_Reduce_local(mine(::3), wide(2::3), n, MPI_INTEGER, MPI_SUM)
        call check_wide(mine(::3) + 1, 'reduce_local')
        call MPI_Reduce_scatter_block(many(::3), wide(2::3), n, MPI_INTEGER, MPI_SUM, &
            MPI_COMM_WORLD)
        call check_wide(forward() + 3 * n * rank * total, 'reduce_scatter_block')
        call MPI_Reduce_scatter(many(::3), wide(2::3), counts, MPI_INTEGER, MPI_SUM, &
            MPI_COMM_WORLD)
        call check_wide(forward() + 3 * n * rank * total, 'reduce_scatter')
    end subroutine blocking

    subroutine nonblocking()
        type(MPI_Request) :: requests(3), one
        logical :: is_done

        call MPI_Iallreduce(mine(::3), wide(2::3), n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, one)
        call MPI_Wait(one, MPI_STATUS_IGNORE)
        call check_wide(forward(), 'iallreduce')
        call check(one == MPI_REQUEST_NULL, 'the request stays')

        ! the section of the call is a dummy argument that ends before the request
        call begin(wide(2::3), one)
        is_done = .false.
        do while (.not. is_done)
            call MPI_Test(one, is_done, MPI_STATUS_IGNORE)
        end do
        call check_wide(forward(), 'iallreduce of a dummy argument')

        all_of = untouched
        call MPI_Iallreduce(mine(::3), wide(2::3), n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, &
            requests(1))
        call MPI_Iallreduce(mine(3*n:1:-3), plain, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, &
            requests(2))
        call MPI_Iscan(mine, all_of(::2), n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(3))
        ! of the section, but behind the last element that is received
        all_of(2*n+1::2) = 3
        call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE)
        call check_wide(forward(), 'the first of three')
        call check(all(plain == backward()), 'the second of three')
        call check(all(all_of(:2*n:2) == [(i, i = 1, n)] * ((rank + 1) * (rank + 2) / 2)), &
            'the third of three')
        call check(all(all_of(2::2) == untouched), 'what is between its elements')
        call check(all(all_of(2*n+1::2) == 3), 'what is behind its elements')
    end subroutine nonblocking

    subroutine begin(section, request)
        integer, intent(inout), asynchronous :: section(:)
        type(MPI_Request), intent(out) :: request

        call MPI_Iallreduce(mine(::3), section, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request)
    end subroutine begin

    subroutine with_counts()
        type(MPI_Request) :: request

        gathered = untouched
        call MPI_Gatherv(mine(::3), n, MPI_INTEGER, gathered(1::2), counts, displs, MPI_INTEGER, &
            0, MPI_COMM_WORLD)
        call check_gathered('gatherv', rank == 0)
        call MPI_Allgatherv(mine(::3), n, MPI_INTEGER, gathered(1::2), counts, displs, &
            MPI_INTEGER, MPI_COMM_WORLD)
        call check_gathered('allgatherv', .true.)
        call MPI_Iallgatherv(mine(::3), n, MPI_INTEGER, gathered(1::2), counts, displs, &
            MPI_INTEGER, MPI_COMM_WORLD, request)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call check_gathered('iallgatherv', .true.)
        call MPI_Scatterv(many(::3), counts, displs, MPI_INTEGER, wide(2::3), n, MPI_INTEGER, 0, &
            MPI_COMM_WORLD)
        call check_wide([(3 * i + 1 + 3 * n * rank, i = 0, n - 1)], 'scatterv')
    end subroutine with_counts

    subroutine check_gathered(what, is_here)
        character(len=*), intent(in) :: what
        logical, intent(in) :: is_here
        integer :: r

        call check(all(gathered(2::2) == untouched), what // ' between')
        do r = 1, merge(ranks, 0, is_here)
            call check(all(gathered(2*n*(r-1)+1:2*n*r:2) == [(r * (3 * i + 1), i = 0, n - 1)]), &
                what)
        end do
        gathered = untouched
    end subroutine check_gathered

    subroutine refused()
        type(MPI_Request) :: request
        type(MPI_Comm) :: comm
        integer :: code, class

        call MPI_Comm_dup(MPI_COMM_WORLD, comm)
        call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN)
        call MPI_Allreduce(mine(::3), plain, n + 1, MPI_INTEGER, MPI_SUM, comm, code)
        call MPI_Error_class(code, class)
        call check(class == MPI_ERR_COUNT, 'more elements than the section has')
        call MPI_Allreduce_init(mine(::3), plain, n, MPI_INTEGER, MPI_SUM, comm, MPI_INFO_NULL, &
            request, code)
        call MPI_Error_class(code, class)
        call check(class == MPI_ERR_BUFFER, 'a persistent request for a section')
        call MPI_Comm_free(comm)
    end subroutine refused

    subroutine check(is_right, what)
        logical, intent(in) :: is_right
        character(len=*), intent(in) :: what

        if (is_right) return
        errs = errs + 1
        print *, what, ' is wrong on rank ', rank
    end subroutine check

end program main
