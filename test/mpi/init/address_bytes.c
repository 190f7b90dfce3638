/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Addresses go at their true length: who uses a peer looks up as many bytes as that one's address
 * has (MPI_T tells), and the process manager gets no more than those, in the hexadecimal digits of
 * its values, of which a long address needs several.
 *
 * Each process knows its true length because it stands between MPI and UCX. Over OFI all names have
 * one length, which MPI_T tells.
 *
 * Arguments:
 *   -mixed     every second process has other transports, and an address of another length
 *   -long=N    over UCX addresses are made longer: N bytes in rank 0, and 8 more in each that
 *              follows
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <unistd.h>
#include "cmaptest.h"
#include "cmaptest_mpit.h"

#define MOST_VNIS 64
#define PEERS 2 /* that each process sends to */

static int rank, size, pmi_fd;
static size_t least; /* bytes of an address: shorter ones are made as long */
static size_t told;  /* bytes that the process manager was told of the address */

static struct {
    void *real, *longer;
    size_t bytes;
} address[MOST_VNIS];
static int addresses;

/* UCX's own functions, on their way from libmpi. What follows an address is not looked at by who
 * gets it. */
int ucp_worker_get_address(void *worker, void **got, size_t *bytes)
{
    int (*real)(void *, void **, size_t *) =
        (int (*)(void *, void **, size_t *)) dlsym(RTLD_NEXT, "ucp_worker_get_address");
    int i = addresses++, status = real(worker, got, bytes);

    address[i].real = *got;
    address[i].bytes = *bytes;
    if (*bytes < least) {
        address[i].longer = calloc(least, 1);
        memcpy(address[i].longer, *got, *bytes);
        *got = address[i].longer;
        *bytes = address[i].bytes = least;
    }
    return status;
}

void ucp_worker_release_address(void *worker, void *got)
{
    void (*real)(void *, void *) =
        (void (*)(void *, void *)) dlsym(RTLD_NEXT, "ucp_worker_release_address");

    for (int i = 0; i < addresses; i++) {
        if (address[i].longer == got && got) {
            got = address[i].real;
            free(address[i].longer);
            address[i].longer = NULL;
        }
    }
    real(worker, got);
}

/* One line to the process manager. */
static void read_line(const char *line, size_t bytes)
{
    char *copy = strndup(line, bytes), *value = strstr(copy, " value=");

    if (!strncmp(copy, "cmd=put ", 8) && strstr(copy, " key=card-") && value &&
        !strstr(value, "segments="))
        told += strspn(value + 7, "0123456789abcdefABCDEF") / 2;
    free(copy);
}

ssize_t write(int fd, const void *data, size_t bytes)
{
    ssize_t (*real)(int, const void *, size_t) =
        (ssize_t(*)(int, const void *, size_t)) dlsym(RTLD_NEXT, "write");

    if (fd == pmi_fd)
        read_line(data, bytes);
    return real(fd, data, bytes);
}

static void send_around(void)
{
    int in;

    for (int i = 1; i <= PEERS; i++) {
        MPI_Sendrecv(&rank, 1, MPI_INT, (rank + i) % size, i, &in, 1, MPI_INT,
                     (rank + size - i) % size, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CT_CHECK(in == (rank + size - i) % size, "from %d came %d", (rank + size - i) % size, in);
    }
}

/* The addresses of those that this process has sent to; its own needs no look. */
static long long bytes_of_peers(void)
{
    long long own = (long long) address[0].bytes, *all = malloc(size * sizeof(*all)), sum = 0;

    MPI_Allgather(&own, 1, MPI_LONG_LONG, all, 1, MPI_LONG_LONG, MPI_COMM_WORLD);
    for (int i = 1; i <= PEERS && i < size; i++)
        sum += all[(rank + i) % size];
    free(all);
    return sum;
}

/* The process manager has addresses then. */
static int are_several_nodes(void)
{
    MPI_Comm node;
    int n;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &n);
    MPI_Comm_free(&node);
    return n < size;
}

/* What goes before the addresses and fills them up to multiples of 8 */
static size_t most_beside(void) { return 16 + 12 * (size_t) addresses; }

static void check_ucx(ct_pvar *bytes)
{
    long long got;
    size_t own = 0;

    CT_CHECK(ct_pvar_read(bytes) == 0, "%lld bytes of addresses in MPI_Init", ct_pvar_read(bytes));
    send_around();
    got = ct_pvar_read(bytes);
    CT_CHECK(got == bytes_of_peers(), "%lld bytes of addresses, and not what the peers have", got);
    for (int i = 0; i < addresses; i++)
        own += address[i].bytes;
    CT_CHECK(own > 0, "UCX was not asked for an address");
    if (are_several_nodes())
        CT_CHECK(told >= own && told <= own + most_beside(), "%zu bytes told of an address of %zu",
                 told, own);
    else
        CT_CHECK(told == 0, "%zu bytes told on a single node", told);
}

static void check_ofi(ct_pvar *bytes)
{
    ct_pvar count;
    long long n, all;

    send_around();
    ct_pvar_find("ofi_addresses", &count);
    n = ct_pvar_read(&count);
    all = ct_pvar_read(bytes);
    if (n > 0) /* else MPI_Init has exchanged all addresses */
        CT_CHECK(all % n == 0 && told == (are_several_nodes() ? (size_t) (all / n) : 0),
                 "%zu bytes told, %lld in %lld names", told, all, n);
    ct_pvar_close(&count);
}

/* REQUIRES: before MPI_Init */
static void read_arguments(int argc, char **argv)
{
    int number = getenv("PMI_RANK") ? atoi(getenv("PMI_RANK")) : 0;

    pmi_fd = getenv("PMI_FD") ? atoi(getenv("PMI_FD")) : -1;
    for (int i = 1; i < argc; i++) {
        if (!strncmp(argv[i], "-long=", 6))
            least = (size_t) (atoi(argv[i] + 6) + 8 * number);
        if (!strcmp(argv[i], "-mixed") && number % 2)
            setenv("UCX_TLS", "tcp,self", 1);
    }
}

int main(int argc, char **argv)
{
    ct_pvar bytes;

    read_arguments(argc, argv);
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ct_me = rank;
    ct_mpit_begin();
    if (ct_pvar_find("ucx_address_bytes", &bytes)) {
        check_ucx(&bytes);
        ct_pvar_close(&bytes);
    } else if (ct_pvar_find("ofi_address_bytes", &bytes)) {
        check_ofi(&bytes);
        ct_pvar_close(&bytes);
    }
    ct_mpit_end();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
