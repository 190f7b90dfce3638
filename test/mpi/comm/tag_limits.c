/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Tags up to MPI_TAG_UB, under the division of the match bits that the run has: every process sends
 * to every process with the highest tag, those around powers of two, and 0; receives name source
 * and tag in another order, or take any. Collectives, whose tags lie beyond MPI_TAG_UB, run in
 * between.
 *
 * Arguments: -least=N  MPI_TAG_UB has to be at least N (default 32767)
 */
#include "cmaptest.h"

enum { MOST_TAGS = 70 };

static int size, tags, tag[MOST_TAGS];

static int value_of(int from, int to, int k) { return (from * 64 + to) * MOST_TAGS + k; }

static void choose_tags(int ub)
{
    int high = 1;

    tag[tags++] = 0;
    while (high <= ub / 2)
        high *= 2;
    for (; high > 1; high /= 2) {
        tag[tags++] = high;
        tag[tags++] = high - 1;
    }
    if (ub != tag[1])
        tag[tags++] = ub;
}

static int find_tag(int wanted)
{
    for (int k = 0; k < tags; k++)
        if (tag[k] == wanted)
            return k;
    return -1;
}

static void send_all(MPI_Comm comm, int *out, MPI_Request *request)
{
    for (int to = 0; to < size; to++)
        for (int k = 0; k < tags; k++) {
            int i = to * tags + k;
            out[i] = value_of(ct_me, to, k);
            MPI_Isend(&out[i], 1, MPI_INT, to, tag[k], comm, &request[i]);
        }
}

static void receive_named(MPI_Comm comm)
{
    MPI_Status status;

    for (int k = tags - 1; k >= 0; k--)
        for (int from = size - 1; from >= 0; from--) {
            int got = -1;
            MPI_Recv(&got, 1, MPI_INT, from, tag[k], comm, &status);
            CT_CHECK(got == value_of(from, ct_me, k), "tag %d from %d: %d", tag[k], from, got);
            CT_CHECK(status.MPI_SOURCE == from && status.MPI_TAG == tag[k],
                     "tag %d from %d: status has tag %d from %d", tag[k], from, status.MPI_TAG,
                     status.MPI_SOURCE);
        }
}

static void receive_any(MPI_Comm comm)
{
    MPI_Status probed, status;

    for (int i = 0; i < size * tags; i++) {
        int got = -1;
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &probed);
        MPI_Recv(&got, 1, MPI_INT, probed.MPI_SOURCE, probed.MPI_TAG, comm, &status);
        CT_CHECK(got == value_of(status.MPI_SOURCE, ct_me, find_tag(status.MPI_TAG)),
                 "any: %d with tag %d from %d", got, status.MPI_TAG, status.MPI_SOURCE);
        CT_CHECK(status.MPI_TAG == probed.MPI_TAG && status.MPI_SOURCE == probed.MPI_SOURCE,
                 "probe says tag %d from %d, receive tag %d from %d", probed.MPI_TAG,
                 probed.MPI_SOURCE, status.MPI_TAG, status.MPI_SOURCE);
    }
}

static void exchange(MPI_Comm comm, void (*receive)(MPI_Comm))
{
    int sum = 0, *out = ct_ints(size * tags);
    MPI_Request *request = ct_alloc(size * tags + 1, sizeof(MPI_Request));

    send_all(comm, out, request);
    MPI_Iallreduce(&size, &sum, 1, MPI_INT, MPI_SUM, comm, &request[size * tags]);
    receive(comm);
    MPI_Waitall(size * tags + 1, request, MPI_STATUSES_IGNORE);
    CT_CHECK(sum == size * size, "sum is %d, not %d", sum, size * size);
    free(request);
    free(out);
}

/* The tag of a group-collective creation is the user's. */
static MPI_Comm create_with(int group_tag)
{
    MPI_Group group;
    MPI_Comm comm;

    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Comm_create_group(MPI_COMM_WORLD, group, group_tag, &comm);
    MPI_Group_free(&group);
    return comm;
}

int main(int argc, char **argv)
{
    int *ub, found;

    MTest_Init(&argc, &argv);
    MTestArgList *args = MTestArgListCreate(argc, argv);
    int least = MTestArgListGetInt_with_default(args, "least", 32767);
    MTestArgListDestroy(args);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &ub, &found);
    CT_CHECK(found && *ub >= least, "MPI_TAG_UB is %d, not %d or more", found ? *ub : -1, least);
    if (found) {
        choose_tags(*ub);
        MPI_Comm comm = create_with(*ub);
        exchange(MPI_COMM_WORLD, receive_named);
        exchange(comm, receive_named);
        exchange(comm, receive_any);
        MPI_Comm_free(&comm);
    }
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
