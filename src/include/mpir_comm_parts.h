/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Parts of a communicator that it has only when they are needed: name and hints point to constants until one is set that
 * differs.  Then the end of a communicator that was not completed, and the beginning of one that may not be.
 *
 * Who may call this file: the layers above it in the list of mpir_map.h, and MPICH's own files.  It calls maps, groups and
 * the store of context ids; MPIR_Comm_prepare_group is of the layer above, and calls nodes.
 */
#ifndef MPIR_COMM_PARTS_H_INCLUDED
#define MPIR_COMM_PARTS_H_INCLUDED

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
/* Gives a new communicator the error handler of the one that it is made from, if that has any. */
void MPIR_Comm_inherit_errhandler(MPIR_Comm * child, MPIR_Comm * parent);
/* Frees a communicator that MPIR_Comm_create made and that was not committed, or was refused; its context id stays the
 * caller's. */
void MPIR_Comm_discard(MPIR_Comm * comm);
/* Calls the delete functions of attributes that were copied for a communicator which is not to be; sets the list to NULL.
 * `comm` is what they see: the new communicator or, where there is none yet, the one that was to be duplicated. */
void MPIR_Comm_discard_attributes(MPIR_Comm * comm, struct MPIR_Attribute **attributes);

#endif /* MPIR_COMM_PARTS_H_INCLUDED */
