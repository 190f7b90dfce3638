/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The first use of a peer for which there is no memory, or about which the process manager is not
 * to be reached, is an error of that call which names the peer; the next attempt finds things as
 * they were, and works.
 *
 * In rank 0 the first allocation of the call fails, then the second, and so on, until the call
 * needs no more of them. Those of UCX are left out: it ends the process. (Over OFI messages inside
 * a node go by shared memory, which needs no address: only those between nodes are tried.)
 *
 * Arguments:
 *   -manager      before that what goes to the process manager fails; to be run on several nodes
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include "cmaptest_poor.h"

static int rank, size, pmi_fd;
/* peers on other nodes, about which the process manager was asked */
static int cut_off;
static volatile int is_cut;  /* the connection to the process manager */
static volatile int refused; /* allocations and messages to the process manager */

ssize_t write(int fd, const void *data, size_t bytes)
{
    ssize_t (*real)(int, const void *, size_t) =
        (ssize_t(*)(int, const void *, size_t)) dlsym(RTLD_NEXT, "write");

    if (is_cut && fd == pmi_fd) {
        refused++;
        errno = EIO;
        return -1;
    }
    return real(fd, data, bytes);
}

/* Sends to a peer, for the first time, without the nth allocation (0: with all); whether it
 * went. */
static int send_to(int peer, int nth)
{
    char text[MPI_MAX_ERROR_STRING], words[32];
    int length, result, before = refused;

    ct_poor_begin(nth);
    result = MPI_Send(&peer, 1, MPI_INT, peer, 0, MPI_COMM_WORLD);
    refused += ct_poor_end();
    is_cut = 0;
    CT_CHECK(result == MPI_SUCCESS || refused > before, "an error without a reason");
    if (result == MPI_SUCCESS)
        return 1;
    MPI_Error_string(result, text, &length);
    snprintf(words, sizeof(words), "cannot reach process %d", peer);
    CT_CHECK(strstr(text, words) != NULL, "not \"%s\": %s", words, text);
    return 0;
}

/* The same, while nothing goes to the process manager, which PMI prints lines about. */
static int send_without_manager(int peer)
{
    int sent, printed = dup(STDERR_FILENO), nowhere = open("/dev/null", O_WRONLY);

    dup2(nowhere, STDERR_FILENO);
    is_cut = 1;
    sent = send_to(peer, 0);
    dup2(printed, STDERR_FILENO);
    close(printed);
    close(nowhere);
    return sent;
}

/* How many messages went. */
static int try_all(int peer, int cut)
{
    int sent = 0, before, n = 0;

    if (cut) {
        before = refused;
        sent += send_without_manager(peer);
        CT_CHECK(sent == 0 || refused == before, "a message to %d without the process manager",
                 peer);
        cut_off += sent == 0;
    }
    do {
        before = refused;
        sent += send_to(peer, ++n);
    } while (refused > before);
    return sent;
}

int main(int argc, char **argv)
{
    int sent, got, is_cutting, by_address;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ct_me = rank;
    pmi_fd = getenv("PMI_FD") ? atoi(getenv("PMI_FD")) : -1;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    is_cutting = argc > 1 && !strcmp(argv[1], "-manager");
    by_address = is_cutting || !ct_is_over_ofi();
    for (int peer = 1; rank == 0 && by_address && peer < size; peer++) {
        sent = try_all(peer, is_cutting);
        MPI_Send(&sent, 1, MPI_INT, peer, 1, MPI_COMM_WORLD);
    }
    CT_CHECK(rank > 0 || !is_cutting || cut_off > 0, "the process manager was not asked");
    CT_CHECK(rank > 0 || !by_address || !ct_can_be_poor() || refused > 0, "nothing was refused");
    if (rank > 0 && by_address) {
        MPI_Recv(&sent, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < sent; i++) {
            MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            CT_CHECK(got == rank, "message %d is %d", i, got);
        }
    }
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
