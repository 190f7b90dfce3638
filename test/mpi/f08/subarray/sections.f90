! SPDX-License-Identifier: BSD-3-Clause
!
! Sections of arrays as buffers of mpi_f08: strides that divide the dimensions and others,
! backwards, fewer elements than the section has, strings, and elements of a derived type. What
! arrives is what the section holds, in the order of its elements. More elements than the section
! has are an error.
!
program main
    use mpi_f08
    implicit none
    integer, parameter :: n1 = 12, n2 = 10, n3 = 4, room = n1 * n2 * n3, untouched = -7
    type, bind(C) :: pair
        integer :: number
        character :: letter
    end type pair
    integer :: errs, ierr, i
    integer, asynchronous :: whole(n1, n2, n3)

    errs = 0
    call mtest_init(ierr)
    whole = reshape([(i, i = 1, room)], [n1, n2, n3])
    call integers()
    call strings()
    call structures()
    call too_many()
    call mtest_finalize(errs)

contains

    subroutine integers()
        integer :: s1, s2, s3

        do s3 = 1, 2
            do s2 = 1, 5
                do s1 = 1, 4
                    call send_section(whole(::s1, ::s2, ::s3))
                    call send_section(whole(n1:1:-s1, ::s2, n3:1:-s3))
                    call send_section(whole(2:n1-1:s1, 3:n2:s2, ::s3))
                end do
                call send_section(whole(5:5, ::s2, ::s3))
            end do
        end do
    end subroutine integers

    ! All of it, all but one, a bit more than half, one, and none
    subroutine send_section(section)
        integer, intent(in), asynchronous :: section(:, :, :)
        integer :: n

        n = size(section)
        call there(section, n)
        call there(section, n - 1)
        call there(section, n / 2 + 1)
        call there(section, 1)
        call there(section, 0)
        call back(n)
    end subroutine send_section

    subroutine there(section, n)
        integer, intent(in), asynchronous :: section(:, :, :)
        integer, intent(in) :: n
        integer, asynchronous :: got(room + 1)
        integer :: want(room + 1), elements(size(section))
        type(MPI_Request) :: request

        got = untouched
        want = untouched
        elements = reshape(section, [size(section)])
        want(1:n) = elements(1:n)
        call MPI_Irecv(got, room + 1, MPI_INTEGER, 0, 1, MPI_COMM_SELF, request)
        call MPI_Send(section, n, MPI_INTEGER, 0, 1, MPI_COMM_SELF)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call check(all(got == want), 'a section that is sent', n)
    end subroutine there

    ! Into a section, and into it by fewer elements
    subroutine back(n)
        integer, intent(in) :: n
        integer, asynchronous :: to(n1, n2, n3)
        integer :: want(n1, n2, n3), from(room), few, i

        from = [(1000 + i, i = 1, room)]
        do few = max(min(n, 60) - 1, 0), min(n, 60)
            to = untouched
            want = untouched
            want(1:n1:3, 1:n2:2, 1:n3:1) = reshape([from(1:few), (untouched, i = 1, room)], &
                [4, 5, n3])
            call MPI_Sendrecv(from, few, MPI_INTEGER, 0, 2, to(1:n1:3, 1:n2:2, 1:n3:1), few, &
                MPI_INTEGER, 0, 2, MPI_COMM_SELF, MPI_STATUS_IGNORE)
            call check(all(to == want), 'a section that receives', few)
        end do
    end subroutine back

    ! An element of the array is five of MPI's.
    subroutine strings()
        character(len=5), asynchronous :: words(6), got(3)
        type(MPI_Request) :: request

        words = ['one  ', 'two  ', 'three', 'four ', 'five ', 'six  ']
        got = ' '
        call MPI_Irecv(got, 15, MPI_CHARACTER, 0, 3, MPI_COMM_SELF, request)
        call MPI_Send(words(2:6:2), 15, MPI_CHARACTER, 0, 3, MPI_COMM_SELF)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call check(all(got == words(2:6:2)), 'strings', 15)
    end subroutine strings

    ! The extent is the size of an element, the size is less.
    subroutine structures()
        type(pair), asynchronous :: pairs(6), got(2)
        integer(MPI_ADDRESS_KIND) :: at(2), extent
        type(MPI_Datatype) :: two, type_of_pair
        type(MPI_Request) :: request

        pairs = [(pair(i, achar(64 + i)), i = 1, 6)]
        got = pair(0, ' ')
        at = [0, storage_size(i) / 8]
        call MPI_Type_create_struct(2, [1, 1], at, [MPI_INTEGER, MPI_CHARACTER], two)
        extent = storage_size(pairs) / 8
        call MPI_Type_create_resized(two, 0_MPI_ADDRESS_KIND, extent, type_of_pair)
        call MPI_Type_commit(type_of_pair)
        call MPI_Irecv(got, 2, type_of_pair, 0, 4, MPI_COMM_SELF, request)
        call MPI_Send(pairs(2:6:3), 2, type_of_pair, 0, 4, MPI_COMM_SELF)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call check(all(got%number == [2, 5]) .and. all(got%letter == ['B', 'E']), 'structures', 2)
        call MPI_Type_free(two)
        call MPI_Type_free(type_of_pair)
    end subroutine structures

    subroutine too_many()
        integer :: code, class
        type(MPI_Comm) :: comm

        call MPI_Comm_dup(MPI_COMM_SELF, comm)
        call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN)
        call MPI_Send(whole(::3, ::2, 1), 21, MPI_INTEGER, MPI_PROC_NULL, 5, comm, code)
        call MPI_Error_class(code, class)
        call check(class == MPI_ERR_COUNT, 'more elements than the section has', class)
        call MPI_Send(whole(::3, ::2, 1), 20, MPI_INTEGER, MPI_PROC_NULL, 5, comm, code)
        call check(code == MPI_SUCCESS, 'as many as it has', code)
        call MPI_Comm_free(comm)
    end subroutine too_many

    subroutine check(is_right, what, n)
        logical, intent(in) :: is_right
        character(len=*), intent(in) :: what
        integer, intent(in) :: n

        if (is_right) return
        errs = errs + 1
        print *, what, n
    end subroutine check

end program main
