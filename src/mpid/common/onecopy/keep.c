/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "onecopy_impl.h"

/* What this process offers: in the slot of an entry of its part of the board. */
typedef struct offer {
    const void *memory; /* NULL: the slot is free */
    onecopy_file_t file;
} offer_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static board_t *board; /* NULL: not started */
static unsigned processes, self;
static pid_t process; /* that started: a child of it is another one */
static offer_t offers[ONECOPY_MOST];
static onecopy_figures_t figures;

static board_part_t *own_part(void) { return &board->part[self]; }

bool MPIR_onecopy_start(void *memory, unsigned count, unsigned number)
{
    if (!MPIR_onecopy_files_work())
        return false;
    pthread_mutex_lock(&lock);
    board = memory;
    processes = count;
    self = number;
    process = getpid();
    /* a child has those of its parent */
    memset(offers, 0, sizeof offers);
    figures.made = figures.found = figures.refused = 0;
    /* one that was killed and had the same number may have left entries */
    MPIR_onecopy_board_begin(own_part(), (int32_t) process);
    pthread_mutex_unlock(&lock);
    return true;
}

static void withdraw(unsigned slot)
{
    MPIR_onecopy_board_withdraw(own_part(), slot);
    MPIR_onecopy_file_close(&offers[slot].file);
    offers[slot].memory = NULL;
}

void MPIR_onecopy_stop(void)
{
    pthread_mutex_lock(&lock);
    if (board && process == getpid()) {
        for (unsigned slot = 0; slot < ONECOPY_MOST; slot++)
            if (offers[slot].memory)
                withdraw(slot);
    }
    board = NULL;
    pthread_mutex_unlock(&lock);
}

static uint64_t mixed(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

/* Four chains, because one would wait for each product.  Equal in all processes; what differs and
 * has the same hash is told apart by its bytes. */
static uint64_t hash_of(const void *bytes, size_t n)
{
    enum { CHAINS = 4, STEP = CHAINS * sizeof(uint64_t) };
    const char *at = bytes;
    uint64_t chain[CHAINS] = {n, 1, 2, 3}, word[CHAINS];
    for (; n >= STEP; at += STEP, n -= STEP) {
        memcpy(word, at, STEP);
        for (int i = 0; i < CHAINS; i++)
            chain[i] = mixed(chain[i], word[i]);
    }
    memset(word, 0, sizeof word);
    memcpy(word, at, n);
    for (int i = 0; i < CHAINS; i++)
        chain[0] = mixed(chain[0], mixed(chain[i], word[i]));
    return chain[0];
}

/* Number of a free slot, or ONECOPY_MOST. */
static unsigned free_slot(void)
{
    unsigned slot = 0;
    while (slot < ONECOPY_MOST && offers[slot].memory)
        slot++;
    return slot;
}

/* If a process has no slot left, or few descriptors, it closes this one, because the mapping needs
 * none. */
static void offer(const void *memory, onecopy_file_t *file, uint64_t hash)
{
    unsigned slot = free_slot();
    if (slot == ONECOPY_MOST || !MPIR_onecopy_file_leaves_room(file)) {
        MPIR_onecopy_file_close(file);
        return;
    }
    offers[slot] = (offer_t){memory, *file};
    MPIR_onecopy_board_offer(own_part(), slot, hash, board_place(file->descriptor, file->inode));
}

static const void *map_equal(const onecopy_file_t *file, const void *bytes, size_t n)
{
    const void *memory = MPIR_onecopy_file_map(file, n);
    if (memory && memcmp(memory, bytes, n)) {
        munmap((void *) memory, n);
        memory = NULL;
    }
    return memory;
}

static const void *look_at(const board_part_t *part, unsigned slot, uint64_t hash,
                           const void *bytes, size_t n)
{
    onecopy_file_t file;
    uint64_t place;
    int32_t opener;
    if (!MPIR_onecopy_board_look(part, slot, hash, &place, &opener) ||
        !MPIR_onecopy_file_open(opener, place, n, &file))
        return NULL;
    const void *memory = map_equal(&file, bytes, n);
    if (memory && part != own_part())
        offer(memory, &file, hash);
    else
        MPIR_onecopy_file_close(&file);
    return memory;
}

static const void *board_find(uint64_t hash, const void *bytes, size_t n)
{
    const void *memory = NULL;
    for (unsigned p = 0; p < processes && !memory; p++) {
        const board_part_t *part = &board->part[p];
        unsigned slots = MPIR_onecopy_board_slots(part);
        for (unsigned slot = 0; slot < slots && !memory; slot++)
            memory = look_at(part, slot, hash, bytes, n);
    }
    figures.found += memory != NULL;
    return memory;
}

static const void *make(uint64_t hash, const void *bytes, size_t n)
{
    onecopy_file_t file;
    if (!MPIR_onecopy_file_make(bytes, n, &file))
        return NULL;
    const void *memory =
        MPIR_onecopy_file_leaves_room(&file) ? MPIR_onecopy_file_map(&file, n) : NULL;
    if (!memory) {
        MPIR_onecopy_file_close(&file);
        return NULL;
    }
    offer(memory, &file, hash);
    figures.made++;
    return memory;
}

static const void *find_or_make(uint64_t hash, const void *bytes, size_t n)
{
    const void *memory = board_find(hash, bytes, n);
    if (memory || free_slot() == ONECOPY_MOST)
        return memory;
    const bool entered = MPIR_onecopy_board_enter(board, hash, (int32_t) process);
    memory = board_find(hash, bytes, n);
    if (!memory)
        memory = make(hash, bytes, n);
    if (entered)
        MPIR_onecopy_board_leave(board, hash, (int32_t) process);
    return memory;
}

const void *MPIR_onecopy_keep(const void *bytes, size_t n)
{
    const void *memory = NULL;
    if (n == 0)
        return NULL;
    pthread_mutex_lock(&lock);
    if (board && process == getpid()) {
        memory = find_or_make(hash_of(bytes, n), bytes, n);
        figures.refused += memory == NULL;
    }
    if (memory) {
        figures.blocks++;
        figures.bytes += n;
    }
    pthread_mutex_unlock(&lock);
    return memory;
}

void MPIR_onecopy_drop(const void *memory, size_t n)
{
    pthread_mutex_lock(&lock);
    if (board && process == getpid()) {
        for (unsigned slot = 0; slot < ONECOPY_MOST; slot++)
            if (offers[slot].memory == memory)
                withdraw(slot);
    }
    figures.blocks--;
    figures.bytes -= n;
    munmap((void *) memory, n);
    pthread_mutex_unlock(&lock);
}

void MPIR_onecopy_get_figures(onecopy_figures_t *out)
{
    pthread_mutex_lock(&lock);
    *out = figures;
    pthread_mutex_unlock(&lock);
}
