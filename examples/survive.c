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
 * When somebody has died, the others shrink the communicator and spawn as many processes.  They
 * merge with them, and a split gives each process its rank, the new ones those of the dead.  If
 * anything fails in this, as somebody else dies, all try again.
 */
#include <mpi.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 96, INTERVAL = 20, INTERVALS = 12, STEPS = INTERVAL * INTERVALS, MOST_RANKS = 64 };
enum { TAG_UP = 1, TAG_DOWN, TAG_COPY, TAG_FRESH, TAG_RESTORE, TAG_PLACE };

static MPI_Comm grid; /* all, each with its rank of the beginning */
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

/* A neighbour may live and wait for the dead: so a failure ends the requests of all members. */
static int complete(MPI_Request requests[4])
{
    MPI_Status statuses[4];

    if (MPI_Waitall(4, requests, statuses) == MPI_SUCCESS)
        return 1;
    MPIX_Comm_revoke(grid);
    for (int i = 0; i < 4; i++)
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    return 0;
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

/* The same answer on all living members. */
static int all_are_well(MPI_Comm comm, int well)
{
    return MPIX_Comm_agree(comm, &well) == MPI_SUCCESS && well;
}

/* Rank 0 tells each new process its rank, and the number of ranks. */
static int send_places(MPI_Comm living, MPI_Comm between)
{
    MPI_Group all, alive, dead;
    int n, well = 1;

    if (rank > 0)
        return 1;
    MPI_Comm_group(grid, &all);
    MPI_Comm_group(living, &alive);
    MPI_Group_difference(all, alive, &dead);
    MPI_Group_size(dead, &n);
    for (int i = 0; i < n; i++) { /* also to those behind one that has died */
        int place[2] = {0, size};
        MPI_Group_translate_ranks(dead, 1, &i, all, &place[0]);
        well &= MPI_Send(place, 2, MPI_INT, i, TAG_PLACE, between) == MPI_SUCCESS;
    }
    MPI_Group_free(&dead);
    MPI_Group_free(&alive);
    MPI_Group_free(&all);
    return well;
}

/* The living and the new processes, with their ranks; false on all of them if one has failed. */
static int join(MPI_Comm between, int is_new, int well)
{
    MPI_Comm merged, joined;

    well = well && MPI_Intercomm_merge(between, is_new, &merged) == MPI_SUCCESS;
    if (!all_are_well(between, well))
        return 0;
    MPI_Comm_set_errhandler(merged, MPI_ERRORS_RETURN);
    well = MPI_Comm_split(merged, 0, rank, &joined) == MPI_SUCCESS;
    if (!all_are_well(merged, well))
        return 0;
    MPI_Comm_free(&merged);
    if (!is_new)
        MPI_Comm_free(&grid);
    grid = joined;
    MPI_Comm_set_errhandler(grid, MPI_ERRORS_RETURN);
    return 1;
}

/* The number of processes that were replaced; 0: somebody else has died. */
static int replace_dead(char **argv)
{
    MPI_Comm living, between = MPI_COMM_NULL;
    int n, well;

    if (MPIX_Comm_shrink(grid, &living) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Comm_set_errhandler(living, MPI_ERRORS_RETURN);
    MPI_Comm_size(living, &n);
    well = MPI_Comm_spawn(argv[0], argv + 1, size - n, MPI_INFO_NULL, 0, living, &between,
                          MPI_ERRCODES_IGNORE) == MPI_SUCCESS;
    if (well)
        MPI_Comm_set_errhandler(between, MPI_ERRORS_RETURN);
    MPIX_Comm_agree(living, &well); /* the flag is right after another death, too */
    well = well && join(between, 0, send_places(living, between));
    if (!well && between != MPI_COMM_NULL)
        MPIX_Comm_revoke(between); /* the new processes leave */
    if (between != MPI_COMM_NULL)
        MPI_Comm_free(&between);
    MPI_Comm_free(&living);
    return well ? size - n : 0;
}

/* A new process: false if the others try again, without it. */
static int come_in(MPI_Comm parents)
{
    int place[2] = {0, 0}, well;

    MPI_Comm_set_errhandler(parents, MPI_ERRORS_RETURN);
    well = MPI_Recv(place, 2, MPI_INT, 0, TAG_PLACE, parents, MPI_STATUS_IGNORE) == MPI_SUCCESS;
    rank = place[0], size = place[1];
    well = join(parents, 1, well);
    MPI_Comm_free(&parents);
    return well;
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

static int repair(char **argv)
{
    int replaced;

    MPIX_Comm_revoke(grid); /* by all: messages of earlier steps are dropped */
    while ((replaced = replace_dead(argv)) == 0)
        ;
    restore(0);
    return replaced;
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
    well = well && gather(all);
    if (!well)
        MPIX_Comm_revoke(grid); /* nobody waits for this process */
    return well;
}

/* False: a process that was spawned, and is not needed. */
static int start(int argc, char **argv)
{
    int deaths = argc > 1 ? atoi(argv[1]) : 1;
    MPI_Comm parents;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_get_parent(&parents);
    if (parents != MPI_COMM_NULL) {
        if (!come_in(parents))
            return 0;
    } else {
        MPI_Comm_dup(MPI_COMM_WORLD, &grid);
        MPI_Comm_rank(grid, &rank);
        MPI_Comm_size(grid, &size);
        if (size > MOST_RANKS || deaths < 0 || deaths >= size || deaths > INTERVALS) {
            fprintf(stderr, "usage: survive [DEATHS [SEED]], at most %d ranks, fewer deaths\n",
                    MOST_RANKS);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        choose_deaths(deaths, argc > 2 ? (unsigned) atoi(argv[2]) : 1);
        MPI_Barrier(grid);
    }
    prepare(parents != MPI_COMM_NULL);
    return 1;
}

static int finish(const double *all, int deaths, int repairs, double seconds)
{
    int equal = 1;

    if (rank == 0) {
        equal = is_equal(all);
        printf("survive: %d ranks, %d deaths, %d repairs, %.1f ms a repair: %s\n", size, deaths,
               repairs, repairs ? 1e3 * seconds / repairs : 0.0, equal ? "equal" : "DIFFERENT");
        fflush(stdout);
    }
    MPI_Comm_free(&grid);
    return equal;
}

int main(int argc, char **argv)
{
    int repairs = 0, deaths = 0, equal = 1;
    double *all, seconds = 0, since;

    MPI_Init(&argc, &argv);
    if (start(argc, argv)) {
        all = allocate(N);
        while (!all_are_well(grid, run(all))) {
            since = MPI_Wtime();
            deaths += repair(argv);
            seconds += MPI_Wtime() - since;
            repairs++;
        }
        equal = finish(all, deaths, repairs, seconds);
    }
    MPI_Finalize();
    return equal ? 0 : 1;
}
