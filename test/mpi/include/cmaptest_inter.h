/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Two sides of a communicator, and the intercommunicator between them.
 */
#ifndef CMAPTEST_INTER_H_INCLUDED
#define CMAPTEST_INTER_H_INCLUDED

#include "cmaptest.h"

#define CT_INTER_TAG 5

typedef struct ct_sides {
    ct_list list[2];
    int mine; /* 0, 1, or -1 for neither */
} ct_sides;

static inline void ct_sides_free(ct_sides *s)
{
    ct_list_free(&s->list[0]);
    ct_list_free(&s->list[1]);
}

/* The communicator of the list; MPI_COMM_NULL outside it.  Collective over `peer`. */
static inline MPI_Comm ct_comm_in(MPI_Comm peer, const ct_list *list)
{
    MPI_Comm comm;
    int rank = ct_find(list, ct_me);

    MPI_Comm_split(peer, rank == MPI_UNDEFINED ? MPI_UNDEFINED : 0,
                   rank == MPI_UNDEFINED ? 0 : rank, &comm);
    return comm;
}

/* Collective over `peer`, which has these members; MPI_COMM_NULL for those on neither side. */
static inline MPI_Comm ct_connect_sides(MPI_Comm peer, const ct_list *members, const ct_sides *s,
                                        ct_rng *rng)
{
    MPI_Comm local, inter = MPI_COMM_NULL;
    int leader[2] = {ct_below(rng, s->list[0].n), ct_below(rng, s->list[1].n)};
    int key = s->mine < 0 ? 0 : ct_find(&s->list[s->mine], ct_me);

    MPI_Comm_split(peer, s->mine < 0 ? MPI_UNDEFINED : s->mine, key, &local);
    if (s->mine >= 0) {
        int other = s->list[!s->mine].id[leader[!s->mine]];
        MPI_Intercomm_create(local, leader[s->mine], peer, ct_find(members, other), CT_INTER_TAG,
                             &inter);
        MPI_Comm_free(&local);
    }
    return inter;
}

/* high[k] is side k's argument; with equal ones either side may come first.  *members is to be
 * freed. */
static inline MPI_Comm ct_merge_sides(MPI_Comm inter, const ct_sides *s, const int high[2],
                                      ct_list *members)
{
    MPI_Comm merged;
    int rank, first = high[0] > high[1];

    MPI_Intercomm_merge(inter, high[s->mine], &merged);
    if (high[0] == high[1]) {
        MPI_Comm_rank(merged, &rank);
        first = rank == ct_find(&s->list[s->mine], ct_me) ? s->mine : !s->mine;
    }
    *members = ct_join(&s->list[first], &s->list[!first]);
    return merged;
}

/* The communicators of both sides, whose errors return; collective over `peer`.  What a first
 * collective makes is there. */
static inline void ct_local_comms(MPI_Comm peer, const ct_list list[2], const char *what,
                                  MPI_Comm local[2])
{
    local[0] = ct_comm_in(peer, &list[0]);
    local[1] = ct_comm_in(peer, &list[1]);
    for (int k = 0; k < 2; k++) { /* it takes all members at once, and some may be on both sides */
        int id = ct_me;
        if (local[k] == MPI_COMM_NULL)
            continue;
        MPI_Comm_set_errhandler(local[k], MPI_ERRORS_RETURN);
        ct_check_messages(local[k], &list[k], what);
        MPI_Bcast(&id, 1, MPI_INT, 0, local[k]);
        CT_CHECK(id == list[k].id[0], "%s: %d was broadcast, not %d", what, id, list[k].id[0]);
    }
}

/* On side k, with the last member of each as leader; the error class. */
static inline int ct_connect_last(MPI_Comm peer, const ct_list *members, const ct_list list[2],
                                  int k, MPI_Comm local, MPI_Comm *inter)
{
    int class, leader = ct_find(members, list[!k].id[list[!k].n - 1]);

    *inter = MPI_COMM_NULL;
    MPI_Error_class(MPI_Intercomm_create(local, list[k].n - 1, peer, leader, CT_INTER_TAG, inter),
                    &class);
    return class;
}

/* MPI_Intercomm_create is refused for sides that are not disjoint, everywhere, and what it was
 * called on stays good.  A process on both sides asks for the first one before the other.  The
 * last members are leaders.  REQUIRES that the one of list[1] is not in list[0], and, where
 * several worlds meet, has nobody of both on its node: its group is told before the other side
 * is done. */
static inline void ct_check_overlap(MPI_Comm peer, const ct_list *members, const ct_list list[2],
                                    const char *what)
{
    MPI_Comm local[2], inter;

    ct_local_comms(peer, list, what, local);
    for (int k = 0; k < 2; k++) {
        if (local[k] == MPI_COMM_NULL)
            continue;
        int class = ct_connect_last(peer, members, list, k, local[k], &inter);
        CT_CHECK(class == MPI_ERR_COMM, "%s: sides that overlap: error class %d on side %d", what,
                 class, k);
    }
    for (int k = 0; k < 2; k++) {
        if (local[k] == MPI_COMM_NULL)
            continue;
        ct_check_messages(local[k], &list[k], what);
        MPI_Comm_free(&local[k]);
    }
    ct_check_messages(peer, members, what);
}

/* Random sides that have `common` members of both, in any order. REQUIRES 2 members and 1 <=
 * common < members->n. */
static inline void ct_overlapping(const ct_list *members, int common, ct_rng *rng, ct_list list[2])
{
    ct_list all = ct_list_copy(members);
    int second;

    ct_shuffle(rng, all.id, all.n);
    second = ct_below(rng, all.n - common) + 1; /* who is on the second side alone */
    list[0] = ct_list_new(all.n);
    list[1] = ct_list_new(all.n);
    for (int i = 0; i < all.n; i++) {
        if (i < all.n - second)
            list[0].id[list[0].n++] = all.id[i];
        if (i >= all.n - second - common)
            list[1].id[list[1].n++] = all.id[i];
    }
    ct_shuffle(rng, list[0].id, list[0].n);
    ct_list_free(&all);
}

/* As many as can be in both, and one. */
static inline void ct_check_overlaps(MPI_Comm peer, const ct_list *members, int rounds,
                                     const char *what)
{
    ct_rng rng = ct_rng_of(members, rounds);

    for (int round = 0; members->n > 1 && round < rounds; round++) {
        ct_list list[2];
        ct_overlapping(members, round % 2 ? members->n - 1 : 1, &rng, list);
        ct_check_overlap(peer, members, list, what);
        ct_list_free(&list[0]);
        ct_list_free(&list[1]);
    }
}

#endif /* CMAPTEST_INTER_H_INCLUDED */
