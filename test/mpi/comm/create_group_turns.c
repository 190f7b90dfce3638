/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Many MPI_Comm_create_group of random groups, few of them again and again, with few tags: each
 * process makes those it belongs to, in the order of the program and as fast as it can, so that
 * others are far behind or ahead.  What is made works.
 *
 * Arguments: -rounds=N (default 1500)  -board=1 (in a node they must go without messages)
 */
#include "cmaptest_mpit.h"

#define GROUPS 8
#define LIVE 5

static unsigned long long state = 88172645463325252ull;

static unsigned random_below(unsigned n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned) (state >> 33) % n;
}

typedef struct some_ranks {
    MPI_Group group;
    int size, me; /* rank in it; MPI_UNDEFINED */
    int sum;      /* of the ranks in the parent */
} some_ranks;

/* Of the parent's, every second one or so, in increasing or decreasing order. */
static some_ranks choose(MPI_Comm parent, int size)
{
    int *ranks = ct_ints(size);
    some_ranks s = {MPI_GROUP_NULL, 0, MPI_UNDEFINED, 0};
    int backward = (int) random_below(2);
    MPI_Group all;

    for (int i = 0; i < size; i++) {
        int rank = backward ? size - 1 - i : i;
        if (random_below(3) == 0)
            continue;
        ranks[s.size++] = rank;
        s.sum += rank;
    }
    MPI_Comm_group(parent, &all);
    MPI_Group_incl(all, s.size, ranks, &s.group);
    MPI_Group_rank(s.group, &s.me);
    MPI_Group_free(&all);
    free(ranks);
    return s;
}

static MPI_Comm make(MPI_Comm parent, const some_ranks *s, int tag, int in_parent)
{
    MPI_Comm comm;
    int rank, size, sum = 0;

    MPI_Comm_create_group(parent, s->group, tag, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    CT_CHECK(rank == s->me && size == s->size, "rank %d of %d, not %d of %d", rank, size, s->me,
             s->size);
    MPI_Allreduce(&in_parent, &sum, 1, MPI_INT, MPI_SUM, comm);
    CT_CHECK(sum == s->sum, "the ranks add up to %d, not %d", sum, s->sum);
    return comm;
}

static void check(MPI_Comm parent, int rounds)
{
    some_ranks some[GROUPS];
    MPI_Comm live[LIVE];
    int size, rank, made = 0;

    MPI_Comm_size(parent, &size);
    MPI_Comm_rank(parent, &rank);
    for (int i = 0; i < GROUPS; i++)
        some[i] = choose(parent, size);
    for (int i = 0; i < rounds; i++) {
        const some_ranks *s = &some[random_below(GROUPS)];
        int tag = (int) random_below(3);
        if (s->me == MPI_UNDEFINED)
            continue;
        if (made >= LIVE)
            MPI_Comm_free(&live[made % LIVE]);
        live[made++ % LIVE] = make(parent, s, tag, rank);
    }
    for (int i = made > LIVE ? made - LIVE : 0; i < made; i++)
        MPI_Comm_free(&live[i % LIVE]);
    for (int i = 0; i < GROUPS; i++)
        MPI_Group_free(&some[i].group);
}

int main(int argc, char **argv)
{
    MPI_Comm backward;
    ct_pvar calls;
    int counts;

    MTest_Init(&argc, &argv);
    ct_mpit_begin();
    counts = ct_pvar_find("aggr_calls", &calls);
    MTestArgList *args = MTestArgListCreate(argc, argv);
    int rounds = MTestArgListGetInt_with_default(args, "rounds", 1500);
    int on_board = MTestArgListGetInt_with_default(args, "board", 0);

    MTestArgListDestroy(args);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    check(MPI_COMM_WORLD, rounds);
    if (on_board && ct_is_one_node(MPI_COMM_WORLD) && counts)
        CT_CHECK(ct_pvar_read(&calls) > 0, "all goes by messages");
    if (counts)
        ct_pvar_close(&calls);
    ct_mpit_end();
    MPI_Comm_split(MPI_COMM_WORLD, 0, -ct_me, &backward);
    check(backward, rounds);
    MPI_Comm_free(&backward);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
