/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Messages into memory with gaps. One that ends between two elements is received, also if it has
 * less than a copy of the datatype. One that ends inside an element is of another type signature:
 * the receive fails with the class MPI_ERR_TRUNCATE, however the message is received, and the next
 * one is received as if nothing had been. The program has freed the datatype by then.
 */
#include "mpitest.h"
#include "cmaptest_mpit.h"
#include "cmaptest_oracle.h"

enum { COPIES = 3000, ROOM = COPIES * 32 };

static char packed[ROOM], got[ROOM];

/* 4 bytes, a gap, 8 bytes, a gap */
static MPI_Datatype make_type(void)
{
    int blocks[] = {1, 1};
    MPI_Aint places[] = {0, 16};
    MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE}, fields, made;

    MPI_Type_create_struct(2, blocks, places, types, &fields);
    MPI_Type_create_resized(fields, 0, 32, &made);
    MPI_Type_commit(&made);
    MPI_Type_free(&fields);
    return made;
}

static int receive(int way, MPI_Status *status)
{
    MPI_Datatype type = make_type();
    MPI_Message message;
    MPI_Request request;
    int err;

    if (way == 0) {
        err = MPI_Recv(got, COPIES, type, 0, 0, MPI_COMM_WORLD, status);
        MPI_Type_free(&type);
    } else if (way == 1) {
        MPI_Irecv(got, COPIES, type, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Type_free(&type);
        err = MPI_Wait(&request, status);
    } else {
        MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Imrecv(got, COPIES, type, &message, &request);
        MPI_Type_free(&type);
        err = MPI_Wait(&request, status);
    }
    return err;
}

/* Byte `i` of the message is there. */
static int is_there(int i)
{
    int place = i / 12 * 32 + (i % 12 < 4 ? i % 12 : 12 + i % 12);

    return got[place] == packed[i];
}

static void check_received(int way, int bytes)
{
    int rest = bytes % 12, inside = rest != 0 && rest != 4, class, n = -1;
    MPI_Status status;
    int err = receive(way, &status);

    MPI_Error_class(err, &class);
    /* shared memory, which OFI's builds have, takes bytes as they come */
    if (!inside || !ct_is_over_ofi())
        CT_CHECK(class == (inside ? MPI_ERR_TRUNCATE : MPI_SUCCESS), "%d bytes, way %d: class %d",
                 bytes, way, class);
    if (inside)
        return;
    MPI_Get_count(&status, MPI_BYTE, &n);
    CT_CHECK(n == bytes, "%d bytes, way %d: %d arrived", bytes, way, n);
    for (int i = 0; i < bytes; i++)
        CT_CHECK(is_there(i), "%d bytes, way %d: byte %d", bytes, way, i);
}

int main(int argc, char **argv)
{
    int lengths[] = {0,  1,  3,  4,    5,    6,    11,   12,    15,
                     16, 17, 24, 1200, 1203, 1204, 1206, 35995, 36000};

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < ROOM; i++)
        packed[i] = (char) (1 + i % 101);
    for (int i = 0; i < (int) (sizeof(lengths) / sizeof(lengths[0])); i++) {
        for (int way = 0; way < 3; way++) {
            if (ct_me == 0)
                MPI_Send(packed, lengths[i], MPI_BYTE, 1, 0, MPI_COMM_WORLD);
            else
                check_received(way, lengths[i]);
        }
    }
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
