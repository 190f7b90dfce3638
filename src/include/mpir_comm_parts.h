/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Parts of a communicator that are allocated at their first use: name and hints point to constants
 * until the program sets a value that differs.  Then functions that prepare a communicator, and
 * that discard one which was not completed.
 *
 * Callers: the layers above this file in the list of mpir_map.h, and MPICH's own files.  The file
 * calls maps, groups and the store of context ids.  MPIR_Comm_prepare_group and
 * MPIR_Comm_make_ranks belong to the layer above, and call nodes.
 */
#ifndef MPIR_COMM_PARTS_H_INCLUDED
#define MPIR_COMM_PARTS_H_INCLUDED

/*
 * Name and hints.  Readers use them as in stock MPICH: comm->name is a string, comm->hints an
 * array.  Code that writes calls these functions, which give the communicator a block of its own at
 * the first value that differs.  The block stays until the communicator is freed, because another
 * thread may read it.
 */
void MPIR_Comm_parts_init(MPIR_Comm *comm);
void MPIR_Comm_parts_free(MPIR_Comm *comm);

int MPIR_Comm_name_set(MPIR_Comm *comm, const char *name);
/* Without memory the hint stays as it is and the result is an error; hints may be ignored. */
int MPIR_Comm_hint_set(MPIR_Comm *comm, int hint, int value);
/* The default of a hint, for all communicators. */
void MPIR_Comm_hint_set_default(int hint, int value);
/* The device's value of a hint that the program left open.  If this communicator uses the
 * default, the default changes. */
int MPIR_Comm_hint_settle(MPIR_Comm *comm, int hint, int value);

/* The communicator of `group` made from `parent`, without context id and MPIR_Comm_commit.  It
 * allocates before the collective, so that a process without memory can tell the others
 * (MPIR_Ctxid_refuse). */
int MPIR_Comm_prepare_group(MPIR_Comm *parent, MPIR_Group *group, MPIR_Comm **comm);
/* The same of `made`, which MPIR_Comm_create has made; after an error MPIR_Comm_discard. */
int MPIR_Comm_fill_group(MPIR_Comm *made, MPIR_Comm *parent, MPIR_Group *group);
/* An intracommunicator's members at `ranks`, in that order; collective over all members of the
 * parent, of which each passes the ranks of its own new communicator and its own rank there, or
 * MPI_UNDEFINED.  All members know what the others pass, so that one agreement on a context id is
 * all that they exchange.  A process with an error of its own passes it in `error`, and all members
 * fail.  `ranks` is NULL then, or for MPI_UNDEFINED. */
int MPIR_Comm_make_ranks(MPIR_Comm *parent, const cmap_t *ranks, int rank, int error,
                         MPIR_Comm **comm);
/* The communicator of the local group, which an intercommunicator's collectives need: before the
 * collective whole but for its context id, for MPIR_Comm_commit of the intercommunicator to
 * complete it.  MPIR_Comm_commit_local is part of that. */
int MPIR_Comm_prepare_local(MPIR_Comm *inter);
int MPIR_Comm_commit_local(MPIR_Comm *inter);
/* MPIR_Comm_split_impl of a process that has failed before, unless `error` is MPI_SUCCESS: it
 * takes part, and all members fail. */
int MPIR_Comm_split_unless(int error, MPIR_Comm *comm_ptr, int color, int key,
                           MPIR_Comm **newcomm_ptr);
/* Gives a new communicator the error handler of the one that it is made from, if that has any. */
void MPIR_Comm_inherit_errhandler(MPIR_Comm *child, MPIR_Comm *parent);
/* Frees a communicator that MPIR_Comm_create made and that was not committed, or was refused; its
 * context id stays the caller's. */
void MPIR_Comm_discard(MPIR_Comm *comm);
/* Calls the delete functions of attributes that were copied for a communicator which failed; sets
 * the list to NULL.  The functions see `comm`: the new communicator or, if there is none yet,
 * the original. */
void MPIR_Comm_discard_attributes(MPIR_Comm *comm, struct MPIR_Attribute **attributes);

#endif /* MPIR_COMM_PARTS_H_INCLUDED */
