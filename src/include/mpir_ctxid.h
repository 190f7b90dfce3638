/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Context ids by the highest-CID algorithm (G. Bosilca, T. Herault, J. Dongarra: Trade-offs in
 * Context Identifier Allocation in MPI, section 3.3).  Each id takes one collective, with threads
 * or without.
 *
 * Every member of the parent makes an offer of 8 bytes.  Offers are folded by the maximum of each
 * field, and one collective decides.  The ids (the PREFIX fields of context ids) have two parts:
 *
 *   calm   [0, 3/4 of the limit)
 *       If no member had another creation under way.  Every process has one token, which an offer
 *       takes until the decision.  If all members had the token, the id is the highest end (highest
 *       id used + 1) of all members.  It is free at all of them, and no other creation can take it,
 *       because none has the token.
 *   busy   [3/4 of the limit, limit)
 *       For the others, such as threads that create at the same time.  The offer claims one busy
 *       id, the probe, which follows from the parent's context id and the number of the creation.
 *       Other creations most probably have other probes.  If no member objects and all members have
 *       the same number, the probe is the id.
 *
 * Ids are used again.  If a process's ids reach twice the most communicators that were ever alive
 * in it at once, it offers the calm id that was freed longest ago.  If all members offer the same
 * id, it is the next id.  If they differ, the id is the highest end, and the maxima of two offered
 * ids become cursors: one for the parent, one for the child.  A cursor is an id that all members of
 * a communicator know.  A member reserves it where it is free, at most two ids for each
 * communicator.  If no member objects to the cursor, it is the next id.
 *
 * If neither part gives an id (all in use, or claims of one probe by two creations), the members
 * search.  Each further collective shows which ids of a window are free at each member, until one
 * is free at all.  Only one creation of a process shows its ids: the one that went least often
 * through all ids, then the one with the lowest parent context id (then tag).  One creation is
 * therefore the first at all its members.  The ids are exhausted only if all members have shown all
 * ids.  If a member withheld some for an offer, the next search goes first: late members of that
 * offer may take part in it.
 *
 * The members decide only by what they exchanged.  If the collective fails at one member, it cannot
 * know the parent's new cursor.  It forgets the cursor and objects the next time.
 *
 * A member has memory for the decided id before the collective.  An offer says below which id.  If
 * another member has a higher end than that, the members search instead.
 *
 * MPI_Comm_idup makes its offer when all members have called it.  Before that it holds nothing,
 * however late a member is.
 *
 * Threads: several threads may call any function.  A mutex protects the tables, and no thread holds
 * it while it communicates.
 */
#ifndef MPIR_CTXID_H_INCLUDED
#define MPIR_CTXID_H_INCLUDED

#define MPIR_CTXID_NONE UINT32_MAX

struct MPIR_Comm;
struct MPIR_Group;
struct MPIR_Request;

struct MPIR_Ctxid_store;

/* What a creation does.  MPIR_ctxid_enter (src/mpi/ctxid/ctxid_creation.c) makes every step.
 *
 *   state       the creation has                                 next states
 *   OFFERED     made its offer; holds all that this promises     DECIDED, FAILED, NO_MEMORY;
 *                                                                QUEUED: no id follows
 *   QUEUED      to search; holds nothing                         SHOWN, if its turn has come
 *   SHOWN       shown a window of ids; holds memory for them,    DECIDED, FAILED, NO_MEMORY,
 *               and the token if no other creation had it        EXHAUSTED; QUEUED: no id of it
 *   the others  ended, and holds nothing
 *
 * From the first three also to LOST, if the collective has failed. */
typedef enum {
    CTXID_NEW,
    CTXID_OFFERED,
    CTXID_QUEUED,
    CTXID_SHOWN,
    CTXID_DECIDED,
    CTXID_EXHAUSTED, /* no id is free on all members */
    CTXID_FAILED,    /* another member could not make its communicator */
    CTXID_NO_MEMORY, /* this member could not */
    CTXID_LOST,
    CTXID_STATES /* how many there are */
} ctxid_state_t;

/* One creation under way; on the caller's stack or in its schedule.  All fields are private to
 * src/mpi/ctxid. */
typedef struct MPIR_Ctxid {
    /* the call: */
    struct MPIR_Ctxid_store *store;
    struct MPIR_Comm *parent; /* an intercommunicator stands for both of its groups */
    struct MPIR_Group *group; /* that makes offers; NULL: all members of the parent */
    int tag;                  /* of these collectives of the group */
    bool takes_part;          /* this process will be a member of the new communicator */
    /* All members of the parent make offers: they have equal numbers and share a cursor.  If not,
     * each member has its own count, and the fold shows whether the counts differ. */
    bool whole;
    uint64_t order;  /* parent's context id, then tag: the lowest goes first */
    uint32_t number; /* among the creations of this order, which have different probes */
    uint32_t ids;    /* of the block that a duplicate asks for; else 0 */
    /* Does each member of `part` make an offer?  NULL, and no block gives ids back, if this process
     * may make several creations at a time, or one was ever pending. */
    bool (*contains)(const struct MPIR_Ctxid *creation, const struct MPIR_Comm *part);
    /* what became of it: */
    ctxid_state_t state;
    uint32_t prefix; /* the id, or MPIR_CTXID_NONE: not decided, or this process takes no part */
    /* the offer: */
    uint32_t cursor;             /* of the parent at that time; 0 for none */
    uint32_t probe;              /* busy id that all members try */
    uint32_t claimed;            /* the probe, or MPIR_CTXID_NONE if another creation had it */
    uint32_t block;              /* the first id of the block that the offer claimed, */
    uint32_t block_ids;          /* and how many they are, or 0 */
    bool is_short;               /* of memory */
    bool holds_calm, holds_busy; /* memory for an id of this table */
    /* the search: */
    bool withheld;          /* in this pass a member had free ids that it could not show */
    bool returns;           /* in this pass blocks give ids back */
    uint32_t passes;        /* through all ids: the fewest go first */
    uint32_t start, offset; /* the next window begins at  start + offset, modulo the limit */
    struct MPIR_Ctxid *next;
} MPIR_Ctxid_t;

/* Reads the CVARs, makes the tables, registers the MPI_T variables.  Before any communicator. */
int MPIR_Ctxid_init(void);
/* Makes the types and operations of the collectives.  After the device, before any communicator
 * is created. */
int MPIR_Ctxid_init_reductions(void);

/* For callers whose own collective carries the offers, such as MPI_Comm_split.  Every member of
 * `parent` (an intracommunicator) calls begin and sends its packed offer to all others.  It
 * folds the offers that it receives (start with 0, in any order) and calls decide.
 * `takes_part`: this process will be a member of a new communicator.  decide takes the fold over
 * the members of this process's new communicator and the fold over all.  It communicates only if
 * the offers do not suffice, and then on all members.  A member that takes no part gets
 * MPIR_INVALID_CONTEXT_ID.  After begin, call either decide, or abandon if the collective
 * failed. */
void MPIR_Ctxid_begin(MPIR_Ctxid_t *creation, struct MPIR_Comm *parent, int takes_part,
                      uint64_t *offer);
void MPIR_Ctxid_fold(uint64_t *all, uint64_t offer);
int MPIR_Ctxid_decide(MPIR_Ctxid_t *creation, uint64_t own, uint64_t all, MPIR_Context_id_t *id);
void MPIR_Ctxid_abandon(MPIR_Ctxid_t *creation);
/* The offer of a process that cannot make its communicator, for example for lack of memory:
 * decide fails on all members. */
uint64_t MPIR_Ctxid_refusal(uint64_t offer);

/* Offer, collective and decision are MPICH's functions MPIR_Get_contextid_sparse,
 * MPIR_Get_contextid_sparse_group and so on.  MPIR_Free_contextid gives an id back. */

/* Do the duplicates of this communicator take ids of blocks? */
bool MPIR_Ctxid_has_blocks(const struct MPIR_Comm *comm);
/* MPI_Comm_dup of an intracommunicator whose duplicates take ids of blocks.  First comes
 * take_duplicate: if the next id is known, nothing is sent.  The caller must make the communicator,
 * or tell the others by MPIR_Comm_duplicates_broken.  If the members have to agree, *id is 0: then
 * get_duplicate, which may bring a block, or MPIR_Ctxid_refuse.  After an error *id is
 * MPIR_INVALID_CONTEXT_ID: the parent is revoked, and there is nothing to tell. */
int MPIR_Ctxid_take_duplicate(struct MPIR_Comm *parent, MPIR_Context_id_t *id);
int MPIR_Ctxid_get_duplicate(struct MPIR_Comm *parent, MPIR_Context_id_t *id);
/* `parent` is revoked, so this process makes no further duplicate of it.  If it has ids of a block
 * left, the progress engine revokes the duplicates that other members have made, or will make, of
 * them. */
void MPIR_Ctxid_end_duplicates(struct MPIR_Comm *parent);
/* The next MPIR_Comm_create is for a duplicate of `parent`, and has found no memory: gives it
 * some of the reserve.  True if there was some.  has_taken: the duplicate has its id, perhaps
 * the last one of the block. */
bool MPIR_Ctxid_make_spare(struct MPIR_Comm *parent, bool has_taken);
/* A committed communicator that the program will not get: its id is not used again. */
void MPIR_Ctxid_burn(MPIR_Context_id_t id);
/* Instead of the blocking ones, by a process that cannot make its communicator.  It takes part in
 * the collective, so that they fail on all other members. */
void MPIR_Ctxid_refuse(struct MPIR_Comm *comm, struct MPIR_Group *group, int tag);
/* Instead of the nonblocking ones, by a process that cannot make its communicator.  The requests of
 * all other members end with an error. */
void MPIR_Ctxid_refuse_nonblock(struct MPIR_Comm *parent);

/* `comm` is complete: its id belongs to it from now on. */
void MPIR_Ctxid_commit(struct MPIR_Comm *comm);
/* `comm` is about to be freed: gives back the id that it had reserved for its next child. */
void MPIR_Ctxid_forget(struct MPIR_Comm *comm);

#endif /* MPIR_CTXID_H_INCLUDED */
