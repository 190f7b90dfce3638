/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Comm_set_info makes a communicator hold its map in other ways while another thread of every
 * process sends to all ranks of it: no message may go astray, no lookup may meet a map that is
 * gone.
 *
 * Arguments: -rounds=N (messages to all ranks, default 100)
 */
#include "cmaptest_threads.h"
#include "cmaptest_info.h"

#include <unistd.h>

static MPI_Comm comm;
static ct_list members;
static int rounds, my_rank, senders_at_work = 1;

static MTEST_THREAD_RETURN_TYPE send_to_all(void *unused)
{
    for (int i = 0; i < rounds; i++)
        for (int k = 0; k < members.n; k++)
            ct_check_exchange(comm, &members, (my_rank + k) % members.n,
                              (my_rank + members.n - k) % members.n, "sender");
    __atomic_store_n(&senders_at_work, 0, __ATOMIC_RELEASE);
    return MTEST_THREAD_RETVAL_IGN;
}

/* Many different policies, so that maps come and go. */
static void change_hints(int turn)
{
    static const char *const strategy[] = {"time", "space", "hybrid"};
    char alpha[16];

    snprintf(alpha, sizeof(alpha), "0.%02d", turn % 100);
    ct_set_hints(comm, (ct_hints){.strategy = strategy[turn % 3], .alpha = alpha});
    ct_expect_hint(comm, "cmap_strategy", strategy[turn % 3], "while others send");
}

static void check_members(void)
{
    MPI_Group group, world;
    int *ranks = ct_ints(members.n);
    ct_list in = ct_list_range(members.n);

    MPI_Comm_group(comm, &group);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_translate_ranks(group, members.n, in.id, world, ranks);
    CT_CHECK(!memcmp(ranks, members.id, members.n * sizeof(int)), "members of the group");
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    ct_list_free(&in);
    free(ranks);
}

static void make_comm(int size)
{
    ct_rng rng = {20};

    members = ct_list_range(size);
    ct_shuffle(&rng, members.id, members.n);
    my_rank = ct_find(&members, ct_me);
    MPI_Comm_split(MPI_COMM_WORLD, 0, my_rank, &comm);
}

int main(int argc, char **argv)
{
    int size, turn = 0;
    char reported[MPI_MAX_INFO_VAL];

    ct_init_threads(&argc, &argv);
    MTestArgList *args = MTestArgListCreate(argc, argv);
    rounds = MTestArgListGetInt_with_default(args, "rounds", 100);
    MTestArgListDestroy(args);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    make_comm(size);
    ct_get_hint(comm, "cmap_strategy", reported);

    MTest_Start_thread(send_to_all, NULL);
    while (reported[0] && __atomic_load_n(&senders_at_work, __ATOMIC_ACQUIRE)) {
        change_hints(turn++);
        check_members();
        usleep(200); /* ranks may outnumber cores: let the senders have them */
    }
    MTest_Join_threads();

    ct_check_comm(comm, &members, "after all");
    MPI_Comm_free(&comm);
    ct_list_free(&members);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
