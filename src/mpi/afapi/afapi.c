/* SPDX-License-Identifier: BSD-3-Clause */
/* What programs call: checks, who puts, and the history that p_confirm compares. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>
#include "afapi_impl.h"

int AFAPI_iproc = 0, AFAPI_nproc = 1, AFAPI_cproc = 0;

/* Between p_init and p_exit; NULL before and after. */
static const MPIR_Afapi_network_t *network;
static bool left;

enum call { WAIT, ANY, CONFIRM, REDUCE, SCAN, BCAST, SCATTER, PUT_GET, GATHER, ALL2ALL, EXIT };

static const char *const names[] = {"p_wait",   "p_any",     "p_confirm", "p_reduce",
                                    "p_scan",   "p_bcast",   "p_scatter", "p_putGet",
                                    "p_gather", "p_all2all", "p_exit"};

/* ---- the history ----------------------------------------------------------------------------- */

/* Of the calls up to here: the same on all processes as long as they call the same.  A number
 * for a sequence, as FNV. */
static uint64_t history;

static void remember(uint64_t what) { history = (history ^ what) * UINT64_C(0x100000001b3); }

static void call_begin(enum call call)
{
    if (!network)
        MPIR_Afapi_die("%s was called %s", names[call],
                       left ? "after p_exit" : "before p_init, or after one that failed");
}

/* `detail` is what all processes must agree on beside the function. */
static void begin_all(enum call call, uint64_t detail)
{
    call_begin(call);
    remember(detail * 16 + call);
}

/* ---- control --------------------------------------------------------------------------------- */

int AFAPI_init(void)
{
    if (network || left) {
        MPIR_Afapi_complain("p_init is called a second time; a program calls it once");
        return 1;
    }
    network = MPIR_Afapi_has_mpi() ? MPIR_Afapi_mpi() : MPIR_Afapi_alone();
    if (!network)
        return 1;
    MPIR_Afapi_die_by(network->end_job);
    return 0;
}

void AFAPI_exit(void)
{
    call_begin(EXIT);
    network->leave();
    MPIR_Afapi_die_by(NULL);
    network = NULL;
    left = true;
}

void AFAPI_wait(enum AFAPI_who who)
{
    if (who == AFAPI_ALL)
        begin_all(WAIT, 0);
    else
        call_begin(WAIT);
    network->wait(who);
}

int AFAPI_any(int flag, enum AFAPI_who who)
{
    uint8_t any = flag != 0;

    if (who == AFAPI_ALL)
        begin_all(ANY, 0);
    else
        call_begin(ANY);
    network->reduce(&any, 1, AFAPI_Or, AFAPI_8u, who);
    return any;
}

/* The least history and the greatest, as the complement of the least complement. */
int AFAPI_confirm(void)
{
    uint64_t ends[2];

    begin_all(CONFIRM, 0);
    ends[0] = history;
    ends[1] = ~history;
    network->reduce(ends, 2, AFAPI_Min, AFAPI_64u, AFAPI_ALL);
    return ends[0] == ~ends[1];
}

/* ---- reductions and scans -------------------------------------------------------------------- */

/* Only an order tells signed from unsigned; of unsigned integers overflow is defined. */
static enum AFAPI_type bits_of(enum AFAPI_op op, enum AFAPI_type type)
{
    bool ordered = op == AFAPI_Min || op == AFAPI_Max;

    return type > AFAPI_64u || ordered ? type : (enum AFAPI_type)(type | 1);
}

void AFAPI_reduce(void *datum, enum AFAPI_op op, enum AFAPI_type type)
{
    begin_all(REDUCE, (uint64_t) op * 16 + type);
    network->reduce(datum, 1, op, bits_of(op, type), AFAPI_ALL);
}

void AFAPI_scan(void *datum, enum AFAPI_op op, enum AFAPI_type type)
{
    begin_all(SCAN, (uint64_t) op * 16 + type);
    network->scan(datum, op, bits_of(op, type));
}

/* ---- exchanges ------------------------------------------------------------------------------- */

/* Who only gets does not know who puts.  All add up what they put, and that is 0 but for one of
 * them. */
struct put {
    uint64_t puts, root, bytes;
    uint64_t datum; /* when it is no longer than this */
};

static struct put find_put(enum call call, struct put put)
{
    size_t bytes = put.bytes;

    begin_all(call, bytes);
    if (!put.puts)
        put.bytes = 0;
    network->reduce(&put, sizeof put / sizeof(uint64_t), AFAPI_Add, AFAPI_64u, AFAPI_ALL);
    while (put.puts != 1 && AFAPI_iproc != AFAPI_cproc)
        pause(); /* all know it, and one says so */
    if (put.puts != 1)
        MPIR_Afapi_die("%" PRIu64
                       " of %d processes called %sPut; exactly one must, and all others %sGet",
                       put.puts, AFAPI_nproc, names[call], names[call]);
    if (put.bytes != bytes)
        MPIR_Afapi_die("process %d calls %sGet for %zu bytes, but process %" PRIu64
                       " puts %" PRIu64,
                       AFAPI_iproc, names[call], bytes, put.root, put.bytes);
    return put;
}

void AFAPI_bcast_put(const void *array, size_t bytes)
{
    struct put put = {.puts = 1, .root = (uint64_t) AFAPI_iproc, .bytes = bytes};

    if (bytes > 0 && bytes <= sizeof put.datum)
        memcpy(&put.datum, array, bytes);
    find_put(BCAST, put);
    if (bytes > sizeof put.datum)
        network->bcast((void *) array, bytes, AFAPI_iproc);
}

void AFAPI_bcast_get(void *array, size_t bytes)
{
    struct put put = find_put(BCAST, (struct put){.bytes = bytes});

    if (bytes > sizeof put.datum)
        network->bcast(array, bytes, (int) put.root);
    else if (bytes > 0)
        memcpy(array, &put.datum, bytes);
}

void AFAPI_scatter_put(void *to, const void *array, size_t bytes)
{
    find_put(SCATTER, (struct put){.puts = 1, .root = (uint64_t) AFAPI_iproc, .bytes = bytes});
    if (bytes > 0)
        network->scatter(to, array, bytes, AFAPI_iproc);
}

void AFAPI_scatter_get(void *to, size_t bytes)
{
    struct put put = find_put(SCATTER, (struct put){.bytes = bytes});

    if (bytes > 0)
        network->scatter(to, NULL, bytes, (int) put.root);
}

void AFAPI_put_get(void *to, const void *array, size_t bytes, int from)
{
    begin_all(PUT_GET, bytes);
    if (from < 0 || from >= AFAPI_nproc)
        MPIR_Afapi_die(
            "process %d calls p_putGet for the datum of process %d; processes are 0 to %d",
            AFAPI_iproc, from, AFAPI_nproc - 1);
    if (bytes > 0)
        network->put_get(to, array, bytes, from);
}

void AFAPI_gather(void *to, const void *datum, size_t bytes)
{
    begin_all(GATHER, bytes);
    network->gather(to, datum, bytes);
}

void AFAPI_all2all(void *to, const void *from, size_t bytes)
{
    begin_all(ALL2ALL, bytes);
    if (bytes > 0)
        network->all2all(to, from, bytes);
}
