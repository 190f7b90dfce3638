/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Messages of many lengths, received into noncontiguous memory: a fragment of the network may end
 * inside an element. The sender's memory is contiguous or not; elements have 1 to 32 bytes, or are
 * of several kinds. Also messages that are shorter than the receive, and matched probes.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

#include <stddef.h>

typedef struct {
    char kind;
    double value;
    short number;
} record_t;

enum { MOST = 4 << 20 };

static char *packed, *spread, *got;

/* Basic elements, and what they take. */
static MPI_Datatype elements[7];
static int sizes[7];
static const char *const names[7] = {
    "char", "int", "double complex", "long double complex", "double and int", "record", "packed"};

static MPI_Datatype make_record(void)
{
    int blocks[] = {1, 1, 1};
    MPI_Aint places[] = {offsetof(record_t, kind), offsetof(record_t, value),
                         offsetof(record_t, number)};
    MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT}, fields, record;

    MPI_Type_create_struct(3, blocks, places, types, &fields);
    MPI_Type_create_resized(fields, 0, sizeof(record_t), &record);
    MPI_Type_commit(&record);
    MPI_Type_free(&fields);
    return record;
}

/* Every second element of 3, or with a gap of 7 bytes. */
static MPI_Datatype make_spread(MPI_Datatype element, int odd)
{
    MPI_Datatype blocks, made;
    MPI_Aint lower, extent;

    MPI_Type_get_extent(element, &lower, &extent);
    MPI_Type_create_hvector(2, 3, 4 * extent + odd * 7, element, &blocks);
    MPI_Type_create_resized(blocks, 0, 8 * extent + odd * 14, &made);
    MPI_Type_commit(&made);
    MPI_Type_free(&blocks);
    return made;
}

/* What a buffer has, without its gaps. */
static int pack(const void *buffer, int count, MPI_Datatype type, char *into)
{
    int place = 0;

    MPI_Pack(buffer, count, type, into, 2 * MOST, &place, MPI_COMM_WORLD);
    return place;
}

static void send_one(MPI_Datatype type, int count, int contiguous, int size)
{
    if (contiguous)
        MPI_Send(packed, count * 6 * size, MPI_PACKED, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Send(spread, count, type, 1, 0, MPI_COMM_WORLD);
}

static void receive_one(MPI_Datatype type, int room, int probe)
{
    MPI_Message message;

    if (probe) {
        MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(got, room, type, &message, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(got, room, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void check_one(int kind, MPI_Datatype type, int count, int more)
{
    static char *mine;
    int bytes, wanted;

    if (!mine)
        mine = ct_alloc(2 * MOST, 1);
    wanted = pack(spread, count, type, packed);
    for (int way = 0; way < 4; way++) {
        if (ct_me == 0)
            send_one(type, count, way % 2, sizes[kind]);
        if (ct_me != 1)
            continue;
        memset(got, 0, 2 * MOST);
        receive_one(type, count + more, way / 2);
        bytes = pack(got, count, type, mine);
        CT_CHECK(bytes == wanted && !memcmp(mine, packed, wanted),
                 "%d of %s, from %s memory%s: other contents", count, names[kind],
                 way % 2 ? "contiguous" : "noncontiguous", way / 2 ? ", probed" : "");
    }
}

static void check_kind(int kind)
{
    for (int odd = 0; odd < 2; odd++) {
        MPI_Datatype type = make_spread(elements[kind], odd);
        MPI_Aint lower, extent;

        MPI_Type_get_extent(type, &lower, &extent);
        for (int bytes = 1000; bytes < MOST; bytes = bytes * 3 + 17) {
            int count = bytes / (int) extent + 1;
            if (count * extent < MOST)
                check_one(kind, type, count, bytes % 2);
        }
        MPI_Type_free(&type);
    }
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    packed = ct_alloc(2 * MOST, 1);
    spread = ct_alloc(2 * MOST, 1);
    got = ct_alloc(2 * MOST, 1);
    for (int i = 0; i < 2 * MOST; i++)
        spread[i] = (char) (i * 37 + i / 251);
    elements[0] = MPI_CHAR;
    elements[1] = MPI_INT;
    elements[2] = MPI_C_DOUBLE_COMPLEX;
    elements[3] = MPI_C_LONG_DOUBLE_COMPLEX;
    elements[4] = MPI_DOUBLE_INT;
    elements[5] = make_record();
    elements[6] = MPI_PACKED;
    for (int kind = 0; kind < 7; kind++) {
        MPI_Type_size(elements[kind], &sizes[kind]);
        check_kind(kind);
    }
    MPI_Type_free(&elements[5]);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
