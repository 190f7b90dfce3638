/* SPDX-License-Identifier: BSD-3-Clause */

#include "agree_set.h"
#include <stdlib.h>

static uint32_t end_of(agree_run_t run) { return run.first + run.length; }

/* How many runs begin at or before the member. */
static uint32_t runs_up_to(agree_set_t set, uint32_t member)
{
    uint32_t low = 0, high = set.n;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (set.runs[middle].first <= member)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool MPIR_agree_set_search(agree_set_t set, uint32_t member)
{
    const uint32_t n = runs_up_to(set, member);

    return n > 0 && member < end_of(set.runs[n - 1]);
}

bool MPIR_agree_set_search_all(agree_set_t part, agree_set_t whole)
{
    for (uint32_t i = 0; i < part.n; i++) {
        const uint32_t n = runs_up_to(whole, part.runs[i].first);

        if (n == 0 || end_of(part.runs[i]) > end_of(whole.runs[n - 1]))
            return false;
    }
    return true;
}

/* REQUIRES that it does not begin before the last one.  Answers the new number of runs. */
static uint32_t append(agree_run_t *out, uint32_t n, agree_run_t run)
{
    if (n == 0 || run.first > end_of(out[n - 1])) {
        out[n] = run;
        return n + 1;
    }
    if (end_of(run) > end_of(out[n - 1]))
        out[n - 1].length = end_of(run) - out[n - 1].first;
    return n;
}

uint32_t MPIR_agree_set_unite(agree_set_t a, agree_set_t b, agree_run_t *out)
{
    uint32_t i = 0, j = 0, n = 0;

    while (i < a.n || j < b.n) {
        const bool is_of_a = j == b.n || (i < a.n && a.runs[i].first < b.runs[j].first);

        n = append(out, n, is_of_a ? a.runs[i++] : b.runs[j++]);
    }
    return n;
}

uint32_t MPIR_agree_set_intersect(agree_set_t a, agree_set_t b, agree_run_t *out)
{
    uint32_t i = 0, j = 0, n = 0;

    while (i < a.n && j < b.n) {
        const agree_run_t x = a.runs[i], y = b.runs[j];
        const uint32_t first = x.first > y.first ? x.first : y.first;
        const uint32_t end = end_of(x) < end_of(y) ? end_of(x) : end_of(y);

        if (first < end)
            out[n++] = (agree_run_t){first, end - first};
        if (end_of(x) == end)
            i++;
        else
            j++;
    }
    return n;
}

static int compare(const void *a, const void *b)
{
    const agree_run_t *x = a, *y = b;

    return (x->first > y->first) - (x->first < y->first);
}

uint32_t MPIR_agree_set_order(agree_run_t *runs, uint32_t n)
{
    uint32_t kept = 0;

    if (n > 1)
        qsort(runs, n, sizeof(*runs), compare);
    for (uint32_t i = 0; i < n; i++) {
        if (runs[i].length > 0)
            kept = append(runs, kept, runs[i]);
    }
    return kept;
}

/* ---- lists ---- */

static void move_to(agree_list_t *list, agree_run_t *runs, uint32_t room)
{
    if (list->runs != list->few)
        free(list->runs);
    list->runs = runs;
    list->room = room;
}

static bool make_room(agree_list_t *list)
{
    agree_run_t *larger;

    if (list->n < list->room)
        return true;
    if (list->room == 0) {
        move_to(list, list->few, sizeof(list->few) / sizeof(list->few[0]));
        return true;
    }
    larger = malloc(2 * list->room * sizeof(*larger));
    if (!larger)
        return false;
    memcpy(larger, list->runs, list->n * sizeof(*larger));
    move_to(list, larger, 2 * list->room);
    return true;
}

bool MPIR_agree_list_put(agree_list_t *list, uint32_t member)
{
    const uint32_t n = runs_up_to(MPIR_agree_list_set(list), member);
    agree_run_t *at;

    if (n > 0 && member < end_of(list->runs[n - 1]))
        return true;
    if (!make_room(list))
        return false;
    at = list->runs + n;
    if (n < list->n && at->first == member + 1) {
        at->first--;
        at->length++;
    } else {
        memmove(at + 1, at, (list->n - n) * sizeof(*at));
        *at = (agree_run_t){member, 1};
        list->n++;
    }
    if (n > 0 && end_of(at[-1]) == member) {
        at[-1].length += at->length;
        list->n--;
        memmove(at, at + 1, (list->n - n) * sizeof(*at));
    }
    return true;
}

bool MPIR_agree_list_unite(agree_list_t *list, agree_set_t set)
{
    const uint32_t room = list->n + set.n;
    agree_run_t *all;

    if (MPIR_agree_set_is_within(set, MPIR_agree_list_set(list)))
        return true;
    all = malloc(room * sizeof(*all));
    if (!all)
        return false;
    list->n = MPIR_agree_set_unite(MPIR_agree_list_set(list), set, all);
    move_to(list, all, room);
    return true;
}

void MPIR_agree_list_free(agree_list_t *list)
{
    move_to(list, NULL, 0);
    list->n = 0;
}
