/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The lines of the program that hold context ids: the error of a creation that finds no id names
 * them, with as many ids as they hold, and so do the variable ctxid_holders and the signal of
 * MPIR_CVAR_CTXID_REPORT_SIGNAL.  What is freed is not named any more.  Communicators made by
 * MPI_Comm_idup, windows and files count for the line of their own call.
 *
 * Arguments: -limit=N (MPIR_CVAR_CTXID_LIMIT)
 */
#include "cmaptest_mpit.h"
#include <signal.h>
#include <unistd.h>

enum { TEXT = 1024, MANY = 20 };

static char text[TEXT];

static MPI_T_pvar_handle open_text(void)
{
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    int index, count = 0;

    if (MPI_T_pvar_get_index("ctxid_holders", MPI_T_PVAR_CLASS_GENERIC, &index) == MPI_SUCCESS)
        MPI_T_pvar_handle_alloc(ct_pvar_session, index, NULL, &handle, &count);
    CT_CHECK(count == TEXT, "the text has room for %d characters", count);
    return handle;
}

static void read_text(MPI_T_pvar_handle handle)
{
    memset(text, 'x', sizeof(text));
    MPI_T_pvar_read(ct_pvar_session, handle, text);
    CT_CHECK(memchr(text, '\0', sizeof(text)) != NULL, "the text has no end");
}

/* "FUNCTION at ...ctxid_holders... (NUMBER)" */
static int is_said(const char *function, int number)
{
    char ids[16], *at = strstr(text, function), *open;

    snprintf(ids, sizeof(ids), "(%d)", number);
    open = at ? strchr(at, '(') : NULL;
    return open && strncmp(open, ids, strlen(ids)) == 0 && strstr(at, "ctxid_holders") < open;
}

static void expect(MPI_T_pvar_handle handle, const char *function, int number)
{
    read_text(handle);
    CT_CHECK(is_said(function, number), "\"%s\" does not say that %s has %d", text, function,
             number);
}

static void check_kinds(MPI_T_pvar_handle handle)
{
    MPI_Comm dups[MANY], pending[3];
    MPI_Request requests[3];
    MPI_Win wins[2];

    for (int i = 0; i < MANY; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &dups[i]);
    for (int i = 0; i < 3; i++)
        MPI_Comm_idup(MPI_COMM_WORLD, &pending[i], &requests[i]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 2; i++)
        MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &wins[i]);
    expect(handle, "MPI_Comm_dup at", MANY);
    expect(handle, "MPI_Comm_idup at", 3);
    expect(handle, "MPI_Win_create at", 2);
    CT_CHECK(strstr(text, "MPI_Comm_dup") < strstr(text, "MPI_Comm_idup"),
             "\"%s\": the most are not first", text);
    for (int i = 0; i < MANY; i++)
        MPI_Comm_free(&dups[i]);
    expect(handle, "MPI_Comm_idup at", 3);
    CT_CHECK(!strstr(text, "MPI_Comm_dup"), "\"%s\" has what was freed", text);
    for (int i = 0; i < 3; i++)
        MPI_Comm_free(&pending[i]);
    for (int i = 0; i < 2; i++)
        MPI_Win_free(&wins[i]);
    read_text(handle);
    CT_CHECK(text[0] == '\0', "\"%s\", and all were freed", text);
}

static void check_error(int limit)
{
    MPI_Comm *comms = calloc(limit, sizeof(*comms));
    int n = 0, length, error = MPI_SUCCESS, class_;

    while (n < limit && error == MPI_SUCCESS) {
        error = MPI_Comm_dup(MPI_COMM_WORLD, &comms[n]);
        n += error == MPI_SUCCESS;
    }
    CT_CHECK(error != MPI_SUCCESS, "%d communicators, and no end", n);
    MPI_Error_string(error, text, &length);
    MPI_Error_class(error, &class_);
    CT_CHECK(class_ == MPI_ERR_OTHER, "class %d", class_);
    CT_CHECK(strstr(text, "MPI_Comm_dup at ") && strstr(text, "ctxid_holders"),
             "\"%s\" does not name the line", text);
    while (n > 0)
        MPI_Comm_free(&comms[--n]);
    free(comms);
}

/* What the process writes to standard error while it frees a communicator. */
static void check_signal(void)
{
    const char *value = getenv("MPIR_CVAR_CTXID_REPORT_SIGNAL");
    FILE *file = value ? tmpfile() : NULL;
    int saved = dup(STDERR_FILENO);
    MPI_Comm comm;
    size_t n;

    if (file) {
        fflush(stderr);
        dup2(fileno(file), STDERR_FILENO);
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        raise(strcmp(value, "usr1") ? SIGUSR2 : SIGUSR1);
        MPI_Comm_free(&comm);
        fflush(stderr);
        dup2(saved, STDERR_FILENO);
        rewind(file);
        n = fread(text, 1, sizeof(text) - 1, file);
        text[n] = '\0';
        fclose(file);
        CT_CHECK(strstr(text, "context ids are held by"), "\"%s\" after the signal", text);
    }
    close(saved);
}

int main(int argc, char **argv)
{
    MPI_T_pvar_handle handle;
    int limit;

    MTest_Init(&argc, &argv);
    MTestArgList *args = MTestArgListCreate(argc, argv);
    limit = MTestArgListGetInt_with_default(args, "limit", 0);
    MTestArgListDestroy(args);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    ct_mpit_begin();
    handle = open_text();
    if (handle != MPI_T_PVAR_HANDLE_NULL) {
        check_kinds(handle);
        check_signal();
        if (limit > 0)
            check_error(limit);
        MPI_T_pvar_handle_free(ct_pvar_session, &handle);
    }
    ct_mpit_end();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
