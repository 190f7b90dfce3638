/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arena: anonymous shared memory and a bitmap of its units.
 *
 * A block is a run of units.  Up to 64 of them lie in one word of the bitmap and are taken by one
 * compare-and-swap; a longer run takes whole words in a row.  No lock: a process that is killed can
 * leave a block taken, never an arena stuck.  Units are given back with release and taken with
 * acquire: what their last owner did to them comes before what the next one does.
 *
 * Blocks come and go by the thousand, and what they leave is soon taken again; so memory goes back
 * to the system only when much less is taken than once was.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "aggr_impl.h"

enum { UNIT = 512, WORD = 64 };
/* where pages are larger most memory stays */
enum { PAGE = 4096, PAGE_UNITS = PAGE / UNIT, PAGE_BITS = (1 << PAGE_UNITS) - 1 };
/* memory goes back when of so many units no more are taken */
enum { MUCH = (2 << 20) / UNIT, A_QUARTER = 4 };

#define MAGIC UINT64_C(0x6167677220617265)

typedef struct arena_head {
    uint64_t magic, nonce, bytes; /* of the whole segment */
    uint64_t words;               /* of the bitmap, which follows */
    uint64_t first;               /* offset of the first unit */
    uint64_t desks;               /* offset of the first desk */
    uint64_t desk_bytes;          /* of each of its two buffers */
    uint64_t units, peak;         /* taken now, and the most since memory went back */
    uint64_t taken[];
} arena_head_t;

struct aggr_arena {
    arena_head_t *head;
    int descriptor;
    dev_t device; /* of the file, by which to know it again */
    ino_t file;
    aggr_arena_name_t name;
};

/* Where the system has no such memory there is no arena, and who asks does without. */
#if defined(MFD_CLOEXEC) && defined(FALLOC_FL_KEEP_SIZE)
static int file_without_name(void) { return memfd_create("aggregates", MFD_CLOEXEC); }

static int give_memory(int descriptor, uint64_t offset, uint64_t bytes)
{
    return fallocate(descriptor, 0, (off_t) offset, (off_t) bytes);
}

static void take_memory_back(int descriptor, uint64_t offset, uint64_t bytes)
{
    /* where that is not possible it stays */
    (void) !fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t) offset,
                      (off_t) bytes);
}
#else
static int file_without_name(void) { return -1; }

static int give_memory(int descriptor, uint64_t offset, uint64_t bytes)
{
    (void) descriptor, (void) offset, (void) bytes;
    errno = ENOSYS;
    return -1;
}

static void take_memory_back(int descriptor, uint64_t offset, uint64_t bytes)
{
    (void) descriptor, (void) offset, (void) bytes;
}
#endif

static uint64_t make_nonce(void)
{
    static uint64_t count;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t mixed =
        (uint64_t) now.tv_nsec ^ (uint64_t) now.tv_sec << 30 ^ (uint64_t) getpid() << 44;
    mixed += __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    mixed *= UINT64_C(0x9e3779b97f4a7c15);
    return mixed | 1; /* never 0, which stands for no arena */
}

static uint64_t units_of(size_t bytes) { return (bytes + UNIT - 1) / UNIT; }

/* An application that closes all descriptors may have given the number to a file of its own. */
static bool descriptor_is_ours(const aggr_arena_t *arena)
{
    struct stat about;
    return fstat(arena->descriptor, &about) == 0 && about.st_dev == arena->device &&
           about.st_ino == arena->file;
}

/* Memory for a range now: a write into a page that cannot be had later would be a SIGBUS. */
static bool back(const aggr_arena_t *arena, uint64_t offset, uint64_t bytes)
{
    int status;
    if (!descriptor_is_ours(arena))
        return false;
    do
        status = give_memory(arena->descriptor, offset, bytes);
    while (status && errno == EINTR);
    return status == 0;
}

static int map(int descriptor, size_t bytes, aggr_arena_t **out)
{
    struct stat about;
    aggr_arena_t *arena = malloc(sizeof *arena);
    if (!arena)
        return AGGR_ERR_MEMORY;
    arena->descriptor = descriptor;
    arena->head = MAP_FAILED;
    if (fstat(descriptor, &about) == 0)
        arena->head = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (arena->head == MAP_FAILED) {
        free(arena);
        return AGGR_ERR_MEMORY;
    }
    arena->device = about.st_dev;
    arena->file = about.st_ino;
    *out = arena;
    return AGGR_OK;
}

/* Words of the bitmap for a segment of so many bytes: as many as leave room for themselves. */
static uint64_t words_for(size_t bytes)
{
    return (bytes - sizeof(arena_head_t) - PAGE) / ((uint64_t) WORD * UNIT + sizeof(uint64_t));
}

static void lay_out(arena_head_t *head, size_t bytes, size_t all, size_t desk_bytes)
{
    head->bytes = all;
    head->desks = bytes;
    head->desk_bytes = desk_bytes;
    head->words = words_for(bytes);
    head->first = (sizeof *head + head->words * sizeof(uint64_t) + PAGE - 1) / PAGE * PAGE;
    head->nonce = make_nonce();
    head->magic = MAGIC;
}

/* A file beyond the limit would be a signal. */
static bool may_be_as_large(size_t bytes)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
           (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= bytes);
}

int MPIR_aggr_arena_create(size_t bytes, aggr_desks_t desks, aggr_arena_t **out)
{
    aggr_arena_t *arena;
    if (!out || bytes < 65536 || desks.count < 0)
        return AGGR_ERR_ARG;
    bytes = bytes / PAGE * PAGE; /* desks begin with a page */
    size_t all = bytes + 2 * (size_t) desks.count * desks.bytes;
    if (!may_be_as_large(all))
        return AGGR_ERR_MEMORY;
    int descriptor = file_without_name();
    if (descriptor < 0)
        return AGGR_ERR_MEMORY;
    int status =
        ftruncate(descriptor, (off_t) all) ? AGGR_ERR_MEMORY : map(descriptor, all, &arena);
    if (status) {
        close(descriptor);
        return status;
    }
    if (!back(arena, 0, sizeof(arena_head_t) + words_for(bytes) * sizeof(uint64_t))) {
        munmap(arena->head, all);
        close(descriptor);
        free(arena);
        return AGGR_ERR_FULL;
    }
    lay_out(arena->head, bytes, all, desks.bytes);
    arena->name = (aggr_arena_name_t){(int32_t) getpid(), descriptor, arena->head->nonce};
    *out = arena;
    return AGGR_OK;
}

aggr_arena_name_t MPIR_aggr_arena_name(const aggr_arena_t *arena) { return arena->name; }

/* The file may be another by now, if the maker has closed it: size and nonce tell. */
static bool is_arena(const aggr_arena_t *arena, size_t bytes, uint64_t nonce)
{
    return arena->head->magic == MAGIC && arena->head->nonce == nonce &&
           arena->head->bytes == bytes;
}

static int open_named(const aggr_arena_name_t *name, size_t *bytes)
{
    char path[64];
    struct stat about;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int) name->process, (int) name->descriptor);
    int descriptor = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0)
        return -1;
    if (fstat(descriptor, &about) || !S_ISREG(about.st_mode) ||
        about.st_size < (off_t) sizeof(arena_head_t)) {
        close(descriptor);
        return -1;
    }
    *bytes = (size_t) about.st_size;
    return descriptor;
}

int MPIR_aggr_arena_attach(const aggr_arena_name_t *name, aggr_arena_t **out)
{
    aggr_arena_t *arena;
    size_t bytes = 0;
    if (!name || !out || name->nonce == 0)
        return AGGR_ERR_ARG;
    int descriptor = open_named(name, &bytes);
    if (descriptor < 0)
        return AGGR_ERR_ATTACH;
    int status = map(descriptor, bytes, &arena);
    if (status) {
        close(descriptor);
        return status;
    }
    arena->name = *name;
    if (!is_arena(arena, bytes, name->nonce)) {
        munmap(arena->head, bytes);
        close(descriptor);
        free(arena);
        return AGGR_ERR_ATTACH;
    }
    *out = arena;
    return AGGR_OK;
}

void MPIR_aggr_arena_detach(aggr_arena_t *arena)
{
    if (!arena)
        return;
    munmap(arena->head, arena->head->bytes);
    if (descriptor_is_ours(arena))
        close(arena->descriptor);
    free(arena);
}

void MPIR_aggr_arena_figures(const aggr_arena_t *arena, aggr_arena_figures_t *out)
{
    const arena_head_t *head = arena->head;
    uint64_t used = 0;
    for (uint64_t w = 0; w < head->words; w++)
        used += (uint64_t) __builtin_popcountll(__atomic_load_n(&head->taken[w], __ATOMIC_RELAXED));
    out->bytes = head->words * WORD * UNIT;
    out->used = used * UNIT;
}

static uint64_t ones(uint64_t n) { return n >= WORD ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1; }

/* The lowest place of `n` zeros in a row in `word`; WORD when there is none. */
static unsigned find_run(uint64_t word, uint64_t n)
{
    uint64_t starts = ~word; /* after the loop: where n free units begin */
    for (uint64_t have = 1; have < n && starts;) {
        uint64_t step = have < n - have ? have : n - have;
        starts &= starts >> step;
        have += step;
    }
    /* a run that would leave the word shifted zeros in from above */
    return starts ? (unsigned) __builtin_ctzll(starts) : WORD;
}

static bool arena_take(uint64_t *word, uint64_t bits)
{
    uint64_t seen = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (!(seen & bits))
        if (__atomic_compare_exchange_n(word, &seen, seen | bits, true, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED))
            return true;
    return false;
}

static void give_back(uint64_t *word, uint64_t bits)
{
    __atomic_fetch_and(word, ~bits, __ATOMIC_RELEASE);
}

/* Unit number, or UINT64_MAX. */
static uint64_t take_in_word(arena_head_t *head, uint64_t n)
{
    for (uint64_t w = 0; w < head->words; w++) {
        unsigned at;
        while ((at = find_run(__atomic_load_n(&head->taken[w], __ATOMIC_RELAXED), n)) < WORD)
            if (arena_take(&head->taken[w], ones(n) << at))
                return w * WORD + at;
    }
    return UINT64_MAX;
}

static void give_back_units(arena_head_t *head, uint64_t unit, uint64_t n)
{
    for (; n > WORD; unit += WORD, n -= WORD)
        give_back(&head->taken[unit / WORD], ~UINT64_C(0));
    give_back(&head->taken[unit / WORD], ones(n) << unit % WORD);
}

static uint64_t take_words(arena_head_t *head, uint64_t n)
{
    uint64_t length = (n + WORD - 1) / WORD, have = 0;
    for (uint64_t w = 0; w < head->words; w++) {
        uint64_t left = n - have * WORD;
        if (arena_take(&head->taken[w], left < WORD ? ones(left) : ~UINT64_C(0))) {
            if (++have == length)
                return (w + 1 - length) * WORD;
        } else if (have > 0) {
            give_back_units(head, (w - have) * WORD, have * WORD);
            have = 0;
            w--; /* this one may begin a run of its own */
        }
    }
    if (have > 0)
        give_back_units(head, (head->words - have) * WORD, have * WORD);
    return UINT64_MAX;
}

/* The units of pages of which none is taken. */
static uint64_t free_pages(uint64_t word)
{
    uint64_t pages = 0;
    for (unsigned unit = 0; unit < WORD; unit += PAGE_UNITS)
        if (!(word >> unit & PAGE_BITS))
            pages |= (uint64_t) PAGE_BITS << unit;
    return pages;
}

/* Nobody else has a page while its memory goes. */
static void take_back_in_word(aggr_arena_t *arena, uint64_t w)
{
    arena_head_t *head = arena->head;
    uint64_t seen = __atomic_load_n(&head->taken[w], __ATOMIC_RELAXED), pages = free_pages(seen);
    if (!pages || !arena_take(&head->taken[w], pages))
        return;
    for (unsigned unit = 0, end; unit < WORD; unit = end) {
        bool free = pages >> unit & 1;
        for (end = unit; end < WORD && (pages >> end & 1) == free;)
            end += PAGE_UNITS;
        if (free)
            take_memory_back(arena->descriptor, head->first + (w * WORD + unit) * UNIT,
                             (end - unit) * UNIT);
    }
    give_back(&head->taken[w], pages);
}

static void take_free_memory_back(aggr_arena_t *arena)
{
    if (!descriptor_is_ours(arena))
        return;
    for (uint64_t w = 0; w < arena->head->words; w++)
        take_back_in_word(arena, w);
}

static void count_taken(arena_head_t *head, uint64_t n)
{
    uint64_t units = __atomic_add_fetch(&head->units, n, __ATOMIC_RELAXED);
    uint64_t peak = __atomic_load_n(&head->peak, __ATOMIC_RELAXED);
    while (units > peak && !__atomic_compare_exchange_n(&head->peak, &peak, units, true,
                                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/* True for one caller when there is memory to give back. */
static bool count_free(arena_head_t *head, uint64_t n)
{
    uint64_t units = __atomic_sub_fetch(&head->units, n, __ATOMIC_RELAXED);
    uint64_t peak = __atomic_load_n(&head->peak, __ATOMIC_RELAXED);
    return peak >= MUCH && units <= peak / A_QUARTER &&
           __atomic_compare_exchange_n(&head->peak, &peak, units, false, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED);
}

uint64_t MPIR_aggr_arena_reserve(aggr_arena_t *arena, size_t bytes)
{
    arena_head_t *head = arena->head;
    uint64_t n = units_of(bytes);
    if (bytes == 0 || n > head->words * WORD)
        return 0;
    uint64_t unit = n <= WORD ? take_in_word(head, n) : take_words(head, n);
    if (unit == UINT64_MAX)
        return 0;
    uint64_t block = head->first + unit * UNIT;
    if (!back(arena, block, n * UNIT)) {
        give_back_units(head, unit, n);
        return 0;
    }
    memset(MPIR_aggr_arena_at(arena, block), 0, n * UNIT);
    count_taken(head, n);
    return block;
}

void MPIR_aggr_arena_release(aggr_arena_t *arena, uint64_t block, size_t bytes)
{
    arena_head_t *head = arena->head;
    if (!block)
        return;
    give_back_units(head, (block - head->first) / UNIT, units_of(bytes));
    if (count_free(head, units_of(bytes)))
        take_free_memory_back(arena);
}

void *MPIR_aggr_arena_at(const aggr_arena_t *arena, uint64_t block)
{
    return (char *) arena->head + block;
}

static uint64_t desk_at(const aggr_arena_t *arena, int number)
{
    return arena->head->desks + 2 * arena->head->desk_bytes * (uint64_t) number;
}

size_t MPIR_aggr_arena_desk_bytes(const aggr_arena_t *arena) { return arena->head->desk_bytes; }

bool MPIR_aggr_arena_has_desk(aggr_arena_t *arena, int number)
{
    uint64_t at = desk_at(arena, number), end = desk_at(arena, number + 1);
    return end <= arena->head->bytes && back(arena, at, end - at);
}

void *MPIR_aggr_arena_desk(const aggr_arena_t *arena, int number)
{
    return (char *) arena->head + desk_at(arena, number);
}
