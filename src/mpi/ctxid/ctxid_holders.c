/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_report.h"
#include "mpir_tvars.h"
#include "cid.h"
#include "ctxid_holders.h"
#include "ctxid_lock.h"
#include <signal.h>

enum {
    MEAN = 1024,      /* one creation in so many is looked at */
    FIRST = MEAN / 2, /* the first one of a process */
    LINES = 64,       /* whose text is kept */
    TEXT = 1024,      /* bytes that somebody gets who asks, */
    MOST = 10,        /* and so many lines */
    LOW_LIMIT = 4096  /* of ids; a sample of the creations would be small */
};

/* One line of the program, and the ids that it holds. */
typedef struct {
    map_site site;
    uint64_t ids;
    bool is_exact;
} holding_t;

uint64_t MPIR_Ctxid_holders_known[CTXID_HOLDERS_IDS / 64];
uint32_t MPIR_Ctxid_holders_left = FIRST;

static struct {
    pthread_mutex_t mutex;
    bool always;
    uint32_t random;
    cid_table_t *known; /* id -> ctxid_holder_t */
    map_line lines[LINES];
    uint32_t n_lines;
} holders = {.mutex = PTHREAD_MUTEX_INITIALIZER, .random = 2463534242u};

/* ---- which creations are looked at ----------------------------------------------------------- */

/* Xorshift: a program that makes its communicators in a fixed order must not have the same line
 * looked at each time. */
static uint32_t draw(uint32_t below)
{
    holders.random ^= holders.random << 13;
    holders.random ^= holders.random >> 17;
    holders.random ^= holders.random << 5;
    return holders.random % below;
}

/* How many this one stands for.  Draws the distance to the next one: 1 to 2 k - 1, on average k. */
static uint32_t holders_look(void)
{
    uint32_t k;
    CTXID_LOCKED(&holders.mutex);

    k = holders.always ? 1 : MEAN;
    __atomic_store_n(&MPIR_Ctxid_holders_left, 1 + draw(2 * k - 1), __ATOMIC_RELAXED);
    return k;
}

ctxid_holder_t MPIR_ctxid_holder_look(void)
{
    ctxid_holder_t holder = {.stands_for = holders_look()};

    holder.site = MPIR_Map_site_here();
    return holder;
}

/* From now on each creation is looked at. */
static void look_always(void)
{
    CTXID_LOCKED(&holders.mutex);
    holders.always = true;
    __atomic_store_n(&MPIR_Ctxid_holders_left, 1, __ATOMIC_RELAXED);
}

/* ---- what is known of ids -------------------------------------------------------------------- */

static uint64_t bit_of(uint32_t prefix) { return UINT64_C(1) << prefix % 64; }

static bool enter(uint32_t prefix, ctxid_holder_t *kept)
{
    CTXID_LOCKED(&holders.mutex);
    if (holders.known == NULL)
        holders.known = MPIR_cid_table_create(CID_RBTREE, CTXID_HOLDERS_IDS);
    return holders.known && MPIR_cid_claim(holders.known, prefix, kept) == CID_OK;
}

static ctxid_holder_t *holder_leave(uint32_t prefix)
{
    CTXID_LOCKED(&holders.mutex);
    return MPIR_cid_release(holders.known, prefix);
}

/* The next one from *id on, which becomes its id.  NULL if there is none. */
static ctxid_holder_t *next_known(uint32_t *id)
{
    if (holders.known)
        *id = MPIR_cid_next_used(holders.known, *id);
    return holders.known ? MPIR_cid_owner(holders.known, *id) : NULL;
}

void MPIR_ctxid_holders_keep(uint32_t prefix, ctxid_holder_t holder)
{
    ctxid_holder_t *kept = MPL_malloc(sizeof(*kept), MPL_MEM_COMM);

    if (kept == NULL)
        return;
    *kept = holder;
    if (enter(prefix, kept))
        __atomic_fetch_or(&MPIR_Ctxid_holders_known[prefix / 64], bit_of(prefix), __ATOMIC_RELAXED);
    else
        MPL_free(kept);
}

void MPIR_ctxid_holders_drop(uint32_t prefix)
{
    __atomic_fetch_and(&MPIR_Ctxid_holders_known[prefix / 64], ~bit_of(prefix), __ATOMIC_RELAXED);
    MPL_free(holder_leave(prefix));
}

void MPIR_ctxid_holders_close(void)
{
    ctxid_holder_t *kept;
    CTXID_LOCKED(&holders.mutex);

    for (uint32_t id = 0; (kept = next_known(&id)); id++)
        MPL_free(kept);
    MPIR_cid_table_destroy(holders.known);
    holders.known = NULL;
    holders.n_lines = 0;
    holders.always = false;
    memset(MPIR_Ctxid_holders_known, 0, sizeof(MPIR_Ctxid_holders_known));
    __atomic_store_n(&MPIR_Ctxid_holders_left, FIRST, __ATOMIC_RELAXED);
}

map_site MPIR_ctxid_holders_site(uint32_t prefix)
{
    const ctxid_holder_t *kept;
    CTXID_LOCKED(&holders.mutex);

    kept = holders.known ? MPIR_cid_owner(holders.known, prefix) : NULL;
    return kept ? kept->site : (map_site){NULL, NULL};
}

/* ---- the text -------------------------------------------------------------------------------- */

static int by_site(const void *a, const void *b)
{
    const holding_t *x = a, *y = b;
    uintptr_t place = (uintptr_t) x->site.call, other = (uintptr_t) y->site.call;

    return (place > other) - (place < other);
}

static int by_ids(const void *a, const void *b)
{
    const holding_t *x = a, *y = b;

    return (x->ids < y->ids) - (x->ids > y->ids);
}

/* One for each id; NULL without memory. */
static holding_t *list_known(size_t *n)
{
    holding_t *list = NULL;
    const ctxid_holder_t *kept;
    CTXID_LOCKED(&holders.mutex);

    *n = 0;
    if (holders.known)
        list = MPL_malloc((MPIR_cid_used(holders.known) + 1) * sizeof(*list), MPL_MEM_COMM);
    for (uint32_t id = 0; list && (kept = next_known(&id)); id++)
        list[(*n)++] = (holding_t){kept->site, kept->stands_for, kept->stands_for == 1};
    return list;
}

/* Adds up the ids of each line, those with most first; returns how many lines there are. */
static size_t add_up(holding_t *list, size_t n)
{
    size_t lines = 0;

    qsort(list, n, sizeof(*list), by_site);
    for (size_t i = 0; i < n; i++) {
        if (lines > 0 && by_site(&list[lines - 1], &list[i]) == 0) {
            list[lines - 1].ids += list[i].ids;
            list[lines - 1].is_exact = list[lines - 1].is_exact && list[i].is_exact;
        } else {
            list[lines++] = list[i];
        }
    }
    qsort(list, lines, sizeof(*list), by_ids);
    return lines;
}

/* False if the line's text is not kept. */
static bool look_up(map_line *line)
{
    CTXID_LOCKED(&holders.mutex);
    for (uint32_t i = 0; i < holders.n_lines; i++) {
        if (holders.lines[i].site.call == line->site.call) {
            *line = holders.lines[i];
            return true;
        }
    }
    return false;
}

static void keep_text(const map_line *line)
{
    CTXID_LOCKED(&holders.mutex);
    if (holders.n_lines < LINES)
        holders.lines[holders.n_lines++] = *line;
}

/* A program may try again and again: addr2line runs once for a line. */
static map_line line_of(map_site site)
{
    map_line line = {.site = site};

    if (look_up(&line))
        return line;
    MPIR_Map_site_lines(&line, 1);
    if (line.text[0] == '\0')
        snprintf(line.text, sizeof(line.text), "unknown lines");
    keep_text(&line);
    return line;
}

int MPIR_ctxid_holders_text(int most, char *text, size_t room)
{
    size_t n, used = 0;
    holding_t *list = list_known(&n);
    size_t lines = list ? add_up(list, n) : 0;
    int written = 0;

    text[0] = '\0';
    for (; (size_t) written < lines && written < most; written++) {
        const holding_t *h = &list[written];
        int length = snprintf(text + used, room - used, "%s%s (%s%" PRIu64 ")", written ? ", " : "",
                              line_of(h->site).text, h->is_exact ? "" : "about ", h->ids);

        if (length < 0 || (size_t) length >= room - used) {
            text[used] = '\0';
            break;
        }
        used += (size_t) length;
    }
    MPL_free(list);
    return written;
}

/* ---- when somebody asks: by MPI_T, or by a signal ------------------------------------------- */

int MPIR_Ctxid_asked;

static void note_signal(int number MPL_UNUSED)
{
    __atomic_store_n(&MPIR_Ctxid_asked, 1, __ATOMIC_RELAXED);
}

void MPIR_ctxid_holders_answer(void)
{
    char text[TEXT];

    __atomic_store_n(&MPIR_Ctxid_asked, 0, __ATOMIC_RELAXED);
    MPIR_ctxid_holders_text(MOST, text, sizeof(text));
    fprintf(stderr, "rank %d: context ids are held by %s\n", MPIR_Process.rank,
            text[0] ? text : "no communicators of the program");
}

static void read_text(void *address MPL_UNUSED, void *obj_handle MPL_UNUSED, int count,
                      void *buffer)
{
    memset(buffer, 0, (size_t) count);
    MPIR_ctxid_holders_text(MOST, buffer, (size_t) count);
}

/* MPI_T asks when a tool gets a handle. */
static void count_text(void *address MPL_UNUSED, void *obj_handle MPL_UNUSED, int *count)
{
    look_always();
    *count = TEXT;
}

static struct sigaction before;
static int number;

static int restore_signal(void *unused MPL_UNUSED)
{
    sigaction(number, &before, NULL);
    number = 0;
    return MPI_SUCCESS;
}

static int number_of(const char *value)
{
    if (strcmp(value, "usr1") == 0)
        return SIGUSR1;
    return strcmp(value, "usr2") == 0 ? SIGUSR2 : 0;
}

int MPIR_ctxid_holders_init(void)
{
    const char *value = MPIR_CVAR_CTXID_REPORT_SIGNAL;
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};

    MPIR_Pvar_register_text("ctxid_holders", TEXT, read_text, count_text, "CTXID",
                            "lines of the program that hold most context ids, as a text");
    if (MPIR_Map_report_is_on() ||
        (MPIR_CVAR_CTXID_LIMIT > 0 && MPIR_CVAR_CTXID_LIMIT <= LOW_LIMIT))
        look_always();
    MPIR_Map_report_phase("settings");
    if (!value || strcmp(value, "none") == 0)
        return MPI_SUCCESS;
    number = number_of(value);
    if (number == 0)
        return MPIR_Cvar_wrong_value("MPIR_CVAR_CTXID_REPORT_SIGNAL", value, "none, usr1 or usr2");
    sigemptyset(&action.sa_mask);
    look_always();
    if (sigaction(number, &action, &before) == 0)
        MPIR_Add_finalize(restore_signal, NULL, MPIR_FINALIZE_CALLBACK_PRIO + 1);
    return MPI_SUCCESS;
}
