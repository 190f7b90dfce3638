/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * mpiexec --enable-recovery: some ranks are killed at random moments, in whatever calls they are.
 * The others revoke, agree, shrink and go on, and what succeeds has the right result.
 *
 *   survive_any DEATHS SEED [MILLISECONDS]    in this time they die; it goes on a little longer
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { LONG = 1 << 16, SECONDS = 60, WELL = 1, GO_ON = 2 };

static MPI_Comm comm; /* of those that live, as far as they have agreed */
static int me, size;  /* in it */
static int errs;
static int ins[LONG], outs[LONG];

/* Each call is once for all members in a round.  0: an error of MPI's, which is that of a death. */
static int is_well(int error)
{
    int class;

    if (error == MPI_SUCCESS)
        return 1;
    MPI_Error_class(error, &class);
    if (class != MPIX_ERR_PROC_FAILED && class != MPIX_ERR_REVOKED) {
        char text[MPI_MAX_ERROR_STRING];
        int length;

        MPI_Error_string(error, text, &length);
        printf("class %d: %s\n", class, text);
        errs++;
    }
    return 0;
}

static void expect(int is_so, const char *what)
{
    if (is_so)
        return;
    printf("rank %d of %d: %s is wrong\n", me, size, what);
    errs++;
}

/* ---- rounds ---- */

static int reduces(int n)
{
    for (int i = 0; i < n; i++)
        ins[i] = me + i;
    if (!is_well(MPI_Allreduce(ins, outs, n, MPI_INT, MPI_MAX, comm)))
        return 0;
    expect(outs[0] == size - 1 && outs[n - 1] == size - 1 + n - 1, "a maximum");
    return 1;
}

static int reduces_short(void) { return reduces(1); }

static int reduces_long(void) { return reduces(LONG); }

static int passes(int n)
{
    int next = (me + 1) % size, previous = (me + size - 1) % size;

    ins[0] = ins[n - 1] = me;
    if (!is_well(MPI_Sendrecv(ins, n, MPI_INT, next, 1, outs, n, MPI_INT, previous, 1, comm,
                              MPI_STATUS_IGNORE)))
        return 0;
    expect(outs[0] == previous && outs[n - 1] == previous, "a message");
    return 1;
}

static int passes_short(void) { return passes(1); }

static int passes_long(void) { return passes(LONG); }

static int receives_any(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int to = (me + 1) % size, well;

    well = is_well(MPI_Isend(&me, 1, MPI_INT, to, 2, comm, &request));
    if (well && !is_well(MPI_Recv(outs, 1, MPI_INT, MPI_ANY_SOURCE, 2, comm, MPI_STATUS_IGNORE)))
        well = 0;
    else if (well)
        expect(outs[0] == (me + size - 1) % size, "a message from any source");
    if (!well)
        MPIX_Comm_revoke(comm);
    return is_well(MPI_Wait(&request, MPI_STATUS_IGNORE)) && well;
}

static int broadcasts(void)
{
    int root = size / 2;

    outs[0] = me == root ? 17 : 0;
    if (!is_well(MPI_Bcast(outs, LONG / 8, MPI_INT, root, comm)))
        return 0;
    expect(outs[0] == 17, "a broadcast");
    return 1;
}

/* Parts that members read where they lie.  Whoever leaves with an error writes there at once. */
static int moves(void)
{
    enum { PART = LONG / 16, TIMES = 6 };
    int well = 1;

    if (size > LONG / PART)
        return 1;
    for (int turn = 0; turn < TIMES && well; turn++) {
        for (int i = 0; i < size * PART; i++)
            ins[i] = me * 100 + i / PART + turn;
        well = is_well(MPI_Alltoall(ins, PART, MPI_INT, outs, PART, MPI_INT, comm));
        for (int i = 0; i < size && well; i++)
            expect(outs[i * PART] == i * 100 + me + turn &&
                       outs[(i + 1) * PART - 1] == outs[i * PART],
                   "a part of an exchange");
        well = well && is_well(MPI_Gather(ins, PART, MPI_INT, outs, PART, MPI_INT, 0, comm));
        for (int i = 0; i < size && well && me == 0; i++)
            expect(outs[(i + 1) * PART - 1] == i * 100 + turn, "a gathered part");
        well = well && is_well(MPI_Reduce(ins, outs, PART, MPI_INT, MPI_MAX, 0, comm));
        expect(!well || me > 0 || outs[PART - 1] == (size - 1) * 100 + turn, "a long maximum");
    }
    memset(ins, -1, sizeof(ins));
    memset(outs, -1, sizeof(outs));
    return well;
}

static int overlaps(void)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];
    int error, begun = 0;

    ins[0] = 1;
    if (is_well(MPI_Ibarrier(comm, &requests[0])) && ++begun &&
        is_well(MPI_Iallreduce(ins, outs, 1, MPI_INT, MPI_SUM, comm, &requests[1])))
        begun++;
    error = MPI_Waitall(begun, requests, statuses);
    if (error != MPI_SUCCESS || begun < 2)
        return 0;
    expect(outs[0] == size, "a nonblocking sum");
    return 1;
}

static int duplicates(void)
{
    MPI_Comm made = MPI_COMM_NULL;
    int well = is_well(MPI_Comm_dup(comm, &made));

    if (well && !is_well(MPI_Barrier(made)))
        well = 0;
    if (!well && made != MPI_COMM_NULL)
        MPIX_Comm_revoke(made);
    if (made != MPI_COMM_NULL)
        MPI_Comm_free(&made);
    return well;
}

/* A split may succeed on some members alone, and its parts have no dead member: all agree first. */
static int splits(void)
{
    MPI_Comm made = MPI_COMM_NULL;
    int well = is_well(MPI_Comm_split(comm, me % 2, me, &made)), all_well = well;

    if (!is_well(MPIX_Comm_agree(comm, &all_well)))
        all_well = 0;
    if (all_well) {
        well = is_well(MPI_Allreduce(&me, outs, 1, MPI_INT, MPI_MIN, made));
        expect(!well || outs[0] == me % 2, "a minimum in a part");
    }
    if (!well && made != MPI_COMM_NULL)
        MPIX_Comm_revoke(made);
    if (made != MPI_COMM_NULL)
        MPI_Comm_free(&made);
    return well && all_well;
}

/* ---- windows ---- */

enum { SUM, SLOT, WORDS = 16, BLOCK = 1 << 14 };

static MPI_Win win;
static int *base; /* WORDS, then a block */
static int mine[WORDS + BLOCK], block[BLOCK];
static int turn; /* the same on all */

/* Of one kind after the other. */
static int opens_window(void)
{
    const MPI_Aint bytes = sizeof(mine);
    int well;

    win = MPI_WIN_NULL;
    base = mine;
    if (turn++ % 2)
        well = is_well(MPI_Win_create(base, bytes, sizeof(int), MPI_INFO_NULL, comm, &win));
    else
        well = is_well(MPI_Win_allocate(bytes, sizeof(int), MPI_INFO_NULL, comm, &base, &win));
    if (!well)
        return 0;
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    for (int i = 0; i < WORDS; i++)
        base[i] = 0;
    return is_well(MPI_Barrier(comm));
}

/* Frees it, if it was made.  Answers whether all was well. */
static int closes_window(int well)
{
    return (win == MPI_WIN_NULL || is_well(MPI_Win_free(&win))) && well;
}

/* When all are done without an error: what they have added here. */
static int is_sum(int well)
{
    well = well && is_well(MPI_Barrier(comm));
    if (well)
        well =
            is_well(MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win)) && is_well(MPI_Win_unlock(me, win));
    expect(!well || base[SUM] == size, "a sum in a window");
    return well;
}

static int fences(void)
{
    int one = 1, well = opens_window() && is_well(MPI_Win_fence(0, win));

    for (int i = 0; i < size && well; i++)
        well = is_well(MPI_Accumulate(&one, 1, MPI_INT, i, SUM, 1, MPI_INT, MPI_SUM, win)) &&
               is_well(MPI_Get(block, BLOCK, MPI_INT, i, WORDS, BLOCK, MPI_INT, win));
    well = well && is_well(MPI_Win_fence(0, win));
    expect(!well || base[SUM] == size, "a sum between fences");
    return closes_window(well);
}

static int locks(void)
{
    int one = 1, well = opens_window();

    for (int i = 0; i < size && well; i++) {
        well = is_well(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, i, 0, win)) &&
               is_well(MPI_Accumulate(&one, 1, MPI_INT, i, SUM, 1, MPI_INT, MPI_SUM, win)) &&
               is_well(MPI_Put(block, BLOCK, MPI_INT, i, WORDS, BLOCK, MPI_INT, win)) &&
               is_well(MPI_Win_unlock(i, win));
    }
    return closes_window(is_sum(well));
}

static int flushes(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int one = 1, old = -1, well = opens_window() && is_well(MPI_Win_lock_all(0, win));

    for (int i = 0; i < size && well; i++) {
        well = is_well(MPI_Fetch_and_op(&one, &old, MPI_INT, i, SUM, MPI_SUM, win)) &&
               is_well(MPI_Win_flush(i, win)) &&
               is_well(MPI_Rput(block, BLOCK, MPI_INT, i, WORDS, BLOCK, MPI_INT, win, &request)) &&
               is_well(MPI_Wait(&request, MPI_STATUS_IGNORE)) &&
               is_well(MPI_Raccumulate(block, BLOCK, MPI_INT, i, WORDS, BLOCK, MPI_INT, MPI_SUM,
                                       win, &request)) &&
               is_well(MPI_Wait(&request, MPI_STATUS_IGNORE));
        expect(!well || (old >= 0 && old < size), "what was in a window");
    }
    if (well)
        well = is_well(MPI_Win_unlock_all(win));
    return closes_window(is_sum(well));
}

/* To the next process, from the previous one. */
static int posts(void)
{
    int next = (me + 1) % size, previous = (me + size - 1) % size, well = opens_window();
    MPI_Group all, to, from;

    MPI_Comm_group(comm, &all);
    MPI_Group_incl(all, 1, &next, &to);
    MPI_Group_incl(all, 1, &previous, &from);
    well = well && is_well(MPI_Win_post(from, 0, win)) && is_well(MPI_Win_start(to, 0, win)) &&
           is_well(MPI_Put(&me, 1, MPI_INT, next, SLOT, 1, MPI_INT, win)) &&
           is_well(MPI_Put(block, BLOCK, MPI_INT, next, WORDS, BLOCK, MPI_INT, win)) &&
           is_well(MPI_Win_complete(win)) && is_well(MPI_Win_wait(win));
    expect(!well || base[SLOT] == previous, "what the previous one has put");
    MPI_Group_free(&all);
    MPI_Group_free(&to);
    MPI_Group_free(&from);
    return closes_window(well);
}

static int (*const rounds[])(void) = {
    reduces_short, fences,       passes_short, locks,    reduces_long, flushes, passes_long,
    posts,         receives_any, broadcasts,   overlaps, duplicates,   splits,  moves};

/* ---- deaths, and what follows ---- */

static void die(int number)
{
    (void) number;
    kill(getpid(), SIGKILL);
}

/* Numbers that all ranks draw alike. */
static unsigned draw(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Is this rank one of those who die?  Then when, in milliseconds; otherwise 0. */
static int time_of_death(int deaths, unsigned state, int rank, int ranks, int most)
{
    int when = 0, *dies = calloc((size_t) ranks, sizeof(int));

    for (int i = 0; i < deaths && i < ranks - 1;) {
        int victim = (int) (draw(&state) % (unsigned) ranks);
        int its_time = 1 + (int) (draw(&state) % (unsigned) most);

        if (dies[victim]++)
            continue;
        when = victim == rank ? its_time : when;
        i++;
    }
    free(dies);
    return when;
}

static void repair(void)
{
    MPI_Comm repaired = MPI_COMM_NULL;

    if (MPIX_Comm_shrink(comm, &repaired) != MPI_SUCCESS) {
        printf("rank %d: MPIX_Comm_shrink fails\n", me);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (comm != MPI_COMM_WORLD)
        MPI_Comm_free(&comm);
    comm = repaired;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &size);
}

/* True: all go on.  The result is the same on all members. */
static int one_round(int number, double end)
{
    int well = rounds[number % (int) (sizeof(rounds) / sizeof(rounds[0]))](), flag, error;

    if (!well)
        MPIX_Comm_revoke(comm);
    flag = (well ? WELL : 0) | (MPI_Wtime() < end ? GO_ON : 0);
    error = MPIX_Comm_agree(comm, &flag);
    if (error != MPI_SUCCESS || !(flag & WELL))
        repair();
    return (flag & GO_ON) != 0;
}

int main(int argc, char **argv)
{
    int deaths = argc > 1 ? atoi(argv[1]) : 1, most = argc > 3 ? atoi(argv[3]) : 300, number = 0;
    unsigned seed = argc > 2 ? (unsigned) atoi(argv[2]) : 1;
    int when, ranks, all_well;
    double end;

    MPI_Init(&argc, &argv);
    comm = MPI_COMM_WORLD;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN); /* for requests without one */
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &ranks);
    size = ranks;
    when = time_of_death(deaths, seed, me, ranks, most);
    if (when > 0) {
        struct itimerval timer = {{0, 0}, {when / 1000, when % 1000 * 1000}};

        signal(SIGALRM, die);
        setitimer(ITIMER_REAL, &timer, NULL);
    } else {
        alarm(SECONDS);
    }
    end = MPI_Wtime() + most * 1e-3 + 0.5;
    while (one_round(number, end))
        number++;
    all_well = errs == 0;
    if (MPIX_Comm_agree(comm, &all_well) != MPI_SUCCESS)
        repair();
    if (me == 0 && size == ranks - (deaths < ranks ? deaths : ranks - 1) && all_well)
        printf(" No Errors\n");
    else if (me == 0)
        printf("%d of %d ranks are left after %d deaths, all is %s\n", size, ranks, deaths,
               all_well ? "well" : "not well");
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
