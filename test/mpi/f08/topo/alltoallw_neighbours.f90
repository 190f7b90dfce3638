! SPDX-License-Identifier: BSD-3-Clause
!
! MPI_Neighbor_alltoallw, its nonblocking and its persistent form from Fortran on topologies of all
! kinds: a grid of periodic and other dimensions, a general graph, and a distributed graph in which
! the first process sends to all and receives from none. Each message has a type of its own.
!
program main
    use mpi_f08
    implicit none
    integer, parameter :: most = 16, untouched = -7
    integer :: errs, ierr, rank, size

    errs = 0
    call mtest_init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    call on_grids()
    call on_graph()
    call on_star()
    call mtest_finalize(errs)

contains

    ! Message k to `dests` and from `sources`: k + 1 integers, of which the types skip every other
    ! one. What message of its sender arrives at place k, says `numbers`.
    subroutine exchange(comm, dests, sources, numbers, what)
        type(MPI_Comm), intent(in) :: comm
        integer, intent(in) :: dests(:), sources(:), numbers(:)
        character(len=*), intent(in) :: what
        integer :: n_out, n_in, k, form, start
        integer :: ones(most)
        integer(MPI_ADDRESS_KIND) :: at(most)
        type(MPI_Datatype) :: sent(most), received(most)
        integer, asynchronous :: send(2 * most, most), receive(2 * most, most)
        type(MPI_Request) :: request

        n_out = ubound(dests, 1)
        n_in = ubound(sources, 1)
        ones = 1
        do k = 1, most
            at(k) = 2 * most * (k - 1) * storage_size(send) / 8
        end do
        do k = 1, n_out
            call MPI_Type_vector(k, 1, 2, MPI_INTEGER, sent(k))
            call MPI_Type_commit(sent(k))
        end do
        do k = 1, n_in
            call MPI_Type_vector(numbers(k), 1, 2, MPI_INTEGER, received(k))
            call MPI_Type_commit(received(k))
        end do
        do form = 1, 3
            if (form == 3) call MPI_Neighbor_alltoallw_init(send, ones, at, sent, receive, ones, &
                at, received, comm, MPI_INFO_NULL, request)
            do start = 1, 2
                do k = 1, n_out
                    send(:, k) = 1000 * start + 100 * rank + k
                end do
                receive = untouched
                select case (form)
                case (1)
                    call MPI_Neighbor_alltoallw(send, ones, at, sent, receive, ones, at, received, &
                        comm)
                case (2)
                    call MPI_Ineighbor_alltoallw(send, ones, at, sent, receive, ones, at, &
                        received, comm, request)
                    call MPI_Wait(request, MPI_STATUS_IGNORE)
                case default
                    call MPI_Start(request)
                    call MPI_Wait(request, MPI_STATUS_IGNORE)
                end select
                call check(receive, sources, numbers, start, what)
            end do
            if (form == 3) call MPI_Request_free(request)
        end do
        do k = 1, n_out
            call MPI_Type_free(sent(k))
        end do
        do k = 1, n_in
            call MPI_Type_free(received(k))
        end do
    end subroutine exchange

    subroutine check(receive, sources, numbers, start, what)
        integer, intent(in) :: receive(:, :), sources(:), numbers(:), start
        character(len=*), intent(in) :: what
        integer :: want(2 * most, most), k, n

        want = untouched
        do k = 1, ubound(sources, 1)
            n = numbers(k)
            if (sources(k) /= MPI_PROC_NULL) &
                want(1 : 2 * n : 2, k) = 1000 * start + 100 * sources(k) + n
        end do
        if (any(receive /= want)) then
            errs = errs + 1
            print *, rank, what, ': ', count(receive /= want), ' wrong integers'
        end if
    end subroutine check

    ! What goes in the negative direction arrives from the positive one.
    subroutine on_grids()
        integer :: dims(2), around(4), periodic
        logical :: periods(2)
        type(MPI_Comm) :: grid

        do periodic = 0, 3
            dims = 0
            call MPI_Dims_create(size, 2, dims)
            periods = [mod(periodic, 2) == 1, periodic >= 2]
            call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .false., grid)
            call MPI_Cart_shift(grid, 0, 1, around(1), around(2))
            call MPI_Cart_shift(grid, 1, 1, around(3), around(4))
            call exchange(grid, around, around, [2, 1, 4, 3], 'grid')
            call MPI_Comm_free(grid)
        end do
    end subroutine on_grids

    ! Each process is the neighbour of all, itself too; its message k is for process k - 1.
    subroutine on_graph()
        integer :: indx(size), edges(size * size), all(size), i
        type(MPI_Comm) :: graph

        all = [(i, i = 0, size - 1)]
        indx = [(i * size, i = 1, size)]
        edges = [(all, i = 1, size)]
        call MPI_Graph_create(MPI_COMM_WORLD, size, indx, edges, .false., graph)
        call exchange(graph, all, all, spread(rank + 1, 1, size), 'graph')
        call MPI_Comm_free(graph)
    end subroutine on_graph

    subroutine on_star()
        integer :: others(size - 1), first(1), i
        type(MPI_Comm) :: star

        others = [(i, i = 1, size - 1)]
        first = 0
        if (rank == 0) then
            call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, first, MPI_UNWEIGHTED, &
                size - 1, others, MPI_UNWEIGHTED, MPI_INFO_NULL, .false., star)
            call exchange(star, others, first(1:0), first(1:0), 'star')
        else
            call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, first, MPI_UNWEIGHTED, 0, &
                others, MPI_UNWEIGHTED, MPI_INFO_NULL, .false., star)
            call exchange(star, others(1:0), first, [rank], 'star')
        end if
        call MPI_Comm_free(star)
    end subroutine on_star

end program main
