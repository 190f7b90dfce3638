! SPDX-License-Identifier: BSD-3-Clause
!
! Each procedure of mpi_f08 is there: the linker has to find them all, also by their PMPI names.
! Most are called once, with arguments of the types that their interfaces ask for, in communicators
! of one process and of two. test/f08/f08_calls.py writes this program from the interfaces.
!
module callbacks
    use mpi_f08
    use, intrinsic :: iso_c_binding
    implicit none
contains
    subroutine add(invec, inoutvec, len, datatype)
        type(c_ptr), value :: invec, inoutvec
        integer :: len
        type(MPI_Datatype) :: datatype
    end subroutine add

    subroutine add_many(invec, inoutvec, len, datatype)
        type(c_ptr), value :: invec, inoutvec
        integer(MPI_COUNT_KIND) :: len
        type(MPI_Datatype) :: datatype
    end subroutine add_many

    subroutine on_comm(comm, error_code)
        type(MPI_Comm) :: comm
        integer :: error_code
    end subroutine on_comm

    subroutine on_win(win, error_code)
        type(MPI_Win) :: win
        integer :: error_code
    end subroutine on_win

    subroutine on_file(file, error_code)
        type(MPI_File) :: file
        integer :: error_code
    end subroutine on_file

    subroutine on_session(session, error_code)
        type(MPI_Session) :: session
        integer :: error_code
    end subroutine on_session

    subroutine on_query(extra_state, status, ierror)
        integer(MPI_ADDRESS_KIND) :: extra_state
        type(MPI_Status) :: status
        integer :: ierror

        call MPI_Status_set_elements(status, MPI_INTEGER, 0)
        call MPI_Status_set_cancelled(status, .false.)
        ierror = MPI_SUCCESS
    end subroutine on_query

    subroutine on_free(extra_state, ierror)
        integer(MPI_ADDRESS_KIND) :: extra_state
        integer :: ierror

        ierror = MPI_SUCCESS
    end subroutine on_free

    subroutine on_cancel(extra_state, complete, ierror)
        integer(MPI_ADDRESS_KIND) :: extra_state
        logical :: complete
        integer :: ierror

        ierror = MPI_SUCCESS
    end subroutine on_cancel

    subroutine extent_of(datatype, extent, extra_state, ierror)
        type(MPI_Datatype) :: datatype
        integer(MPI_ADDRESS_KIND) :: extent, extra_state
        integer :: ierror

        extent = 4
        ierror = MPI_SUCCESS
    end subroutine extent_of
end module callbacks

module everything
    use callbacks
    implicit none
    integer, parameter :: room = 64
    integer :: errs = 0, ierr, key, class, code, length, world_rank, mode
    integer :: ones(room) = 1, zeros(room) = 0, dims(room) = 0, range(3, 1) = reshape([0, 0, 1], &
        [3, 1])
    integer :: distributions(1) = MPI_DISTRIBUTE_BLOCK, default_sizes(1) = MPI_DISTRIBUTE_DFLT_DARG
    integer, asynchronous :: send(room) = 1, receive(room) = 0, fetched(room) = 0, packed(1000) = 0
    integer, asynchronous :: exposed(1000) = 0, attached(20000)
    integer :: ints(room, 12)
    integer(MPI_ADDRESS_KIND) :: aints(room, 12)
    integer(MPI_COUNT_KIND) :: counts(room, 12)
    integer(MPI_OFFSET_KIND) :: offsets(room, 12)
    integer, pointer :: memory(:)
    real :: total = 0
    logical :: flag, flags(room) = .true.
    type(c_ptr) :: pointer
    type(c_funptr), volatile :: found
    character(len=200) :: text
    character(len=MPI_MAX_OBJECT_NAME) :: object_name
    character(len=MPI_MAX_ERROR_STRING) :: error_text
    character(len=MPI_MAX_PORT_NAME) :: port
    character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: version
    character(len=40) :: file_name
    type(MPI_Comm) :: comm, new_comm, parent, inter, ring, graph
    type(MPI_Group) :: group, new_group
    type(MPI_Datatype) :: type, new_type, types(room), made(room)
    type(MPI_Info) :: info, new_info
    type(MPI_Op) :: new_op
    type(MPI_Errhandler) :: new_handler
    type(MPI_Request) :: request, other, requests(room)
    type(MPI_Status) :: status, statuses(room)
    type(MPI_Win) :: win, new_win, shared
    type(MPI_File) :: file
    type(MPI_Message) :: message
    type(MPI_Session) :: session
contains
    subroutine ok(name)
        character(len=*), intent(in) :: name

        if (ierr == MPI_SUCCESS) return
        errs = errs + 1
        call MPI_Error_string(ierr, error_text, length)
        print *, name, ': ', error_text(1:length)
    end subroutine ok

    subroutine result_of(number)
        real, intent(in) :: number

        total = total + number
    end subroutine result_of

    subroutine drop_new_comm()
        call MPI_Comm_free(new_comm)
    end subroutine drop_new_comm

    subroutine drop_win()
        call MPI_Win_free(new_win)
    end subroutine drop_win

    subroutine begin()
        integer :: rank

        requests = MPI_REQUEST_NULL
        types = MPI_INTEGER
        call MPI_Comm_rank(MPI_COMM_WORLD, world_rank)
        call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
        call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
        call MPI_Comm_dup(MPI_COMM_SELF, comm)
        call MPI_Cart_create(comm, 1, [1], [.true.], .false., ring)
        call MPI_Win_create(exposed, 4000_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, comm, win)
        call MPI_Comm_rank(MPI_COMM_WORLD, rank)
        write (file_name, '(a, i0)') 'all_procedures.', rank
        mode = MPI_MODE_RDWR + MPI_MODE_CREATE
    end subroutine begin

    subroutine finish()
        call MPI_Win_free(win)
        call MPI_Comm_free(ring)
        call MPI_Group_free(group)
        call MPI_Comm_free(comm)
        call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL)
        call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL)
    end subroutine finish
end module everything
