/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "ctxid_freed.h"

#define LEAST_CAPACITY 16u
#define UNLISTED UINT32_MAX
#define ENDS 0 /* the id whose links are the list's ends */

enum { BEFORE, AFTER };

bool MPIR_ctxid_freed_make_room(ctxid_freed_t *freed, uint32_t ids)
{
    uint32_t capacity = MPL_MAX(freed->capacity, LEAST_CAPACITY);
    void *links;

    if (ids <= freed->capacity)
        return true;
    while (capacity < ids)
        capacity *= 2;
    links = MPL_realloc(freed->links, capacity * sizeof(*freed->links), MPL_MEM_COMM);
    if (links == NULL)
        return false;
    freed->links = links;
    for (uint32_t id = freed->capacity; id < capacity; id++)
        freed->links[id][BEFORE] = UNLISTED;
    if (freed->capacity == 0)
        freed->links[ENDS][BEFORE] = freed->links[ENDS][AFTER] = ENDS;
    freed->capacity = capacity;
    return true;
}

void MPIR_ctxid_freed_destroy(ctxid_freed_t *freed)
{
    MPL_free(freed->links);
    freed->links = NULL;
    freed->capacity = 0;
}

size_t MPIR_ctxid_freed_bytes(const ctxid_freed_t *freed)
{
    return freed->capacity * sizeof(*freed->links);
}

static bool is_listed(const ctxid_freed_t *freed, uint32_t id)
{
    return id < freed->capacity && freed->links[id][BEFORE] != UNLISTED;
}

static void insert(ctxid_freed_t *freed, uint32_t id, uint32_t before)
{
    uint32_t after;

    if (id >= freed->capacity || is_listed(freed, id))
        return;
    after = freed->links[before][AFTER];
    freed->links[id][BEFORE] = before;
    freed->links[id][AFTER] = after;
    freed->links[before][AFTER] = freed->links[after][BEFORE] = id;
}

void MPIR_ctxid_freed_append(ctxid_freed_t *freed, uint32_t id)
{
    if (freed->capacity > 0)
        insert(freed, id, freed->links[ENDS][BEFORE]);
}

void MPIR_ctxid_freed_prepend(ctxid_freed_t *freed, uint32_t id) { insert(freed, id, ENDS); }

void MPIR_ctxid_freed_remove(ctxid_freed_t *freed, uint32_t id)
{
    uint32_t before, after;

    if (!is_listed(freed, id))
        return;
    before = freed->links[id][BEFORE];
    after = freed->links[id][AFTER];
    freed->links[before][AFTER] = after;
    freed->links[after][BEFORE] = before;
    freed->links[id][BEFORE] = UNLISTED;
}

void MPIR_ctxid_freed_oldest(const ctxid_freed_t *freed, uint32_t ids[2])
{
    ids[0] = freed->capacity ? freed->links[ENDS][AFTER] : 0;
    ids[1] = ids[0] ? freed->links[ids[0]][AFTER] : 0;
}
