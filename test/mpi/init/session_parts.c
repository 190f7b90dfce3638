/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The first communicator of a job is made of a part of its processes, by a session: of the lower
 * half and the upper half at once, with the same name; by several threads, each with a session of
 * its own; of one half alone.  The other processes do nothing then, or have called MPI_Init, and no
 * session.  Then there is one of all.  With one process the lower half is empty.
 *
 * Arguments: -one=1 (the upper half makes no communicator before that of all) -threads=N (default
 * 1) -between=1 (the halves are connected as they are made) -init=1 (the upper half calls MPI_Init
 * before it has a session, and makes none but that of all)
 */
#include "cmaptest.h"

#include <pthread.h>

enum { MOST_THREADS = 8 };

static int only_one, between, with_init, threads;
static int size, lower; /* processes, and those of the lower half */
static int is_lower;
static pthread_barrier_t at_once;

static MPI_Session open_session(void)
{
    MPI_Session session;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    return session;
}

static MPI_Group whole_group(MPI_Session session)
{
    MPI_Group whole;

    MPI_Group_from_session_pset(session, "mpi://WORLD", &whole);
    return whole;
}

static MPI_Group half_group(MPI_Session session, int of_lower)
{
    MPI_Group whole = whole_group(session), half;
    int range[1][3] = {{of_lower ? 0 : lower, of_lower ? lower - 1 : size - 1, 1}};
    int n = of_lower ? lower : size - lower;

    MPI_Group_range_incl(whole, n > 0, range, &half);
    MPI_Group_free(&whole);
    return half;
}

static ct_list half_list(int of_lower)
{
    ct_list list = ct_list_range(of_lower ? lower : size - lower);

    for (int i = 0; i < list.n; i++)
        list.id[i] += of_lower ? 0 : lower;
    return list;
}

static void look_around(MPI_Session session)
{
    MPI_Group whole = whole_group(session);

    MPI_Group_rank(whole, &ct_me);
    MPI_Group_size(whole, &size);
    MPI_Group_free(&whole);
    lower = size / 2;
    is_lower = ct_me < lower;
}

static MPI_Comm from_group(MPI_Group group, const char *name)
{
    MPI_Comm comm;

    MPI_Comm_create_from_group(group, name, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    return comm;
}

/* What cmaptest.h has for it takes MPI_COMM_WORLD. */
static void check_comm(MPI_Session session, MPI_Comm comm, const ct_list *want, const char *what)
{
    MPI_Group whole = whole_group(session), group;

    ct_check_messages(comm, want, what);
    MPI_Comm_group(comm, &group);
    ct_check_group(group, want, whole, what);
    MPI_Group_free(&group);
    MPI_Group_free(&whole);
}

static void check_half(MPI_Session session, const char *name)
{
    MPI_Group half = half_group(session, is_lower);
    ct_list want = half_list(is_lower);
    MPI_Comm comm = from_group(half, name), copy;

    check_comm(session, comm, &want, name);
    MPI_Comm_dup(comm, &copy);
    MPI_Comm_free(&comm);
    check_comm(session, copy, &want, name);
    MPI_Comm_free(&copy);
    MPI_Group_free(&half);
    ct_list_free(&want);
}

static void check_between(MPI_Session session)
{
    MPI_Group mine = half_group(session, is_lower), theirs = half_group(session, !is_lower);
    ct_list list = half_list(!is_lower);
    MPI_Comm inter;

    MPI_Intercomm_create_from_groups(mine, 0, theirs, 0, "between", MPI_INFO_NULL,
                                     MPI_ERRORS_ARE_FATAL, &inter);
    ct_check_all_pairs(inter, &list, "between");
    MPI_Comm_free(&inter);
    MPI_Group_free(&mine);
    MPI_Group_free(&theirs);
    ct_list_free(&list);
}

static void *check_in_thread(void *number)
{
    MPI_Session session = open_session();
    char name[32];

    snprintf(name, sizeof(name), "half %d", *(int *) number);
    pthread_barrier_wait(&at_once);
    for (int round = 0; round < 5; round++)
        check_half(session, name);
    pthread_barrier_wait(&at_once);
    MPI_Session_finalize(&session);
    return NULL;
}

static void check_in_threads(void)
{
    pthread_t thread[MOST_THREADS];
    int number[MOST_THREADS];

    pthread_barrier_init(&at_once, NULL, threads);
    for (int i = 0; i < threads; i++) {
        number[i] = i;
        pthread_create(&thread[i], NULL, check_in_thread, &number[i]);
    }
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    pthread_barrier_destroy(&at_once);
}

/* REQUIRES one process: the lower half is empty. */
static void check_nobody(MPI_Session session)
{
    MPI_Group nobody = half_group(session, 1);
    MPI_Comm comm = from_group(nobody, "nobody");

    CT_CHECK(comm == MPI_COMM_NULL, "a communicator of nobody");
    MPI_Group_free(&nobody);
}

static void check_parts(MPI_Session session)
{
    if (size == 1)
        check_nobody(session);
    if (only_one && !is_lower)
        return;
    if (between && size > 1)
        check_between(session);
    else if (threads > 1)
        check_in_threads();
    else
        check_half(session, "half");
}

/* The errors of all. */
static int check_whole(MPI_Session session)
{
    MPI_Group whole = whole_group(session);
    ct_list all = ct_list_range(size);
    MPI_Comm comm = from_group(whole, "whole");
    int errs;

    check_comm(session, comm, &all, "whole");
    MPI_Allreduce(&ct_errs, &errs, 1, MPI_INT, MPI_SUM, comm);
    MPI_Comm_free(&comm);
    MPI_Group_free(&whole);
    ct_list_free(&all);
    return errs;
}

/* Who this process is, when nobody of the other half has a session to ask: what mpiexec says. */
static int calls_init(void)
{
    const char *rank = getenv("PMI_RANK"), *processes = getenv("PMI_SIZE");

    return with_init && rank && processes && atoi(rank) >= atoi(processes) / 2;
}

static int check_by_sessions(void)
{
    MPI_Session session = open_session();
    int errs;

    look_around(session);
    check_parts(session);
    errs = check_whole(session);
    MPI_Session_finalize(&session);
    return errs;
}

static int check_with_init(void)
{
    MPI_Session session;
    int errs;

    MPI_Init(NULL, NULL);
    session = open_session();
    look_around(session);
    errs = check_whole(session);
    MPI_Session_finalize(&session);
    MPI_Finalize();
    return errs;
}

int main(int argc, char **argv)
{
    MTestArgList *args = MTestArgListCreate(argc, argv);
    int errs;

    with_init = MTestArgListGetInt_with_default(args, "init", 0);
    only_one = with_init || MTestArgListGetInt_with_default(args, "one", 0);
    between = MTestArgListGetInt_with_default(args, "between", 0);
    threads = MTestArgListGetInt_with_default(args, "threads", 1);
    MTestArgListDestroy(args);
    if (threads > MOST_THREADS)
        threads = MOST_THREADS;
    errs = calls_init() ? check_with_init() : check_by_sessions();
    if (errs == 0 && ct_me == 0)
        printf(" No Errors\n");
    return errs > 0;
}
