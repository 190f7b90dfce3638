/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPIR_CTXID_GROUP_H_INCLUDED
#define MPIR_CTXID_GROUP_H_INCLUDED

/* For callers whose own agreement carries the offers of a group, and whose members may have counted
 * other creations of the parent: what MPIR_Ctxid_begin and decide are for all members
 * (mpir_ctxid.h).  The fold is associative, commutative and idempotent, and starts with an offer.
 * After begin, call either decide, or MPIR_Ctxid_abandon.
 *
 * If the proposed ids are taken, decide searches for one, for which all members of the group must
 * live.  Unless `searches`: then *id is 0 on all members, and they may begin again. */
void MPIR_Ctxid_begin_group(MPIR_Ctxid_t *creation, struct MPIR_Comm *parent,
                            struct MPIR_Group *group, int tag, uint64_t offer[2]);
void MPIR_Ctxid_fold_group(uint64_t all[2], const uint64_t offer[2]);
int MPIR_Ctxid_decide_group(MPIR_Ctxid_t *creation, const uint64_t all[2], bool searches,
                            MPIR_Context_id_t *id);

/* Before begin, if this process may make other communicators until it calls decide. */
void MPIR_ctxid_expect_pending(void);

#endif /* MPIR_CTXID_GROUP_H_INCLUDED */
