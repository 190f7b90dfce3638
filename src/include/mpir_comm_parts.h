/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Parts of a communicator that it has only when they are needed.
 *
 *   node_comm, node_roots_comm   made at the first use by a collective or a window
 *   name, hints                  point to constants until one is set that differs
 *
 * Most communicators of a program with many of them are for messages, or for one kind of collective: what they never use
 * was more than two thirds of what each of them took.
 */
#ifndef MPIR_COMM_PARTS_H_INCLUDED
#define MPIR_COMM_PARTS_H_INCLUDED

#include <stdbool.h>

/*
 * Communicators by nodes.  A communicator whose hierarchy_kind is PARENT has
 *
 *   node_comm         the processes of this node; NULL for a process that is alone on its node
 *   node_roots_comm   the first process of each node; NULL for the others
 *
 * whose context ids follow from its own, so that making them needs no messages.  Before MPIR_Comm_need_node_comms both
 * are NULL: whoever reads them calls it first, all processes in the same collective operation.
 */

/* Decides on the hierarchy of a new intracommunicator, from its maps of nodes, equally at all processes. */
void MPIR_Comm_plan_node_comms(MPIR_Comm * comm);
int MPIR_Comm_make_node_comms(MPIR_Comm * comm);

/* Safe to call by several threads at once, and for any communicator: without a hierarchy there is nothing to do. */
static inline int MPIR_Comm_need_node_comms(MPIR_Comm * comm)
{
    if (likely(MPL_atomic_acquire_load_int(&comm->node_comms_made)))
        return MPI_SUCCESS;
    return MPIR_Comm_make_node_comms(comm);
}

/* Size of node_comm and rank in it, made or not; 1 and 0 where it is and stays NULL. */
int MPIR_Comm_node_size(MPIR_Comm * comm);
int MPIR_Comm_node_rank(MPIR_Comm * comm);

/* node_comm is as large as the communicator. */
static inline bool MPIR_Comm_is_on_one_node(MPIR_Comm * comm)
{
    return MPIR_Comm_is_parent_comm(comm) && comm->node_count == 1;
}

/* How many communicators by nodes this process has made so far. */
unsigned long long MPIR_Comm_node_comms_count(void);

/*
 * Name and hints.  Both are read as they always were: comm->name is a string, comm->hints an array.  Who wrote into them
 * calls these functions, which give the communicator a block of its own at the first value that differs.  The block stays
 * where it is until the communicator goes, so that another thread may read meanwhile.
 */
void MPIR_Comm_parts_init(MPIR_Comm * comm);
void MPIR_Comm_parts_free(MPIR_Comm * comm);

int MPIR_Comm_name_set(MPIR_Comm * comm, const char *name);
/* Without memory the hint stays as it is and the result is an error; hints may be ignored. */
int MPIR_Comm_hint_set(MPIR_Comm * comm, int hint, int value);
/* The value of a hint that nobody has set, for all communicators. */
void MPIR_Comm_hint_set_default(int hint, int value);
/* What the device makes of a hint left open: the default when this communicator has it from there. */
int MPIR_Comm_hint_settle(MPIR_Comm * comm, int hint, int value);

/* The communicator of `group` made from `parent`, but for its context id and MPIR_Comm_commit: what takes memory comes
 * before the collective, so that who has none can tell the others (MPIR_Ctxid_refuse). */
int MPIR_Comm_prepare_group(MPIR_Comm * parent, MPIR_Group * group, MPIR_Comm ** comm);
/* Frees a communicator that MPIR_Comm_create made and that was not committed, or was refused; its context id stays the
 * caller's. */
void MPIR_Comm_discard(MPIR_Comm * comm);
/* Calls the delete functions of attributes that were copied for a communicator which is not to be; sets the list to NULL.
 * `comm` is what they see: the new communicator or, where there is none yet, the one that was to be duplicated. */
void MPIR_Comm_discard_attributes(MPIR_Comm * comm, struct MPIR_Attribute **attributes);

#endif /* MPIR_COMM_PARTS_H_INCLUDED */
