/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_T with wrong indices, handles, sessions and lengths: error codes, before MPI_Init, after it
 * and when MPI_T is finalized.  Calls succeed where MPI allows an argument, such as a null result.
 */
#include "cmaptest.h"

#include <limits.h>

static const int wrong[] = {-1, INT_MIN, INT_MAX, 1000000};

enum { WRONG = sizeof(wrong) / sizeof(wrong[0]) };

static char junk[4096], text[1000];
static double room[512];

static void check_code(const char *what, int code, int want)
{
    CT_CHECK(code == want, "%s: code %d, not %d", what, code, want);
}

static void check_indices(void)
{
    int cvars, pvars, categories, n, index;
    MPI_T_cvar_handle cvar;
    MPI_T_pvar_handle pvar;
    MPI_T_pvar_session session;
    MPI_T_event_registration registration;
    MPI_Count stamp;

    MPI_T_cvar_get_num(&cvars);
    MPI_T_pvar_get_num(&pvars);
    MPI_T_category_get_num(&categories);
    MPI_T_pvar_session_create(&session);
    for (int i = 0; i <= WRONG; i++) {
        int c = i < WRONG ? wrong[i] : cvars, p = i < WRONG ? wrong[i] : pvars;
        int k = i < WRONG ? wrong[i] : categories;
#define IS_INVALID(call) check_code(#call, call, MPI_T_ERR_INVALID_INDEX)
        IS_INVALID(MPI_T_cvar_get_info(c, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
        IS_INVALID(MPI_T_cvar_handle_alloc(c, NULL, &cvar, &n));
        IS_INVALID(MPI_T_pvar_get_info(p, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                       NULL, NULL, NULL));
        IS_INVALID(MPI_T_pvar_handle_alloc(session, p, NULL, &pvar, &n));
        IS_INVALID(MPI_T_category_get_info(k, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
        IS_INVALID(MPI_T_category_get_cvars(k, 1, &index));
        IS_INVALID(MPI_T_category_get_pvars(k, 1, &index));
        IS_INVALID(MPI_T_category_get_categories(k, 1, &index));
        IS_INVALID(MPI_T_category_get_num_events(k, &n));
        IS_INVALID(MPI_T_category_get_events(k, 1, &index));
        IS_INVALID(MPI_T_source_get_info(wrong[i % WRONG], NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                         NULL));
        IS_INVALID(MPI_T_source_get_timestamp(wrong[i % WRONG], &stamp));
        IS_INVALID(MPI_T_event_get_info(wrong[i % WRONG], NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                        NULL, NULL, NULL, NULL));
        IS_INVALID(MPI_T_event_handle_alloc(wrong[i % WRONG], NULL, MPI_INFO_NULL, &registration));
    }
    /* between the numbers of performance variables and of control variables */
    for (int p = pvars; p < cvars; p++) {
        IS_INVALID(MPI_T_pvar_get_info(p, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                       NULL, NULL, NULL));
        IS_INVALID(MPI_T_pvar_handle_alloc(session, p, NULL, &pvar, &n));
    }
    MPI_T_pvar_session_free(&session);
}

static void check_lengths(void)
{
    int n = -1, zero = 0, last, names;

    MPI_T_cvar_get_num(&last);
    for (int i = 0; i < last; i += last - 1) {
        int want = 0;

        MPI_T_cvar_get_info(i, NULL, &want, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
        n = -1;
        check_code("a negative length",
                   MPI_T_cvar_get_info(i, text, &n, NULL, NULL, NULL, text, &zero, NULL, NULL),
                   MPI_SUCCESS);
        CT_CHECK(n == want, "a name needs %d bytes, not %d", n, want);
    }
    check_code("no room", MPI_T_category_get_cvars(0, 0, NULL), MPI_SUCCESS);
    check_code("a negative number of indices", MPI_T_category_get_cvars(0, -1, &n),
               MPI_T_ERR_INVALID);
    check_code("no place for indices", MPI_T_category_get_cvars(0, 1, NULL), MPI_T_ERR_INVALID);
    check_code("no place for indices of events", MPI_T_category_get_events(0, 1, NULL),
               MPI_T_ERR_INVALID);
    check_code("no name", MPI_T_cvar_get_index(NULL, &n), MPI_T_ERR_INVALID);
    check_code("no such name", MPI_T_cvar_get_index("no such name", &n), MPI_T_ERR_INVALID_NAME);
    check_code("no such class", MPI_T_pvar_get_index("name", -1, &n), MPI_T_ERR_INVALID_NAME);
    check_code("no such level", MPI_T_init_thread(77, &names), MPI_T_ERR_INVALID);
}

static void check_cvar(MPI_T_cvar_handle cvar, const char *what)
{
    MPI_T_cvar_handle copy = cvar;

    check_code(what, MPI_T_cvar_read(cvar, room), MPI_T_ERR_INVALID_HANDLE);
    check_code(what, MPI_T_cvar_write(cvar, room), MPI_T_ERR_INVALID_HANDLE);
    check_code(what, MPI_T_cvar_handle_free(&copy), MPI_T_ERR_INVALID_HANDLE);
}

static void check_pvar(MPI_T_pvar_session session, MPI_T_pvar_handle pvar, int want,
                       const char *what)
{
    MPI_T_pvar_handle copy = pvar;

    check_code(what, MPI_T_pvar_read(session, pvar, room), want);
    check_code(what, MPI_T_pvar_write(session, pvar, room), want);
    check_code(what, MPI_T_pvar_readreset(session, pvar, room), want);
    check_code(what, MPI_T_pvar_handle_free(session, &copy), want);
    if (pvar == MPI_T_PVAR_ALL_HANDLES)
        return;
    check_code(what, MPI_T_pvar_start(session, pvar), want);
    check_code(what, MPI_T_pvar_stop(session, pvar), want);
    check_code(what, MPI_T_pvar_reset(session, pvar), want);
}

static void check_pvars(void)
{
    MPI_T_pvar_session session, other, freed;
    MPI_T_pvar_handle pvar, stale;
    int n;

    MPI_T_pvar_get_num(&n);
    if (n == 0) /* those of MPI come with MPI_Init */
        return;
    MPI_T_pvar_session_create(&session);
    MPI_T_pvar_session_create(&other);
    MPI_T_pvar_session_create(&freed);
    MPI_T_pvar_handle_alloc(freed, 0, NULL, &stale, &n);
    MPI_T_pvar_handle_alloc(session, 0, NULL, &pvar, &n);
    {
        MPI_T_pvar_session copy = freed;
        MPI_T_pvar_session_free(&copy);
        CT_CHECK(copy == MPI_T_PVAR_SESSION_NULL, "a freed session stays");
    }
    check_pvar(session, MPI_T_PVAR_HANDLE_NULL, MPI_T_ERR_INVALID_HANDLE, "no handle");
    check_pvar(session, (MPI_T_pvar_handle) junk, MPI_T_ERR_INVALID_HANDLE, "junk");
    check_pvar(session, (MPI_T_pvar_handle) (void *) 16, MPI_T_ERR_INVALID_HANDLE, "no address");
    check_pvar(session, stale, MPI_T_ERR_INVALID_HANDLE, "the handle of a freed session");
    check_pvar(session, (MPI_T_pvar_handle) other, MPI_T_ERR_INVALID_HANDLE, "a session");
    check_pvar(other, pvar, MPI_T_ERR_INVALID_HANDLE, "another session");
    check_pvar(session, MPI_T_PVAR_ALL_HANDLES, MPI_T_ERR_INVALID_HANDLE, "all handles");
    check_pvar(MPI_T_PVAR_SESSION_NULL, pvar, MPI_T_ERR_INVALID_SESSION, "no session");
    check_pvar(freed, pvar, MPI_T_ERR_INVALID_SESSION, "a freed session");
    check_pvar((MPI_T_pvar_session) junk, pvar, MPI_T_ERR_INVALID_SESSION, "junk as session");
    check_code("a freed session again", MPI_T_pvar_session_free(&freed), MPI_T_ERR_INVALID_SESSION);
    check_code("all handles start", MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
    check_code("the handle is freed", MPI_T_pvar_handle_free(session, &pvar), MPI_SUCCESS);
    MPI_T_pvar_session_free(&session);
    MPI_T_pvar_session_free(&other);
}

/* A string that is longer than its variable */
static void check_string(void)
{
    int n, last, index, verbosity, bind, scope;
    MPI_Datatype type;
    MPI_T_cvar_handle cvar;

    MPI_T_cvar_get_num(&last);
    for (index = 0; index < last; index++) {
        MPI_T_cvar_get_info(index, NULL, NULL, &verbosity, &type, NULL, NULL, NULL, &bind, &scope);
        if (type == MPI_CHAR && scope != MPI_T_SCOPE_READONLY && scope != MPI_T_SCOPE_CONSTANT)
            break;
    }
    if (index == last)
        return;
    MPI_T_cvar_handle_alloc(index, NULL, &cvar, &n);
    if (n < (int) sizeof(junk)) {
        memset(junk, 'a', sizeof(junk) - 1);
        check_code("a string that is too long", MPI_T_cvar_write(cvar, junk), MPI_T_ERR_INVALID);
        memset(junk, 0, sizeof(junk));
    }
    MPI_T_cvar_handle_free(&cvar);
}

static void check_handles(void)
{
    MPI_T_cvar_handle cvar, copy;
    int n;

    MPI_T_cvar_handle_alloc(0, NULL, &cvar, &n);
    copy = cvar;
    MPI_T_cvar_handle_free(&cvar);
    check_cvar(copy, "a freed handle");
    check_cvar(MPI_T_CVAR_HANDLE_NULL, "no handle");
    check_cvar((MPI_T_cvar_handle) junk, "junk");
    check_cvar((MPI_T_cvar_handle) (void *) 16, "no address");
    check_code("no enumeration", MPI_T_enum_get_info(MPI_T_ENUM_NULL, &n, text, NULL),
               MPI_T_ERR_INVALID_HANDLE);
    check_code("junk as enumeration", MPI_T_enum_get_info((MPI_T_enum) junk, &n, text, NULL),
               MPI_T_ERR_INVALID_HANDLE);
    check_code("no registration", MPI_T_event_handle_free(NULL, NULL, NULL),
               MPI_T_ERR_INVALID_HANDLE);
    check_code("junk as registration",
               MPI_T_event_handle_free((MPI_T_event_registration) junk, NULL, NULL),
               MPI_T_ERR_INVALID_HANDLE);
    check_code("no instance", MPI_T_event_read(NULL, 0, room), MPI_T_ERR_INVALID_HANDLE);
}

static void check_all(void)
{
    int provided;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    check_indices();
    check_lengths();
    check_handles();
    check_pvars();
    check_string();
    MPI_T_finalize();
}

/* Too early or too late, after locks were in use, too */
static void check_closed(void)
{
    int n;
    MPI_T_pvar_session session;

    check_code("MPI_T_cvar_get_num", MPI_T_cvar_get_num(&n), MPI_T_ERR_NOT_INITIALIZED);
    check_code("MPI_T_pvar_session_create", MPI_T_pvar_session_create(&session),
               MPI_T_ERR_NOT_INITIALIZED);
    check_code("MPI_T_finalize", MPI_T_finalize(), MPI_T_ERR_NOT_INITIALIZED);
}

int main(int argc, char **argv)
{
    int provided;

    check_closed();
    check_all();
    MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided);
    MPI_T_finalize();
    check_closed();
    MTest_Init(&argc, &argv);
    check_all();
    check_closed();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
