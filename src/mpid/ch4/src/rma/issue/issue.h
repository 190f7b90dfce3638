/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * When the one-sided operations of a window are issued: what MPID_Put and MPID_Win_lock ask before they do it themselves.
 * The module src/mpid/common/rma_issue decides; here are the operations, the messages, and the epochs.
 *
 *     init.c        settings: variables and info keys
 *     origin.c    operations that wait, messages that take them along
 *     lock_epoch.c  locks
 *     pscw.c       start and complete
 *     fence.c     fences
 *     exchange.c  what they exchange
 *     target.c    what a message makes its target do
 */
#ifndef RMA_ISSUE_ISSUE_H_INCLUDED
#define RMA_ISSUE_ISSUE_H_INCLUDED

struct MPIDIG_rma_issue;

/* What the processes of a window have agreed on. */
enum { MPIDIG_RMA_FENCES_UNKNOWN, MPIDIG_RMA_FENCES_EAGER, MPIDIG_RMA_FENCES_WAIT };

/* Is the window in an epoch in which operations may wait? */
#define MPIDIG_RMA_WAITS(win) (MPIDIG_WIN(win, issue) && *(const int *) MPIDIG_WIN(win, issue))

/* MPIDIG_RMA_HOLD(kind, win, arguments of the operation): is it cared for?  Then the caller returns its mpi_errno. */
#define MPIDIG_RMA_HOLD(kind, win, ...) \
    (MPIDIG_RMA_WAITS(win) && MPIDIG_rma_hold_##kind(win, &mpi_errno, __VA_ARGS__))

/* Before an operation with a request, which goes out at once. */
#define MPIDIG_RMA_CLEAR(win, rank) (MPIDIG_RMA_WAITS(win) ? MPIDIG_rma_clear(win, rank) : MPI_SUCCESS)

/* Before a flush: of one target, or of all with MPI_ANY_SOURCE. */
#define MPIDIG_RMA_FLUSH(win, rank) (MPIDIG_RMA_WAITS(win) ? MPIDIG_rma_flush(win, rank) : MPI_SUCCESS)

bool MPIDIG_rma_hold_put(MPIR_Win * win, int *mpi_errno, const void *origin, int origin_count,
                         MPI_Datatype origin_type, int rank, MPI_Aint disp, int count,
                         MPI_Datatype type);
bool MPIDIG_rma_hold_get(MPIR_Win * win, int *mpi_errno, void *origin, int origin_count,
                         MPI_Datatype origin_type, int rank, MPI_Aint disp, int count,
                         MPI_Datatype type);
bool MPIDIG_rma_hold_acc(MPIR_Win * win, int *mpi_errno, const void *origin, int origin_count,
                         MPI_Datatype origin_type, int rank, MPI_Aint disp, int count,
                         MPI_Datatype type, MPI_Op op);
bool MPIDIG_rma_hold_get_acc(MPIR_Win * win, int *mpi_errno, const void *origin, int origin_count,
                             MPI_Datatype origin_type, void *result, int result_count,
                             MPI_Datatype result_type, int rank, MPI_Aint disp, int count,
                             MPI_Datatype type, MPI_Op op);
bool MPIDIG_rma_hold_fop(MPIR_Win * win, int *mpi_errno, const void *origin, void *result,
                         MPI_Datatype type, int rank, MPI_Aint disp, MPI_Op op);
bool MPIDIG_rma_hold_cas(MPIR_Win * win, int *mpi_errno, const void *origin, const void *compare,
                         void *result, MPI_Datatype type, int rank, MPI_Aint disp);
int MPIDIG_rma_clear(MPIR_Win * win, int rank);
int MPIDIG_rma_flush(MPIR_Win * win, int rank);

/* Before another lock is taken: see rma/issue/lock_epoch.c. */
extern struct MPIDIG_rma_target *MPIDIG_rma_locks;
int MPIDIG_rma_make_real(bool * nested);
#define MPIDIG_RMA_LOCKS_REAL() (MPIDIG_rma_locks ? MPIDIG_rma_make_real(NULL) : MPI_SUCCESS)

/* Processes of the window that are no peers (see rma/peers/peers.h) are meant.  Each answers whether the call is done; if not, it goes
 * the eager way. */
bool MPIDIG_rma_lock(MPIR_Win * win, int *mpi_errno, int type, int rank, int assert);
bool MPIDIG_rma_unlock(MPIR_Win * win, int *mpi_errno, int rank);
bool MPIDIG_rma_lock_all(MPIR_Win * win, int *mpi_errno, int assert);
bool MPIDIG_rma_unlock_all(MPIR_Win * win, int *mpi_errno);
bool MPIDIG_rma_start(MPIR_Win * win, int *mpi_errno, MPIR_Group * group, int assert);
bool MPIDIG_rma_complete(MPIR_Win * win, int *mpi_errno);
bool MPIDIG_rma_fence(MPIR_Win * win, int *mpi_errno, int assert);

/* The first error of an operation on this process in the exposure epoch that has ended: told once. */
MPL_STATIC_INLINE_PREFIX int MPIDIG_rma_exposure_failure(MPIR_Win * win)
{
    int failed = MPIDIG_WIN(win, exposure_failed);

    MPIDIG_WIN(win, exposure_failed) = MPI_SUCCESS;
    return failed;
}

/* What has got its permission goes out. */
void MPIDIG_rma_issue_ready(void);
/* This process' access epoch may go on at the rank, which has posted. */
void MPIDIG_rma_posted(MPIR_Win * win, int rank);

int MPIDIG_rma_issue_init(void);
void MPIDIG_rma_issue_free(MPIR_Win * win);
/* An info key of a new window, which may be none of ours. */
int MPIDIG_rma_issue_set_info(MPIR_Win * win, const char *key, const char *value);
int MPIDIG_rma_issue_get_info(MPIR_Win * win, MPIR_Info * info);

#endif /* RMA_ISSUE_ISSUE_H_INCLUDED */
