/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Five programs that ran out of communicators, each as the calls that it makes again and again
 * without freeing what they return.  MPICH and the libraries made from it stop with "Too many
 * communicators"; the comment at each function says where.  Open MPI 4.1 stops at 65,532.
 *
 *     mpicc -o limits limits.c && mpiexec -n 2 ./limits functions 200000
 *
 * With another library it says where that one stops.  All communicators stay alive: then sums in
 * some of them, the first and the last included, must be right.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 20, LOOKED_AT = 100 };

static MPI_Comm *made;
static int n_made, rank, size;

static int keep(int error, const MPI_Comm *comm)
{
    if (error == MPI_SUCCESS && *comm != MPI_COMM_NULL)
        made[n_made++] = *comm;
    return error;
}

/* dolfinx 2308: each function of a finite element space has a vector, whose scatter has the graph
 * of its neighbours.  MPICH stops at function 2,048. */
static int functions(void)
{
    const int neighbours[2] = {(rank + size - 1) % size, (rank + 1) % size};
    MPI_Comm graph = MPI_COMM_NULL;
    int error =
        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, neighbours, MPI_UNWEIGHTED, 2, neighbours,
                                       MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);

    return keep(error, &graph);
}

/* A grid of BLACS: the context, its duplicate, its rows and its columns. */
static int grid(void)
{
    MPI_Comm comm = MPI_COMM_NULL, copy = MPI_COMM_NULL, part = MPI_COMM_NULL;
    MPI_Group group;
    int error;

    MPI_Comm_group(MPI_COMM_WORLD, &group);
    error = keep(MPI_Comm_create(MPI_COMM_WORLD, group, &comm), &comm);
    MPI_Group_free(&group);
    if (!error)
        error = keep(MPI_Comm_dup(comm, &copy), &copy);
    if (!error)
        error = keep(MPI_Comm_split(comm, rank / 2, rank, &part), &part);
    if (!error)
        error = keep(MPI_Comm_split(comm, rank % 2, rank, &part), &part);
    return error;
}

/* ABACUS 8003: with several groups of k points, each iteration makes two grids.  A library with
 * 32,768 context ids stops at iteration 4,094. */
static int iterations(void)
{
    int error = grid();

    return error ? error : grid();
}

/* Nek5000 836: each file that a run restarts from has a duplicate of the communicator.  MPICH
 * stops at file 1,935. */
static int files(void)
{
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_File file;
    int error = keep(MPI_Comm_dup(MPI_COMM_WORLD, &copy), &copy);

    if (!error)
        error = MPI_File_open(copy, "/dev/null", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    return error ? error : MPI_File_close(&file);
}

/* CP2K 546: a matrix that is distributed anew has the rows and the columns of a mesh of processes.
 * A library with 32,768 context ids stops after some thousand steps. */
static int steps(void)
{
    static MPI_Comm mesh = MPI_COMM_NULL;
    int dims[2] = {0, 0}, error = MPI_SUCCESS;
    const int periods[2] = {1, 1};

    if (mesh == MPI_COMM_NULL) {
        MPI_Dims_create(size, 2, dims);
        error = keep(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &mesh), &mesh);
    }
    for (int k = 0; k < 10 && !error; k++) {
        const int remains[2] = {k % 2, !(k % 2)};
        MPI_Comm part = MPI_COMM_NULL;

        error = keep(MPI_Cart_sub(mesh, remains, &part), &part);
    }
    return error;
}

/* hypre 455: each preconditioner of the kind Euclid duplicates the communicator.  Spectrum MPI has
 * 4,095 ids. */
static int preconditioners(void)
{
    MPI_Comm copy = MPI_COMM_NULL;

    return keep(MPI_Comm_dup(MPI_COMM_WORLD, &copy), &copy);
}

static const struct {
    const char *name;
    int (*make)(void);
    int each; /* communicators, at most */
} programs[] = {
    {"functions", functions, 1}, {"iterations", iterations, 8},           {"files", files, 1},
    {"steps", steps, 11},        {"preconditioners", preconditioners, 1},
};

/* A sum in a communicator is that of its own members, and all of them are in it. */
static int is_right(MPI_Comm comm)
{
    MPI_Group all, group;
    int members, sum, here, *from, *to, right = 0;

    MPI_Comm_size(comm, &members);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Comm_group(comm, &group);
    from = malloc((size_t) members * sizeof *from);
    to = malloc((size_t) members * sizeof *to);
    if (from && to) {
        for (int i = 0; i < members; i++)
            from[i] = i;
        MPI_Group_translate_ranks(group, members, from, all, to);
        here = 0;
        for (int i = 0; i < members; i++)
            here += to[i];
        right = sum == here;
    }
    free(from);
    free(to);
    MPI_Group_free(&group);
    MPI_Group_free(&all);
    return right;
}

static int are_right(void)
{
    int wrong = 0, all;

    for (int k = 0; k < LOOKED_AT; k++)
        wrong += !is_right(made[(size_t) k * (size_t) (n_made - 1) / (LOOKED_AT - 1)]);
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return all == 0;
}

static void stop(const char *name, int done, int wanted, int error)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    MPI_Error_string(error, text, &length);
    fprintf(stderr, "%s: stopped after %d of %d, with %d communicators: %s\n", name, done, wanted,
            n_made, text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int run(int program, int wanted)
{
    int right;

    made = malloc((size_t) wanted * (size_t) programs[program].each * sizeof *made);
    if (!made)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < wanted; i++) {
        int error = programs[program].make();

        if (error)
            stop(programs[program].name, i, wanted, error);
    }
    right = are_right();
    if (rank == 0)
        printf("%d %s: %d communicators are alive, all sums are %s\n", wanted,
               programs[program].name, n_made, right ? "right" : "WRONG");
    free(made);
    return right ? 0 : 1;
}

int main(int argc, char **argv)
{
    const int n = (int) (sizeof programs / sizeof *programs);
    char *end = NULL;
    long wanted = argc == 3 ? strtol(argv[2], &end, 10) : 0;
    int program = 0, status = 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    while (program < n && (argc < 2 || strcmp(argv[1], programs[program].name)))
        program++;
    if (program == n || wanted < 1 || wanted > MOST || *end) {
        fprintf(stderr, "usage: limits functions|iterations|files|steps|preconditioners NUMBER (1 "
                        "to 1048576)\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    } else {
        status = run(program, (int) wanted);
    }
    MPI_Finalize();
    return status;
}
