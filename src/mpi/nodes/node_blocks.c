/* SPDX-License-Identifier: BSD-3-Clause */

#include "node_blocks.h"

#include <stdlib.h>

static uint32_t least(uint64_t a, uint32_t b) { return a < b ? (uint32_t) a : b; }

/* Nodes that the first n processes of a block take. */
static uint32_t nodes_of(const MPIR_Node_block *b, uint32_t n)
{
    return (uint32_t) (((uint64_t) n + b->size - 1) / b->size);
}

/* Processes of block i, as many as fit into the world. */
static uint32_t processes_of(const MPIR_Node_blocks *m, uint32_t i)
{
    return (i + 1 < m->n ? m->b[i + 1].rank : m->end) - m->b[i].rank;
}

/* The node behind the last one of block i that has processes. */
static uint32_t behind(const MPIR_Node_blocks *m, uint32_t i)
{
    return m->b[i].node + nodes_of(&m->b[i], processes_of(m, i));
}

bool MPIR_Node_blocks_complete(MPIR_Node_blocks *m)
{
    uint32_t given = m->n;

    m->n = m->nodes = m->end = m->again = 0;
    for (uint32_t i = 0; i < given && m->end < m->processes; i++) {
        MPIR_Node_block b = m->b[i];
        if (b.count == 0 || b.size == 0)
            continue;
        b.rank = m->end;
        m->end = least((uint64_t) b.rank + (uint64_t) b.count * b.size, m->processes);
        m->b[m->n++] = b;
    }
    if (m->n == 0)
        return false;

    if (m->n == 1 && m->b[0].count == 1) {
        m->b[0].size = m->end = m->processes; /* all on one node, in one go */
    }
    for (uint32_t i = 0; i < m->n; i++) {
        if (behind(m, i) > m->nodes)
            m->nodes = behind(m, i);
    }
    while (m->again < m->n && m->b[m->again].node != 0)
        m->again++;
    if (m->again == m->n)
        m->again = 0;
    return true;
}

/* All nodes from `node` to the result - 1 have processes, and the result has none. */
static uint32_t first_empty(const MPIR_Node_blocks *m, uint32_t node)
{
    for (uint32_t i = 0; i < m->n;) {
        if (m->b[i].node <= node && behind(m, i) > node) {
            node = behind(m, i);
            i = 0;
        } else {
            i++;
        }
    }
    return node;
}

void MPIR_Node_blocks_close_gaps(MPIR_Node_blocks *m)
{
    uint32_t empty = first_empty(m, 0);

    while (empty < m->nodes) {
        uint32_t gap = m->nodes;

        for (uint32_t i = 0; i < m->n; i++) {
            if (m->b[i].node > empty && m->b[i].node - empty < gap)
                gap = m->b[i].node - empty;
        }
        for (uint32_t i = 0; i < m->n; i++) {
            if (m->b[i].node > empty)
                m->b[i].node -= gap;
        }
        m->nodes -= gap;
        empty = first_empty(m, empty);
    }
}

/* Whether `next` goes on where block b, with `count` nodes so far, ends. */
static bool continues(const MPIR_Node_block *b, const MPIR_Node_block *next, bool next_is_last)
{
    return next->node == b->node + b->count &&
           (next->size == b->size || (next_is_last && next->size < b->size));
}

/* The next run of processes on one node. */
static uint32_t take_run(const int nodes[], uint32_t processes, uint32_t rank, MPIR_Node_block *run)
{
    uint32_t first = rank;

    while (rank < processes && nodes[rank] == nodes[first])
        rank++;
    *run = (MPIR_Node_block){
        .node = (uint32_t) nodes[first], .count = 1, .size = rank - first, .rank = first};
    return rank;
}

/* Nodes in turns are one block that begins again and again. */
static bool is_in_turns(const int nodes[], uint32_t processes, const MPIR_Node_block *b)
{
    uint32_t period = b->count * b->size;

    if (b->node != 0)
        return false;
    for (uint32_t rank = period; rank < processes; rank++) {
        if (nodes[rank] != nodes[rank - period])
            return false;
    }
    return true;
}

uint32_t MPIR_Node_blocks_from_array(const int nodes[], uint32_t processes, MPIR_Node_blocks *m)
{
    MPIR_Node_block block, run;
    uint32_t n = 0, rank = take_run(nodes, processes, 0, &block);
    bool fill = false, in_turns = false;

    if (m) {
        fill = true;
        m->processes = processes;
    }
    for (;;) {
        bool is_over = rank == processes;
        if (!is_over)
            rank = take_run(nodes, processes, rank, &run);
        if (!is_over && continues(&block, &run, rank == processes)) {
            block.count++;
            continue;
        }
        if (n == 0)
            in_turns = is_in_turns(nodes, processes, &block);
        if (fill && n < m->n)
            m->b[n] = block;
        n++;
        if (is_over || in_turns)
            break;
        block = run;
    }
    if (fill && n == m->n)
        MPIR_Node_blocks_complete(m);
    return n;
}

static int compare_with_block(const void *rank, const void *block)
{
    const MPIR_Node_block *b = block;
    uint64_t first = b->rank, r = *(const uint32_t *) rank;

    return r < first ? -1 : r >= first + (uint64_t) b->count * b->size;
}

const MPIR_Node_block *MPIR_Node_blocks_of(const MPIR_Node_blocks *m, uint32_t rank)
{
    return bsearch(&rank, m->b, m->n, sizeof(m->b[0]), compare_with_block);
}

/* Where in the first pass a process' like is. */
static uint32_t fold(const MPIR_Node_blocks *m, uint32_t rank)
{
    uint32_t from = m->b[m->again].rank;

    return rank < m->end ? rank : from + (rank - m->end) % (m->end - from);
}

MPIR_Node_stretch MPIR_Node_blocks_find(const MPIR_Node_blocks *m, uint32_t rank)
{
    uint32_t like = fold(m, rank);
    const MPIR_Node_block *b = MPIR_Node_blocks_of(m, like);
    uint32_t nodes_before = (like - b->rank) / b->size;
    uint32_t first = rank - (like - b->rank) % b->size;

    return (MPIR_Node_stretch){.node = b->node + nodes_before,
                               .first = first,
                               .count = least(b->size, m->processes - first)};
}

uint32_t MPIR_Node_blocks_next(const MPIR_Node_blocks *m, uint32_t rank, MPIR_Node_block *block)
{
    uint32_t processes;

    *block = *MPIR_Node_blocks_of(m, fold(m, rank));
    block->rank = rank;
    processes = least((uint64_t) block->count * block->size, m->processes - rank);
    block->count = nodes_of(block, processes);
    return rank + processes;
}

bool MPIR_Node_blocks_ascend(const MPIR_Node_blocks *m)
{
    for (uint32_t i = 1; i < m->n; i++) {
        if (m->b[i].node < m->b[i - 1].node + m->b[i - 1].count)
            return false;
    }
    return true;
}

static bool holds(const MPIR_Node_block *b, uint32_t node) { return node - b->node < b->count; }

uint32_t MPIR_Node_blocks_root(const MPIR_Node_blocks *m, uint32_t node)
{
    MPIR_Node_block b;

    for (uint32_t rank = 0; rank < m->end;) {
        rank = MPIR_Node_blocks_next(m, rank, &b);
        if (holds(&b, node))
            return b.rank + (node - b.node) * b.size;
    }
    return UINT32_MAX;
}

uint32_t MPIR_Node_blocks_members(const MPIR_Node_blocks *m, uint32_t node, int ranks[])
{
    MPIR_Node_block b;
    uint32_t n = 0;

    for (uint32_t rank = 0; rank < m->processes;) {
        rank = MPIR_Node_blocks_next(m, rank, &b);
        if (!holds(&b, node))
            continue;
        uint32_t first = b.rank + (node - b.node) * b.size;
        uint32_t count = least(b.size, m->processes - first);
        for (uint32_t i = 0; ranks && i < count; i++)
            ranks[n + i] = (int) (first + i);
        n += count;
    }
    return n;
}
