/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * As many communicators alive at once as the arguments say, one message through each, and none may
 * match on another one: with receives posted and messages probed for on communicators whose ids
 * differ in a few high bits only, by tag matching, by partitioned communication (which carries the
 * id in the header of an active message) and through windows (whose ids are made from it).
 *
 * Arguments: -comms=N (default 20000)
 *            -quick=1 (leaves out partitioned communication and windows)
 */
#include "cmaptest.h"

enum { DUP, HALVES, REVERSED, ALONE, KINDS };
enum { MOST_AT_ONCE = 8 };

static int world_size, tag_ub;
static MPI_Comm *comm;

/* Most are duplicates; the rest are splits of several kinds. */
static int kind_of(int i) { return i % 8 < KINDS ? i % 8 : DUP; }

static MPI_Comm make(int i)
{
    MPI_Comm made = MPI_COMM_NULL;
    int rc = MPI_SUCCESS;

    switch (kind_of(i)) {
        case DUP: rc = MPI_Comm_dup(MPI_COMM_WORLD, &made); break;
        case HALVES: rc = MPI_Comm_split(MPI_COMM_WORLD, ct_me % 2, ct_me, &made); break;
        case REVERSED: rc = MPI_Comm_split(MPI_COMM_WORLD, 0, -ct_me, &made); break;
        case ALONE: rc = MPI_Comm_split(MPI_COMM_WORLD, ct_me, 0, &made); break;
    }
    if (rc != MPI_SUCCESS) {
        MTestPrintErrorMsg("creation failed", rc);
        fprintf(stderr, "[%d] communicator %d could not be made\n", ct_me, i);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return made;
}

/* From every member to the next, with the highest tag; now and then any message is asked for. */
static void use(int i)
{
    int rank, size, got = -1;
    MPI_Status status;
    MPI_Request request;

    MPI_Comm_rank(comm[i], &rank);
    MPI_Comm_size(comm[i], &size);
    int from = (rank + size - 1) % size;
    MPI_Isend(&i, 1, MPI_INT, (rank + 1) % size, tag_ub, comm[i], &request);
    if (i % 16 == 0)
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm[i], &status);
    int any = i % 3 == 0;
    MPI_Recv(&got, 1, MPI_INT, any ? MPI_ANY_SOURCE : from, any ? MPI_ANY_TAG : tag_ub, comm[i],
             &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CT_CHECK(got == i, "communicator %d: message of %d", i, got);
    CT_CHECK(status.MPI_SOURCE == from && status.MPI_TAG == tag_ub,
             "communicator %d: tag %d from %d, not %d from %d", i, status.MPI_TAG,
             status.MPI_SOURCE, tag_ub, from);
}

/* Duplicates of the world, `stride` creations apart. */
typedef struct {
    int n, index[MOST_AT_ONCE];
} few;

static few pick(int n, int first, int stride)
{
    few f = {0, {0}};

    for (int i = first; i < n && f.n < MOST_AT_ONCE; i += stride)
        if (kind_of(i) == DUP)
            f.index[f.n++] = i;
    return f;
}

/* Receives of anything are posted in one order, messages sent in the other. */
static void cross_posted(const few *f)
{
    int got[MOST_AT_ONCE], peer = world_size - 1 - ct_me;
    MPI_Request request[MOST_AT_ONCE];

    for (int k = 0; k < f->n; k++)
        MPI_Irecv(&got[k], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm[f->index[k]], &request[k]);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int k = f->n - 1; k >= 0; k--)
        MPI_Send(&f->index[k], 1, MPI_INT, peer, 5, comm[f->index[k]]);
    MPI_Waitall(f->n, request, MPI_STATUSES_IGNORE);
    for (int k = 0; k < f->n; k++)
        CT_CHECK(got[k] == f->index[k], "posted on %d, of %d at once: message of %d", f->index[k],
                 f->n, got[k]);
}

/* One message, on each communicator in turn, is here: the others have none. */
static void cross_probed(const few *f)
{
    int got, flag, peer = world_size - 1 - ct_me;
    MPI_Request request;

    for (int k = 0; k < f->n; k++) {
        MPI_Isend(&f->index[k], 1, MPI_INT, peer, 6, comm[f->index[k]], &request);
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm[f->index[k]], MPI_STATUS_IGNORE);
        for (int j = 0; j < f->n; j++) {
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm[f->index[j]], &flag, MPI_STATUS_IGNORE);
            CT_CHECK(j == k || !flag, "a message on %d is seen on %d", f->index[k], f->index[j]);
        }
        MPI_Recv(&got, 1, MPI_INT, peer, 6, comm[f->index[k]], MPI_STATUS_IGNORE);
        CT_CHECK(got == f->index[k], "probed on %d: message of %d", f->index[k], got);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* Sides meet by source, tag and id of the communicator: here the id alone tells them apart. */
static void cross_partitioned(const few *f)
{
    int got[MOST_AT_ONCE][2], sent[MOST_AT_ONCE][2], peer = world_size - 1 - ct_me;
    MPI_Request in[MOST_AT_ONCE], out[MOST_AT_ONCE];

    for (int k = 0; k < f->n; k++)
        MPI_Precv_init(got[k], 2, 1, MPI_INT, peer, 7, comm[f->index[k]], MPI_INFO_NULL, &in[k]);
    for (int k = f->n - 1; k >= 0; k--)
        MPI_Psend_init(sent[k], 2, 1, MPI_INT, peer, 7, comm[f->index[k]], MPI_INFO_NULL, &out[k]);
    MPI_Startall(f->n, in);
    MPI_Startall(f->n, out);
    for (int part = 0; part < 2; part++)
        for (int k = f->n - 1; k >= 0; k--) {
            sent[k][part] = 2 * f->index[k] + part;
            MPI_Pready(part, out[k]);
        }
    MPI_Waitall(f->n, out, MPI_STATUSES_IGNORE);
    MPI_Waitall(f->n, in, MPI_STATUSES_IGNORE);
    for (int k = 0; k < f->n; k++) {
        for (int part = 0; part < 2; part++)
            CT_CHECK(got[k][part] == 2 * f->index[k] + part, "partition %d on %d: %d, not %d", part,
                     f->index[k], got[k][part], 2 * f->index[k] + part);
        MPI_Request_free(&in[k]);
        MPI_Request_free(&out[k]);
    }
}

/* A window is on a duplicate of its communicator; the duplicates live side by side as well.  The
 * memory is aligned as malloc does it: UCX moves the base of other windows. */
static void cross_windows(const few *f)
{
    int(*memory)[4] = ct_alloc(f->n, sizeof(*memory)), peer = world_size - 1 - ct_me, one = 1;
    MPI_Win win[MOST_AT_ONCE];

    for (int k = 0; k < f->n; k++) {
        memory[k][0] = memory[k][1] = -1;
        MPI_Win_create(memory[k], sizeof(*memory), sizeof(int), MPI_INFO_NULL, comm[f->index[k]],
                       &win[k]);
        MPI_Win_fence(0, win[k]);
    }
    for (int k = f->n - 1; k >= 0; k--) {
        MPI_Put(&f->index[k], 1, MPI_INT, peer, 0, 1, MPI_INT, win[k]);
        MPI_Accumulate(&one, 1, MPI_INT, peer, 1, 1, MPI_INT, MPI_SUM, win[k]);
    }
    for (int k = 0; k < f->n; k++) {
        MPI_Win_fence(0, win[k]);
        CT_CHECK(memory[k][0] == f->index[k] && memory[k][1] == 0, "window on %d: %d and %d",
                 f->index[k], memory[k][0], memory[k][1]);
    }
    for (int k = 0; k < f->n; k++)
        MPI_Win_free(&win[k]);
    free(memory);
}

static void cross(int n, int all)
{
    for (int stride = 1; stride < n; stride *= 2) {
        few low = pick(n, 0, stride), high = pick(n, n - 1 - (n - 1) % 8, stride);
        few both = low;
        if (both.n == MOST_AT_ONCE)
            both.n--;
        if (high.n && high.index[0] > both.index[both.n - 1])
            both.index[both.n++] = high.index[0];
        cross_posted(&both);
        cross_probed(&both);
        if (all && stride >= n / 32) {
            cross_partitioned(&both);
            cross_windows(&both);
        }
    }
}

static void free_all(int n)
{
    for (int i = 0; i < n; i += 2)
        MPI_Comm_free(&comm[i]);
    for (int i = (n - 1) | 1; i > 0; i -= 2)
        if (i < n)
            MPI_Comm_free(&comm[i]);
}

int main(int argc, char **argv)
{
    int *ub, found;

    MTest_Init(&argc, &argv);
    MTestArgList *args = MTestArgListCreate(argc, argv);
    int n = MTestArgListGetInt_with_default(args, "comms", 20000);
    int all = !MTestArgListGetInt_with_default(args, "quick", 0);
    MTestArgListDestroy(args);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &ub, &found);
    tag_ub = found ? *ub : 32767;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);

    comm = ct_alloc(n, sizeof(MPI_Comm));
    double start = MPI_Wtime();
    for (int i = 0; i < n; i++)
        comm[i] = make(i);
    double made = MPI_Wtime();
    for (int i = 0; i < n; i++)
        use(i);
    double used = MPI_Wtime();
    cross(n, all);
    double crossed = MPI_Wtime();
    free_all(n);
    MTestPrintfMsg(1, "%d made in %.1f s, used in %.1f s, crossed in %.1f s, freed in %.1f s\n", n,
                   made - start, used - made, crossed - used, MPI_Wtime() - crossed);
    free(comm);

    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
