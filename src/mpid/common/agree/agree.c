/* SPDX-License-Identifier: BSD-3-Clause */

#include "agree.h"
#include "agree_lines.h"
#include <stdlib.h>
#include <string.h>

/* A walk through the children that a member has now, in preorder: below the dead among them it goes
 * on.  The root's children are also those that have lost all ancestors. */
typedef struct {
    int at;  /* -1: all are visited */
    int top; /* of the tree that is walked: this member, and after that, for the root, 0 */
} walk_t;

struct agree {
    int members, me, degree;
    agree_calls_t calls;
    bool has_contributed, has_failed;
    bool has_value;        /* one has been folded */
    int parent;            /* the nearest that lives; -1: this member is the root */
    int sent_to;           /* the value; -1: to nobody who lives */
    walk_t awaited;        /* children before it have sent */
    agree_list_t dead;     /* that this member knows of */
    agree_list_t has_sent; /* members whose values are in `value` */
    agree_lines_t lines;   /* in shared memory; memory NULL: members send messages */
    agree_value_t *value;  /* folded so far, or the result */
    agree_value_t plain;   /* the last field: a value without dead */
};

static bool has(const agree_list_t *list, int member)
{
    return MPIR_agree_set_has(MPIR_agree_list_set(list), (uint32_t) member);
}

/* ---- the tree ---- */

static int find_parent(const agree_t *agree)
{
    int root = 0;

    for (int member = agree->me; member > 0;) {
        member = (member - 1) / agree->degree;
        if (!has(&agree->dead, member))
            return member;
    }
    if (agree->dead.n > 0 && agree->dead.runs[0].first == 0)
        root = (int) agree->dead.runs[0].length;
    return root == agree->me ? -1 : root;
}

/* The next member behind this one and those below it. */
static void pass(const agree_t *agree, walk_t *walk)
{
    while (walk->at != walk->top) {
        if (walk->at % agree->degree != 0 && walk->at + 1 < agree->members) {
            walk->at++;
            return;
        }
        walk->at = (walk->at - 1) / agree->degree;
    }
    *walk = (walk_t){-1, 0};
}

static void step(const agree_t *agree, walk_t *walk)
{
    const long long below = (long long) walk->at * agree->degree + 1;
    const bool goes_down = walk->at == walk->top || has(&agree->dead, walk->at);

    if (goes_down && below < agree->members)
        walk->at = (int) below;
    else
        pass(agree, walk);
}

static void next_child(const agree_t *agree, walk_t *walk)
{
    do {
        const bool is_own = walk->top == agree->me;

        step(agree, walk);
        if (walk->at < 0 && is_own && agree->parent < 0 && agree->me > 0)
            *walk = (walk_t){0, 0};
    } while (walk->at == agree->me || (walk->at >= 0 && has(&agree->dead, walk->at)));
}

static walk_t first_child(const agree_t *agree)
{
    walk_t walk = {agree->me, agree->me};

    next_child(agree, &walk);
    return walk;
}

static bool have_children_sent(agree_t *agree)
{
    while (agree->awaited.at >= 0 && has(&agree->has_sent, agree->awaited.at))
        next_child(agree, &agree->awaited);
    return agree->awaited.at < 0;
}

/* ---- values ---- */

static void use(agree_t *agree, agree_value_t *value)
{
    if (agree->value != value && agree->value != &agree->plain)
        free(agree->value);
    agree->value = value;
}

/* Adds dead, and leaves of the acknowledged only these.  False without memory. */
static bool put_sets(agree_t *agree, agree_set_t dead, agree_set_t acked)
{
    const agree_set_t all_dead = MPIR_agree_dead(agree->value);
    const agree_set_t all_acked = agree->has_value ? MPIR_agree_acked(agree->value) : acked;
    const size_t runs = (size_t) all_dead.n + dead.n + all_acked.n + acked.n;
    agree_value_t *next;

    if (MPIR_agree_set_is_within(dead, all_dead) &&
        MPIR_agree_set_is_equal(acked, MPIR_agree_acked(agree->value)))
        return true;
    next = malloc(sizeof(*next) + runs * sizeof(next->runs[0]));
    if (!next)
        return false;
    *next = *agree->value;
    next->dead = MPIR_agree_set_unite(all_dead, dead, next->runs);
    next->acked = MPIR_agree_set_intersect(all_acked, acked, next->runs + next->dead);
    use(agree, next);
    return true;
}

static bool fold(agree_t *agree, uint32_t flag, const uint64_t offer[2], agree_set_t dead,
                 agree_set_t acked)
{
    if (!put_sets(agree, dead, acked))
        return false;
    agree->value->flag &= flag;
    if (agree->has_value)
        agree->calls.fold(agree->value->offer, offer);
    else
        memcpy(agree->value->offer, offer, sizeof(agree->value->offer));
    agree->has_value = true;
    return true;
}

static bool take_result(agree_t *agree, const agree_value_t *result)
{
    const size_t bytes = MPIR_agree_value_bytes(result);
    agree_value_t *copy = result->dead > 0 ? malloc(bytes) : &agree->plain;

    if (!copy)
        return false;
    memcpy(copy, result, bytes);
    use(agree, copy);
    return true;
}

static void send(agree_t *agree, int member)
{
    if (!agree->calls.send(agree->calls.context, member, agree->value))
        agree->has_failed = true;
}

/* Those who have sent their values wait, also one that takes this member for the root before this
 * member does. */
static void decide(agree_t *agree)
{
    agree->value->has_result = 1;
    for (walk_t walk = agree->awaited; walk.at >= 0; next_child(agree, &walk)) {
        if (!has(&agree->has_sent, walk.at))
            send(agree, walk.at);
    }
    for (uint32_t i = 0; i < agree->has_sent.n; i++) {
        const agree_run_t run = agree->has_sent.runs[i];

        for (uint32_t member = run.first; member < run.first + run.length; member++) {
            if (!has(&agree->dead, (int) member))
                send(agree, (int) member);
        }
    }
}

/* The next step, if all is there that it needs.  False without memory. */
static bool advance(agree_t *agree)
{
    if (!agree->has_contributed || !have_children_sent(agree))
        return true;
    if (!put_sets(agree, MPIR_agree_list_set(&agree->dead), MPIR_agree_acked(agree->value)))
        return false;
    if (agree->parent < 0) {
        decide(agree);
    } else if (agree->sent_to != agree->parent) {
        agree->sent_to = agree->parent;
        send(agree, agree->parent);
    }
    return true;
}

/* ---- shared memory ---- */

static uint64_t bits_of(agree_set_t set)
{
    uint64_t bits = 0;

    for (uint32_t i = 0; i < set.n; i++)
        bits |= UINT64_MAX >> (AGREE_LINES_MOST - set.runs[i].length) << set.runs[i].first;
    return bits;
}

/* Answers how many it has written. */
static uint32_t write_runs(uint64_t bits, agree_run_t *runs)
{
    uint32_t n = 0;

    for (uint32_t at = 0; at < AGREE_LINES_MOST && bits >> at; at += runs[n++].length) {
        at += (uint32_t) __builtin_ctzll(bits >> at);
        runs[n].first = at;
        runs[n].length =
            ~(bits >> at) ? (uint32_t) __builtin_ctzll(~(bits >> at)) : AGREE_LINES_MOST;
    }
    return n;
}

static bool take_bits(agree_t *agree, const agree_bits_t *result)
{
    const size_t most = AGREE_LINES_MOST / 2; /* runs of a set */
    agree_value_t *value = &agree->plain;

    if (result->dead)
        value = malloc(sizeof(*value) + 2 * most * sizeof(value->runs[0]));
    if (!value)
        return false;
    *value = (agree_value_t){
        .offer = {result->offer[0], result->offer[1]}, .flag = result->flag, .has_result = 1};
    if (result->dead) {
        value->dead = write_runs(result->dead, value->runs);
        value->acked = write_runs(result->acked, value->runs + value->dead);
    }
    use(agree, value);
    return true;
}

void MPIR_agree_share(agree_t *agree, void *memory, uint32_t number)
{
    agree->lines = (agree_lines_t){memory, agree->members, agree->me, number, 0};
}

static void put_bits(const agree_t *agree, uint32_t flag, const uint64_t offer[2],
                     agree_set_t acked)
{
    const agree_bits_t bits = {.offer = {offer[0], offer[1]},
                               .dead = bits_of(MPIR_agree_told(agree)),
                               .acked = bits_of(acked),
                               .flag = flag};

    MPIR_agree_lines_put(&agree->lines, &bits);
}

void MPIR_agree_poll(agree_t *agree)
{
    agree_bits_t result;

    if (!agree->lines.memory || agree->value->has_result || agree->has_failed)
        return;
    if (MPIR_agree_lines_poll(&agree->lines, bits_of(MPIR_agree_told(agree)), agree->calls.fold,
                              &result) &&
        !take_bits(agree, &result))
        agree->has_failed = true;
}

/* ---- what is known ---- */

agree_set_t MPIR_agree_told(const agree_t *agree) { return MPIR_agree_list_set(&agree->dead); }

const agree_value_t *MPIR_agree_value(const agree_t *agree) { return agree->value; }

const agree_value_t *MPIR_agree_result(const agree_t *agree)
{
    return agree->value->has_result ? agree->value : NULL;
}

int MPIR_agree_awaited(const agree_t *agree)
{
    if (!agree->has_contributed || agree->has_failed || agree->value->has_result ||
        agree->lines.memory)
        return -1;
    return agree->awaited.at >= 0 ? agree->awaited.at : agree->parent;
}

bool MPIR_agree_has_failed(const agree_t *agree) { return agree->has_failed; }

/* ---- what happens ---- */

agree_t *MPIR_agree_create(int members, int me, int degree, const agree_calls_t *calls)
{
    agree_t *agree = calloc(1, sizeof(*agree));

    if (!agree)
        return NULL;
    agree->members = members;
    agree->me = me;
    agree->degree = degree;
    agree->calls = *calls;
    agree->sent_to = -1;
    agree->parent = find_parent(agree);
    agree->awaited = first_child(agree);
    agree->value = &agree->plain;
    agree->value->flag = UINT32_MAX;
    return agree;
}

void MPIR_agree_free(agree_t *agree)
{
    if (!agree)
        return;
    MPIR_agree_list_free(&agree->dead);
    MPIR_agree_list_free(&agree->has_sent);
    use(agree, NULL);
    free(agree);
}

void MPIR_agree_contribute(agree_t *agree, uint32_t flag, const uint64_t offer[2],
                           agree_set_t acked)
{
    agree->has_contributed = true;
    if (agree->value->has_result || agree->has_failed)
        return;
    if (agree->lines.memory)
        put_bits(agree, flag, offer, acked);
    else if (!fold(agree, flag, offer, MPIR_agree_told(agree), acked) || !advance(agree))
        agree->has_failed = true;
}

void MPIR_agree_message(agree_t *agree, int from, const agree_value_t *value)
{
    bool is_done = true;

    if (has(&agree->dead, from))
        return;
    if (agree->value->has_result) {
        if (!value->has_result)
            send(agree, from);
    } else if (value->has_result) {
        is_done = take_result(agree, value);
        if (is_done)
            decide(agree);
    } else if (!agree->has_failed) {
        is_done = fold(agree, value->flag, value->offer, MPIR_agree_dead(value),
                       MPIR_agree_acked(value)) &&
                  MPIR_agree_list_put(&agree->has_sent, (uint32_t) from) && advance(agree);
    }
    if (!is_done)
        agree->has_failed = true;
}

void MPIR_agree_deaths(agree_t *agree, agree_set_t dead)
{
    const int before = agree->parent;

    if (MPIR_agree_set_is_within(dead, MPIR_agree_told(agree)))
        return;
    if (!MPIR_agree_list_unite(&agree->dead, dead)) {
        agree->has_failed = true;
        return;
    }
    if (agree->lines.memory)
        return;
    agree->parent = find_parent(agree);
    agree->awaited = first_child(agree);
    if (!agree->value->has_result) {
        if (!agree->has_failed && !advance(agree))
            agree->has_failed = true;
    } else if (agree->parent != before && agree->parent >= 0) {
        send(agree, agree->parent); /* a new root may not have it */
    }
}
