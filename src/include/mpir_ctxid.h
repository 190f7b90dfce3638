/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Context ids by the highest-CID algorithm (G. Bosilca, T. Herault, J. Dongarra: Trade-offs in Context Identifier
 * Allocation in MPI, section 3.3), with one collective for each id whether or not there are threads.
 *
 * Every member of the parent makes an offer of 8 bytes; offers are folded by the maximum of each field; one collective
 * decides.  The ids (the PREFIX fields of context ids) are in two parts:
 *
 *   calm   [0, 3/4 of the limit)   for creations during which no member had another creation under way.  Every process has
 *          one token, and who makes an offer takes it until the decision.  All had it: the id is the highest end (highest id
 *          used + 1) of all members, which is free at all of them.  Nothing can take it meanwhile: nobody else has the token.
 *   busy   [3/4 of the limit, limit)   for the others: threads that create at the same time.  The offer claims one id there
 *          that follows from the parent's context id and the number of the creation, most probably another one than that of
 *          any other creation.  Nobody objects, and all had the same number: done.
 *
 * So that ids are used again, a process whose ids reach twice the most communicators that were ever alive in it at once offers
 * the calm id that was freed longest ago.  All offer the same: it is the next id.  They differ: the highest end is, and the
 * maxima of two offered ids become cursors, one for the parent and one for the child.  A cursor is an id that all members of a
 * communicator know and, where it was free, have reserved: at most two ids for each communicator.  No member objects to it:
 * it is the next id.
 *
 * Where neither works (ids exhausted, busy ids in conflict) the members show each other which ids are free, a window of ids
 * in each further collective, until there is one that all have free.  Only one creation of a process shows its ids, that which went
 * least often through all of them, then that with the lowest parent context id (then tag): one is the first at all its members.
 * None is free only when all have shown all.  Where somebody withholds some for an offer, the next creation has its turn: members
 * that are late for the offer may be in there.
 *
 * What members decide follows from what they exchanged.  A member that fails after its offer (no memory, an error of the
 * collective) does not know the parent's cursor any more: it forgets it, and objects the next time.
 *
 * MPI_Comm_idup makes its offer when all members have called it: until then it is in nobody's way, however late they are.
 *
 * Threads: all functions may be called by several threads; the tables are behind a mutex of their own, which nobody holds
 * while it communicates.
 */
#ifndef MPIR_CTXID_H_INCLUDED
#define MPIR_CTXID_H_INCLUDED

#define MPIR_CTXID_NONE UINT32_MAX

struct MPIR_Comm;
struct MPIR_Group;
struct MPIR_Request;

/* One creation under way; on the caller's stack or in its schedule.  All fields are private to src/mpi/ctxid. */
typedef struct MPIR_Ctxid {
    struct MPIR_Comm *parent;
    uint64_t order;             /* parent's context id, then tag: among equals the lowest goes first */
    uint32_t number;            /* among those of this order: not two use the same probe */
    uint32_t cursor;            /* the parent's when the offer was made; 0 for none */
    uint32_t probe;             /* busy id that all members try */
    uint32_t claimed;           /* the probe, or MPIR_CTXID_NONE when it was taken */
    bool takes_part;            /* will be a member of the new communicator */
    bool keeps_cursor;          /* all of the parent's members make offers */
    bool is_short;              /* of memory */
    bool is_queued;             /* for the search: what follows is about that */
    bool withheld;              /* in this pass somebody had free ids that it could not show */
    uint32_t passes;            /* through all ids: the fewest go first */
    uint32_t start, offset;     /* the next window begins at  start + offset, modulo the limit */
    struct MPIR_Ctxid *next;
} MPIR_Ctxid_t;

/* Reads the CVARs, makes the tables, registers the MPI_T variables.  Before any communicator. */
int MPIR_Ctxid_init(void);
/* What the collectives need.  After the device, before any communicator is created. */
int MPIR_Ctxid_init_reductions(void);
/* Is it this algorithm, and not MPICH's masks (MPIR_CVAR_CTXID_ALGORITHM)? */
bool MPIR_Ctxid_is_highest(void);

/* For callers whose own collective carries the offers, such as MPI_Comm_split.  Every member of `parent` (an
 * intracommunicator) calls begin, hands the offer to all others, folds what it gets (start with 0, any order) and calls
 * decide.  `takes_part`: will be a member of a new communicator.  decide takes the fold over the members of one's own new
 * communicator and the fold over all; it communicates only when the offers did not suffice, and then on all members alike.
 * Who takes no part gets MPIR_INVALID_CONTEXT_ID.  After begin, either decide or abandon (the collective failed). */
void MPIR_Ctxid_begin(MPIR_Ctxid_t * creation, struct MPIR_Comm *parent, int takes_part,
                      uint64_t * offer);
void MPIR_Ctxid_fold(uint64_t * all, uint64_t offer);
int MPIR_Ctxid_decide(MPIR_Ctxid_t * creation, uint64_t own, uint64_t all, MPIR_Context_id_t * id);
void MPIR_Ctxid_abandon(MPIR_Ctxid_t * creation);
/* The offer of a process that cannot make its communicator, for lack of memory say: decide fails on all members. */
uint64_t MPIR_Ctxid_refusal(uint64_t offer);

/* The whole, over `comm` or, when not NULL, only `group` (then `tag` tells concurrent calls apart). */
int MPIR_Ctxid_get(struct MPIR_Comm *comm, struct MPIR_Group *group, int tag, int takes_part,
                   MPIR_Context_id_t * id);
/* For an intercommunicator: both groups find an id each, then exchange them.  *own is to be freed. */
int MPIR_Ctxid_get_inter(struct MPIR_Comm *inter, MPIR_Context_id_t * remote,
                         MPIR_Context_id_t * own);
/* Instead of get or get_inter, by a process that cannot make its communicator: takes part in the collective, so that get fails on all
 * other members.  (Not under MPIR_CVAR_CTXID_ALGORITHM=mask: they wait, as in stock MPICH.) */
void MPIR_Ctxid_refuse(struct MPIR_Comm *comm, struct MPIR_Group *group, int tag);
/* Nonblocking: sets the context ids of `newcomm` and commits it.  When there are none, or on an error, it is discarded. */
int MPIR_Ctxid_get_nonblock(struct MPIR_Comm *parent, struct MPIR_Comm *newcomm,
                            struct MPIR_Request **req);
/* Instead of it, by a process that cannot make its communicator: the requests of all other members end with an error. */
void MPIR_Ctxid_refuse_nonblock(struct MPIR_Comm *parent);
void MPIR_Ctxid_free(MPIR_Context_id_t id);

/* `comm` is complete: its id leads to it from now on. */
void MPIR_Ctxid_commit(struct MPIR_Comm *comm);
/* `comm` goes: gives back the id that it had reserved for its next child. */
void MPIR_Ctxid_forget(struct MPIR_Comm *comm);

#endif /* MPIR_CTXID_H_INCLUDED */
