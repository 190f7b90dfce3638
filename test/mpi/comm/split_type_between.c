/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Comm_split_type between groups of the same size and of different sizes: an intercommunicator
 * of the processes of both groups that are of one part, ordered by the key; MPI_COMM_NULL where the
 * other group has none of it.  The parts are those of MPI_Comm_split_type on MPI_COMM_WORLD.  Some
 * processes are of no type, and keys, hints and unknown types are looked at, too.  One run has few
 * context ids: a communicator that the library makes on its way and does not free shows there.
 */
#include "cmaptest.h"

static const int types[] = {MPI_COMM_TYPE_SHARED, MPI_COMM_TYPE_HW_GUIDED,
                            MPI_COMM_TYPE_HW_UNGUIDED, MPIX_COMM_TYPE_NEIGHBORHOOD, MPI_UNDEFINED};
static const char *const hints[][2] = {{NULL, NULL},
                                       {"mpi_hw_resource_type", "mpi_shared_memory"},
                                       {"mpi_hw_resource_type", "core"},
                                       {"nbhd_common_dirname", "."},
                                       {"mpi_assert_no_any_tag", "true"}};
enum { TYPES = sizeof(types) / sizeof(types[0]), HINTS = sizeof(hints) / sizeof(hints[0]) };

static int size;

static MPI_Info hint(int which)
{
    MPI_Info info = MPI_INFO_NULL;

    if (hints[which][0]) {
        MPI_Info_create(&info);
        MPI_Info_set(info, hints[which][0], hints[which][1]);
    }
    return info;
}

/* The part of each process in MPI_COMM_WORLD: the least rank in it, or -1. */
static void find_parts(int type, int which, int *part)
{
    MPI_Comm child;
    MPI_Info info = hint(which);
    int mine = -1;

    MPI_Comm_split_type(MPI_COMM_WORLD, type, 0, info, &child);
    if (child != MPI_COMM_NULL) {
        mine = ct_me;
        MPI_Bcast(&mine, 1, MPI_INT, 0, child);
        MPI_Comm_free(&child);
    }
    MPI_Allgather(&mine, 1, MPI_INT, part, 1, MPI_INT, MPI_COMM_WORLD);
    if (info != MPI_INFO_NULL)
        MPI_Info_free(&info);
}

/* The processes from `low` to below `high` that are of my part; by the keys below they are in
 * reverse. */
static ct_list members(const int *part, int low, int high)
{
    ct_list list = ct_list_new(size);

    for (int i = high - 1; i >= low && part[ct_me] >= 0; i--)
        if (part[i] == part[ct_me])
            list.id[list.n++] = i;
    return list;
}

static void check_child(MPI_Comm child, const int *part, int first, const char *what)
{
    int is_low = ct_me < first, is_inter = 0;
    ct_list mine = members(part, is_low ? 0 : first, is_low ? first : size);
    ct_list theirs = members(part, is_low ? first : 0, is_low ? size : first);

    if (mine.n == 0 || theirs.n == 0) {
        CT_CHECK(child == MPI_COMM_NULL, "%s: a communicator without the other group", what);
    } else if (child == MPI_COMM_NULL) {
        ct_fail("%s: no communicator", what);
    } else {
        MPI_Comm_test_inter(child, &is_inter);
        CT_CHECK(is_inter, "%s: no intercommunicator", what);
        ct_check_comm_group(child, &mine, what);
        ct_check_remote_group(child, &theirs, what);
    }
    if (child != MPI_COMM_NULL) {
        MPI_Barrier(child);
        MPI_Comm_free(&child);
    }
    ct_list_free(&mine);
    ct_list_free(&theirs);
}

static MPI_Comm connect(int first)
{
    MPI_Comm half, inter;
    int is_low = ct_me < first;

    MPI_Comm_split(MPI_COMM_WORLD, is_low, ct_me, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, is_low ? first : 0, 0, &inter);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    MPI_Comm_free(&half);
    return inter;
}

static void split_of_type(MPI_Comm inter, int first, int type, int which)
{
    char what[100];
    int *part = ct_ints(size);
    MPI_Info info = hint(which);
    MPI_Comm child = MPI_COMM_WORLD;
    int result;

    snprintf(what, sizeof(what), "type %d, hint %d, groups of %d and %d", type, which, first,
             size - first);
    find_parts(type, which, part);
    result = MPI_Comm_split_type(inter, type, -ct_me, info, &child);
    CT_CHECK(result == MPI_SUCCESS, "%s: error class %d", what, ct_class_of(result));
    if (result == MPI_SUCCESS)
        check_child(child, part, first, what);
    if (info != MPI_INFO_NULL)
        MPI_Info_free(&info);
    free(part);
}

/* Every second process is of no type; in the second round a whole group is. */
static void some_are_undefined(MPI_Comm inter, int first)
{
    for (int round = 0; round < 2; round++) {
        int *part = ct_ints(size);
        int takes_part = round == 0 ? ct_me % 2 == 0 : ct_me < first;
        MPI_Comm child;

        find_parts(MPI_COMM_TYPE_SHARED, 0, part);
        for (int i = 0; i < size; i++)
            if (!(round == 0 ? i % 2 == 0 : i < first))
                part[i] = -1;
        MPI_Comm_split_type(inter, takes_part ? MPI_COMM_TYPE_SHARED : MPI_UNDEFINED, -ct_me,
                            MPI_INFO_NULL, &child);
        check_child(child, part, first, "some are undefined");
        free(part);
    }
}

/* Hints with undefined types, and those that the groups do not have in common; a type that is none:
 * all processes come to the same end. */
static void wrong_arguments(MPI_Comm inter, int first)
{
    MPI_Info mine = hint(ct_me < first ? 1 : 2);
    MPI_Comm child = MPI_COMM_NULL;
    int failed[2] = {0, 0}, all[2];

    failed[0] = MPI_Comm_split_type(inter, MPI_COMM_TYPE_HW_GUIDED, 0, mine, &child) != MPI_SUCCESS;
    CT_CHECK(failed[0] == (child == MPI_COMM_NULL), "different hints: an error and a handle");
    if (!failed[0])
        MPI_Comm_free(&child);
    failed[1] = MPI_Comm_split_type(inter, 12345, 0, MPI_INFO_NULL, &child) != MPI_SUCCESS;
    MPI_Allreduce(failed, all, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CT_CHECK(all[0] == 0 || all[0] == size, "different hints: errors of %d processes", all[0]);
    CT_CHECK(all[1] == size, "a type that is none: errors of %d processes", all[1]);
    MPI_Info_free(&mine);
}

static void sides(int first)
{
    MPI_Comm inter = connect(first);

    for (int i = 0; i < TYPES; i++)
        for (int which = 0; which < HINTS; which++)
            split_of_type(inter, first, types[i], which);
    some_are_undefined(inter, first);
    wrong_arguments(inter, first);
    MPI_Comm_free(&inter);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int first = 1; first < size; first++)
        sides(first);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
