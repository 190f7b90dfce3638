/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The memory of each process in a window of MPI_Win_allocate begins at a cache line, or where
 * "mpi_minimum_memory_alignment" says; the processes may say different things, and have any number
 * of bytes.  All of it can be written, and is seen by the others of the node.  An empty segment of
 * a shared window whose segments do not adjoin has no address. Segments whose sum is no number of
 * bytes fail on all members.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

static int size;

static MPI_Info info_of(const char *key, const char *value)
{
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, key, value);
    return info;
}

static void check_info(MPI_Win win, const char *wanted)
{
    char value[32] = "";
    MPI_Info info;
    int flag;

    MPI_Win_get_info(win, &info);
    MPI_Info_get(info, "mpi_minimum_memory_alignment", 31, value, &flag);
    CT_CHECK(flag && !strcmp(value, wanted), "asked for %s, the window has \"%s\"", wanted, value);
    MPI_Info_free(&info);
}

/* Each process writes its own, and each reads that of each other one that it can reach. */
static void check_memory(MPI_Win win, char *base, MPI_Aint bytes)
{
    MPI_Win_fence(0, win);
    memset(base, 1 + ct_me, bytes);
    MPI_Win_fence(0, win);
    for (int i = 0; i < size; i++) {
        MPI_Aint there;
        char *memory;
        int unit;

        MPI_Win_shared_query(win, i, &there, &unit, &memory);
        for (MPI_Aint k = 0; k < there; k++)
            CT_CHECK(memory[k] == 1 + i, "byte %ld of rank %d is %d", (long) k, i, memory[k]);
    }
    MPI_Win_fence(0, win);
}

static void check_allocated(int bits, MPI_Aint bytes)
{
    char value[16], *base;
    MPI_Info info;
    MPI_Win win;

    snprintf(value, sizeof(value), "%d", 1 << bits);
    info = info_of("mpi_minimum_memory_alignment", value);
    MPI_Win_allocate(bytes, 1, info, MPI_COMM_WORLD, &base, &win);
    CT_CHECK((uintptr_t) base % (1 << bits) == 0, "%ld bytes at %p, not at a multiple of %s",
             (long) bytes, base, value);
    if (bits >= 6)
        check_info(win, value);
    check_memory(win, base, bytes);
    MPI_Win_free(&win);
    MPI_Info_free(&info);
}

static void check_without_hint(void)
{
    char *base;
    MPI_Win win;

    MPI_Win_allocate(1 + 2 * ct_me, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    CT_CHECK((uintptr_t) base % 64 == 0, "without a hint, the memory is at %p", base);
    check_memory(win, base, 1 + 2 * ct_me);
    MPI_Win_free(&win);
}

static void check_apart(void)
{
    MPI_Info info = info_of("alloc_shared_noncontig", "true");
    MPI_Comm node;
    MPI_Win win;
    MPI_Aint bytes;
    char *base, *memory;
    int unit, n;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &n);
    MPI_Comm_rank(node, &unit);
    MPI_Win_allocate_shared(unit % 2 ? 0 : 100, 1, info, node, &base, &win);
    for (int i = 0; i < n; i++) {
        MPI_Win_shared_query(win, i, &bytes, &unit, &memory);
        CT_CHECK(bytes == (i % 2 ? 0 : 100), "rank %d has %ld bytes", i, (long) bytes);
        CT_CHECK(i % 2 ? memory == NULL : (uintptr_t) memory % 4096 == 0, "rank %d is at %p", i,
                 memory);
    }
    MPI_Win_free(&win);
    MPI_Comm_free(&node);
    MPI_Info_free(&info);
}

/* The sum of the sizes exceeds 2^64, or all memory: no member gets a window. */
static void check_too_much(void)
{
    MPI_Comm node;
    int me;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_set_errhandler(node, MPI_ERRORS_RETURN);
    MPI_Comm_rank(node, &me);
    for (int apart = 0; apart < 2; apart++) {
        MPI_Info info = info_of("alloc_shared_noncontig", apart ? "true" : "false");
        MPI_Win win;
        char *base;
        int err = MPI_Win_allocate_shared(me < 2 ? INTPTR_MAX : 4098, 1, info, node, &base, &win);

        CT_CHECK(err != MPI_SUCCESS, "a window of more than 2^63 bytes, apart %d", apart);
        MPI_Info_free(&info);
    }
    MPI_Comm_free(&node);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int bits = 0; bits <= 12; bits++) {
        check_allocated(bits, 1 + 100 * ct_me);
        check_allocated((bits + 5 * ct_me) % 13, ct_me % 2 ? 0 : 4099);
    }
    check_without_hint();
    check_apart();
    check_too_much();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
