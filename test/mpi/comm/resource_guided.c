/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_COMM_TYPE_RESOURCE_GUIDED and MPI_COMM_TYPE_HW_GUIDED: a process set keeps its members, in
 * the order of the keys; a hardware resource keeps the processes of one instance, each type that
 * MPI_Get_hw_resource_info has as true, and MPI_COMM_NULL results for the others.
 */
#include "cmaptest.h"

static int rank, size;

static MPI_Comm split(int type, int key, const char *name, const char *value)
{
    MPI_Info info;
    MPI_Comm comm = MPI_COMM_WORLD;
    char got[100] = "";
    int flag = 0, length = sizeof(got);

    MPI_Info_create(&info);
    MPI_Info_set(info, name, value);
    MPI_Comm_split_type(MPI_COMM_WORLD, type, key, info, &comm);
    MPI_Info_get_string(info, name, &length, got, &flag);
    CT_CHECK(flag && strcmp(got, value) == 0, "the info has %s", got);
    MPI_Info_free(&info);
    return comm;
}

static void check_size(MPI_Comm comm, int expected, int at, const char *what)
{
    int n, r;

    CT_CHECK(comm != MPI_COMM_NULL, "%s: none", what);
    if (comm == MPI_COMM_NULL)
        return;
    MPI_Comm_size(comm, &n);
    MPI_Comm_rank(comm, &r);
    CT_CHECK(n == expected && r == at, "%s: rank %d of %d, not %d of %d", what, r, n, at, expected);
    MPI_Comm_free(&comm);
}

static void check_null(MPI_Comm comm, const char *what)
{
    CT_CHECK(comm == MPI_COMM_NULL, "%s: a communicator", what);
    if (comm != MPI_COMM_NULL)
        MPI_Comm_free(&comm);
}

static void check_sets(void)
{
    int type = MPI_COMM_TYPE_RESOURCE_GUIDED;
    MPI_Comm comm;

    check_size(split(type, -rank, "mpi_pset_name", "mpi://WORLD"), size, size - 1 - rank, "world");
    check_size(split(type, rank, "mpi_pset_name", "mpi://self"), 1, 0, "self");
    check_null(split(type, 0, "mpi_pset_name", "mpi://NOBODY"), "an unknown set");
    check_null(split(MPI_COMM_TYPE_HW_GUIDED, 0, "mpi_pset_name", "mpi://WORLD"), "a set for HW");
    check_null(split(type, 0, "foo", "bar"), "another key");
    MPI_Comm_split_type(MPI_COMM_WORLD, type, 0, MPI_INFO_NULL, &comm);
    check_null(comm, "no info");
}

/* The processes of this node, and this one's rank among them. */
static int on_node(int *at)
{
    MPI_Comm node;
    int n;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &n);
    MPI_Comm_rank(node, at);
    MPI_Comm_free(&node);
    return n;
}

static void check_shared(int type)
{
    int at, n = on_node(&at);

    check_size(split(type, rank, "mpi_hw_resource_type", "mpi_shared_memory"), n, at, "shared");
    check_size(split(type, rank, "mpi_hw_resource_type", "hwloc://Machine"), n, at, "machine");
    check_null(split(type, rank, "mpi_hw_resource_type", "hwloc://Nothing"), "unknown type");
}

static void check_key(MPI_Info info, int i)
{
    char key[MPI_MAX_INFO_KEY], value[MPI_MAX_INFO_VAL];
    int length = sizeof(value), flag, is_single, at;
    MPI_Comm comm;

    MPI_Info_get_nthkey(info, i, key);
    MPI_Info_get_string(info, key, &length, value, &flag);
    is_single = strcmp(value, "true") == 0;
    CT_CHECK(flag && (is_single || strcmp(value, "false") == 0), "%s is '%s'", key, value);
    comm = split(MPI_COMM_TYPE_RESOURCE_GUIDED, rank, "mpi_hw_resource_type", key);
    CT_CHECK(is_single == (comm != MPI_COMM_NULL), "%s is %s", key, value);
    if (comm != MPI_COMM_NULL) {
        MPI_Comm_size(comm, &length);
        CT_CHECK(length <= on_node(&at), "%s: %d processes", key, length);
        MPI_Comm_free(&comm);
    } else {
        on_node(&at);
    }
}

static void check_types(void)
{
    MPI_Info info;
    int n = 0;

    MPI_Get_hw_resource_info(&info);
    MPI_Info_get_nkeys(info, &n);
    CT_CHECK(n > 0, "no types of resources");
    for (int i = 0; i < n; i++)
        check_key(info, i);
    MPI_Info_free(&info);
}

/* Only some processes give the type. */
static void check_some(void)
{
    MPI_Comm comm;
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_pset_name", "mpi://WORLD");
    MPI_Comm_split_type(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : MPI_COMM_TYPE_RESOURCE_GUIDED,
                        0, info, &comm);
    MPI_Info_free(&info);
    if (rank == 0)
        check_null(comm, "MPI_UNDEFINED");
    else
        check_size(comm, size - 1, rank - 1, "all but one");
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    check_sets();
    check_shared(MPI_COMM_TYPE_HW_GUIDED);
    check_shared(MPI_COMM_TYPE_RESOURCE_GUIDED);
    check_types();
    check_some();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
