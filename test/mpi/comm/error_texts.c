/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Error_string of each error class: a text of its own, in which the named word occurs.
 */
#include "cmaptest.h"

static const struct {
    int class_;
    const char *name, *word;
} classes[] = {
#define CLASS(name, word) \
    { \
        name, #name, word \
    }
    CLASS(MPI_SUCCESS, "No"),
    CLASS(MPI_ERR_BUFFER, "buffer"),
    CLASS(MPI_ERR_COUNT, "count"),
    CLASS(MPI_ERR_TYPE, "datatype"),
    CLASS(MPI_ERR_TAG, "tag"),
    CLASS(MPI_ERR_COMM, "communicator"),
    CLASS(MPI_ERR_RANK, "rank"),
    CLASS(MPI_ERR_ROOT, "root"),
    CLASS(MPI_ERR_GROUP, "group"),
    CLASS(MPI_ERR_OP, "Op"),
    CLASS(MPI_ERR_TOPOLOGY, "topology"),
    CLASS(MPI_ERR_DIMS, "dimension"),
    CLASS(MPI_ERR_ARG, "argument"),
    CLASS(MPI_ERR_UNKNOWN, "Unknown"),
    CLASS(MPI_ERR_TRUNCATE, "truncated"),
    CLASS(MPI_ERR_OTHER, "Other"),
    CLASS(MPI_ERR_INTERN, "Internal"),
    CLASS(MPI_ERR_IN_STATUS, "Status"),
    CLASS(MPI_ERR_PENDING, "Pending"),
    CLASS(MPI_ERR_REQUEST, "MPI_Request"),
    CLASS(MPI_ERR_ACCESS, "Access"),
    CLASS(MPI_ERR_AMODE, "amode"),
    CLASS(MPI_ERR_BAD_FILE, "name"),
    CLASS(MPI_ERR_CONVERSION, "conversion"),
    CLASS(MPI_ERR_DUP_DATAREP, "datarep"),
    CLASS(MPI_ERR_FILE_EXISTS, "exists"),
    CLASS(MPI_ERR_FILE_IN_USE, "use"),
    CLASS(MPI_ERR_FILE, "MPI_File"),
    CLASS(MPI_ERR_INFO, "MPI_Info"),
    CLASS(MPI_ERR_INFO_KEY, "key"),
    CLASS(MPI_ERR_INFO_VALUE, "value"),
    CLASS(MPI_ERR_INFO_NOKEY, "key"),
    CLASS(MPI_ERR_IO, "I/O"),
    CLASS(MPI_ERR_NAME, "name"),
    CLASS(MPI_ERR_NO_MEM, "memory"),
    CLASS(MPI_ERR_NOT_SAME, "Inconsistent"),
    CLASS(MPI_ERR_NO_SPACE, "space"),
    CLASS(MPI_ERR_NO_SUCH_FILE, "exist"),
    CLASS(MPI_ERR_PORT, "port"),
    CLASS(MPI_ERR_QUOTA, "Quota"),
    CLASS(MPI_ERR_READ_ONLY, "Read-only"),
    CLASS(MPI_ERR_SERVICE, "service"),
    CLASS(MPI_ERR_SPAWN, "spawn"),
    CLASS(MPI_ERR_UNSUPPORTED_DATAREP, "datarep"),
    CLASS(MPI_ERR_UNSUPPORTED_OPERATION, "operation"),
    CLASS(MPI_ERR_WIN, "MPI_Win"),
    CLASS(MPI_ERR_BASE, "base"),
    CLASS(MPI_ERR_LOCKTYPE, "locktype"),
    CLASS(MPI_ERR_KEYVAL, "keyval"),
    CLASS(MPI_ERR_RMA_CONFLICT, "Conflicting"),
    CLASS(MPI_ERR_RMA_SYNC, "synchronization"),
    CLASS(MPI_ERR_SIZE, "size"),
    CLASS(MPI_ERR_DISP, "displacement"),
    CLASS(MPI_ERR_ASSERT, "assert"),
    CLASS(MPI_ERR_RMA_RANGE, "window"),
    CLASS(MPI_ERR_RMA_ATTACH, "attached"),
    CLASS(MPI_ERR_RMA_SHARED, "shared"),
    CLASS(MPI_ERR_RMA_FLAVOR, "flavor"),
    CLASS(MPI_T_ERR_MEMORY, "memory"),
    CLASS(MPI_T_ERR_NOT_INITIALIZED, "not initialized"),
    CLASS(MPI_T_ERR_CANNOT_INIT, "cannot be initialized"),
    CLASS(MPI_T_ERR_INVALID_INDEX, "index"),
    CLASS(MPI_T_ERR_INVALID_ITEM, "item"),
    CLASS(MPI_T_ERR_INVALID_HANDLE, "handle"),
    CLASS(MPI_T_ERR_OUT_OF_HANDLES, "handles"),
    CLASS(MPI_T_ERR_OUT_OF_SESSIONS, "sessions"),
    CLASS(MPI_T_ERR_INVALID_SESSION, "session"),
    CLASS(MPI_T_ERR_CVAR_SET_NOT_NOW, "now"),
    CLASS(MPI_T_ERR_CVAR_SET_NEVER, "control variable"),
    CLASS(MPI_T_ERR_PVAR_NO_STARTSTOP, "stopped"),
    CLASS(MPI_T_ERR_PVAR_NO_WRITE, "written"),
    CLASS(MPI_T_ERR_PVAR_NO_ATOMIC, "one step"),
    CLASS(MPI_T_ERR_INVALID_NAME, "name"),
    CLASS(MPI_T_ERR_INVALID, "tool"),
    CLASS(MPI_T_ERR_NOT_SUPPORTED, "support"),
    CLASS(MPI_T_ERR_NOT_ACCESSIBLE, "access"),
    CLASS(MPI_ERR_SESSION, "MPI_Session"),
    CLASS(MPI_ERR_PROC_ABORTED, "aborted"),
    CLASS(MPI_ERR_VALUE_TOO_LARGE, "fit"),
    CLASS(MPI_ERR_ERRHANDLER, "handler"),
    CLASS(MPIX_ERR_PROC_FAILED, "failed"),
    CLASS(MPIX_ERR_PROC_FAILED_PENDING, "pending"),
    CLASS(MPIX_ERR_REVOKED, "revoked"),
    CLASS(MPIX_ERR_EAGAIN, "EAGAIN"),
    CLASS(MPIX_ERR_NOREQ, "request"),
};

enum { CLASSES = sizeof(classes) / sizeof(classes[0]) };
static char texts[CLASSES][MPI_MAX_ERROR_STRING];

static void check_text(int i)
{
    int length = 0, class_ = -1;

    MPI_Error_string(classes[i].class_, texts[i], &length);
    MPI_Error_class(classes[i].class_, &class_);
    CT_CHECK(class_ == classes[i].class_, "%s has class %d", classes[i].name, class_);
    CT_CHECK(length == (int) strlen(texts[i]), "%s: length %d of \"%s\"", classes[i].name, length,
             texts[i]);
    CT_CHECK(strstr(texts[i], classes[i].word), "%s says \"%s\", without \"%s\"", classes[i].name,
             texts[i], classes[i].word);
    for (int k = 0; k < i; k++)
        CT_CHECK(strcmp(texts[i], texts[k]), "%s and %s both say \"%s\"", classes[k].name,
                 classes[i].name, texts[i]);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    for (int i = 0; i < CLASSES; i++)
        check_text(i);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
