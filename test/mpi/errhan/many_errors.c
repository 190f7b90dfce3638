/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Errors that are looked at after many others: MPI keeps the texts of the last 128, and the class
 * of each.
 */
#include "cmaptest.h"

enum { MESSAGES = 400 };

static int sent[8], received[MESSAGES];
static MPI_Request requests[MESSAGES];

int main(int argc, char **argv)
{
    int class;

    MTest_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (int i = 0; i < MESSAGES; i++) {
        MPI_Irecv(&received[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &requests[i]);
        MPI_Send(sent, 8, MPI_INT, 0, i, MPI_COMM_SELF);
    }
    for (int i = 0; i < MESSAGES; i++) {
        MPI_Error_class(MPI_Wait(&requests[i], MPI_STATUS_IGNORE), &class);
        CT_CHECK(class == MPI_ERR_TRUNCATE, "receive %d of %d: class %d", i, MESSAGES, class);
    }
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
