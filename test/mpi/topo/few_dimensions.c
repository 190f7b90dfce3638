/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Grids of no dimension and of one, in all calls for grids: MPI_Cart_create of no dimensions gives
 * one to the first process, MPI_Cart_sub that keeps none gives one to each. Coordinates, ranks and
 * shifts of one dimension against plain arithmetic. Calls for a grid refuse a communicator that is
 * none, arrays that are too short, and dimensions that there are not.
 */
#include "cmaptest.h"

enum { ROOM = 4, UNTOUCHED = -7 };

static int size;

static int class_of(int result)
{
    int class = -1;

    MPI_Error_class(result, &class);
    return class;
}

/* MPI_Cart_get fills `ndims` of the elements, whatever room there is. */
static void check_get(MPI_Comm grid, int ndims, const int dims[], const int periods[],
                      const char *what)
{
    int d[ROOM], p[ROOM], c[ROOM], coords[ROOM] = {0}, rank;

    for (int i = 0; i < ROOM; i++)
        d[i] = p[i] = c[i] = UNTOUCHED;
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_coords(grid, rank, ndims, coords);
    MPI_Cart_get(grid, ROOM, d, p, c);
    for (int i = 0; i < ROOM; i++) {
        CT_CHECK(d[i] == (i < ndims ? dims[i] : UNTOUCHED), "%s: dimension %d: %d", what, i, d[i]);
        CT_CHECK(p[i] == (i < ndims ? periods[i] : UNTOUCHED), "%s: period %d: %d", what, i, p[i]);
        CT_CHECK(c[i] == (i < ndims ? coords[i] : UNTOUCHED), "%s: place %d: %d", what, i, c[i]);
    }
}

/* One process, no dimensions, and the error handler of its parent. */
static void check_none(MPI_Comm grid, const char *what)
{
    int n = -1, kind = -1, rank = -1, source = -1, dest = -1;
    MPI_Errhandler handler;

    MPI_Comm_size(grid, &n);
    CT_CHECK(n == 1, "%s: size %d", what, n);
    MPI_Topo_test(grid, &kind);
    CT_CHECK(kind == MPI_CART, "%s: topology %d", what, kind);
    if (kind != MPI_CART)
        return;
    MPI_Comm_get_errhandler(grid, &handler);
    CT_CHECK(handler == MPI_ERRORS_RETURN, "%s: not the error handler of the parent", what);
    MPI_Comm_set_errhandler(grid, MPI_ERRORS_RETURN);
    MPI_Cartdim_get(grid, &n);
    CT_CHECK(n == 0, "%s: %d dimensions", what, n);
    CT_CHECK(MPI_Cart_get(grid, 0, NULL, NULL, NULL) == MPI_SUCCESS, "%s: MPI_Cart_get", what);
    check_get(grid, 0, NULL, NULL, what);
    MPI_Cart_rank(grid, NULL, &rank);
    CT_CHECK(rank == 0, "%s: rank %d of no coordinates", what, rank);
    CT_CHECK(MPI_Cart_coords(grid, 0, 0, NULL) == MPI_SUCCESS, "%s: MPI_Cart_coords", what);
    CT_CHECK(MPI_Cart_shift(grid, 0, 1, &source, &dest) != MPI_SUCCESS, "%s: shifts", what);
}

static void check_none_and_copies(MPI_Comm grid, const char *what)
{
    const int keep[1] = {1};
    MPI_Comm copy, sub;

    check_none(grid, what);
    MPI_Comm_dup(grid, &copy);
    check_none(copy, what);
    MPI_Cart_sub(copy, keep, &sub);
    CT_CHECK(sub != MPI_COMM_NULL, "%s: no sub-grid", what);
    if (sub != MPI_COMM_NULL) {
        check_none(sub, what);
        MPI_Comm_free(&sub);
    }
    MPI_Comm_free(&copy);
}

static void create_none(MPI_Comm parent)
{
    int rank = -1;
    MPI_Comm grid;

    for (int reorder = 0; reorder < 2; reorder++) {
        MPI_Cart_create(parent, 0, NULL, NULL, reorder, &grid);
        CT_CHECK((grid != MPI_COMM_NULL) == (ct_me == 0), "MPI_Cart_create of no dimensions");
        if (grid == MPI_COMM_NULL)
            continue;
        check_none_and_copies(grid, "MPI_Cart_create of no dimensions");
        MPI_Comm_free(&grid);
    }
    MPI_Cart_map(parent, 0, NULL, NULL, &rank);
    CT_CHECK(rank == (ct_me == 0 ? 0 : MPI_UNDEFINED), "MPI_Cart_map of no dimensions: %d", rank);
    CT_CHECK(MPI_Dims_create(1, 0, NULL) == MPI_SUCCESS, "MPI_Dims_create of no dimensions");
}

static void keep_none(MPI_Comm parent)
{
    for (int n = 1; n <= 3; n++) {
        int dims[3] = {0}, periods[3] = {n % 2, 1, 0}, keep[3] = {0}, sum = -1;
        MPI_Comm grid, sub;

        MPI_Dims_create(size, n, dims);
        MPI_Cart_create(parent, n, dims, periods, 0, &grid);
        check_get(grid, n, dims, periods, "grid");
        MPI_Cart_sub(grid, keep, &sub);
        CT_CHECK(sub != MPI_COMM_NULL, "%d dimensions, none kept: no communicator", n);
        if (sub != MPI_COMM_NULL) {
            check_none_and_copies(sub, "MPI_Cart_sub that keeps no dimension");
            MPI_Allreduce(&ct_me, &sum, 1, MPI_INT, MPI_SUM, sub);
            CT_CHECK(sum == ct_me, "a sum of one process: %d instead of %d", sum, ct_me);
            MPI_Comm_free(&sub);
        }
        MPI_Comm_free(&grid);
    }
}

/* ---- one dimension ---- */

/* The process at this place of a line or a ring. */
static int at(int place, int n, int period)
{
    if (period)
        place = (place % n + n) % n;
    return place < 0 || place >= n ? MPI_PROC_NULL : place;
}

static void check_places(MPI_Comm line, int n, int period)
{
    for (int place = -2 * n - 1; place <= 2 * n + 1; place++) {
        int want = at(place, n, period), rank = UNTOUCHED, source, dest;
        int result = MPI_Cart_rank(line, &place, &rank);

        if (want == MPI_PROC_NULL)
            CT_CHECK(class_of(result) == MPI_ERR_ARG, "rank of place %d of %d", place, n);
        else
            CT_CHECK(rank == want, "place %d of %d: rank %d", place, n, rank);
        MPI_Cart_shift(line, 0, place, &source, &dest);
        CT_CHECK(source == at(ct_me - place, n, period), "%d of %d, shift by %d: from %d", ct_me, n,
                 place, source);
        CT_CHECK(dest == at(ct_me + place, n, period), "%d of %d, shift by %d: to %d", ct_me, n,
                 place, dest);
    }
}

static void check_line(MPI_Comm line, int n, int period, const char *what)
{
    int place = -1, ndims = -1;

    MPI_Cartdim_get(line, &ndims);
    CT_CHECK(ndims == 1, "%s: %d dimensions", what, ndims);
    check_get(line, 1, &n, &period, what);
    for (int rank = 0; rank < n; rank++) {
        MPI_Cart_coords(line, rank, 1, &place);
        CT_CHECK(place == rank, "%s: rank %d at %d", what, rank, place);
    }
    check_places(line, n, period);
}

static void one_dimension(MPI_Comm parent, int n, int period)
{
    int keep = 1, dims = 0, rank = -1, source, dest, unused[ROOM];
    MPI_Comm line, sub;

    MPI_Dims_create(n, 1, &dims);
    CT_CHECK(dims == n, "MPI_Dims_create of %d: %d", n, dims);
    CT_CHECK(MPI_Dims_create(n, 1, &dims) == MPI_SUCCESS && dims == n, "of a given dimension");
    MPI_Cart_map(parent, 1, &n, &period, &rank);
    CT_CHECK(rank == (ct_me < n ? ct_me : MPI_UNDEFINED), "MPI_Cart_map: %d", rank);
    MPI_Cart_create(parent, 1, &n, &period, 0, &line);
    CT_CHECK((line != MPI_COMM_NULL) == (ct_me < n), "MPI_Cart_create of one dimension");
    if (line == MPI_COMM_NULL)
        return;
    check_line(line, n, period, "line");
    CT_CHECK(MPI_Cart_shift(line, 1, 1, &source, &dest) != MPI_SUCCESS, "second dimension");
    CT_CHECK(MPI_Cart_shift(line, -1, 1, &source, &dest) != MPI_SUCCESS, "dimension -1");
    CT_CHECK(class_of(MPI_Cart_get(line, 0, NULL, NULL, NULL)) == MPI_ERR_ARG,
             "MPI_Cart_get without room");
    CT_CHECK(class_of(MPI_Cart_coords(line, 0, 0, unused)) == MPI_ERR_ARG,
             "MPI_Cart_coords without room");
    MPI_Cart_sub(line, &keep, &sub);
    check_line(sub, n, period, "sub-grid of all dimensions");
    MPI_Comm_free(&sub);
    MPI_Comm_free(&line);
}

/* ---- no grid ---- */

static void refuse(MPI_Comm comm, const char *what)
{
    int a[ROOM] = {0}, b[ROOM] = {0}, c[ROOM] = {0};
    MPI_Comm sub;

    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    CT_CHECK(class_of(MPI_Cart_get(comm, ROOM, a, b, c)) == MPI_ERR_TOPOLOGY, "%s: get", what);
    CT_CHECK(class_of(MPI_Cartdim_get(comm, a)) == MPI_ERR_TOPOLOGY, "%s: number", what);
    CT_CHECK(class_of(MPI_Cart_rank(comm, a, b)) == MPI_ERR_TOPOLOGY, "%s: rank", what);
    CT_CHECK(class_of(MPI_Cart_coords(comm, 0, ROOM, a)) == MPI_ERR_TOPOLOGY, "%s: place", what);
    CT_CHECK(class_of(MPI_Cart_shift(comm, 0, 1, a, b)) == MPI_ERR_TOPOLOGY, "%s: shift", what);
    CT_CHECK(class_of(MPI_Cart_sub(comm, a, &sub)) == MPI_ERR_TOPOLOGY, "%s: sub-grid", what);
}

static void refuse_others(void)
{
    int index[1] = {0}, edges[1] = {0};
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    refuse(comm, "no topology");
    MPI_Comm_free(&comm);
    MPI_Graph_create(MPI_COMM_WORLD, 1, index, edges, 0, &comm);
    if (comm != MPI_COMM_NULL) {
        refuse(comm, "graph");
        MPI_Comm_free(&comm);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm parent;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &parent);
    MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
    create_none(parent);
    keep_none(parent);
    for (int n = 1; n <= size; n++) {
        for (int period = 0; period < 2; period++)
            one_dimension(parent, n, period);
    }
    refuse_others();
    MPI_Comm_free(&parent);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
