! SPDX-License-Identifier: BSD-3-Clause
!
! mpi_f08 converts statuses by the MPI and the PMPI names, with and without the last argument. The
! specific procedures of large counts have the names that the standard gives them: a tool defines
! them.
!
program main
    use, intrinsic :: iso_c_binding
    use mpi_f08
    implicit none
    integer, asynchronous :: numbers(3), got(5)
    integer :: errs, ierr, array(MPI_STATUS_SIZE)
    type(MPI_Status) :: from, to
    type(c_funptr) :: found

    interface
        subroutine specific_send() bind(C, name="mpi_send_c_f08ts_")
        end subroutine specific_send
        subroutine specific_bcast() bind(C, name="mpi_bcast_c_f08ts_")
        end subroutine specific_bcast
        subroutine specific_type() bind(C, name="mpi_type_contiguous_c_f08_")
        end subroutine specific_type
    end interface

    errs = 0
    call mtest_init(ierr)
    numbers = [1, 2, 3]
    call MPI_Sendrecv(numbers, 3, MPI_INTEGER, 0, 7, got, 5, MPI_INTEGER, 0, 7, MPI_COMM_SELF, from)

    ierr = -1
    call MPI_Status_f082f(from, array, ierr)
    call check(ierr == MPI_SUCCESS .and. array(MPI_TAG) == 7, 'MPI_Status_f082f')
    to%MPI_TAG = -1
    call MPI_Status_f2f08(array, to)
    call check(same(to, from), 'MPI_Status_f2f08')

    array = -1
    call PMPI_Status_f082f(from, array)
    call check(array(MPI_SOURCE) == 0 .and. array(MPI_TAG) == 7, 'PMPI_Status_f082f')
    to%MPI_TAG = -1
    call PMPI_Status_f2f08(array, to, ierr)
    call check(ierr == MPI_SUCCESS .and. same(to, from), 'PMPI_Status_f2f08')

    ! the linker has to find them
    found = c_funloc(specific_send)
    call check(c_associated(found), 'MPI_Send_c_f08ts')
    found = c_funloc(specific_bcast)
    call check(c_associated(found), 'MPI_Bcast_c_f08ts')
    found = c_funloc(specific_type)
    call check(c_associated(found), 'MPI_Type_contiguous_c_f08')
    call mtest_finalize(errs)

contains

    logical function same(a, b)
        type(MPI_Status), intent(in) :: a, b
        integer :: count_a, count_b

        call MPI_Get_count(a, MPI_INTEGER, count_a)
        call MPI_Get_count(b, MPI_INTEGER, count_b)
        same = a%MPI_SOURCE == b%MPI_SOURCE .and. a%MPI_TAG == b%MPI_TAG .and. count_a == 3 .and. &
            count_b == 3
    end function same

    subroutine check(is_right, what)
        logical, intent(in) :: is_right
        character(len=*), intent(in) :: what

        if (is_right) return
        errs = errs + 1
        print *, what, ' is wrong'
    end subroutine check

end program main
