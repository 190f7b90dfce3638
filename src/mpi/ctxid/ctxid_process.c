/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_ctxid_site.h"
#include "mpir_tvars.h"
#include "ctxid_holders.h"
#include "ctxid_parts.h"
#include "ctxid_process.h"

/* The context ids of this process: its store, settings and variables, and spare communicators. */

/*
=== BEGIN_MPI_T_CVAR_INFO_BLOCK ===

categories :
    - name        : CTXID
      description : cvars that control the context ids of communicators

cvars:
    - name        : MPIR_CVAR_CTXID_TABLE
      category    : CTXID
      type        : string
      default     : "array"
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_DETAIL
      scope       : MPI_T_SCOPE_LOCAL
      description : >-
        What holds a process's context ids:
        array  - an array up to the highest one
        rbtree - a red-black tree of those in use
        radix  - four levels of 256, freed when empty

    - name        : MPIR_CVAR_CTXID_LIMIT
      category    : CTXID
      type        : int
      default     : 0
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_DETAIL
      scope       : MPI_T_SCOPE_ALL_EQ
      description : >-
        Number of context ids, at least 8, those of the predefined communicators included. 0 means
        as many as there are, 262144. Smaller values are for tests of what happens at the limit.

    - name        : MPIR_CVAR_CTXID_BLOCK
      category    : CTXID
      type        : int
      default     : 16
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_DETAIL
      scope       : MPI_T_SCOPE_ALL_EQ
      description : >-
        The most context ids on which one duplicate of a communicator agrees, from 1 to 256. Later
        duplicates take them without a message. The first agreements are on 1 id and on 4. 1: on one
        id each.

    - name        : MPIR_CVAR_CTXID_REPORT_LEAKS
      category    : CTXID
      type        : boolean
      default     : false
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_BASIC
      scope       : MPI_T_SCOPE_LOCAL
      description : >-
        If true, every process names at finalize the communicators that were never freed.

    - name        : MPIR_CVAR_CTXID_REPORT_SIGNAL
      category    : CTXID
      type        : string
      default     : "none"
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_BASIC
      scope       : MPI_T_SCOPE_LOCAL
      description : >-
        After this signal a process writes to standard error which lines of the program hold most
        context ids, when it next makes or frees a communicator:
        none - there is no such signal
        usr1 - SIGUSR1
        usr2 - SIGUSR2

=== END_MPI_T_CVAR_INFO_BLOCK ===
*/

/* Its mutex is not one of MPICH's: those may be empty, while MPI_T reads beside MPI calls at any
 * granularity, before MPI_Init and after MPI_Finalize. */
static ctxid_store_t own = {.mutex = PTHREAD_MUTEX_INITIALIZER};

ctxid_store_t *MPIR_ctxid_own_store(void) { return &own; }

/* ---- spare communicators --------------------------------------------------------------------- */

/* Silent duplicates leave so many that no block needs. */
#define MOST_UNUSED 4u

static struct {
    pthread_mutex_t mutex;
    MPIR_Handle_common *first;
    uint32_t n;     /* written with the lock, read also without it */
    uint32_t asked; /* by agreements under way */
} spare = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static bool push(void)
{
    MPIR_Handle_common *made = MPIR_Handle_obj_alloc(&MPIR_Comm_mem);

    if (made == NULL)
        return false;
    made->next = spare.first;
    spare.first = made;
    __atomic_store_n(&spare.n, spare.n + 1, __ATOMIC_RELAXED);
    return true;
}

static void pop(void)
{
    MPIR_Handle_common *gone = spare.first;

    spare.first = gone->next;
    __atomic_store_n(&spare.n, spare.n - 1, __ATOMIC_RELAXED);
    MPIR_Handle_obj_free(&MPIR_Comm_mem, gone);
}

static uint32_t needed(void) { return MPIR_ctxid_block_ahead(&own) + spare.asked; }

/* `n` less are asked for. */
static void ask_less(uint32_t n)
{
    spare.asked -= n;
    while (spare.n > needed())
        pop();
}

bool MPIR_ctxid_spare_make(uint32_t n)
{
    bool has_memory = true;
    CTXID_LOCKED(&spare.mutex);

    spare.asked += n;
    while (spare.n < needed() && has_memory)
        has_memory = push();
    if (!has_memory)
        ask_less(n);
    return has_memory;
}

void MPIR_ctxid_spare_settle(uint32_t n)
{
    if (n == 0)
        return;
    CTXID_LOCKED(&spare.mutex);
    ask_less(n);
}

void MPIR_ctxid_spare_trim(void)
{
    CTXID_LOCKED(&spare.mutex);
    ask_less(0);
}

void MPIR_ctxid_spare_unused(void)
{
    uint32_t n = __atomic_load_n(&spare.n, __ATOMIC_RELAXED);

    if (n > MPIR_ctxid_block_ahead(&own) + MOST_UNUSED)
        MPIR_ctxid_spare_trim();
}

bool MPIR_Ctxid_make_spare(MPIR_Comm *parent, bool has_taken)
{
    if (!has_taken && !MPIR_ctxid_block_has_next(&own, parent))
        return false;
    CTXID_LOCKED(&spare.mutex);
    if (spare.first == NULL)
        return false;
    pop();
    return true;
}

/* ---- what communicators tell the store (mpir_ctxid.h) ---------------------------------------- */

void MPIR_Ctxid_commit(MPIR_Comm *comm)
{
    /* those of MPI_Init are no user's */
    if (MPIR_ctxid_commit(&own, comm) && !HANDLE_IS_BUILTIN(comm->handle))
        MPIR_ctxid_holders_set(MPIR_ctxid_prefix_of(comm), MPIR_ctxid_holder_here());
    MPIR_ctxid_holders_answer_if_asked();
}

map_site MPIR_Ctxid_site(const MPIR_Comm *comm)
{
    return MPIR_ctxid_holders_site(MPIR_ctxid_prefix_of(comm));
}

void MPIR_Ctxid_forget(MPIR_Comm *comm)
{
    /* for a communicator that goes the mutex is not needed: no other thread creates from it */
    const ctxid_kept_t *block = MPIR_ctxid_kept(comm);

    if (comm->ctxid_cursor == 0 && block->left == 0 && block->stage == 0 && !block->in_doubt)
        return;
    if (MPIR_ctxid_forget(&own, comm))
        MPIR_ctxid_spare_trim();
}

void MPIR_Ctxid_burn(MPIR_Context_id_t id)
{
    MPIR_ctxid_block_burn(&own, MPIR_CONTEXT_READ_FIELD(PREFIX, id));
}

void MPIR_Free_contextid(MPIR_Context_id_t id)
{
    /* before another thread can get it */
    if (!MPIR_ctxid_is_derived(id))
        MPIR_ctxid_holders_forget(MPIR_CONTEXT_READ_FIELD(PREFIX, id));
    MPIR_ctxid_free(&own, id);
    MPIR_ctxid_holders_answer_if_asked();
}

/* ---- settings -------------------------------------------------------------------------------- */

#define MOST_IDS (1 << MPIR_CONTEXT_PREFIX_WIDTH)
#define LEAST_LIMIT 8
#ifdef MPID_NEEDS_ICOMM_WORLD
#define PREDEFINED 3
#else
#define PREDEFINED 2
#endif

static int read_table(cid_kind *kind)
{
    const char *value = MPIR_CVAR_CTXID_TABLE;

    *kind = CID_ARRAY;
    if (!value || MPIR_cid_kind_from_name(value, kind) == CID_OK)
        return MPI_SUCCESS;
    return MPIR_Cvar_wrong_value("MPIR_CVAR_CTXID_TABLE", value, "array, rbtree or radix");
}

static int read_limit(uint32_t *limit)
{
    int value = MPIR_CVAR_CTXID_LIMIT;
    char accepted[64];

    *limit = (value == 0) ? MOST_IDS : (uint32_t) value;
    if (value == 0 || (value >= LEAST_LIMIT && value <= MOST_IDS))
        return MPI_SUCCESS;
    snprintf(accepted, sizeof(accepted), "0 or numbers from %d to %d", LEAST_LIMIT, MOST_IDS);
    return MPIR_Cvar_wrong_number("MPIR_CVAR_CTXID_LIMIT", value, accepted);
}

static int check_block(void)
{
    int value = MPIR_CVAR_CTXID_BLOCK;

    if (value >= 1 && value <= CTXID_MOST_BLOCK)
        return MPI_SUCCESS;
    return MPIR_Cvar_wrong_number("MPIR_CVAR_CTXID_BLOCK", value, "1 to 256");
}

/* ---- MPI_T ----------------------------------------------------------------------------------- */

static const struct variable {
    const char *name, *text;
    size_t place; /* in ctxid_figures_t */
    bool counts;
} variables[] = {
    {"ctxid_used", "context ids in use", offsetof(ctxid_figures_t, used), false},
    {"ctxid_reserved", "context ids set aside for the next children of some communicator",
     offsetof(ctxid_figures_t, reserved), false},
    {"ctxid_silent", "duplicates that took a context id which was set aside, without a message",
     offsetof(ctxid_figures_t, silent), true},
    {"ctxid_highest", "highest context id in use and one more", offsetof(ctxid_figures_t, end),
     false},
    {"ctxid_table_allocated", "elements allocated in the table of context ids",
     offsetof(ctxid_figures_t, allocated), false},
    {"ctxid_table_bytes", "bytes of the table of context ids", offsetof(ctxid_figures_t, bytes),
     false}};

static void read_variable(void *address, void *obj_handle MPL_UNUSED, int count MPL_UNUSED,
                          void *buffer)
{
    const struct variable *variable = address;
    ctxid_figures_t figures;

    MPIR_ctxid_get_figures(&own, &figures);
    memcpy(buffer, (char *) &figures + variable->place, sizeof(uint64_t));
}

static void register_variables(void)
{
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
        MPIR_Pvar_register(variables[i].counts ? MPI_T_PVAR_CLASS_COUNTER : MPI_T_PVAR_CLASS_LEVEL,
                           variables[i].name, (void *) &variables[i], read_variable, "CTXID",
                           variables[i].text);
}

/* ---- finalize -------------------------------------------------------------------------------- */

static void report_leak(uint32_t prefix, MPIR_Comm *comm)
{
    char name[MPI_MAX_OBJECT_NAME] = "";

    if (prefix < PREDEFINED || (comm == NULL && MPIR_Others->holds_all_ids))
        return;
    if (comm != NULL)
        MPIR_Comm_get_name_impl(comm, name, &(int){0});
    fprintf(stderr, "rank %d: communicator never freed: context id %u%s%s%s\n", MPIR_Process.rank,
            (unsigned) prefix, name[0] ? ", \"" : "", name, name[0] ? "\"" : "");
}

static int report_leaks(void *unused MPL_UNUSED)
{
    if (MPIR_CVAR_CTXID_REPORT_LEAKS)
        MPIR_ctxid_visit(&own, report_leak);
    return MPI_SUCCESS;
}

static int close_store(void *unused MPL_UNUSED)
{
    MPIR_ctxid_close(&own);
    MPIR_ctxid_holders_close();
    MPIR_ctxid_spare_trim(); /* those of communicators that were never freed */
    return MPI_SUCCESS;
}

int MPIR_Ctxid_init(void)
{
    int mpi_errno = MPI_SUCCESS;
    cid_kind kind;
    uint32_t limit;

    mpi_errno = read_table(&kind);
    MPIR_ERR_CHKRETURN(mpi_errno);
    mpi_errno = read_limit(&limit);
    MPIR_ERR_CHKRETURN(mpi_errno);
    mpi_errno = check_block();
    MPIR_ERR_CHKRETURN(mpi_errno);
    mpi_errno = MPIR_ctxid_open(&own, kind, limit, PREDEFINED);
    MPIR_ERR_CHKANDSTMT(mpi_errno, mpi_errno, MPI_ERR_NO_MEM, return mpi_errno, "**nomem");
    /* before the predefined communicators are freed, and after */
    MPIR_Add_finalize(report_leaks, NULL, MPIR_FINALIZE_CALLBACK_PRIO + 1);
    MPIR_Add_finalize(close_store, NULL, MPIR_FINALIZE_CALLBACK_PRIO - 1);
    register_variables();
    return MPIR_ctxid_holders_init();
}
