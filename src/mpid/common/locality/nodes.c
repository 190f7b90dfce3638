/* SPDX-License-Identifier: BSD-3-Clause */

#include "locality.h"

#include <stdlib.h>
#include <string.h>

static uint32_t modulo(int64_t a, uint32_t m)
{
    int64_t rest = a % m;
    return (uint32_t) (rest < 0 ? rest + m : rest);
}

static uint32_t gcd(uint32_t a, uint32_t b)
{
    while (b != 0) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* In its turn. */
static uint32_t place_of(const locality_nodes *nodes, uint32_t index)
{
    uint32_t at = index - nodes->origin;
    return nodes->period ? at % nodes->period : at;
}

uint32_t MPIR_locality_node_of(const locality_nodes *nodes, uint32_t index)
{
    return nodes->first + place_of(nodes, index) / nodes->size;
}

/* ---- remainders ---- */

/* To each of counts[m] what those `shift`, 2 shift, ... (n - 1) shift before it have: how many sums
 * of a member and a digit have which remainder.  One window goes along each cycle of the shift. */
static void convolve(uint64_t counts[], uint32_t m, uint32_t shift, uint32_t n)
{
    uint64_t sums[LOCALITY_MOST];

    if (n == 1)
        return;
    if (shift == 0) {
        for (uint32_t i = 0; i < m; i++)
            counts[i] *= n;
        return;
    }
    uint32_t cycles = gcd(m, shift), length = m / cycles;
    uint32_t whole = n / length, rest = n % length;

    for (uint32_t c = 0; c < cycles; c++) {
        uint64_t all = 0, window = 0;
        uint32_t last = c, first;

        for (uint32_t i = 0; i < length; i++)
            all += counts[(c + (uint64_t) i * shift) % m];
        first = modulo((int64_t) c - (int64_t) rest * shift, m);
        for (uint32_t i = 0, at = first; i < rest; i++, at = (at + shift) % m)
            window += counts[at];
        /* the window holds the `rest` ones before `last` */
        for (uint32_t i = 0; i < length; i++) {
            if (rest > 0)
                window += counts[last] - counts[first];
            sums[last] = whole * all + window;
            first = (first + shift) % m;
            last = (last + shift) % m;
        }
    }
    memcpy(counts, sums, m * sizeof(sums[0]));
}

static uint64_t members_of(const cmap_form *form)
{
    uint64_t members = 1;
    for (uint32_t k = 0; k < form->levels; k++)
        members *= form->count[k];
    return members;
}

/* The step to the place of the other index, if that is less than a block away; else `size`. */
static int64_t short_step(int64_t step, const locality_nodes *nodes)
{
    int64_t size = nodes->size;

    if (nodes->period) {
        step = modulo(step, nodes->period);
        if (step > size)
            step -= nodes->period;
    }
    return step > -size && step < size ? step : size;
}

uint64_t MPIR_locality_crossings(const cmap_form *form, int64_t step, const locality_nodes *nodes)
{
    uint64_t counts[LOCALITY_MOST], members = members_of(form), together = 0;
    uint32_t m = nodes->size;
    int64_t near = short_step(step, nodes);

    if (near == 0 || members == 0)
        return 0;
    if (near == (int64_t) m)
        return members;
    memset(counts, 0, m * sizeof(counts[0]));
    counts[(form->base - nodes->origin) % m] = 1;
    for (uint32_t k = 0; k < form->levels; k++)
        convolve(counts, m, modulo(form->stride[k], m), form->count[k]);
    for (uint32_t at = near < 0 ? (uint32_t) -near : 0; at < m && at + near < m; at++)
        together += counts[at];
    return members - together;
}

/* ---- stretches ---- */

/* Neighbours in rank order that are on different nodes: those at which level k goes up by one, the
 * levels below start again, and those above stay. */
static uint64_t breaks_of(const cmap_form *form, const locality_nodes *nodes)
{
    uint64_t breaks = 0;
    cmap_form before = *form;
    int64_t below = 0;

    for (uint32_t k = 0; k < form->levels; k++) {
        before.count[k] = form->count[k] - 1;
        before.base = form->base + (uint32_t) below;
        if (before.count[k] > 0)
            breaks += MPIR_locality_crossings(&before, form->stride[k] - below, nodes);
        below += (int64_t) form->stride[k] * (form->count[k] - 1);
        before.count[k] = 1;
    }
    return breaks;
}

static uint32_t last_of(const cmap_form *form)
{
    uint32_t last = form->base;
    for (uint32_t k = 0; k < form->levels; k++)
        last += (form->count[k] - 1) * (uint32_t) form->stride[k];
    return last;
}

static uint64_t stretches_of(const locality_part parts[], uint32_t n)
{
    uint64_t stretches = 1;

    for (uint32_t i = 0; i < n; i++) {
        stretches += breaks_of(&parts[i].form, &parts[i].nodes);
        if (i > 0)
            stretches += MPIR_locality_node_of(&parts[i - 1].nodes, last_of(&parts[i - 1].form)) !=
                         MPIR_locality_node_of(&parts[i].nodes, parts[i].form.base);
    }
    return stretches;
}

/* ---- nodes ---- */

/* Some nodes between two of them, both included. */
typedef struct {
    uint32_t low, high, nodes;
} extent;

static void swap_levels(cmap_form *form, uint32_t i, uint32_t k)
{
    uint32_t count = form->count[i];
    int32_t stride = form->stride[i];

    form->count[i] = form->count[k];
    form->stride[i] = form->stride[k];
    form->count[k] = count;
    form->stride[k] = stride;
}

/* The same members in increasing order.  False: the levels do not nest. */
static bool ascend(cmap_form *form)
{
    uint64_t below = 0;

    for (uint32_t k = 0; k < form->levels; k++) {
        if (form->stride[k] < 0) {
            form->base += (form->count[k] - 1) * (uint32_t) form->stride[k];
            form->stride[k] = -form->stride[k];
        }
        for (uint32_t i = k; i > 0 && form->stride[i - 1] > form->stride[i]; i--)
            swap_levels(form, i - 1, i);
    }
    for (uint32_t k = 0; k < form->levels; k++) {
        if (form->count[k] > 1 && (uint64_t) form->stride[k] <= below)
            return false;
        below += (uint64_t) form->stride[k] * (form->count[k] - 1);
    }
    return true;
}

/* Levels by places: a whole period more is the same place, and after some steps all places of a
 * level have been met.  Returns the distance from the first member to the last one. */
static uint64_t fold_levels(cmap_form *form, uint32_t period)
{
    uint64_t across = 0;
    uint32_t kept = 0;

    for (uint32_t k = 0; k < form->levels; k++) {
        uint32_t stride = (uint32_t) form->stride[k] % period, cycle;
        if (stride == 0)
            continue;
        cycle = period / gcd(period, stride);
        form->stride[kept] = (int32_t) stride;
        form->count[kept] = form->count[k] < cycle ? form->count[k] : cycle;
        across += (uint64_t) stride * (form->count[kept] - 1);
        kept++;
    }
    form->levels = kept;
    return across;
}

/* Of a form whose members are on the nodes in increasing order. */
static extent extent_of_ascending(const cmap_form *form, const locality_nodes *nodes)
{
    return (extent){.low = MPIR_locality_node_of(nodes, form->base),
                    .high = MPIR_locality_node_of(nodes, last_of(form)),
                    .nodes = (uint32_t) breaks_of(form, nodes) + 1};
}

/* Of one level that comes to all places it can come to. */
static bool meets_all(const cmap_form *form, const locality_nodes *nodes, extent *found)
{
    uint32_t common, least;

    if (form->levels != 1)
        return false;
    common = gcd(nodes->period, (uint32_t) form->stride[0]);
    if (form->count[0] != nodes->period / common)
        return false;
    least = place_of(nodes, form->base) % common;
    *found =
        (extent){.low = nodes->first + least / nodes->size,
                 .high = nodes->first + (least + nodes->period - common) / nodes->size,
                 .nodes = common <= nodes->size ? nodes->period / nodes->size : form->count[0]};
    return true;
}

/* Of one level that goes beyond the end of a period once: what lies beyond is below the rest. */
static bool wraps_once(const cmap_form *form, uint64_t across, const locality_nodes *nodes,
                       extent *found)
{
    cmap_form rest = *form, beyond = *form;
    extent above, below;
    uint32_t left = nodes->period - place_of(nodes, form->base);

    if (form->levels != 1 || across >= nodes->period)
        return false;
    rest.count[0] = (left + (uint32_t) form->stride[0] - 1) / (uint32_t) form->stride[0];
    beyond.base += rest.count[0] * (uint32_t) form->stride[0];
    beyond.count[0] -= rest.count[0];
    above = extent_of_ascending(&rest, nodes);
    below = extent_of_ascending(&beyond, nodes);
    *found = (extent){.low = below.low,
                      .high = above.high,
                      .nodes = below.nodes + above.nodes - (below.high == above.low)};
    return true;
}

static bool extent_of(const locality_part *part, extent *found)
{
    const locality_nodes *nodes = &part->nodes;
    cmap_form form = part->form;
    uint64_t across;

    if (!ascend(&form))
        return false;
    if (nodes->period) {
        across = fold_levels(&form, nodes->period);
        if (meets_all(&form, nodes, found))
            return true;
        if (!ascend(&form))
            return false;
        if (place_of(nodes, form.base) + across >= nodes->period)
            return wraps_once(&form, across, nodes, found);
    }
    *found = extent_of_ascending(&form, nodes);
    return true;
}

static int by_low(const void *a, const void *b)
{
    const extent *x = a, *y = b;

    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    return (x->high > y->high) - (x->high < y->high);
}

bool MPIR_locality_count_nodes(const locality_part parts[], uint32_t n, locality_count *count)
{
    extent extents[LOCALITY_PARTS];

    if (n == 0 || n > LOCALITY_PARTS)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        if (!extent_of(&parts[i], &extents[i]))
            return false;
    }
    qsort(extents, n, sizeof(extents[0]), by_low);
    count->nodes = extents[0].nodes;
    for (uint32_t i = 1; i < n; i++) {
        if (extents[i].low < extents[i - 1].high)
            return false; /* they may interleave */
        count->nodes += extents[i].nodes - (extents[i].low == extents[i - 1].high);
    }
    count->stretches = (uint32_t) stretches_of(parts, n);
    return true;
}
