/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Allgatherv and MPI_Iallgatherv of one process put the block where the displacement says, in
 * all their forms, and report a block that does not fit.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { ROOM = 8, AT = 3 };

static int sent[ROOM], got[ROOM];
static MPI_Datatype with_gap; /* the first of two integers */

static int wait_for(int result, MPI_Request request)
{
    return result == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : result;
}

static int allgatherv(int n, int room, int at)
{
    return MPI_Allgatherv(sent, n, MPI_INT, got, &room, &at, with_gap, MPI_COMM_SELF);
}

static int allgatherv_c(int n, int room, int at)
{
    MPI_Count rooms = room;
    MPI_Aint places = at;

    return MPI_Allgatherv_c(sent, n, MPI_INT, got, &rooms, &places, with_gap, MPI_COMM_SELF);
}

static int iallgatherv(int n, int room, int at)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int result =
        MPI_Iallgatherv(sent, n, MPI_INT, got, &room, &at, with_gap, MPI_COMM_SELF, &request);

    return wait_for(result, request);
}

static int iallgatherv_c(int n, int room, int at)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Count rooms = room;
    MPI_Aint places = at;
    int result = MPI_Iallgatherv_c(sent, n, MPI_INT, got, &rooms, &places, with_gap, MPI_COMM_SELF,
                                   &request);

    return wait_for(result, request);
}

static const struct {
    const char *name;
    int (*call)(int n, int room, int at);
} forms[] = {
    {"MPI_Allgatherv", allgatherv},
    {"MPI_Allgatherv_c", allgatherv_c},
    {"MPI_Iallgatherv", iallgatherv},
    {"MPI_Iallgatherv_c", iallgatherv_c},
};

static void check_form(int form)
{
    int result, class;

    memset(got, 0, sizeof(got));
    CT_CHECK(forms[form].call(1, 1, AT) == MPI_SUCCESS, "%s fails", forms[form].name);
    for (int i = 0; i < ROOM; i++)
        CT_CHECK(got[i] == (i == 2 * AT ? sent[0] : 0), "%s: %d has %d", forms[form].name, i,
                 got[i]);

    result = forms[form].call(2, 1, 0);
    MPI_Error_class(result, &class);
    CT_CHECK(class == MPI_ERR_TRUNCATE, "%s of more than fits: class %d", forms[form].name, class);
}

int main(int argc, char **argv)
{
    MPI_Datatype integer = MPI_INT;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Type_create_resized(integer, 0, 2 * sizeof(int), &with_gap);
    MPI_Type_commit(&with_gap);
    for (int i = 0; i < ROOM; i++)
        sent[i] = i + 1;
    for (int form = 0; form < 4; form++)
        check_form(form);
    MPI_Type_free(&with_gap);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
