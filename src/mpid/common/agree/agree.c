/* SPDX-License-Identifier: BSD-3-Clause */

#include "agree.h"
#include <stdlib.h>
#include <string.h>

struct agree {
    int members, me, degree;
    agree_calls_t calls;
    bool has_contributed, has_failed;
    bool has_offer;       /* there is one in `value` */
    int sent_to;          /* the value; -1: to nobody who lives */
    uint64_t *dead;       /* that this member knows of */
    uint64_t *has_sent;   /* members whose values are in `value` */
    agree_value_t *value; /* folded so far, or the result */
};

/* ---- the tree ---- */

static bool is_dead(const agree_t *agree, int member)
{
    return MPIR_agree_has(agree->dead, member);
}

/* The nearest living ancestor, or -1. */
static int ancestor(const agree_t *agree, int member)
{
    while (member > 0) {
        member = (member - 1) / agree->degree;
        if (!is_dead(agree, member))
            return member;
    }
    return -1;
}

static int root_of(const agree_t *agree)
{
    int member = 0;

    while (is_dead(agree, member))
        member++;
    return member;
}

/* -1 for the root. */
static int parent_of_me(const agree_t *agree)
{
    int parent = ancestor(agree, agree->me), root;

    if (parent >= 0)
        return parent;
    root = root_of(agree);
    return root == agree->me ? -1 : root;
}

static bool visit_below(agree_t *agree, int member, bool (*visit)(agree_t *, int));

/* Calls `visit` for the first living members at and below `member`, except for me; ends when it
 * returns false. */
static bool visit_living(agree_t *agree, int member, bool (*visit)(agree_t *, int))
{
    if (member == agree->me)
        return true;
    return is_dead(agree, member) ? visit_below(agree, member, visit) : visit(agree, member);
}

static bool visit_below(agree_t *agree, int member, bool (*visit)(agree_t *, int))
{
    const long long first = (long long) member * agree->degree + 1;

    for (long long child = first; child < first + agree->degree && child < agree->members;
         child++) {
        if (!visit_living(agree, (int) child, visit))
            return false;
    }
    return true;
}

/* The root's children are also those that have lost all ancestors. */
static bool visit_children(agree_t *agree, bool (*visit)(agree_t *, int))
{
    return visit_below(agree, agree->me, visit) &&
           (parent_of_me(agree) >= 0 || agree->me == 0 || visit_living(agree, 0, visit));
}

/* ---- values ---- */

static void fold_offer(agree_t *agree, const uint64_t offer[2])
{
    if (agree->has_offer)
        agree->calls.fold(agree->value->offer, offer);
    else
        memcpy(agree->value->offer, offer, sizeof(agree->value->offer));
    agree->has_offer = true;
}

static void fold(agree_t *agree, const agree_value_t *value)
{
    const int words = MPIR_agree_words(agree->members);
    agree_value_t *all = agree->value;

    all->flag &= value->flag;
    fold_offer(agree, value->offer);
    for (int i = 0; i < words; i++) {
        all->sets[i] |= value->sets[i];
        all->sets[words + i] &= value->sets[words + i];
    }
}

static bool send(agree_t *agree, int member)
{
    if (!agree->calls.send(agree->calls.context, member, agree->value))
        agree->has_failed = true;
    return true;
}

static bool has_sent(agree_t *agree, int member) { return MPIR_agree_has(agree->has_sent, member); }

static bool send_if_silent(agree_t *agree, int member)
{
    return has_sent(agree, member) || send(agree, member);
}

/* Those who have sent their values wait, also one that takes this member for the root before this
 * member does. */
static void decide(agree_t *agree)
{
    agree->value->has_result = 1;
    visit_children(agree, send_if_silent);
    for (int i = 0; i < MPIR_agree_words(agree->members); i++) {
        uint64_t waiting = agree->has_sent[i] & ~agree->dead[i];

        for (; waiting; waiting &= waiting - 1)
            send(agree, 64 * i + __builtin_ctzll(waiting));
    }
}

static void note_dead(agree_t *agree)
{
    for (int i = 0; i < MPIR_agree_words(agree->members); i++)
        agree->value->sets[i] |= agree->dead[i];
}

/* The next step, if all is there that it needs. */
static void advance(agree_t *agree)
{
    int parent = parent_of_me(agree);

    if (!agree->has_contributed || agree->value->has_result || !visit_children(agree, has_sent))
        return;
    note_dead(agree);
    if (parent < 0) {
        decide(agree);
    } else if (agree->sent_to != parent) {
        agree->sent_to = parent;
        send(agree, parent);
    }
}

/* ---- what happens ---- */

agree_t *MPIR_agree_create(int members, int me, int degree, const agree_calls_t *calls)
{
    const int words = MPIR_agree_words(members);
    agree_t *agree = calloc(1, sizeof(*agree) + 2 * (size_t) words * sizeof(uint64_t) +
                                   MPIR_agree_value_bytes(members));

    if (!agree)
        return NULL;
    agree->members = members;
    agree->me = me;
    agree->degree = degree;
    agree->calls = *calls;
    agree->sent_to = -1;
    agree->dead = (uint64_t *) (agree + 1);
    agree->has_sent = agree->dead + words;
    agree->value = (agree_value_t *) (agree->has_sent + words);
    agree->value->flag = UINT32_MAX;
    memset(MPIR_agree_acked(agree->value, members), 0xff, (size_t) words * sizeof(uint64_t));
    return agree;
}

void MPIR_agree_free(agree_t *agree) { free(agree); }

void MPIR_agree_contribute(agree_t *agree, uint32_t flag, const uint64_t offer[2],
                           const uint64_t *acked)
{
    uint64_t *all = MPIR_agree_acked(agree->value, agree->members);

    agree->has_contributed = true;
    if (agree->value->has_result)
        return;
    agree->value->flag &= flag;
    fold_offer(agree, offer);
    for (int i = 0; i < MPIR_agree_words(agree->members); i++)
        all[i] &= acked ? acked[i] : 0;
    advance(agree);
}

void MPIR_agree_message(agree_t *agree, int from, const agree_value_t *value)
{
    if (is_dead(agree, from))
        return;
    if (agree->value->has_result) {
        if (!value->has_result)
            send(agree, from);
        return;
    }
    if (value->has_result) {
        memcpy(agree->value, value, MPIR_agree_value_bytes(agree->members));
        decide(agree);
        return;
    }
    fold(agree, value);
    MPIR_agree_put(agree->has_sent, from);
    advance(agree);
}

void MPIR_agree_death(agree_t *agree, int member)
{
    int parent = parent_of_me(agree), next;

    MPIR_agree_put(agree->dead, member);
    next = parent_of_me(agree);
    if (agree->value->has_result && next != parent && next >= 0)
        send(agree, next); /* a new root may not have it */
    else
        advance(agree);
}

agree_value_t *MPIR_agree_result(agree_t *agree)
{
    return agree->value->has_result ? agree->value : NULL;
}

bool MPIR_agree_has_failed(const agree_t *agree) { return agree->has_failed; }
