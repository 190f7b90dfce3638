/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "csel_shared.h"

/* All that prune_tree() in csel.c asks a communicator about; whether it is on one node follows.  Of
 * integers only, so that equality is that of the bytes. */
typedef struct traits {
    int comm_kind, hierarchy_kind;
    int size, node_count;
    int node_consecutive;
} traits;

/* Stands before the table that the others see. */
typedef struct shared {
    struct shared *next; /* in its bucket */
    const void *root;
    traits of;
    int references;
    int is_listed;
    max_align_t table[];
} shared;

#define BUCKETS 64
static shared *buckets[BUCKETS];
static MPL_initlock_t lock = MPL_INITLOCK_INITIALIZER;

/* Without MPI_THREAD_MULTIPLE one thread at a time is here: communicators that are made and freed
 * then pay for no atomic operation. */
static void enter(void)
{
    if (MPIR_IS_THREADED)
        MPL_initlock_lock(&lock);
}

static void table_leave(void)
{
    if (MPIR_IS_THREADED)
        MPL_initlock_unlock(&lock);
}

static traits traits_of(MPIR_Comm *comm)
{
    return (traits){.comm_kind = comm->comm_kind,
                    .hierarchy_kind = comm->hierarchy_kind,
                    .size = comm->local_size,
                    .node_count = comm->node_count,
                    .node_consecutive = MPII_Comm_is_node_consecutive(comm)};
}

static shared *header_of(void *table)
{
    return (shared *) ((char *) table - offsetof(shared, table));
}

static shared **bucket_of(const traits *of)
{
    unsigned mixed = of->size * 2654435761u + of->node_count * 40503u + of->hierarchy_kind;
    return &buckets[(mixed >> 16 ^ mixed) % BUCKETS];
}

/* REQUIRES the lock, as do the next two. */
static shared *look_up(const void *root, const traits *of)
{
    shared *s = *bucket_of(of);

    while (s && (s->root != root || memcmp(&s->of, of, sizeof(*of))))
        s = s->next;
    if (s)
        s->references++;
    return s;
}

static void list(shared *s)
{
    shared **bucket = bucket_of(&s->of);

    s->next = *bucket;
    s->is_listed = 1;
    *bucket = s;
}

static void unlist(shared *s)
{
    shared **link = bucket_of(&s->of);

    if (!s->is_listed)
        return;
    while (*link != s)
        link = &(*link)->next;
    *link = s->next;
    s->is_listed = 0;
}

void *MPIR_Csel_shared_find(const void *root, MPIR_Comm *comm)
{
    traits of = traits_of(comm);

    enter();
    shared *s = look_up(root, &of);
    table_leave();
    return s ? s->table : NULL;
}

void *MPIR_Csel_shared_new(const void *root, MPIR_Comm *comm, size_t size)
{
    shared *s = MPL_calloc(1, sizeof(*s) + size, MPL_MEM_COLL);

    if (!s)
        return NULL;
    s->root = root;
    s->of = traits_of(comm);
    s->references = 1;
    return s->table;
}

void *MPIR_Csel_shared_publish(void *table)
{
    shared *mine = header_of(table);

    enter();
    shared *first = look_up(mine->root, &mine->of);
    if (!first)
        list(mine);
    table_leave();
    if (!first)
        return table;
    MPL_free(mine);
    return first->table;
}

void MPIR_Csel_shared_release(void *table)
{
    shared *s = header_of(table);

    enter();
    int left = --s->references;
    if (left == 0)
        unlist(s);
    table_leave();
    if (left == 0)
        MPL_free(s);
}

void MPIR_Csel_shared_root_gone(const void *root)
{
    enter();
    for (int i = 0; i < BUCKETS; i++) {
        shared *s = buckets[i], *next;
        for (; s; s = next) {
            next = s->next;
            if (s->root == root)
                unlist(s);
        }
    }
    table_leave();
}
