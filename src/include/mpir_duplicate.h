/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Comm_dup and MPI_Comm_idup.  If the members agreed earlier on the context id
 * (MPIR_CVAR_CTXID_BLOCK), a duplicate sends nothing, so a member that cannot make it cannot tell
 * the others in the call.  What a duplicate needs was allocated with its block; an attribute's copy
 * function may still fail.  Then the duplicate is *broken*:
 *
 *   - The member that failed returns the error, and revokes the communicator, which it keeps to
 *     itself.
 *   - On the other members each operation on the communicator that waits for this member, or that
 *     begins when the notice has come, ends with MPIX_ERR_REVOKED: collectives and messages alike.
 *     Messages to the member that failed are dropped.
 *   - Later duplicates of the parent are not concerned.
 */
#ifndef MPIR_DUPLICATE_H_INCLUDED
#define MPIR_DUPLICATE_H_INCLUDED

struct MPIR_Comm;
struct MPIR_Info;

/* All of MPI_Comm_dup_with_info but the attributes. */
int MPIR_Comm_duplicate(struct MPIR_Comm *parent, struct MPIR_Info *info,
                        struct MPIR_Comm **newcomm);
/* Instead, by a process whose attributes could not be copied. */
void MPIR_Comm_duplicate_refuse(struct MPIR_Comm *parent);
/* The communicator without context id and MPIR_Comm_commit; for MPI_Comm_idup. */
int MPIR_Comm_duplicate_data(struct MPIR_Comm *parent, struct MPIR_Info *info,
                             struct MPIR_Comm **newcomm);
/* The others have the duplicates with `n` ids from `first` on, or will have them; this process has
 * not.  The ids are decided, without communicators. */
void MPIR_Comm_duplicates_broken(struct MPIR_Comm *parent, MPIR_Context_id_t first, uint32_t n);
/* The device's parts of that; until it sets them they do nothing.  The first marks one that this
 * process could make, and tells no other.  The second tells the others of all. */
extern void (*MPIR_Comm_revoke_duplicate)(struct MPIR_Comm *made);
extern void (*MPIR_Comm_tell_of_duplicates)(struct MPIR_Comm *parent, MPIR_Context_id_t first,
                                            uint32_t n);
/* The device's part for a process that does not know which duplicates the others make: it revokes
 * the parent. */
extern int (*MPIR_Comm_revoke_parent)(struct MPIR_Comm *parent);

#endif /* MPIR_DUPLICATE_H_INCLUDED */
