! SPDX-License-Identifier: BSD-3-Clause
!
! What MPI 4.1 added, where Fortran differs from C: indices of requests start at 1, and
! MPI_BUFFER_AUTOMATIC is a variable whose address a detach returns.
!
program main
    use mpi_f08
    use, intrinsic :: iso_c_binding
    implicit none

    integer :: errs = 0, ierr

    call mtest_init(ierr)
    call check_indices()
    call check_automatic()
    call check_statuses()
    call check_pairs()
    call mtest_finalize(errs)

contains

    subroutine check(is_right, what)
        logical, intent(in) :: is_right
        character(len=*), intent(in) :: what

        if (is_right) return
        errs = errs + 1
        print *, what
    end subroutine check

    subroutine check_indices()
        integer :: in(3), index, n, indices(3)
        logical :: flag
        type(MPI_Request) :: requests(3)
        type(MPI_Status) :: status, statuses(3)

        requests(2) = MPI_REQUEST_NULL
        call MPI_Irecv(in(1), 1, MPI_INTEGER, 0, 1, MPI_COMM_SELF, requests(1))
        call MPI_Irecv(in(3), 1, MPI_INTEGER, 0, 3, MPI_COMM_SELF, requests(3))
        call MPI_Request_get_status_any(3, requests, index, flag, status)
        call check(.not. flag .and. index == MPI_UNDEFINED, 'any: a request is complete')
        call MPI_Send(7, 1, MPI_INTEGER, 0, 3, MPI_COMM_SELF)
        flag = .false.
        do while (.not. flag)
            call MPI_Request_get_status_any(3, requests, index, flag, status)
        end do
        call check(index == 3 .and. status%MPI_TAG == 3, 'any: the index is not 3')
        call MPI_Request_get_status_some(3, requests, n, indices, statuses)
        call check(n == 1 .and. indices(1) == 3, 'some: the index is not 3')
        call check(statuses(1)%MPI_TAG == 3, 'some: the tag is not 3')
        call MPI_Request_get_status_some(3, requests, n, indices, MPI_STATUSES_IGNORE)
        call MPI_Request_get_status_all(3, requests, flag, statuses)
        call check(.not. flag, 'all: one is missing')
        call MPI_Send(7, 1, MPI_INTEGER, 0, 1, MPI_COMM_SELF)
        flag = .false.
        do while (.not. flag)
            call MPI_Request_get_status_all(3, requests, flag, statuses)
        end do
        call check(statuses(1)%MPI_TAG == 1 .and. statuses(3)%MPI_TAG == 3, 'all: the tags')
        call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE)
        call MPI_Request_get_status_some(3, requests, n, indices, statuses)
        call check(n == MPI_UNDEFINED, 'some: of null requests')
    end subroutine check_indices

    subroutine check_automatic()
        type(c_ptr) :: address, automatic, buffer
        type(MPI_Comm) :: comm
        type(MPI_Request) :: request
        integer :: size = -1, in = 0, own(1000)
        target :: own

        ! gfortran 12 fails for c_loc as an argument of c_associated
        automatic = c_loc(MPI_BUFFER_AUTOMATIC)
        buffer = c_loc(own)
        call MPI_Comm_dup(MPI_COMM_SELF, comm)
        call MPI_Comm_attach_buffer(comm, MPI_BUFFER_AUTOMATIC, 0)
        call MPI_Bsend(5, 1, MPI_INTEGER, 0, 1, comm)
        call MPI_Recv(in, 1, MPI_INTEGER, 0, 1, comm, MPI_STATUS_IGNORE)
        call check(in == 5, 'the message has another number')
        call MPI_Comm_iflush_buffer(comm, request)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call MPI_Comm_flush_buffer(comm)
        call MPI_Comm_detach_buffer(comm, address, size)
        call check(c_associated(address, automatic), 'not MPI_BUFFER_AUTOMATIC')
        call check(size == 0, 'the size of MPI_BUFFER_AUTOMATIC')
        call MPI_Comm_attach_buffer(comm, own, 4000)
        call MPI_Comm_detach_buffer(comm, address, size)
        call check(c_associated(address, buffer) .and. size == 4000, 'another buffer')
        call MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0)
        call MPI_Buffer_detach(address, size)
        call check(c_associated(address, automatic), 'not for the process')
        call MPI_Comm_free(comm)
    end subroutine check_automatic

    subroutine check_statuses()
        type(MPI_Status) :: status
        integer :: source, tag, error

        call MPI_Status_set_source(status, 4)
        call MPI_Status_set_tag(status, 5)
        call MPI_Status_set_error(status, MPI_ERR_TRUNCATE)
        call MPI_Status_get_source(status, source)
        call MPI_Status_get_tag(status, tag)
        call MPI_Status_get_error(status, error)
        call check(source == 4 .and. tag == 5 .and. error == MPI_ERR_TRUNCATE, 'get after set')
        call check(status%MPI_SOURCE == 4 .and. status%MPI_TAG == 5, 'fields after set')
    end subroutine check_statuses

    subroutine check_pairs()
        type(MPI_Datatype) :: pair

        call MPI_Type_get_value_index(MPI_INTEGER, MPI_INTEGER, pair)
        call check(pair == MPI_2INTEGER, 'not MPI_2INTEGER')
        call MPI_Type_get_value_index(MPI_INTEGER, MPI_REAL, pair)
        call check(pair == MPI_DATATYPE_NULL, 'a pair of INTEGER and REAL')
    end subroutine check_pairs
end program main
