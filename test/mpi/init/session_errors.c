/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Errors of a session come to its error handler.  Errors of a call that makes a session, or a
 * communicator of a group, come to the handler that the call is given.  With MPI_Init (-init=1) as
 * without.  An empty group gives MPI_COMM_NULL.
 */
#include "cmaptest.h"

static struct {
    int calls, class_;
    int handle;
} seen;

static void note(int handle, int code)
{
    seen.calls++;
    seen.handle = handle;
    MPI_Error_class(code, &seen.class_);
}

static void note_session(MPI_Session *session, int *code, ...) { note((int) *session, *code); }

static void note_comm(MPI_Comm *comm, int *code, ...) { note((int) *comm, *code); }

/* The call has failed with a class, and one error handler was told once, with this handle. */
static void check(const char *what, int code, int class_, int handle)
{
    int got = MPI_SUCCESS;

    MPI_Error_class(code, &got);
    CT_CHECK(got == class_, "%s: class %d, not %d", what, got, class_);
    CT_CHECK(seen.calls == 1, "%s: the error handler is called %d times", what, seen.calls);
    CT_CHECK(seen.handle == handle, "%s: the handler is given %#x, not %#x", what, seen.handle,
             handle);
    CT_CHECK(seen.class_ == class_, "%s: the handler sees class %d, not %d", what, seen.class_,
             class_);
    seen.calls = 0;
}

static void check_calls(MPI_Session s, int sets)
{
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Info info;
    int n, room = -1;
    char name[MPI_MAX_PSET_NAME_LEN + 1] = "";

    check("a group of an unknown set", MPI_Group_from_session_pset(s, "app://none", &group),
          MPI_ERR_ARG, (int) s);
    check("a set without a name", MPI_Group_from_session_pset(s, NULL, &group), MPI_ERR_ARG,
          (int) s);
    check("no room for a group", MPI_Group_from_session_pset(s, "mpi://SELF", NULL), MPI_ERR_ARG,
          (int) s);
    check("information on an unknown set", MPI_Session_get_pset_info(s, "app://none", &info),
          MPI_ERR_ARG, (int) s);
    check("no room for information", MPI_Session_get_info(s, NULL), MPI_ERR_ARG, (int) s);
    check("no room for the number of sets", MPI_Session_get_num_psets(s, MPI_INFO_NULL, NULL),
          MPI_ERR_ARG, (int) s);
    for (n = sets; n < sets + 3; n++) {
        room = 0;
        check("a set beyond the last one",
              MPI_Session_get_nth_pset(s, MPI_INFO_NULL, n, &room, name), MPI_ERR_ARG, (int) s);
    }
    room = 0;
    check("a set before the first one", MPI_Session_get_nth_pset(s, MPI_INFO_NULL, -1, &room, name),
          MPI_ERR_ARG, (int) s);
    room = -1;
    check("less than no room", MPI_Session_get_nth_pset(s, MPI_INFO_NULL, 0, &room, name),
          MPI_ERR_ARG, (int) s);
    check("a wrong error handler", MPI_Session_set_errhandler(s, MPI_ERRHANDLER_NULL),
          MPI_ERR_ERRHANDLER, (int) s);
}

static void check_names(MPI_Session s, int sets)
{
    for (int n = 0; n < sets; n++) {
        char name[MPI_MAX_PSET_NAME_LEN + 1] = "", cut[5] = "";
        int all = 0, room = 5;

        MPI_Session_get_nth_pset(s, MPI_INFO_NULL, n, &all, name);
        MPI_Session_get_nth_pset(s, MPI_INFO_NULL, n, &room, cut);
        CT_CHECK(room == all, "a name of %d bytes has %d", all, room);
        CT_CHECK(!strcmp(cut, "mpi:"), "the begin of a name is %s", cut);
    }
}

/* Errors of groups of the session, and of groups that were made of those */
static void check_groups(MPI_Session s)
{
    const int self = 0, beyond = 7;
    MPI_Group group, same, none = MPI_GROUP_NULL;
    int rank;

    MPI_Group_from_session_pset(s, "mpi://SELF", &group);
    MPI_Group_incl(group, 1, &self, &same);
    check("no room for a size", MPI_Group_size(group, NULL), MPI_ERR_ARG, (int) s);
    check("a rank that the group lacks", MPI_Group_incl(group, 1, &beyond, &none), MPI_ERR_RANK,
          (int) s);
    check("a rank that its subgroup lacks", MPI_Group_excl(same, 1, &beyond, &none), MPI_ERR_RANK,
          (int) s);
    check("a rank of no process",
          MPI_Group_translate_ranks(MPI_GROUP_EMPTY, 1, &beyond, group, &rank), MPI_ERR_RANK,
          (int) s);
    check("no room for a union", MPI_Group_union(MPI_GROUP_EMPTY, same, NULL), MPI_ERR_ARG,
          (int) s);
    MPI_Group_free(&same);
    MPI_Group_free(&group);
}

/* They have no session */
static void check_creation(MPI_Session s)
{
    MPI_Group group;
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Errhandler handler;

    MPI_Group_from_session_pset(s, "mpi://self", &group);
    MPI_Comm_create_errhandler(note_comm, &handler);
    check("a communicator of no group",
          MPI_Comm_create_from_group(MPI_GROUP_NULL, "tag", MPI_INFO_NULL, handler, &comm),
          MPI_ERR_GROUP, (int) MPI_COMM_NULL);
    check("a communicator without a tag",
          MPI_Comm_create_from_group(group, NULL, MPI_INFO_NULL, handler, &comm), MPI_ERR_ARG,
          (int) MPI_COMM_NULL);
    check("an intercommunicator of no group",
          MPI_Intercomm_create_from_groups(group, 0, MPI_GROUP_NULL, 0, "tag", MPI_INFO_NULL,
                                           handler, &comm),
          MPI_ERR_GROUP, (int) MPI_COMM_NULL);
    check(
        "an intercommunicator without a leader",
        MPI_Intercomm_create_from_groups(group, 1, group, 0, "tag", MPI_INFO_NULL, handler, &comm),
        MPI_ERR_RANK, (int) MPI_COMM_NULL);
    check(
        "an intercommunicator without a remote leader",
        MPI_Intercomm_create_from_groups(group, 0, group, -1, "tag", MPI_INFO_NULL, handler, &comm),
        MPI_ERR_RANK, (int) MPI_COMM_NULL);
    for (int i = 0; i < 3; i++) {
        comm = MPI_COMM_WORLD;
        MPI_Intercomm_create_from_groups(i == 1 ? group : MPI_GROUP_EMPTY, 0,
                                         i == 2 ? group : MPI_GROUP_EMPTY, 0, "tag", MPI_INFO_NULL,
                                         handler, &comm);
        CT_CHECK(comm == MPI_COMM_NULL, "an intercommunicator with nobody (%d)", i);
    }
    comm = MPI_COMM_WORLD;
    MPI_Comm_create_from_group(MPI_GROUP_EMPTY, "tag", MPI_INFO_NULL, handler, &comm);
    CT_CHECK(comm == MPI_COMM_NULL && seen.calls == 0, "a communicator of nobody");
    MPI_Group_free(&group);
    MPI_Errhandler_free(&handler);
}

static void check_init(MPI_Errhandler handler)
{
    check("no room for a session", MPI_Session_init(MPI_INFO_NULL, handler, NULL), MPI_ERR_ARG,
          (int) MPI_SESSION_NULL);
}

/* The handler that MPI_Session_init was given, then another one */
static void check_handlers(MPI_Session s, MPI_Errhandler given, int sets)
{
    MPI_Errhandler now;
    MPI_Group group;

    MPI_Session_get_errhandler(s, &now);
    CT_CHECK(now == given, "the session has another error handler");
    MPI_Errhandler_free(&now);
    check_calls(s, sets);
    check_groups(s);
    MPI_Session_set_errhandler(s, MPI_ERRORS_RETURN);
    CT_CHECK(MPI_Group_from_session_pset(s, "app://none", &group) != MPI_SUCCESS,
             "a group of an unknown set");
    CT_CHECK(seen.calls == 0, "an error handler that the session has no more is called");
}

static int rank_of_world(MPI_Session s)
{
    MPI_Group world;
    int rank;

    MPI_Group_from_session_pset(s, "mpi://WORLD", &world);
    MPI_Group_rank(world, &rank);
    MPI_Group_free(&world);
    return rank;
}

int main(int argc, char **argv)
{
    MTestArgList *args = MTestArgListCreate(argc, argv);
    int with_init = MTestArgListGetInt_with_default(args, "init", 0), sets;
    MPI_Session first, session;
    MPI_Errhandler handler;

    MTestArgListDestroy(args);
    if (with_init)
        MPI_Init(NULL, NULL);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &first);
    ct_me = rank_of_world(first);
    MPI_Session_get_num_psets(first, MPI_INFO_NULL, &sets);
    MPI_Session_create_errhandler(note_session, &handler);
    MPI_Session_init(MPI_INFO_NULL, handler, &session);
    check_handlers(session, handler, sets);
    check_names(session, sets);
    check_creation(session);
    check_init(handler);
    MPI_Session_finalize(&session);
    CT_CHECK(session == MPI_SESSION_NULL, "the session stays");
    MPI_Errhandler_free(&handler);
    MPI_Session_finalize(&first);
    if (with_init)
        MPI_Finalize();
    if (ct_errs == 0 && ct_me == 0)
        printf(" No Errors\n");
    return ct_errs > 0;
}
