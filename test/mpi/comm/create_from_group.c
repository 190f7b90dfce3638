/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Communicators from the groups of a session: the whole world, self, and every pattern of the
 * world, taken alone and one inside another.  A session opened before MPI_Init has to serve the
 * same groups as one opened after it.
 *
 * For what happens without ids: MPIR_CVAR_CTXID_LIMIT, and -limit=N with the same number
 */
#include "cmaptest.h"

static int world_size;

static MPI_Session open_session(void)
{
    MPI_Session session;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    return session;
}

static MPI_Group pset_group(MPI_Session session, const char *name)
{
    MPI_Group group;

    MPI_Group_from_session_pset(session, name, &group);
    return group;
}

static MPI_Comm from_group(MPI_Group group, const char *tag)
{
    MPI_Comm comm;

    MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    return comm;
}

/* The world without MPI_COMM_WORLD: rank and size come from the group itself. */
static MPI_Comm world_before_init(MPI_Session session)
{
    MPI_Group group = pset_group(session, "mpi://WORLD");

    MPI_Group_rank(group, &ct_me);
    MPI_Group_size(group, &world_size);
    MPI_Comm comm = from_group(group, "cmap/before-init");
    MPI_Group_free(&group);

    ct_list all = ct_list_range(world_size);
    ct_check_messages(comm, &all, "world before MPI_Init");
    ct_list_free(&all);
    return comm;
}

static void check_psets(MPI_Session session)
{
    MPI_Group whole = pset_group(session, "mpi://WORLD"), self = pset_group(session, "mpi://SELF");
    MPI_Group of_world, of_self;
    ct_list all = ct_list_range(world_size), me = {1, &ct_me};
    int result;

    MPI_Comm_group(MPI_COMM_WORLD, &of_world);
    MPI_Comm_group(MPI_COMM_SELF, &of_self);
    ct_check_group(whole, &all, of_world, "mpi://WORLD");
    ct_check_group(self, &me, of_world, "mpi://SELF");
    MPI_Group_compare(whole, of_world, &result);
    CT_CHECK(result == MPI_IDENT, "mpi://WORLD compared with the world's group gives %d", result);
    MPI_Group_compare(self, of_self, &result);
    CT_CHECK(result == MPI_IDENT, "mpi://SELF compared with self's group gives %d", result);

    MPI_Comm comm = from_group(self, "cmap/self");
    ct_check_comm(comm, &me, "from mpi://SELF");
    MPI_Comm_free(&comm);
    comm = from_group(whole, "cmap/world");
    ct_check_comm(comm, &all, "from mpi://WORLD");
    MPI_Comm_free(&comm);
    MPI_Group_free(&whole);
    MPI_Group_free(&self);
    MPI_Group_free(&of_world);
    MPI_Group_free(&of_self);
    ct_list_free(&all);
}

/* A communicator of the pattern's members, then one of a pattern of these, then their reversal. */
static void check_pattern(MPI_Group parent, const ct_list *members, int kind, int depth)
{
    ct_rng rng = ct_rng_of(members, kind);
    ct_list positions = ct_pattern_list(kind, &rng, members->n);
    ct_list want = ct_pick(members, &positions);
    MPI_Group group;

    MPI_Group_incl(parent, positions.n, positions.id, &group);
    if (ct_find(&want, ct_me) != MPI_UNDEFINED) {
        MPI_Comm comm = from_group(group, ct_pattern_name(kind)), copy;
        ct_check_comm(comm, &want, ct_pattern_name(kind));
        MPI_Comm_dup(comm, &copy);
        MPI_Comm_free(&comm);
        ct_check_comm(copy, &want, "dup of a session's communicator");
        MPI_Comm_free(&copy);
        if (depth > 1)
            check_pattern(group, &want, ct_below(&rng, CT_PATTERNS), depth - 1);
    }
    MPI_Group_free(&group);
    ct_list_free(&want);
    ct_list_free(&positions);
}

static void check_patterns(MPI_Session session)
{
    MPI_Group whole = pset_group(session, "mpi://WORLD");
    ct_list all = ct_list_range(world_size);

    for (int kind = 0; kind < CT_PATTERNS; kind++)
        check_pattern(whole, &all, kind, 3);
    ct_list_free(&all);
    MPI_Group_free(&whole);
}

/* Without a free context id it is an error, and nothing else. */
static void check_exhausted(MPI_Session session, int limit)
{
    MPI_Comm *made = ct_alloc(limit, sizeof(MPI_Comm)), comm = MPI_COMM_NULL;
    MPI_Group whole = pset_group(session, "mpi://WORLD");
    int n = 0, result;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    while (n < limit && MPI_Comm_dup(MPI_COMM_WORLD, &made[n]) == MPI_SUCCESS)
        n++;
    result =
        MPI_Comm_create_from_group(whole, "cmap/none", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    CT_CHECK(n < limit && result != MPI_SUCCESS, "after %d communicators the next gives %d", n,
             result);
    CT_CHECK(comm == MPI_COMM_NULL, "an error and a communicator");
    while (n-- > 0)
        MPI_Comm_free(&made[n]);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    comm = from_group(whole, "cmap/none");
    MPI_Comm_free(&comm);
    MPI_Group_free(&whole);
    free(made);
}

int main(int argc, char **argv)
{
    MPI_Session early = open_session();
    MPI_Comm early_world = world_before_init(early);

    MTest_Init(&argc, &argv);
    MTestArgList *args = MTestArgListCreate(argc, argv);
    int limit = MTestArgListGetInt_with_default(args, "limit", 0);
    MTestArgListDestroy(args);
    check_psets(early);
    check_patterns(early);

    MPI_Session late = open_session();
    check_psets(late);
    check_patterns(late);
    if (limit > 0)
        check_exhausted(late, limit);
    MPI_Session_finalize(&late);

    ct_list all = ct_list_range(world_size);
    ct_check_comm(early_world, &all, "the early world at the end");
    ct_list_free(&all);
    MPI_Comm_free(&early_world);
    MPI_Session_finalize(&early);

    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
