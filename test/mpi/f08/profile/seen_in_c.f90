! SPDX-License-Identifier: BSD-3-Clause
!
! A tool in C sees the calls of a program that uses mpi_f08, each once: not what the wrappers call
! for themselves, and not what the program calls by a PMPI name. The functions of the module `tool`
! have the names that a tool in C gives its own.
!
module counts
    implicit none
    integer, parameter :: n = 19
    character(len=20), parameter :: names(n) = [character(len=20) :: &
        'Init', 'Initialized', 'Comm_rank', 'Comm_size', &
        'Comm_dup', 'Comm_split', 'Comm_free', 'Barrier', &
        'Type_contiguous', 'Type_commit', 'Type_free', 'Cartdim_get', &
        'Cart_create', 'Cart_sub', 'Wait', 'Info_create', &
        'Info_free', 'Comm_get_name', 'Finalize']
    integer :: calls(n) = 0
end module counts

module tool
    use, intrinsic :: iso_c_binding
    use counts
    implicit none

    interface
        function real_init(a, b) bind(C, name="PMPI_Init") result(r)
            import
            type(c_ptr), value :: a, b
            integer(c_int) :: r
        end function real_init
        function real_initialized(a) bind(C, name="PMPI_Initialized") result(r)
            import
            type(c_ptr), value :: a
            integer(c_int) :: r
        end function real_initialized
        function real_comm_rank(a, b) bind(C, name="PMPI_Comm_rank") result(r)
            import
            integer(c_int), value :: a
            type(c_ptr), value :: b
            integer(c_int) :: r
        end function real_comm_rank
        function real_comm_size(a, b) bind(C, name="PMPI_Comm_size") result(r)
            import
            integer(c_int), value :: a
            type(c_ptr), value :: b
            integer(c_int) :: r
        end function real_comm_size
        function real_comm_dup(a, b) bind(C, name="PMPI_Comm_dup") result(r)
            import
            integer(c_int), value :: a
            type(c_ptr), value :: b
            integer(c_int) :: r
        end function real_comm_dup
        function real_comm_split(a, b, c, d) bind(C, name="PMPI_Comm_split") result(r)
            import
            integer(c_int), value :: a, b, c
            type(c_ptr), value :: d
            integer(c_int) :: r
        end function real_comm_split
        function real_comm_free(a) bind(C, name="PMPI_Comm_free") result(r)
            import
            type(c_ptr), value :: a
            integer(c_int) :: r
        end function real_comm_free
        function real_barrier(a) bind(C, name="PMPI_Barrier") result(r)
            import
            integer(c_int), value :: a
            integer(c_int) :: r
        end function real_barrier
        function real_type_contiguous(a, b, c) bind(C, name="PMPI_Type_contiguous") result(r)
            import
            integer(c_int), value :: a, b
            type(c_ptr), value :: c
            integer(c_int) :: r
        end function real_type_contiguous
        function real_type_commit(a) bind(C, name="PMPI_Type_commit") result(r)
            import
            type(c_ptr), value :: a
            integer(c_int) :: r
        end function real_type_commit
        function real_type_free(a) bind(C, name="PMPI_Type_free") result(r)
            import
            type(c_ptr), value :: a
            integer(c_int) :: r
        end function real_type_free
        function real_cartdim_get(a, b) bind(C, name="PMPI_Cartdim_get") result(r)
            import
            integer(c_int), value :: a
            type(c_ptr), value :: b
            integer(c_int) :: r
        end function real_cartdim_get
        function real_cart_create(a, b, c, d, e, f) bind(C, name="PMPI_Cart_create") result(r)
            import
            integer(c_int), value :: a, b, e
            type(c_ptr), value :: c, d, f
            integer(c_int) :: r
        end function real_cart_create
        function real_cart_sub(a, b, c) bind(C, name="PMPI_Cart_sub") result(r)
            import
            integer(c_int), value :: a
            type(c_ptr), value :: b, c
            integer(c_int) :: r
        end function real_cart_sub
        function real_wait(a, b) bind(C, name="PMPI_Wait") result(r)
            import
            type(c_ptr), value :: a, b
            integer(c_int) :: r
        end function real_wait
        function real_info_create(a) bind(C, name="PMPI_Info_create") result(r)
            import
            type(c_ptr), value :: a
            integer(c_int) :: r
        end function real_info_create
        function real_info_free(a) bind(C, name="PMPI_Info_free") result(r)
            import
            type(c_ptr), value :: a
            integer(c_int) :: r
        end function real_info_free
        function real_comm_get_name(a, b, c) bind(C, name="PMPI_Comm_get_name") result(r)
            import
            integer(c_int), value :: a
            type(c_ptr), value :: b, c
            integer(c_int) :: r
        end function real_comm_get_name
        function real_finalize() bind(C, name="PMPI_Finalize") result(r)
            import
            integer(c_int) :: r
        end function real_finalize
    end interface

contains

    function tool_init(a, b) bind(C, name="MPI_Init") result(r)
        type(c_ptr), value :: a, b
        integer(c_int) :: r

        calls(1) = calls(1) + 1
        r = real_init(a, b)
    end function tool_init

    function tool_initialized(a) bind(C, name="MPI_Initialized") result(r)
        type(c_ptr), value :: a
        integer(c_int) :: r

        calls(2) = calls(2) + 1
        r = real_initialized(a)
    end function tool_initialized

    function tool_comm_rank(a, b) bind(C, name="MPI_Comm_rank") result(r)
        integer(c_int), value :: a
        type(c_ptr), value :: b
        integer(c_int) :: r

        calls(3) = calls(3) + 1
        r = real_comm_rank(a, b)
    end function tool_comm_rank

    function tool_comm_size(a, b) bind(C, name="MPI_Comm_size") result(r)
        integer(c_int), value :: a
        type(c_ptr), value :: b
        integer(c_int) :: r

        calls(4) = calls(4) + 1
        r = real_comm_size(a, b)
    end function tool_comm_size

    function tool_comm_dup(a, b) bind(C, name="MPI_Comm_dup") result(r)
        integer(c_int), value :: a
        type(c_ptr), value :: b
        integer(c_int) :: r

        calls(5) = calls(5) + 1
        r = real_comm_dup(a, b)
    end function tool_comm_dup

    function tool_comm_split(a, b, c, d) bind(C, name="MPI_Comm_split") result(r)
        integer(c_int), value :: a, b, c
        type(c_ptr), value :: d
        integer(c_int) :: r

        calls(6) = calls(6) + 1
        r = real_comm_split(a, b, c, d)
    end function tool_comm_split

    function tool_comm_free(a) bind(C, name="MPI_Comm_free") result(r)
        type(c_ptr), value :: a
        integer(c_int) :: r

        calls(7) = calls(7) + 1
        r = real_comm_free(a)
    end function tool_comm_free

    function tool_barrier(a) bind(C, name="MPI_Barrier") result(r)
        integer(c_int), value :: a
        integer(c_int) :: r

        calls(8) = calls(8) + 1
        r = real_barrier(a)
    end function tool_barrier

    function tool_type_contiguous(a, b, c) bind(C, name="MPI_Type_contiguous") result(r)
        integer(c_int), value :: a, b
        type(c_ptr), value :: c
        integer(c_int) :: r

        calls(9) = calls(9) + 1
        r = real_type_contiguous(a, b, c)
    end function tool_type_contiguous

    function tool_type_commit(a) bind(C, name="MPI_Type_commit") result(r)
        type(c_ptr), value :: a
        integer(c_int) :: r

        calls(10) = calls(10) + 1
        r = real_type_commit(a)
    end function tool_type_commit

    function tool_type_free(a) bind(C, name="MPI_Type_free") result(r)
        type(c_ptr), value :: a
        integer(c_int) :: r

        calls(11) = calls(11) + 1
        r = real_type_free(a)
    end function tool_type_free

    function tool_cartdim_get(a, b) bind(C, name="MPI_Cartdim_get") result(r)
        integer(c_int), value :: a
        type(c_ptr), value :: b
        integer(c_int) :: r

        calls(12) = calls(12) + 1
        r = real_cartdim_get(a, b)
    end function tool_cartdim_get

    function tool_cart_create(a, b, c, d, e, f) bind(C, name="MPI_Cart_create") result(r)
        integer(c_int), value :: a, b, e
        type(c_ptr), value :: c, d, f
        integer(c_int) :: r

        calls(13) = calls(13) + 1
        r = real_cart_create(a, b, c, d, e, f)
    end function tool_cart_create

    function tool_cart_sub(a, b, c) bind(C, name="MPI_Cart_sub") result(r)
        integer(c_int), value :: a
        type(c_ptr), value :: b, c
        integer(c_int) :: r

        calls(14) = calls(14) + 1
        r = real_cart_sub(a, b, c)
    end function tool_cart_sub

    function tool_wait(a, b) bind(C, name="MPI_Wait") result(r)
        type(c_ptr), value :: a, b
        integer(c_int) :: r

        calls(15) = calls(15) + 1
        r = real_wait(a, b)
    end function tool_wait

    function tool_info_create(a) bind(C, name="MPI_Info_create") result(r)
        type(c_ptr), value :: a
        integer(c_int) :: r

        calls(16) = calls(16) + 1
        r = real_info_create(a)
    end function tool_info_create

    function tool_info_free(a) bind(C, name="MPI_Info_free") result(r)
        type(c_ptr), value :: a
        integer(c_int) :: r

        calls(17) = calls(17) + 1
        r = real_info_free(a)
    end function tool_info_free

    function tool_comm_get_name(a, b, c) bind(C, name="MPI_Comm_get_name") result(r)
        integer(c_int), value :: a
        type(c_ptr), value :: b, c
        integer(c_int) :: r

        calls(18) = calls(18) + 1
        r = real_comm_get_name(a, b, c)
    end function tool_comm_get_name

    function tool_finalize() bind(C, name="MPI_Finalize") result(r)
        integer(c_int) :: r

        calls(19) = calls(19) + 1
        r = real_finalize()
    end function tool_finalize

end module tool

program main
    use mpi_f08
    use counts
    implicit none
    integer :: rank, size, length, i, errs, received
    logical :: flag
    character(len=MPI_MAX_OBJECT_NAME) :: name
    type(MPI_Comm) :: copy, part, grid, sub
    type(MPI_Datatype) :: two
    type(MPI_Info) :: info
    type(MPI_Request) :: request

    call MPI_Init()
    call MPI_Initialized(flag)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    call MPI_Comm_dup(MPI_COMM_WORLD, copy)
    call MPI_Comm_split(MPI_COMM_WORLD, 0, rank, part)
    call MPI_Comm_free(copy)
    call MPI_Barrier(part)
    call MPI_Type_contiguous(2, MPI_INTEGER, two)
    call MPI_Type_commit(two)
    call MPI_Type_free(two)
    call MPI_Cart_create(part, 1, [size], [.false.], .false., grid)
    call MPI_Cart_sub(grid, [.true.], sub)
    call MPI_Irecv(received, 1, MPI_INTEGER, MPI_PROC_NULL, 1, part, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call MPI_Info_create(info)
    call MPI_Info_free(info)
    call MPI_Comm_get_name(part, name, length)
    call PMPI_Cartdim_get(grid, i)
    call PMPI_Comm_rank(grid, rank)
    call PMPI_Comm_size(grid, size)
    call PMPI_Barrier(part)
    call PMPI_Comm_free(grid)
    call PMPI_Comm_free(sub)
    call PMPI_Comm_free(part)
    call MPI_Finalize()

    errs = 0
    do i = 1, n
        if (calls(i) == merge(0, 1, names(i) == 'Cartdim_get')) cycle
        errs = errs + 1
        print *, 'MPI_', trim(names(i)), ' is seen ', calls(i), ' times'
    end do
    if (errs > 0) stop 1
    if (rank == 0) print '(a)', ' No Errors'
end program main
