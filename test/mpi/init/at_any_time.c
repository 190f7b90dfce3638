/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The calls that MPI allows at any time: before MPI is initialized, while it is, while it is
 * initialized and finalized by another thread, and after that.  Handlers made before serve two
 * sessions, and are freed at the end.
 *
 * Argument: -world (MPI_Init and MPI_Finalize instead of sessions)
 */
#include "cmaptest.h"

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 200, MANY = 20 }; /* more than the objects that MPICH has in advance */

static MPI_Errhandler made_before[MANY];
static int handled;
static int is_over; /* for the threads */

static void count(MPI_Session *session, int *code, ...)
{
    handled += ct_class_of(*code) == MPI_ERR_OTHER;
}

/* ---- one function for each kind of call ---- */

static void versions(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int version = 0, subversion = -1, length = 0;

    MPI_Get_version(&version, &subversion);
    MPI_Get_library_version(text, &length);
    CT_CHECK(version == MPI_VERSION && subversion == MPI_SUBVERSION, "version %d.%d", version,
             subversion);
    CT_CHECK(version == 4 && subversion == 1, "MPI %d.%d, not 4.1", version, subversion);
    CT_CHECK(length == (int) strlen(text) && strstr(text, "MPICH"), "library version: %s", text);
}

static void states(void)
{
    int is_initialized = -1, is_finalized = -1;

    MPI_Initialized(&is_initialized);
    MPI_Finalized(&is_finalized);
    CT_CHECK((is_initialized & ~1) == 0 && (is_finalized & ~1) == 0, "initialized %d, finalized %d",
             is_initialized, is_finalized);
}

static void check_value(MPI_Info info, const char *key, const char *want)
{
    char value[MPI_MAX_INFO_VAL + 1] = "";
    int found = 0, length = 0, room = sizeof(value);

    MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &found);
    CT_CHECK(found && !strcmp(value, want), "value of %s: %s", key, value);
    MPI_Info_get_valuelen(info, key, &length, &found);
    CT_CHECK(found && length == (int) strlen(want), "length of %s: %d", key, length);
    value[0] = '\0';
    MPI_Info_get_string(info, key, &room, value, &found);
    CT_CHECK(found && !strcmp(value, want), "string of %s: %s", key, value);
}

static void infos(void)
{
    MPI_Info info[MANY], copy;
    char key[MPI_MAX_INFO_KEY + 1] = "";
    int keys = 0;

    for (int i = 0; i < MANY; i++)
        MPI_Info_create(&info[i]);
    MPI_Info_set(info[MANY - 1], "first", "1");
    MPI_Info_set(info[MANY - 1], "second", "two");
    MPI_Info_dup(MPI_Info_f2c(MPI_Info_c2f(info[MANY - 1])), &copy);
    MPI_Info_delete(copy, "first");
    MPI_Info_get_nkeys(copy, &keys);
    MPI_Info_get_nthkey(copy, 0, key);
    CT_CHECK(keys == 1 && !strcmp(key, "second"), "%d keys, the first of them is %s", keys, key);
    check_value(copy, "second", "two");
    check_value(info[MANY - 1], "first", "1");
    MPI_Info_free(&copy);
    for (int i = 0; i < MANY; i++)
        MPI_Info_free(&info[i]);
    CT_CHECK(copy == MPI_INFO_NULL && info[0] == MPI_INFO_NULL, "a handle after MPI_Info_free");
    MPI_Info_create_env(0, NULL, &info[0]);
    MPI_Info_free(&info[0]);
}

static void handlers(void)
{
    MPI_Errhandler handler[MANY];

    for (int i = 0; i < MANY; i++) {
        MPI_Session_create_errhandler(count, &handler[i]);
        for (int k = 0; k < i; k++)
            CT_CHECK(handler[i] != handler[k], "one handle for two error handlers");
    }
    for (int i = 0; i < MANY; i++) {
        CT_CHECK(MPI_Errhandler_f2c(MPI_Errhandler_c2f(handler[i])) == handler[i],
                 "an error handler for Fortran");
        MPI_Errhandler_free(&handler[i]);
        CT_CHECK(handler[i] == MPI_ERRHANDLER_NULL, "a handle after MPI_Errhandler_free");
    }
}

static void errors(void)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0, class_ = 0;

    MPI_Error_class(MPI_ERR_TAG, &class_);
    MPI_Error_string(MPI_ERR_TAG, text, &length);
    CT_CHECK(class_ == MPI_ERR_TAG && strstr(text, "tag"), "class %d: %s", class_, text);
}

static void all_kinds(void)
{
    versions();
    states();
    infos();
    handlers();
    errors();
}

/* MPI_T has an initialization of its own. */
static void tools(void)
{
    int provided, variables = 0;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_cvar_get_num(&variables);
    CT_CHECK(variables > 0, "no control variables");
    MPI_T_finalize();
}

/* ---- threads ---- */

static void *call_until_over(void *unused)
{
    for (int round = 0; round < ROUNDS || !__atomic_load_n(&is_over, __ATOMIC_ACQUIRE); round++)
        all_kinds();
    return unused;
}

/* Calls `meanwhile` while threads make all calls. */
static void in_threads(void (*meanwhile)(void))
{
    pthread_t thread[THREADS];

    __atomic_store_n(&is_over, 0, __ATOMIC_RELEASE);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, call_until_over, NULL);
    meanwhile();
    __atomic_store_n(&is_over, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
}

/* ---- the sessions, or the world ---- */

static MPI_Session first = MPI_SESSION_NULL, second = MPI_SESSION_NULL;
static int with_world;

static void use_handlers(MPI_Session session)
{
    for (int i = 0; i < MANY; i++) {
        int before = handled;

        MPI_Session_set_errhandler(session, made_before[i]);
        MPI_Session_call_errhandler(session, MPI_ERR_OTHER);
        CT_CHECK(handled == before + 1, "the error handler %d made before is not called", i);
    }
}

static int rank_in(MPI_Session session)
{
    MPI_Group all;
    int rank;

    MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
    MPI_Group_rank(all, &rank);
    MPI_Group_free(&all);
    return rank;
}

extern char **environ;

/* Threads read the environment meanwhile: it must not be moved. */
static void begin(void)
{
    char **before = environ;

    if (with_world) {
        int provided;

        MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    }
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &first);
    CT_CHECK(environ == before, "the environment stands elsewhere after %s",
             with_world ? "MPI_Init_thread" : "MPI_Session_init");
}

static void end(void)
{
    MPI_Session_finalize(&second);
    if (with_world)
        MPI_Finalize();
}

static void nothing(void) {}

int main(int argc, char **argv)
{
    with_world = argc > 1 && !strcmp(argv[1], "-world");
    for (int i = 0; i < MANY; i++)
        MPI_Session_create_errhandler(count, &made_before[i]);
    all_kinds();
    tools();
    in_threads(nothing);
    in_threads(begin);
    ct_me = rank_in(first);
    use_handlers(first);
    tools();
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &second);
    in_threads(nothing);
    MPI_Session_finalize(&first);
    all_kinds();
    use_handlers(second);
    in_threads(end);
    all_kinds();
    tools();
    in_threads(nothing);
    for (int i = 0; i < MANY; i++)
        MPI_Errhandler_free(&made_before[i]);
    CT_CHECK(handled == 2 * MANY, "%d calls of error handlers", handled);
    if (ct_errs == 0 && ct_me == 0)
        printf(" No Errors\n");
    return ct_errs > 0;
}
