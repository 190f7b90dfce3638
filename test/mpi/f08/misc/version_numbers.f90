! SPDX-License-Identifier: BSD-3-Clause
!
! The version of MPI in the modules mpi_f08 and mpi, in mpif.h, and by MPI_Get_version.
!
module of_mpi
contains
    integer function version_of_module()
        use mpi, only: MPI_VERSION, MPI_SUBVERSION
        version_of_module = 10 * MPI_VERSION + MPI_SUBVERSION
    end function version_of_module

    integer function version_of_header()
        include 'mpif.h'
        version_of_header = 10 * MPI_VERSION + MPI_SUBVERSION
    end function version_of_header
end module of_mpi

program version_numbers
    use mpi_f08
    use of_mpi
    implicit none
    integer :: errs, ierr, version, subversion

    errs = 0
    call mtest_init(ierr)
    call MPI_Get_version(version, subversion)
    call check('MPI_Get_version', 10 * version + subversion)
    call check('mpi_f08', 10 * MPI_VERSION + MPI_SUBVERSION)
    call check('mpi', version_of_module())
    call check('mpif.h', version_of_header())
    call mtest_finalize(errs)

contains

    subroutine check(what, got)
        character(*), intent(in) :: what
        integer, intent(in) :: got

        if (got == 41) return
        errs = errs + 1
        print *, what, ' says ', got
    end subroutine check
end program version_numbers
