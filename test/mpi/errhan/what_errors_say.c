/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What errors say: the cancellation of a request that is not active, the registration of a data
 * representation with conversions, and the publication of a name that is published.
 */
#include "cmaptest.h"

static void check(const char *what, int code, int class_, const char *word)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int got = MPI_SUCCESS, length;

    MPI_Error_class(code, &got);
    CT_CHECK(got == class_, "%s: class %d, not %d", what, got, class_);
    MPI_Error_string(code, text, &length);
    CT_CHECK(strstr(text, word), "%s says \"%s\", without \"%s\"", what, text, word);
}

static int convert(void *user, MPI_Datatype type, int count, void *file, MPI_Offset position,
                   void *extra)
{
    return MPI_ERR_CONVERSION;
}

static int extent_of(MPI_Datatype type, MPI_Aint *extent, void *extra)
{
    *extent = 1;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    MPI_Request requests[3];
    int data = 0;

    MTest_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Send_init(&data, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &requests[0]);
    MPI_Recv_init(&data, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &requests[1]);
    MPI_Barrier_init(MPI_COMM_SELF, MPI_INFO_NULL, &requests[2]);
    for (int i = 0; i < 3; i++) {
        check("cancellation", MPI_Cancel(&requests[i]), MPI_ERR_REQUEST, "not active");
        MPI_Request_free(&requests[i]);
    }
    check("registration",
          MPI_Register_datarep("what_errors_say", convert, convert, extent_of, NULL),
          MPI_ERR_UNSUPPORTED_DATAREP, "conversions");
    MPI_Publish_name("what_errors_say", MPI_INFO_NULL, "port");
    check("publication", MPI_Publish_name("what_errors_say", MPI_INFO_NULL, "other"), MPI_ERR_NAME,
          "publish");
    MPI_Unpublish_name("what_errors_say", MPI_INFO_NULL, "port");
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
