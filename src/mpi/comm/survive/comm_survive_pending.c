/* SPDX-License-Identifier: BSD-3-Clause */

#include "comm_survive.h"
#include "mpir_revoke.h"

/*
 * MPIX_Comm_iagree and MPIX_Comm_ishrink.  Agreements of a communicator come one after the other:
 * who contributes to one has the result of the one before.  So a call waits in a list until the
 * earlier ones of its communicator have ended.  The progress engine does the rest.
 *
 * They are agreements of the device also where nobody says who dies.
 */

typedef struct repair {
    MPIR_Comm *comm;
    MPIR_Request *request;
    MPIDIG_agreement_t *agreement; /* NULL: it has not begun */
    int *flag;                     /* of MPIX_Comm_iagree; NULL for MPIX_Comm_ishrink: */
    MPIR_Comm *made;
    MPIR_Group *group;
    MPIR_Ctxid_t creation;
    int tries;
    struct repair *next;
} repair_t;

static struct {
    MPL_initlock_t lock; /* of the links */
    repair_t *first;     /* in the order of the calls; only `move_all` takes one out */
    int hook;
    bool has_hook;
} all = {.lock = MPL_INITLOCK_INITIALIZER};

/* ---- one call ---- */

static int begin(repair_t *repair)
{
    uint64_t offer[2] = {0, 0};
    const uint32_t flag = repair->flag ? (uint32_t) *repair->flag : UINT32_MAX;
    int mpi_errno;

    if (!repair->flag)
        MPIR_Ctxid_begin_group(&repair->creation, repair->comm, repair->group, MPIR_SHRINK_TAG,
                               offer);
    mpi_errno = MPIDIG_agree_begin(repair->comm, flag, offer, &repair->agreement);
    if (mpi_errno != MPI_SUCCESS && !repair->flag)
        MPIR_Ctxid_abandon(&repair->creation);
    return mpi_errno;
}

/* False: it begins again. */
static bool ends_with(repair_t *repair, const agree_value_t *result, int *mpi_errno)
{
    if (repair->flag) {
        *mpi_errno = MPIR_Agree_read_flag(result, repair->flag);
        return true;
    }
    repair->agreement = NULL;
    if (MPIR_Agree_make_shrunk(repair->comm, &repair->creation, result, ++repair->tries,
                               &repair->made, mpi_errno))
        return false;
    if (*mpi_errno == MPI_SUCCESS && !repair->made)
        *mpi_errno = MPIX_ERR_PROC_FAILED; /* the program has the communicator's handle already */
    if (*mpi_errno == MPI_SUCCESS)
        MPIR_Comm_inherit_errhandler(repair->made, repair->comm);
    repair->made = NULL;
    return true;
}

/* True: it has ended, with this error. */
static bool advance(repair_t *repair, int *mpi_errno)
{
    const agree_value_t *result = NULL;

    *mpi_errno = repair->agreement ? MPI_SUCCESS : begin(repair);
    if (*mpi_errno != MPI_SUCCESS)
        return true;
    *mpi_errno = MPIDIG_agree_test(repair->agreement, &result);
    if (*mpi_errno != MPI_SUCCESS && !repair->flag)
        MPIR_Ctxid_abandon(&repair->creation);
    return result ? ends_with(repair, result, mpi_errno) : *mpi_errno != MPI_SUCCESS;
}

static void drop(repair_t *repair)
{
    if (repair->made)
        MPIR_Comm_discard(repair->made);
    if (repair->group)
        MPIR_Group_release(repair->group);
    MPL_free(repair);
}

static void complete(repair_t *repair, int error)
{
    repair->request->status.MPI_ERROR = error;
    MPIR_Request_complete(repair->request);
    drop(repair);
}

/* ---- all calls ---- */

static bool is_behind(const repair_t *repair)
{
    const repair_t *earlier = all.first;

    while (earlier != repair && earlier->comm != repair->comm)
        earlier = earlier->next;
    return earlier != repair;
}

static repair_t *next_of(repair_t *repair)
{
    repair_t *next;

    MPL_initlock_lock(&all.lock);
    next = repair ? repair->next : all.first;
    MPL_initlock_unlock(&all.lock);
    return next;
}

static void take_out(repair_t *repair)
{
    repair_t **at = &all.first;

    MPL_initlock_lock(&all.lock);
    while (*at != repair)
        at = &(*at)->next;
    *at = repair->next;
    if (!all.first)
        MPIR_Progress_hook_deactivate(all.hook);
    MPL_initlock_unlock(&all.lock);
}

static int move_all(int *made_progress)
{
    static MPL_atomic_int_t busy = MPL_ATOMIC_INT_T_INITIALIZER(0);
    repair_t *next;
    int error;

    if (MPL_atomic_cas_int(&busy, 0, 1) != 0)
        return MPI_SUCCESS;
    for (repair_t *repair = next_of(NULL); repair; repair = next) {
        bool has_ended = !is_behind(repair) && advance(repair, &error);

        next = next_of(repair);
        if (has_ended) {
            take_out(repair);
            complete(repair, error);
            *made_progress = 1;
        }
    }
    MPL_atomic_release_store_int(&busy, 0);
    return MPI_SUCCESS;
}

static int append(repair_t *repair)
{
    int mpi_errno = MPI_SUCCESS;
    repair_t **at = &all.first;

    MPL_initlock_lock(&all.lock);
    if (!all.has_hook)
        mpi_errno = MPIR_Progress_hook_register(move_all, &all.hook);
    if (mpi_errno == MPI_SUCCESS) {
        all.has_hook = true;
        while (*at)
            at = &(*at)->next;
        *at = repair;
        MPIR_Progress_hook_activate(all.hook);
    }
    MPL_initlock_unlock(&all.lock);
    return mpi_errno;
}

static bool is_under_way(const MPIR_Comm *comm)
{
    const repair_t *repair;

    MPL_initlock_lock(&all.lock);
    for (repair = all.first; repair && repair->comm != comm; repair = repair->next)
        ;
    MPL_initlock_unlock(&all.lock);
    return repair != NULL;
}

int MPIR_Comm_survive_wait(MPIR_Comm *comm)
{
    int mpi_errno = MPI_SUCCESS;

    while (unlikely(all.first != NULL) && mpi_errno == MPI_SUCCESS && is_under_way(comm)) {
        mpi_errno = MPID_Progress_test(NULL);
        MPID_THREAD_CS_YIELD(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    }
    return mpi_errno;
}

/* ---- the calls ---- */

static int start(repair_t *repair, MPIR_Request **request)
{
    int mpi_errno = MPI_SUCCESS, unused = 0;
    MPIR_Request *made = MPIR_Request_create(MPIR_REQUEST_KIND__COLL);

    MPIR_ERR_CHKANDSTMT(!made, mpi_errno, MPI_ERR_NO_MEM, return mpi_errno, "**nomem");
    MPIR_Request_add_ref(made); /* the caller's, and that of the list */
    made->comm = repair->comm;
    MPIR_Comm_add_ref(repair->comm);
    repair->request = made;
    mpi_errno = append(repair);
    if (mpi_errno != MPI_SUCCESS) {
        MPIR_Request_complete(made);
        MPIR_Request_free(made);
        return mpi_errno;
    }
    *request = made;
    return move_all(&unused);
}

static int new_repair(MPIR_Comm *comm, repair_t **repair)
{
    int mpi_errno = MPI_SUCCESS;

    *repair = MPL_calloc(1, sizeof(**repair), MPL_MEM_COMM);
    MPIR_ERR_CHKANDJUMP(!*repair, mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    (*repair)->comm = comm;

fn_fail:
    return mpi_errno;
}

int MPIR_Comm_iagree_impl(MPIR_Comm *comm, int *flag, MPIR_Request **request)
{
    repair_t *repair;
    int mpi_errno = new_repair(comm, &repair);

    MPIR_ERR_CHKRETURN(mpi_errno);
    repair->flag = flag;
    mpi_errno = start(repair, request);
    if (mpi_errno != MPI_SUCCESS)
        drop(repair);
    return mpi_errno;
}

int MPIR_Comm_ishrink_impl(MPIR_Comm *comm, MPIR_Comm **made, MPIR_Request **request)
{
    repair_t *repair;
    int mpi_errno = MPI_SUCCESS;

    mpi_errno = new_repair(comm, &repair);
    MPIR_ERR_CHKRETURN(mpi_errno);
    mpi_errno = MPIR_Comm_group_impl(comm, &repair->group);
    if (mpi_errno == MPI_SUCCESS)
        mpi_errno = MPIR_Comm_create(&repair->made);
    *made = repair->made;
    if (mpi_errno == MPI_SUCCESS) {
        MPIR_ctxid_expect_pending();
        mpi_errno = start(repair, request);
    }
    if (mpi_errno != MPI_SUCCESS)
        drop(repair);
    return mpi_errno;
}
