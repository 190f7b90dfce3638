/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A solver that goes on when its processes die.  It relaxes a 2-D grid by Jacobi's method;
 * each rank has some rows.  Every INTERVAL steps a rank takes a checkpoint and leaves a copy of it
 * in the memory of the next rank.  Some ranks are killed on the way, and others take their places.
 *
 *     mpicc -O2 -o survive survive.c && mpiexec --enable-recovery -n 4 ./survive 2 17
 *
 * kills 2 ranks, which the seed 17 chooses, one after the other.  Rank 0 lives.  At the end it
 * compares the grid, bit by bit, with one that it has relaxed alone.
 *
 * mpiexec reports a death to the processes of the same MPI_COMM_WORLD only.  So those that it has
 * started ("originals") agree and shrink among themselves, and a process that MPI_Comm_spawn has
 * started (a "replacement") hears of a death by MPIX_Comm_revoke.  Of a replacement's death nobody
 * would hear.  Rank 0 starts replacements alone: its link to one has no member that can die.
 */
#include <mpi.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 96, INTERVAL = 20, INTERVALS = 12, STEPS = INTERVAL * INTERVALS, MOST_RANKS = 64 };
enum { TAG_UP = 1, TAG_DOWN, TAG_COPY, TAG_FRESH, TAG_RESTORE, TAG_VERDICT, TAG_JOIN };

static MPI_Comm originals = MPI_COMM_NULL; /* the living; replacements have none */
static MPI_Comm grid = MPI_COMM_NULL;      /* all, each with its rank of the beginning */
static MPI_Comm link_to_0 = MPI_COMM_NULL; /* of a replacement */
static MPI_Comm links[MOST_RANKS];         /* of rank 0 to the replacements */
static int rank, size, death_step = INT_MAX, dies_late;

/* ---- the grid ---- */

static int first_row(int r) { return r * N / size; }

static size_t points(int rows) { return (size_t) rows * N; }

static double *allocate(int rows)
{
    double *memory = calloc(points(rows), sizeof(double));

    if (!memory)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return memory;
}

static int my_rows, step, newest; /* newest: the step of the last checkpoint that is complete */
static double *now, *next;        /* my rows, one above and one below them */

/* Of the last two checkpoints: while one is taken, the other one is complete on all ranks. */
static struct {
    double *mine, *copy; /* copy: of the rank before this one */
} kept[2];

/* Row 0 is the one above.  Above the grid all is 1, and below it 0. */
static void begin(double *rows, double *others, int n, int is_top)
{
    memset(rows, 0, points(n + 2) * sizeof(double));
    for (int x = 0; is_top && x < N; x++)
        rows[x] = 1;
    memcpy(others, rows, points(n + 2) * sizeof(double));
}

/* One step; the two arrays then change their places. */
static void relax(double **from, double **to, int n)
{
    double *old = *from;

    for (int y = 1; y <= n; y++) {
        for (int x = 1; x < N - 1; x++) {
            const double *p = old + y * N + x;
            (*to)[y * N + x] = 0.25 * (p[-N] + p[N] + p[-1] + p[1]);
        }
    }
    *from = *to;
    *to = old;
}

/* The same by one process. */
static int is_equal(const double *found)
{
    double *a = allocate(N + 2), *b = allocate(N + 2);
    int equal;

    begin(a, b, N, 1);
    for (int i = 0; i < STEPS; i++)
        relax(&a, &b, N);
    equal = !memcmp(a + N, found, points(N) * sizeof(double));
    free(a);
    free(b);
    return equal;
}

/* ---- steps; each function returns whether all is well ---- */

static int somebody_died(void)
{
    MPI_Group dead;
    int n = 0;

    if (originals == MPI_COMM_NULL)
        return 0;
    MPIX_Comm_get_failed(originals, &dead);
    MPI_Group_size(dead, &n);
    if (dead != MPI_GROUP_EMPTY)
        MPI_Group_free(&dead);
    return n > 0;
}

/* A neighbour may live and wait for the dead, without knowing: so look for deaths meanwhile. */
static int complete(MPI_Request requests[4])
{
    MPI_Status statuses[4];
    int done = 0, well = 1;

    while (well && !done)
        well =
            MPI_Testall(4, requests, &done, statuses) == MPI_SUCCESS && (done || !somebody_died());
    if (!well) {
        MPIX_Comm_revoke(grid); /* ends the requests of all members */
        for (int i = 0; i < 4; i++)
            MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    }
    return well;
}

static int exchange(void)
{
    int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    MPI_Request requests[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL,
                               MPI_REQUEST_NULL};

    MPI_Irecv(now, N, MPI_DOUBLE, up, TAG_DOWN, grid, &requests[0]);
    MPI_Irecv(now + points(my_rows + 1), N, MPI_DOUBLE, down, TAG_UP, grid, &requests[1]);
    MPI_Isend(now + N, N, MPI_DOUBLE, up, TAG_UP, grid, &requests[2]);
    if (step == death_step && dies_late)
        raise(SIGKILL);
    MPI_Isend(now + points(my_rows), N, MPI_DOUBLE, down, TAG_DOWN, grid, &requests[3]);
    return complete(requests);
}

static int take_checkpoint(void)
{
    int to = (rank + 1) % size, from = (rank + size - 1) % size, k = step / INTERVAL % 2;
    int its_rows = first_row(from + 1) - first_row(from);

    memcpy(kept[k].mine, now, points(my_rows + 2) * sizeof(double));
    if (MPI_Sendrecv(kept[k].mine, (my_rows + 2) * N, MPI_DOUBLE, to, TAG_COPY, kept[k].copy,
                     (its_rows + 2) * N, MPI_DOUBLE, from, TAG_COPY, grid,
                     MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return 0;
    newest = step;
    return 1;
}

/* The barrier keeps the ranks together: nobody is two checkpoints ahead of another one. */
static int one_interval(void)
{
    for (int end = step + INTERVAL; step < end; step++) {
        if (step == death_step && !dies_late)
            raise(SIGKILL);
        if (!exchange())
            return 0;
        relax(&now, &next, my_rows);
    }
    return MPI_Barrier(grid) == MPI_SUCCESS && take_checkpoint();
}

static int gather(double *all)
{
    int counts[MOST_RANKS], offsets[MOST_RANKS];

    for (int r = 0; r < size; r++) {
        counts[r] = (first_row(r + 1) - first_row(r)) * N;
        offsets[r] = first_row(r) * N;
    }
    return MPI_Gatherv(now + N, my_rows * N, MPI_DOUBLE, all, counts, offsets, MPI_DOUBLE, 0,
                       grid) == MPI_SUCCESS;
}

/* ---- agreement, and repair ---- */

/* The same answer on all.  Replacements tell rank 0, and hear from it. */
static int all_are_well(int well)
{
    int one;

    if (!well)
        MPIX_Comm_revoke(grid);
    if (link_to_0 != MPI_COMM_NULL) {
        MPI_Sendrecv(&well, 1, MPI_INT, 0, TAG_VERDICT, &one, 1, MPI_INT, 0, TAG_VERDICT, link_to_0,
                     MPI_STATUS_IGNORE);
        return one;
    }
    for (int r = 0; r < size; r++)
        if (links[r] != MPI_COMM_NULL) {
            MPI_Recv(&one, 1, MPI_INT, 0, TAG_VERDICT, links[r], MPI_STATUS_IGNORE);
            well = well && one;
        }
    if (MPIX_Comm_agree(originals, &well) != MPI_SUCCESS)
        well = 0;
    for (int r = 0; r < size; r++)
        if (links[r] != MPI_COMM_NULL)
            MPI_Send(&well, 1, MPI_INT, 0, TAG_VERDICT, links[r]);
    return well;
}

static void merge(MPI_Comm *comm, MPI_Comm through, int is_new)
{
    MPI_Comm both, merged;

    MPI_Intercomm_create(*comm, 0, through, 0, TAG_JOIN, &both);
    MPI_Intercomm_merge(both, is_new, &merged);
    MPI_Comm_free(&both);
    if (*comm != MPI_COMM_SELF)
        MPI_Comm_free(comm);
    *comm = merged;
}

/* Rank 0: starts who is missing, and tells each replacement its rank, the number of ranks, and how
 * many join after it.  Returns the number of replacements. */
static int replace(char **argv)
{
    int is_there[MOST_RANKS] = {0}, ranks[MOST_RANKS], n, missing;

    MPI_Comm_size(originals, &n);
    MPI_Allgather(&rank, 1, MPI_INT, ranks, 1, MPI_INT, originals);
    missing = size - n;
    for (int i = 0; i < n; i++)
        is_there[ranks[i]] = 1;
    for (int r = 0, left = missing; rank == 0 && r < size; r++) {
        int words[3] = {r, size, left - 1};

        if (is_there[r])
            continue;
        if (links[r] == MPI_COMM_NULL &&
            MPI_Comm_spawn(argv[0], argv + 1, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &links[r],
                           MPI_ERRCODES_IGNORE) != MPI_SUCCESS)
            MPI_Abort(MPI_COMM_WORLD, 2);
        MPI_Send(words, 3, MPI_INT, 0, TAG_JOIN, links[r]);
        left--;
    }
    return missing;
}

/* The replacements join one after the other, and a split gives all their ranks. */
static void make_grid(char **argv)
{
    MPI_Comm all;
    int left, words[3], r = 0;

    if (link_to_0 != MPI_COMM_NULL) {
        MPI_Recv(words, 3, MPI_INT, 0, TAG_JOIN, link_to_0, MPI_STATUS_IGNORE);
        rank = words[0], size = words[1], left = words[2];
        all = MPI_COMM_SELF;
        merge(&all, link_to_0, 1);
    } else {
        left = replace(argv);
        MPI_Comm_dup(originals, &all);
    }
    for (; left > 0; left--) {
        while (rank == 0 && links[r] == MPI_COMM_NULL)
            r++;
        merge(&all, rank == 0 ? links[r++] : MPI_COMM_NULL, 0);
    }
    MPI_Comm_split(all, 0, rank, &grid);
    MPI_Comm_set_errhandler(grid, MPI_ERRORS_RETURN);
    MPI_Comm_free(&all);
    MPI_Barrier(grid); /* only from the second collective on a revocation ends one */
}

/* All go back to the last checkpoint that everybody has.  Who is new gets it from the next rank. */
static void restore(int is_new)
{
    int to = (rank + 1) % size, from = (rank + size - 1) % size, from_is_new, k;
    int its_rows = first_row(from + 1) - first_row(from), mine = is_new ? INT_MAX : newest;

    MPI_Allreduce(&mine, &step, 1, MPI_INT, MPI_MIN, grid);
    MPI_Sendrecv(&is_new, 1, MPI_INT, to, TAG_FRESH, &from_is_new, 1, MPI_INT, from, TAG_FRESH,
                 grid, MPI_STATUS_IGNORE);
    k = step / INTERVAL % 2;
    if (from_is_new)
        MPI_Send(kept[k].copy, (its_rows + 2) * N, MPI_DOUBLE, from, TAG_RESTORE, grid);
    if (is_new)
        MPI_Recv(kept[k].mine, (my_rows + 2) * N, MPI_DOUBLE, to, TAG_RESTORE, grid,
                 MPI_STATUS_IGNORE);
    memcpy(now, kept[k].mine, points(my_rows + 2) * sizeof(double));
    memcpy(next, now, points(my_rows + 2) * sizeof(double)); /* its borders */
}

static void repair(char **argv)
{
    MPI_Comm living;

    MPIX_Comm_revoke(grid); /* by all, also those that have met no error */
    MPI_Comm_free(&grid);
    if (originals != MPI_COMM_NULL) {
        if (MPIX_Comm_shrink(originals, &living) != MPI_SUCCESS)
            MPI_Abort(MPI_COMM_WORLD, 2);
        if (originals != MPI_COMM_WORLD)
            MPI_Comm_free(&originals);
        originals = living;
    }
    make_grid(argv);
    restore(0);
}

/* ---- the program ---- */

static unsigned draw(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Everybody draws all deaths.  No two are in the same interval: the first one is repaired then. */
static void choose_deaths(int deaths, unsigned seed)
{
    int dies[MOST_RANKS] = {1}; /* not rank 0 */

    for (int i = 0; i < deaths; i++) {
        int part = INTERVALS / deaths, victim, when, late;

        do
            victim = (int) (draw(&seed) % (unsigned) size);
        while (dies[victim]++);
        when = (i * part + (int) (draw(&seed) % (unsigned) part)) * INTERVAL;
        when += (int) (draw(&seed) % INTERVAL);
        late = (int) (draw(&seed) % 2);
        if (victim == rank)
            death_step = when, dies_late = late;
    }
}

static void prepare(int is_new)
{
    int its_rows = first_row((rank + size - 1) % size + 1) - first_row((rank + size - 1) % size);

    my_rows = first_row(rank + 1) - first_row(rank);
    now = allocate(my_rows + 2);
    next = allocate(my_rows + 2);
    for (int k = 0; k < 2; k++) {
        kept[k].mine = allocate(my_rows + 2);
        kept[k].copy = allocate(its_rows + 2);
    }
    if (is_new)
        restore(1);
    else
        begin(now, next, my_rows, rank == 0);
}

static int run(double *all)
{
    int well = take_checkpoint(); /* also after a repair: a new process has no copy yet */

    while (well && step < STEPS)
        well = one_interval();
    return well && gather(all);
}

static void start(int argc, char **argv)
{
    int deaths = argc > 1 ? atoi(argv[1]) : 1;

    for (int r = 0; r < MOST_RANKS; r++)
        links[r] = MPI_COMM_NULL;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN); /* that of MPI_Testall */
    MPI_Comm_get_parent(&link_to_0);
    if (link_to_0 == MPI_COMM_NULL) {
        originals = MPI_COMM_WORLD;
        MPI_Comm_rank(originals, &rank);
        MPI_Comm_size(originals, &size);
        if (size > MOST_RANKS || deaths < 0 || deaths >= size || deaths > INTERVALS) {
            fprintf(stderr, "usage: survive [DEATHS [SEED]], at most %d ranks, fewer deaths\n",
                    MOST_RANKS);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        choose_deaths(deaths, argc > 2 ? (unsigned) atoi(argv[2]) : 1);
    }
    make_grid(argv);
    prepare(link_to_0 != MPI_COMM_NULL);
}

/* The links end in an orderly way, the communicators with dead members with MPI. */
static int finish(const double *all, int deaths, int repairs, double seconds)
{
    int equal = 1;

    if (rank == 0) {
        equal = is_equal(all);
        printf("survive: %d ranks, %d deaths, %d repairs, %.1f ms a repair: %s\n", size, deaths,
               repairs, repairs ? 1e3 * seconds / repairs : 0.0, equal ? "equal" : "DIFFERENT");
        fflush(stdout);
    }
    for (int r = 0; r < size; r++)
        if (links[r] != MPI_COMM_NULL)
            MPI_Comm_disconnect(&links[r]);
    if (link_to_0 != MPI_COMM_NULL)
        MPI_Comm_disconnect(&link_to_0);
    MPI_Comm_free(&grid);
    return equal;
}

int main(int argc, char **argv)
{
    int repairs = 0, deaths = 0, equal;
    double *all, seconds = 0, since;

    MPI_Init(&argc, &argv);
    start(argc, argv);
    all = allocate(N);
    while (!all_are_well(run(all))) {
        since = MPI_Wtime();
        repair(argv);
        seconds += MPI_Wtime() - since;
        repairs++;
    }
    for (int r = 0; r < size; r++)
        deaths += links[r] != MPI_COMM_NULL;
    equal = finish(all, deaths, repairs, seconds);
    MPI_Finalize();
    return equal ? 0 : 1;
}
