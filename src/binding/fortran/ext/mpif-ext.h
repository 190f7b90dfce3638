! SPDX-License-Identifier: BSD-3-Clause
!
! What mpi-ext.h gives to C: the error classes of ULFM as other MPI
! libraries name them, and the attribute MPIX_FT. Its value is 1 if the
! job goes on when a process dies. mpif.h has the classes without X.
! It is read as fixed and as free form.
!
      integer MPIX_ERR_PROC_FAILED
      parameter (MPIX_ERR_PROC_FAILED=101)
      integer MPIX_ERR_PROC_FAILED_PENDING
      parameter (MPIX_ERR_PROC_FAILED_PENDING=102)
      integer MPIX_ERR_REVOKED
      parameter (MPIX_ERR_REVOKED=103)
      integer MPIX_FT
      parameter (MPIX_FT=1681915920)
