/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Boxes: short messages of the processes of a node, in cache lines that they share.
 *
 * A process that receives has a box.  A box is a ring of slots; a message is in one slot, and above
 * LINES_DATUM bytes its data are in the box's pool.  So a message of up to LINES_FIRST bytes
 * crosses from core to core as one cache line, and nothing else crosses: senders alone write the
 * counter `head`, and look at the receiver's counter `taken` only when the box seems full.
 *
 *   sender      1. takes a ticket, and the room in the pool, by compare-and-swap of `head`
 *               2. writes the data, the word and the length
 *               3. writes the ticket into the slot (release)
 *   receiver    1. reads the ticket of one slot, that of the next message (acquire)
 *               2. reads the message
 *               3. writes `taken` (release): slot and room are free
 *
 * Tickets are the order of messages in a box, for all senders together.  A sender that is stopped
 * between its steps 1 and 3 holds up those behind it.  So does one that is killed there, until the
 * receiver is told of it and skips its message: senders that may be killed have a word in shared
 * memory, their claim, which is not 0 from before step 1 until after step 3.  When the receiver has
 * seen the claims of all living senders at 0, what is missing before `head` is of the dead.
 *
 * A receiver that polls may prefetch the other lines of the slot.  They are then on their way
 * together with the first one.
 *
 * Conventions
 *  1. Nothing waits: a sender that finds no room is told so.
 *  2. A box is memory of zeros at a multiple of 64, shared by processes or threads.  It holds no
 *     pointers, and a process may be killed at any moment.
 *  3. Any number of senders; each has a lines_sender_t of its own.  One receiver.
 *  4. The pool is handed out in order, in units of a line.  A message's data lie in one piece.
 */
#ifndef LINES_H_INCLUDED
#define LINES_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    LINES_LINE = 64,  /* bytes */
    LINES_SLOT = 5,   /* lines of a slot */
    LINES_COUNT = 64, /* slots of a box */
    LINES_FIRST = 48, /* bytes of data in a slot's first line */
    LINES_DATUM = LINES_FIRST + (LINES_SLOT - 1) * LINES_LINE, /* and in all of it */
    LINES_POOL = 1024,                                         /* units of the pool: 64 KB */
    LINES_MOST = 16384 /* bytes of a message; a quarter of the pool, so that it never blocks it */
};

typedef struct lines_slot {
    uint32_t ticket; /* of the message in it, plus 1: 0 is none */
    uint16_t length;
    uint16_t unit; /* of the pool, at the message's position */
    uint64_t word; /* the sender's */
    unsigned char datum[LINES_DATUM];
} __attribute__((aligned(LINES_LINE))) lines_slot_t;

/* Tickets given out, in the lower LINES_TICKET_BITS, and units of the pool, which wrap. */
typedef uint64_t lines_position_t;
#define LINES_TICKET_BITS 48

typedef struct lines_box {
    lines_position_t head __attribute__((aligned(LINES_LINE)));  /* the senders' */
    lines_position_t taken __attribute__((aligned(LINES_LINE))); /* the receiver's */
    lines_slot_t slots[LINES_COUNT];
    unsigned char pool[LINES_POOL * LINES_LINE];
} lines_box_t;

typedef struct lines_sender {
    lines_box_t *box;
    lines_position_t taken; /* as it was seen last */
    uint64_t last;          /* ticket of the last message, plus 1 */
    uint32_t *claim;        /* NULL: who has it is not killed, or ends all the others */
} lines_sender_t;

typedef struct lines_receiver {
    lines_box_t *box;
    lines_position_t next;
} lines_receiver_t;

/* The unit test stops here, before each access to what others write. */
#ifdef LINES_SIMULATED
void simulated_step(void);
#define LINES_STEP() simulated_step()
#else
#define LINES_STEP() ((void) 0)
#endif

/* Also of a difference: what the units borrow or carry is cut off, and tickets wrap. */
static inline uint64_t MPIR_lines_ticket(lines_position_t at)
{
    return at & ((UINT64_C(1) << LINES_TICKET_BITS) - 1);
}

static inline uint32_t MPIR_lines_unit(lines_position_t at)
{
    return (uint32_t) (at >> LINES_TICKET_BITS);
}

static inline uint32_t MPIR_lines_units(size_t length)
{
    return length <= LINES_DATUM ? 0 : (uint32_t) ((length + LINES_LINE - 1) / LINES_LINE);
}

/* Where a message of so many units begins in the pool: not across its end. */
static inline uint32_t MPIR_lines_first_unit(lines_position_t at, uint32_t units)
{
    uint32_t unit = MPIR_lines_unit(at), left = LINES_POOL - unit % LINES_POOL;

    return units > left ? unit + left : unit;
}

/* The position behind a message. */
static inline lines_position_t MPIR_lines_behind(lines_position_t at, uint32_t units)
{
    uint32_t unit = units ? MPIR_lines_first_unit(at, units) + units : MPIR_lines_unit(at);

    return (uint64_t) unit << LINES_TICKET_BITS | MPIR_lines_ticket(at + 1);
}

static inline bool MPIR_lines_fits(lines_position_t end, lines_position_t taken)
{
    return MPIR_lines_ticket(end - taken) <= LINES_COUNT &&
           (uint16_t) (MPIR_lines_unit(end) - MPIR_lines_unit(taken)) <= LINES_POOL;
}

/* ---- sending ---- */

/* A message that is being written. */
typedef struct lines_letter {
    lines_slot_t *slot;
    unsigned char *data; /* room for its bytes */
    uint64_t ticket;     /* plus 1 */
    uint16_t unit;
} lines_letter_t;

/* Release: before the ticket that is taken next, and after the message that is there. */
static inline void MPIR_lines_claim(lines_sender_t *sender, uint32_t claim)
{
    if (__builtin_expect(sender->claim != NULL, 0)) {
        LINES_STEP();
        __atomic_store_n(sender->claim, claim, __ATOMIC_RELEASE);
    }
}

/* Takes what lies between two positions, unless another sender has done so.  Release, for the
 * claim; the data are ordered by the tickets and by `taken`. */
static inline bool MPIR_lines_try(lines_sender_t *sender, lines_position_t *at,
                                  lines_position_t end)
{
    MPIR_lines_claim(sender, 1);
    LINES_STEP();
    return __atomic_compare_exchange_n(&sender->box->head, at, end, false, __ATOMIC_RELEASE,
                                       __ATOMIC_RELAXED);
}

/* For MPIR_lines_begin, when there seems to be no room. */
bool MPIR_lines_begin_slowly(lines_sender_t *sender, uint32_t units, lines_position_t *begin);

static inline void MPIR_lines_address(lines_box_t *box, lines_position_t at, uint32_t units,
                                      lines_letter_t *letter)
{
    size_t unit = MPIR_lines_first_unit(at, units) % LINES_POOL;

    letter->ticket = MPIR_lines_ticket(at + 1);
    letter->unit = (uint16_t) MPIR_lines_unit(at);
    letter->slot = &box->slots[MPIR_lines_ticket(at) % LINES_COUNT];
    letter->data = units ? box->pool + unit * LINES_LINE : letter->slot->datum;
}

/* False: there is no room now.  After true, MPIR_lines_send must follow soon: all others wait.
 * REQUIRES length <= LINES_MOST */
static inline bool MPIR_lines_begin(lines_sender_t *sender, size_t length, lines_letter_t *letter)
{
    uint32_t units = MPIR_lines_units(length);

    LINES_STEP();
    lines_position_t at = __atomic_load_n(&sender->box->head, __ATOMIC_RELAXED);
    lines_position_t end = MPIR_lines_behind(at, units);

    if (!MPIR_lines_fits(end, sender->taken) || !MPIR_lines_try(sender, &at, end)) {
        if (!MPIR_lines_begin_slowly(sender, units, &at))
            return false;
    }
    MPIR_lines_address(sender->box, at, units, letter);
    return true;
}

static inline void MPIR_lines_send(lines_sender_t *sender, const lines_letter_t *letter,
                                   size_t length, uint64_t word)
{
    letter->slot->length = (uint16_t) length;
    letter->slot->unit = letter->unit;
    letter->slot->word = word;
    sender->last = letter->ticket;
    LINES_STEP();
    __atomic_store_n(&letter->slot->ticket, (uint32_t) letter->ticket, __ATOMIC_RELEASE);
    MPIR_lines_claim(sender, 0);
}

/* Has the receiver taken all messages of this sender?  Acquire: what it did with them is done.
 * REQUIRES: fewer than half of all tickets have been given out since its last one. */
static inline bool MPIR_lines_are_taken(lines_sender_t *sender)
{
    LINES_STEP();
    sender->taken = __atomic_load_n(&sender->box->taken, __ATOMIC_ACQUIRE);
    return !(MPIR_lines_ticket(sender->taken - sender->last) >> (LINES_TICKET_BITS - 1));
}

/* ---- receiving ---- */

static inline lines_slot_t *MPIR_lines_next(const lines_receiver_t *receiver)
{
    return &receiver->box->slots[MPIR_lines_ticket(receiver->next) % LINES_COUNT];
}

/* The next message, or NULL when there is none yet. */
static inline const lines_slot_t *MPIR_lines_look(const lines_receiver_t *receiver)
{
    const lines_slot_t *slot = MPIR_lines_next(receiver);

    LINES_STEP();
    return __atomic_load_n(&slot->ticket, __ATOMIC_ACQUIRE) ==
                   (uint32_t) (MPIR_lines_ticket(receiver->next) + 1)
               ? slot
               : NULL;
}

/* Of a message: behind one that was skipped the receiver does not know the units of the pool. */
static inline lines_position_t MPIR_lines_position(const lines_receiver_t *receiver,
                                                   const lines_slot_t *slot)
{
    return (uint64_t) slot->unit << LINES_TICKET_BITS | MPIR_lines_ticket(receiver->next);
}

static inline const void *MPIR_lines_data(const lines_receiver_t *receiver,
                                          const lines_slot_t *slot)
{
    uint32_t units = MPIR_lines_units(slot->length),
             first = MPIR_lines_first_unit(MPIR_lines_position(receiver, slot), units) % LINES_POOL;

    return units ? receiver->box->pool + (size_t) first * LINES_LINE : slot->datum;
}

/* The one behind it is the next.  Its memory stays, for who still reads it.
 * REQUIRES that MPIR_lines_look has returned `slot` */
static inline void MPIR_lines_pass(lines_receiver_t *receiver, const lines_slot_t *slot)
{
    receiver->next =
        MPIR_lines_behind(MPIR_lines_position(receiver, slot), MPIR_lines_units(slot->length));
}

/* The memory of all messages before the next one goes back. */
static inline void MPIR_lines_give_back(const lines_receiver_t *receiver)
{
    LINES_STEP();
    __atomic_store_n(&receiver->box->taken, receiver->next, __ATOMIC_RELEASE);
}

/* Passes the next message if it is one that a dead sender has begun and will not end; true if so.
 * `claims` and `dead`: of all n senders.  If a living one is sending, it is to be tried again.
 * O(n). */
bool MPIR_lines_skip(lines_receiver_t *receiver, const uint32_t claims[], const bool dead[], int n);

#ifdef __cplusplus
}
#endif
#endif /* LINES_H_INCLUDED */
