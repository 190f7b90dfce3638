/* SPDX-License-Identifier: BSD-3-Clause */

#include "agree_lines.h"

/* The unit test stops here, before each access to what others write. */
#ifdef AGREE_SIMULATED
void simulated_step(void);
#define STEP() simulated_step()
#else
#define STEP() ((void) 0)
#endif

enum { LINE = 64 };

typedef struct {
    uint64_t offer[2], dead, acked;
    uint64_t state; /* the agreement's number, and below it the flag */
} __attribute__((aligned(LINE))) line_t;

typedef struct {
    /* the number of the last agreement that is over, and below it whose proposal it is */
    uint64_t decided __attribute__((aligned(LINE)));
    struct {
        line_t value, proposal;
    } members[];
} table_t;

size_t MPIR_agree_lines_bytes(int members)
{
    return sizeof(table_t) + (size_t) members * sizeof(((table_t *) NULL)->members[0]);
}

static uint64_t join_words(uint32_t upper, uint32_t lower)
{
    return (uint64_t) upper << 32 | lower;
}

static uint32_t upper_of(uint64_t word) { return (uint32_t) (word >> 32); }

static uint32_t lower_of(uint64_t word) { return (uint32_t) word; }

/* Release and acquire at each word: who reads a part of a member's next value has seen that this
 * agreement is over, so its compare-and-swap fails. */
static void put_word(uint64_t *word, uint64_t value)
{
    STEP();
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

static uint64_t read_word(const uint64_t *word)
{
    STEP();
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static void write_line(line_t *line, uint32_t number, const agree_bits_t *value)
{
    put_word(&line->offer[0], value->offer[0]);
    put_word(&line->offer[1], value->offer[1]);
    put_word(&line->dead, value->dead);
    put_word(&line->acked, value->acked);
    put_word(&line->state, join_words(number, value->flag));
}

/* False: it is of another agreement. */
static bool read_line(const line_t *line, uint32_t number, agree_bits_t *value)
{
    const uint64_t state = read_word(&line->state);

    if (upper_of(state) != number)
        return false;
    value->flag = lower_of(state);
    value->offer[0] = read_word(&line->offer[0]);
    value->offer[1] = read_word(&line->offer[1]);
    value->dead = read_word(&line->dead);
    value->acked = read_word(&line->acked);
    return true;
}

void MPIR_agree_lines_put(const agree_lines_t *lines, const agree_bits_t *value)
{
    table_t *table = lines->memory;

    write_line(&table->members[lines->me].value, lines->number, value);
}

static bool has_put(const agree_lines_t *lines, int member)
{
    const table_t *table = lines->memory;

    return upper_of(read_word(&table->members[member].value.state)) == lines->number;
}

static bool are_all_there(agree_lines_t *lines, uint64_t dead)
{
    while (lines->awaited < lines->members &&
           (has_put(lines, lines->awaited) || dead >> lines->awaited & 1))
        lines->awaited++;
    return lines->awaited == lines->members;
}

/* Also of the dead, as far as they have come. */
static void fold_all(const agree_lines_t *lines, uint64_t dead,
                     void (*fold)(uint64_t all[2], const uint64_t offer[2]), agree_bits_t *all)
{
    const table_t *table = lines->memory;
    agree_bits_t one;

    (void) read_line(&table->members[lines->me].value, lines->number, all);
    all->dead |= dead;
    for (int m = 0; m < lines->members; m++) {
        if (m == lines->me || !read_line(&table->members[m].value, lines->number, &one))
            continue;
        fold(all->offer, one.offer);
        all->flag &= one.flag;
        all->dead |= one.dead;
        all->acked &= one.acked;
    }
}

/* Fails if another member has been faster. */
static void decide(const agree_lines_t *lines, uint64_t seen, const agree_bits_t *result)
{
    table_t *table = lines->memory;

    write_line(&table->members[lines->me].proposal, lines->number, result);
    STEP();
    __atomic_compare_exchange_n(&table->decided, &seen,
                                join_words(lines->number, (uint32_t) lines->me), false,
                                __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* False: it is not over.  *seen: the word. */
static bool read_result(const agree_lines_t *lines, uint64_t *seen, agree_bits_t *result)
{
    const table_t *table = lines->memory;

    *seen = read_word(&table->decided);
    return upper_of(*seen) == lines->number &&
           read_line(&table->members[lower_of(*seen)].proposal, lines->number, result);
}

bool MPIR_agree_lines_poll(agree_lines_t *lines, uint64_t dead,
                           void (*fold)(uint64_t all[2], const uint64_t offer[2]),
                           agree_bits_t *result)
{
    uint64_t seen;

    if (read_result(lines, &seen, result))
        return true;
    if (!are_all_there(lines, dead))
        return false;
    fold_all(lines, dead, fold, result);
    decide(lines, seen, result);
    return read_result(lines, &seen, result);
}
