/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Checks of a group or a communicator against the oracle, which is always the same thing: a plain
 * array with the world rank of every member, in rank order (struct ct_list).
 *
 * Everything is static inline so that each test stays a single source file, as
 * Makefile_single.mtest expects.
 */
#ifndef CMAPTEST_H_INCLUDED
#define CMAPTEST_H_INCLUDED

#include <dirent.h>
#include "mpitest.h"
#include "cmaptest_oracle.h"

/* Sends bytes with a gap behind each: from `room`, which has twice as many and is in use until the
 * request ends. */
static inline void ct_isend_with_gaps(const char *bytes, int length, char *room, int to, int tag,
                                      MPI_Comm comm, MPI_Request *request)
{
    MPI_Datatype type;

    for (int k = 0; k < length; k++)
        room[2 * k] = bytes[k];
    MPI_Type_vector(length, 1, 2, MPI_CHAR, &type);
    MPI_Type_commit(&type);
    MPI_Isend(room, 1, type, to, tag, comm, request);
    MPI_Type_free(&type);
}

/* Each VCI has endpoints and pools of its own.  Which one a message goes by follows from its
 * communicator: so many in a row have all. */
static inline int ct_vcis(void)
{
    const char *setting = getenv("MPIR_CVAR_CH4_NUM_VCIS");

    return setting && atoi(setting) > 1 ? atoi(setting) : 1;
}

/* Do the settings leave short messages of a node to cache lines? */
static inline int ct_lines_are_on(void)
{
    const char *bytes = getenv("MPIR_CVAR_CH4_UCX_LINE_BYTES");
    const char *events = getenv("MPIR_CVAR_PROGRESS_EVENTS");

    return (!bytes || atoi(bytes) > 0) && (!events || strcmp(events, "on"));
}

/* Endpoints of a pair of VCIs, where a window's messages were used: a helper may have a worker of
 * its own for them (MPIR_CVAR_PROGRESS_EVENTS=auto). */
static inline int ct_endpoints_of_pair(void)
{
    const char *setting = getenv("MPIR_CVAR_PROGRESS_EVENTS");

    return !setting || !strcmp(setting, "auto") ? 2 : 1;
}

/* Open files of this process, and a few more: always the same few. */
static inline int ct_count_files(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int n = 0;

    while (folder && readdir(folder))
        n++;
    if (folder)
        closedir(folder);
    return n;
}

/* Are all members on one node?  Collective. */
static inline int ct_is_one_node(MPI_Comm comm)
{
    MPI_Comm node;
    int members, all;

    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &members);
    MPI_Comm_free(&node);
    MPI_Comm_size(comm, &all);
    return members == all;
}

/* Are all members on one machine, whose nodes may be made up (MPIR_CVAR_NUM_CLIQUES)?
 * Collective. */
static inline int ct_is_one_host(MPI_Comm comm)
{
    char mine[MPI_MAX_PROCESSOR_NAME] = "", first[MPI_MAX_PROCESSOR_NAME];
    int length, same, all;

    MPI_Get_processor_name(mine, &length);
    memcpy(first, mine, sizeof(first));
    MPI_Bcast(first, sizeof(first), MPI_CHAR, 0, comm);
    same = !strcmp(mine, first);
    MPI_Allreduce(&same, &all, 1, MPI_INT, MPI_MIN, comm);
    return all;
}

/* Members of `group` against the oracle, `world` being a group whose ranks are the oracle's ids. */
static inline void ct_check_group(MPI_Group group, const ct_list *want, MPI_Group world,
                                  const char *what)
{
    int size, rank, world_size;

    MPI_Group_size(group, &size);
    CT_CHECK(size == want->n, "%s: size is %d, not %d", what, size, want->n);
    if (size != want->n)
        return;
    MPI_Group_rank(group, &rank);
    CT_CHECK(rank == ct_find(want, ct_me), "%s: rank is %d, not %d", what, rank,
             ct_find(want, ct_me));

    MPI_Group_size(world, &world_size);
    int n = size > world_size ? size : world_size;
    ct_list in = ct_list_range(n);
    int *out = ct_ints(n);
    MPI_Group_translate_ranks(group, size, in.id, world, out);
    for (int i = 0; i < size; i++)
        CT_CHECK(out[i] == want->id[i], "%s: member %d is %d, not %d", what, i, out[i],
                 want->id[i]);
    MPI_Group_translate_ranks(world, world_size, in.id, group, out);
    for (int i = 0; i < world_size; i++)
        CT_CHECK(out[i] == ct_find(want, i), "%s: %d has rank %d, not %d", what, i, out[i],
                 ct_find(want, i));
    ct_list_free(&in);
    free(out);
}

/* The same for a group that a communicator was asked for, which is freed. */
static inline void ct_check_group_of(MPI_Group *group, const ct_list *want, const char *what)
{
    MPI_Group world;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    ct_check_group(*group, want, world, what);
    MPI_Group_free(group);
    MPI_Group_free(&world);
}

static inline void ct_check_comm_group(MPI_Comm comm, const ct_list *want, const char *what)
{
    MPI_Group group;

    MPI_Comm_group(comm, &group);
    ct_check_group_of(&group, want, what);
}

/* The other side of an intercommunicator. */
static inline void ct_check_remote_group(MPI_Comm inter, const ct_list *want, const char *what)
{
    MPI_Group group;

    MPI_Comm_remote_group(inter, &group);
    ct_check_group_of(&group, want, what);
}

/* Sends our id to `to` and expects that of `from` back. */
static inline void ct_check_exchange(MPI_Comm comm, const ct_list *want, int to, int from,
                                     const char *what)
{
    int got = -1;
    MPI_Status status;

    MPI_Sendrecv(&ct_me, 1, MPI_INT, to, 7, &got, 1, MPI_INT, from, 7, comm, &status);
    CT_CHECK(got == want->id[from], "%s: rank %d says it is %d, not %d", what, from, got,
             want->id[from]);
    CT_CHECK(status.MPI_SOURCE == from, "%s: source is %d, not %d", what, status.MPI_SOURCE, from);
}

/* Everybody sends to `root`, which sees from whom each message comes. */
static inline void ct_check_fan_in(MPI_Comm comm, const ct_list *want, int root, const char *what)
{
    int rank, got;
    MPI_Request request;
    MPI_Status status;

    MPI_Comm_rank(comm, &rank);
    MPI_Isend(&ct_me, 1, MPI_INT, root, 8, comm, &request);
    for (int i = 0; rank == root && i < want->n; i++) {
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 8, comm, &status);
        int from = status.MPI_SOURCE;
        if (from < 0 || from >= want->n)
            ct_fail("%s: message from rank %d of %d", what, from, want->n);
        else
            CT_CHECK(got == want->id[from], "%s: rank %d says it is %d, not %d", what, from, got,
                     want->id[from]);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* An intracommunicator against the oracle, seen through messages: neighbours, random partners,
 * first, last, all. Collective.  A wrong size or rank ends it at once, before messages could go
 * astray. */
static inline void ct_check_messages(MPI_Comm comm, const ct_list *want, const char *what)
{
    int size, rank;

    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &rank);
    if (size != want->n || rank != ct_find(want, ct_me)) {
        printf("[%d] %s: rank %d of %d, not %d of %d\n", ct_me, what, rank, size,
               ct_find(want, ct_me), want->n);
        fflush(stdout);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    ct_check_exchange(comm, want, (rank + 1) % size, (rank + size - 1) % size, what);
    ct_check_exchange(comm, want, size - 1 - rank, size - 1 - rank, what);

    ct_rng rng = ct_rng_of(want, size);
    ct_list partner = ct_list_range(size);
    ct_shuffle(&rng, partner.id, size);
    ct_check_exchange(comm, want, partner.id[rank], ct_find(&partner, rank), what);
    ct_list_free(&partner);

    ct_check_fan_in(comm, want, 0, what);
    ct_check_fan_in(comm, want, size - 1, what);

    int *all = ct_ints(size);
    MPI_Allgather(&ct_me, 1, MPI_INT, all, 1, MPI_INT, comm);
    for (int i = 0; i < size; i++)
        CT_CHECK(all[i] == want->id[i], "%s: allgather has %d at %d, not %d", what, all[i], i,
                 want->id[i]);
    free(all);
}

/* Between the sides of an intercommunicator everybody sends to everybody. */
static inline void ct_check_all_pairs(MPI_Comm inter, const ct_list *theirs, const char *what)
{
    int n = theirs->n, *got = ct_ints(n);
    MPI_Request *request = ct_alloc(2 * n, sizeof(MPI_Request));

    for (int i = 0; i < n; i++) {
        got[i] = -1;
        MPI_Irecv(&got[i], 1, MPI_INT, i, 1, inter, &request[i]);
        MPI_Isend(&ct_me, 1, MPI_INT, i, 1, inter, &request[n + i]);
    }
    MPI_Waitall(2 * n, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < n; i++)
        CT_CHECK(got[i] == theirs->id[i], "%s: remote rank %d says it is %d, not %d", what, i,
                 got[i], theirs->id[i]);
    free(request);
    free(got);
}

static inline void ct_check_comm(MPI_Comm comm, const ct_list *want, const char *what)
{
    ct_check_messages(comm, want, what);
    ct_check_comm_group(comm, want, what);
}

static inline int ct_class_of(int result)
{
    int class = MPI_SUCCESS;

    if (result != MPI_SUCCESS)
        MPI_Error_class(result, &class);
    return class;
}

/* A communicator of two members of `parent`, whose ranks there are ct_me; NULL in all others. */
static inline MPI_Comm ct_pair(MPI_Comm parent, int first, int second, int tag)
{
    MPI_Group all, pair;
    MPI_Comm made = MPI_COMM_NULL;

    MPI_Comm_group(parent, &all);
    MPI_Group_incl(all, 2, (int[]){first, second}, &pair);
    if (ct_me == first || ct_me == second)
        CT_CHECK(MPI_Comm_create_group(parent, pair, tag, &made) == MPI_SUCCESS,
                 "no communicator of %d and %d", first, second);
    MPI_Group_free(&all);
    MPI_Group_free(&pair);
    return made;
}

/* Splits `parent`, which returns errors, until that fails; fewer than `room` times.  Collective. */
static inline int ct_take_all(MPI_Comm parent, MPI_Comm comm[], int room)
{
    int n = 0;

    while (n < room && MPI_Comm_split(parent, 0, 0, &comm[n]) == MPI_SUCCESS)
        n++;
    CT_CHECK(n < room, "%d communicators, and no end", n);
    return n;
}

static inline void ct_free_if_any(MPI_Comm *comm)
{
    if (*comm != MPI_COMM_NULL)
        MPI_Comm_free(comm);
}

#endif /* CMAPTEST_H_INCLUDED */
