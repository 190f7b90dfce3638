! SPDX-License-Identifier: BSD-3-Clause
!
! The constants of mpif-ext.h for programs that write "use mpi_ext" beside "use mpi", or
! "use mpi_f08_ext" beside "use mpi_f08". These two have the procedures.

module mpi_ext
    implicit none
    include 'mpif-ext.h'
end module mpi_ext

module mpi_f08_ext
    use mpi_ext
    implicit none
end module mpi_f08_ext
