/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpi_init.h"
#include "afapi_impl.h"

/* AFAPI over MPI: inside a node its collectives are aggregates (src/mpi/aggr), between nodes MPI's.
 * Errors end the job, as the communicators are fatal about them. */

/* Holds MPI as a session does, so that MPI_Init and MPI_Finalize of the program are its own,
 * before, after or never. */
static MPIR_Session *session;

static MPI_Comm comms[2]; /* by enum AFAPI_who */

static const MPI_Op ops[] = {MPI_BAND, MPI_BOR, MPI_BXOR, MPI_MIN, MPI_MAX, MPI_SUM, MPI_PROD};

static const MPI_Datatype datatypes[] = {MPI_INT8_T,  MPI_UINT8_T,  MPI_INT16_T, MPI_UINT16_T,
                                         MPI_INT32_T, MPI_UINT32_T, MPI_INT64_T, MPI_UINT64_T,
                                         MPI_FLOAT,   MPI_DOUBLE};

static void wait_for(enum AFAPI_who who) { PMPI_Barrier(comms[who]); }

static void reduce(void *data, int n, enum AFAPI_op op, enum AFAPI_type type, enum AFAPI_who who)
{
    PMPI_Allreduce(MPI_IN_PLACE, data, n, datatypes[type], ops[op], comms[who]);
}

static void scan(void *datum, enum AFAPI_op op, enum AFAPI_type type)
{
    PMPI_Scan(MPI_IN_PLACE, datum, 1, datatypes[type], ops[op], comms[AFAPI_ALL]);
}

static void bcast(void *array, size_t bytes, int root)
{
    PMPI_Bcast_c(array, (MPI_Count) bytes, MPI_BYTE, root, comms[AFAPI_ALL]);
}

static void scatter(void *to, const void *array, size_t bytes, int root)
{
    PMPI_Scatter_c(array, (MPI_Count) bytes, MPI_BYTE, to, (MPI_Count) bytes, MPI_BYTE, root,
                   comms[AFAPI_ALL]);
}

static void gather(void *to, const void *from, size_t bytes)
{
    PMPI_Allgather_c(from, (MPI_Count) bytes, MPI_BYTE, to, (MPI_Count) bytes, MPI_BYTE,
                     comms[AFAPI_ALL]);
}

static void all2all(void *to, const void *from, size_t bytes)
{
    PMPI_Alltoall_c(from, (MPI_Count) bytes, MPI_BYTE, to, (MPI_Count) bytes, MPI_BYTE,
                    comms[AFAPI_ALL]);
}

/* Everybody learns who wants whose array; the arrays go to those who want them. */
static void put_get(void *to, const void *array, size_t bytes, int from)
{
    int *wants = MPL_malloc(AFAPI_nproc * sizeof(int), MPL_MEM_OTHER);
    MPI_Request *requests = MPL_malloc((AFAPI_nproc + 1) * sizeof(MPI_Request), MPL_MEM_OTHER);
    int n = 0;

    if (!wants || !requests)
        MPIR_Afapi_die("process %d has no memory for p_putGet among %d processes", AFAPI_iproc,
                       AFAPI_nproc);
    gather(wants, &from, sizeof from);
    PMPI_Irecv_c(to, (MPI_Count) bytes, MPI_BYTE, from, 0, comms[AFAPI_ALL], &requests[n++]);
    for (int p = 0; p < AFAPI_nproc; p++)
        if (wants[p] == AFAPI_iproc)
            PMPI_Isend_c(array, (MPI_Count) bytes, MPI_BYTE, p, 0, comms[AFAPI_ALL],
                         &requests[n++]);
    while (n > 0) /* gcc takes MPI_STATUSES_IGNORE for an array that is too short */
        PMPI_Wait(&requests[--n], MPI_STATUS_IGNORE);
    MPL_free(requests);
    MPL_free(wants);
}

static void end_job(void) { PMPI_Abort(comms[AFAPI_ALL], 1); }

static void leave(void)
{
    PMPI_Comm_free(&comms[AFAPI_NODE]);
    PMPI_Comm_free(&comms[AFAPI_ALL]);
    if (MPII_Finalize(session) != MPI_SUCCESS)
        MPIR_Afapi_complain("process %d: MPI could not be finalized", AFAPI_iproc);
}

static const MPIR_Afapi_network_t over_mpi = MPIR_AFAPI_NETWORK;

bool MPIR_Afapi_has_mpi(void)
{
    static const char *const of_mpiexec[] = {"PMI_FD", "PMI_PORT", "PMI_RANK", "PMIX_RANK"};

    int finalized;

    PMPI_Finalized(&finalized);
    if (finalized ||
        MPL_atomic_load_int(&MPIR_Process.mpich_state) != MPICH_MPI_STATE__UNINITIALIZED)
        return true;
    for (size_t i = 0; i < sizeof(of_mpiexec) / sizeof(of_mpiexec[0]); i++)
        if (getenv(of_mpiexec[i]))
            return true;
    return false;
}

/* From the session, not from MPI_COMM_WORLD, which is the program's: it has attributes and
 * hints, or is not there yet. */
const MPIR_Afapi_network_t *MPIR_Afapi_mpi(void)
{
    MPI_Group world;
    int provided, finalized;

    PMPI_Finalized(&finalized);
    if (finalized) {
        MPIR_Afapi_complain(
            "p_init is called after MPI_Finalize, which has ended MPI; call it before");
        return NULL;
    }
    if (MPII_Init_thread(NULL, NULL, MPI_THREAD_SINGLE, &provided, &session) != MPI_SUCCESS) {
        MPIR_Afapi_complain("MPI could not be initialized");
        return NULL;
    }
    PMPI_Group_from_session_pset(session->handle, "mpi://WORLD", &world);
    PMPI_Comm_create_from_group(world, "afapi", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL,
                                &comms[AFAPI_ALL]);
    PMPI_Group_free(&world);
    PMPI_Comm_split_type(comms[AFAPI_ALL], MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                         &comms[AFAPI_NODE]);
    PMPI_Comm_set_errhandler(comms[AFAPI_NODE], MPI_ERRORS_ARE_FATAL);
    PMPI_Comm_rank(comms[AFAPI_ALL], &AFAPI_iproc);
    PMPI_Comm_size(comms[AFAPI_ALL], &AFAPI_nproc);
    return &over_mpi;
}
