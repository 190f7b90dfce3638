/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Errors of functions that have nothing to undo: they return at once.  A function that has
 * something to undo jumps to fn_fail, as everywhere in MPICH.
 *
 *     MPIR_TRY(MPIR_Something(..));
 *
 * Each adds the line of the caller to the error, as MPIR_ERR_POP and MPIR_ERR_CHECK do.
 */
#ifndef MPIR_RETURN_H_INCLUDED
#define MPIR_RETURN_H_INCLUDED

#define MPIR_ERR_RETURN(err) MPIR_ERR_SETANDSTMT(err, MPI_ERR_OTHER, return err, "**fail")

#define MPIR_ERR_CHKRETURN(err) \
    do { \
        if (unlikely(err)) \
            MPIR_ERR_RETURN(err); \
    } while (0)

#define MPIR_TRY(call) \
    do { \
        int mpir_try_errno = (call); \
        MPIR_ERR_CHKRETURN(mpir_try_errno); \
    } while (0)

/* Behind a collective, which also tells of the errors of others */
#define MPIR_ERR_COLL_CHKRETURN(err, errflag) \
    do { \
        MPIR_ERR_CHKRETURN(err); \
        MPIR_ERR_CHKANDSTMT(errflag, err, MPI_ERR_OTHER, return err, "**coll_fail"); \
    } while (0)

/* Where others wait for this process, it goes on after an error, and returns the first one. */
static inline void MPIR_Err_keep_first(int *first, int mpi_errno)
{
    if (*first == MPI_SUCCESS)
        *first = mpi_errno;
}

#endif /* MPIR_RETURN_H_INCLUDED */
