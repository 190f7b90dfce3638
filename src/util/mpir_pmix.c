/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_pmix.h"
#include "mpir_pmix_lib.h"

enum {
    NAME_ROOM = PMIX_NSPACE_ROOM,
    KEY_ROOM = 256,    /* a card's key has 50 characters */
    VALUE_ROOM = 16384 /* addresses of a process in one value */
};

static bool is_started;
static uint32_t job_size;
static char *mapping; /* see MPIR_Pmix_mapping */

bool MPIR_Pmix_is_used(void)
{
    return getenv("PMIX_NAMESPACE") && getenv("PMIX_RANK") && !getenv("PMI_FD") &&
           !getenv("PMI_PORT");
}

/* ---- begin and end ---- */

static int connect_to_manager(void)
{
    int mpi_errno = MPI_SUCCESS;
    int status = MPIR_Pmix_lib.Init(&MPIR_Pmix_self, NULL, 0);

    MPIR_ERR_CHKANDSTMT2(status, mpi_errno, MPI_ERR_OTHER, return mpi_errno, "**pmix_start",
                         "**pmix_start %s %s", "PMIx_Init", MPIR_Pmix_lib.Error_string(status));
    /* without a server, PMIx makes a process a job of its own */
    MPIR_ERR_CHKANDSTMT2(!MPIR_Pmix_number(PMIX_EVERY_RANK, "pmix.job.size", &job_size), mpi_errno,
                         MPI_ERR_OTHER, return mpi_errno, "**pmix_start", "**pmix_start %s %s",
                         "pmix.job.size", "no such value");
    is_started = true;

    return mpi_errno;
}

int MPIR_Pmix_start(void)
{
    int mpi_errno = MPI_SUCCESS;
    const char *reason;

    if (is_started)
        return MPI_SUCCESS;
    MPIR_ERR_CHKANDSTMT1(!MPIR_Pmix_load(&reason), mpi_errno, MPI_ERR_OTHER, return mpi_errno,
                         "**pmix_load", "**pmix_load %s", reason);
    return connect_to_manager();
}

int MPIR_Pmix_Init(int *spawned)
{
    if (MPIR_Pmix_start() != MPI_SUCCESS)
        return PMI_FAIL;
    *spawned = getenv(MPIR_PMIX_SPAWNED) != NULL;
    mapping = MPIR_Pmix_mapping(job_size);
    return PMI_SUCCESS;
}

int MPIR_Pmix_Finalize(void)
{
    MPL_external_free(mapping);
    mapping = NULL;
    return MPIR_Pmix_lib.Finalize(NULL, 0) ? PMI_FAIL : PMI_SUCCESS;
}

int MPIR_Pmix_Abort(int exit_code, const char message[])
{
    MPIR_Pmix_lib.Abort(exit_code, message, NULL, 0);
    MPL_exit(exit_code); /* the caller cannot go on; the manager ends the others */
    return PMI_FAIL;
}

/* ---- about the job ---- */

static int put_number(int value, int *result)
{
    *result = value;
    return PMI_SUCCESS;
}

int MPIR_Pmix_Get_rank(int *rank) { return put_number((int) MPIR_Pmix_self.rank, rank); }

int MPIR_Pmix_Get_size(int *size) { return put_number((int) job_size, size); }

int MPIR_Pmix_Get_appnum(int *appnum)
{
    uint32_t number = 0;

    MPIR_Pmix_number(MPIR_Pmix_self.rank, "pmix.appnum", &number);
    return put_number((int) number, appnum);
}

int MPIR_Pmix_Get_universe_size(int *size)
{
    uint32_t number = job_size;

    MPIR_Pmix_number(PMIX_EVERY_RANK, "pmix.univ.size", &number);
    return put_number((int) number, size);
}

int MPIR_Pmix_KVS_Get_my_name(char name[], int length)
{
    return MPL_strncpy(name, MPIR_Pmix_self.nspace, length) ? PMI_FAIL : PMI_SUCCESS;
}

int MPIR_Pmix_KVS_Get_name_length_max(int *length) { return put_number(NAME_ROOM, length); }

int MPIR_Pmix_KVS_Get_key_length_max(int *length) { return put_number(KEY_ROOM, length); }

int MPIR_Pmix_KVS_Get_value_length_max(int *length)
{
    int least = mapping ? (int) strlen(mapping) + 1 : 0;

    return put_number(MPL_MAX(VALUE_ROOM, least), length);
}

/* ---- key-value pairs ---- */

/* The fence brings all values to all nodes.  Without that, a node asks for a value at its first
 * use, but PMIx 4.2 then finds no value that the same process has published since. */
int MPIR_Pmix_Barrier(void)
{
    MPIR_Pmix_info_t collect = {.key = "pmix.collect", .value = {.type = PMIX_IS_BOOL}};

    collect.value.data.flag = true;
    return MPIR_Pmix_lib.Fence(NULL, 0, &collect, 1) ? PMI_FAIL : PMI_SUCCESS;
}

int MPIR_Pmix_KVS_Put(const char name[] MPL_UNUSED, const char key[], const char value[])
{
    MPIR_Pmix_value_t string = {.type = PMIX_IS_STRING, .data.string = (char *) value};

    return MPIR_Pmix_lib.Put(PMIX_FOR_ALL, key, &string) ? PMI_FAIL : PMI_SUCCESS;
}

int MPIR_Pmix_KVS_Commit(const char name[] MPL_UNUSED)
{
    return MPIR_Pmix_lib.Commit() ? PMI_FAIL : PMI_SUCCESS;
}

static const char *given(const char key[])
{
    char name[KEY_ROOM + sizeof(MPIR_PMIX_PREPUT)];

    if (strcmp(key, "PMI_process_mapping") == 0)
        return mapping;
    snprintf(name, sizeof(name), MPIR_PMIX_PREPUT "%s", key);
    return getenv(name);
}

int MPIR_Pmix_KVS_Get(int owner, const char key[], char value[], int length)
{
    char *published = owner < 0 ? NULL : MPIR_Pmix_published((uint32_t) owner, key);
    const char *found = owner < 0 ? given(key) : published;
    bool is_whole = found && MPL_strncpy(value, found, length) == 0;

    MPL_external_free(published);
    return is_whole ? PMI_SUCCESS : PMI_FAIL;
}

/* ---- names of services ---- */

int MPIR_Pmix_Publish_name(const char service[], const char port[])
{
    MPIR_Pmix_info_t info;

    MPIR_Pmix_fill(&info, service, port);
    return MPIR_Pmix_lib.Publish(&info, 1) ? PMI_FAIL : PMI_SUCCESS;
}

int MPIR_Pmix_Unpublish_name(const char service[])
{
    char *keys[] = {(char *) service, NULL};

    return MPIR_Pmix_lib.Unpublish(keys, NULL, 0) ? PMI_FAIL : PMI_SUCCESS;
}

int MPIR_Pmix_Lookup_name(const char service[], char port[])
{
    MPIR_Pmix_pdata_t data = {0};
    char *found = NULL;
    bool is_whole;

    MPL_strncpy(data.key, service, sizeof(data.key));
    if (MPIR_Pmix_lib.Lookup(&data, 1, NULL, 0) == 0 && data.value.type == PMIX_IS_STRING)
        found = data.value.data.string;
    is_whole = found && MPL_strncpy(port, found, MPI_MAX_PORT_NAME) == 0;
    MPL_external_free(found);
    return is_whole ? PMI_SUCCESS : PMI_FAIL;
}
