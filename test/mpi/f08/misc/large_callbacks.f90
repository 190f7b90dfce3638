! SPDX-License-Identifier: BSD-3-Clause
!
! MPI_Op_create_c and MPI_Register_datarep_c, whose callbacks take large counts, and the PMPI names
! of both: the operation is called with the whole length, in calls of small and of large counts.
!
module operations
    use mpi_f08
    use, intrinsic :: iso_c_binding
    implicit none
    integer(MPI_COUNT_KIND) :: elements = 0
contains
    subroutine add(invec, inoutvec, len, datatype)
        type(c_ptr), value :: invec, inoutvec
        integer(MPI_COUNT_KIND) :: len
        type(MPI_Datatype) :: datatype
        integer, pointer :: a(:), b(:)

        call c_f_pointer(invec, a, [len])
        call c_f_pointer(inoutvec, b, [len])
        b = a + b
        elements = elements + len
        if (datatype /= MPI_INTEGER) elements = -1000000
    end subroutine add

    subroutine extent_of(datatype, extent, extra_state, ierror)
        type(MPI_Datatype) :: datatype
        integer(MPI_ADDRESS_KIND) :: extent, extra_state
        integer :: ierror

        extent = 4
        ierror = MPI_SUCCESS
    end subroutine extent_of
end module operations

program main
    use operations
    implicit none
    integer, parameter :: n = 1000
    integer :: errs, ierr, rank, size, i
    integer :: mine(n), sum(n), want(n)
    integer(MPI_ADDRESS_KIND) :: nothing
    type(MPI_Op) :: op, alias

    errs = 0
    call mtest_init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    mine = [(i + rank, i = 1, n)]
    want = [(i * size + size * (size - 1) / 2, i = 1, n)]

    call MPI_Op_create_c(add, .true., op)
    call PMPI_Op_create_c(add, .true., alias)
    call MPI_Allreduce(mine, sum, n, MPI_INTEGER, op, MPI_COMM_WORLD)
    call check(sum, 'a small count')
    call MPI_Allreduce(mine, sum, int(n, MPI_COUNT_KIND), MPI_INTEGER, op, MPI_COMM_WORLD)
    call check(sum, 'a large count')
    call MPI_Allreduce(mine, sum, n, MPI_INTEGER, alias, MPI_COMM_WORLD)
    call check(sum, 'PMPI_Op_create_c')
    call MPI_Op_free(op)
    call MPI_Op_free(alias)

    nothing = 0
    call MPI_Register_datarep_c('ours', MPI_CONVERSION_FN_NULL_C, MPI_CONVERSION_FN_NULL_C, &
        extent_of, nothing, ierr)
    if (ierr /= MPI_SUCCESS) then
        errs = errs + 1
        print *, 'MPI_Register_datarep_c: ', ierr
    end if
    call PMPI_Register_datarep_c('theirs', MPI_CONVERSION_FN_NULL_C, MPI_CONVERSION_FN_NULL_C, &
        extent_of, nothing, ierr)
    if (ierr /= MPI_SUCCESS) then
        errs = errs + 1
        print *, 'PMPI_Register_datarep_c: ', ierr
    end if
    call mtest_finalize(errs)

contains

    subroutine check(sum, what)
        integer, intent(in) :: sum(n)
        character(len=*), intent(in) :: what

        if (any(sum /= want) .or. (size > 1 .and. elements <= 0)) then
            errs = errs + 1
            print *, rank, what, ': ', count(sum /= want), ' wrong sums, ', elements, ' elements'
        end if
        elements = 0
    end subroutine check

end program main
