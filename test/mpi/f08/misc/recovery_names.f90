! SPDX-License-Identifier: BSD-3-Clause
!
! What programs for ULFM read: mpif-ext.h, and the modules mpi_ext and mpi_f08_ext. The classes are
! those of mpif.h, and MPIX_FT is an attribute, 0 here: a death ends the job.
!
module names
    implicit none
contains
    integer function errors_of_include()
        include 'mpif.h'
        include 'mpif-ext.h'
        integer :: ierr
        integer(kind=MPI_ADDRESS_KIND) :: goes_on
        logical :: is_there

        errors_of_include = 0
        call MPI_Comm_get_attr(MPI_COMM_WORLD, MPIX_FT, goes_on, is_there, ierr)
        if (.not. is_there .or. goes_on /= 0) errors_of_include = 1
        if (MPIX_ERR_PROC_FAILED /= MPI_ERR_PROC_FAILED) errors_of_include = 1
        if (MPIX_ERR_PROC_FAILED_PENDING /= MPI_ERR_PROC_FAILED_PENDING) errors_of_include = 1
        if (MPIX_ERR_REVOKED /= MPI_ERR_REVOKED) errors_of_include = 1
    end function errors_of_include

    integer function errors_of_module()
        use mpi
        use mpi_ext
        integer :: ierr, repaired, members, others

        errors_of_module = 0
        call MPIX_Comm_revoke(MPI_COMM_SELF, ierr)
        call MPI_Barrier(MPI_COMM_SELF, ierr)
        if (ierr /= MPIX_ERR_REVOKED) errors_of_module = 1
        call MPIX_Comm_shrink(MPI_COMM_WORLD, repaired, ierr)
        call MPI_Comm_size(repaired, members, ierr)
        call MPI_Comm_size(MPI_COMM_WORLD, others, ierr)
        if (members /= others) errors_of_module = 1
        call MPI_Comm_free(repaired, ierr)
    end function errors_of_module
end module names

program main
    use mpi_f08
    use mpi_f08_ext
    use names, only: errors_of_include, errors_of_module
    implicit none
    integer :: errs, ierr
    integer(kind=MPI_ADDRESS_KIND) :: goes_on
    logical :: is_there

    call mtest_init(ierr)
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPIX_FT, goes_on, is_there)
    errs = errors_of_include() + errors_of_module()
    if (.not. is_there .or. goes_on /= 0) errs = errs + 1
    call mtest_finalize(errs)
end program main
