/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "ucx_worlds.h"
#include "ucx_card.h"
#include "deaths.h"
#include "port/port.h"
#include "rma/deferred.h"
#include "mpir_digest.h"
#include "uthash.h"

enum {
    GOODBYE = 1, /* UCX's number of the message */
    GRACE = 10,  /* seconds for an unused table */
    PATIENCE = 5 /* seconds for the last messages of a process */
};

struct table;

/* What is left to do when a process, or a world, has ended. */
typedef struct {
    MPIDI_deferred_job_t job; /* first */
    struct process *process;  /* NULL: the world's processes, and this is freed afterwards */
    uint64_t world;
} ending_t;

typedef struct process {
    MPIDI_UCX_upid_t *upid; /* its world and rank are the key */
    struct table *table;
    int lpid;
    int endpoints; /* for all pairs of VNIs */
    bool is_known; /* found by its key */
    bool has_ended;
    bool is_ending; /* in the queue */
    ending_t ending;
    UT_hash_handle hash_handle;
} process_t;

/* The address-vector table avtid, and what there is to know about its entries. */
typedef struct table {
    int avtid, n;
    double used; /* last time */
    process_t processes[];
} table_t;

enum { KEY_BYTES = offsetof(MPIDI_UCX_upid_t, card_bytes) };

static struct {
    uint64_t own;
    table_t **tables; /* by avtid; NULL: none of ours */
    int room;
    process_t *processes; /* a hash table */
    unsigned long long endpoints;
    bool are_left; /* MPI_Finalize goes through the tables, and frees them */
} worlds;

static int generation; /* of this process's worlds: MPI may be initialized again */

static int perform_ending(MPIDI_deferred_job_t *job);

static MPIDI_deferred_kind_t endings = {.perform = perform_ending, .is_common = true};

/* ---- names ---- */

/* A process may initialize MPI again, in another world of the same job: its last 16 bits differ. */
static uint64_t job_of(uint64_t world) { return world & ~UINT64_C(0xffff); }

static uint64_t world_of(uint64_t job) { return job_of(job) | ((uint64_t) generation & 0xffff); }

/* The name of a job is unique among those of a process manager.  A process alone may have none;
 * then the worker's address is unique. */
static uint64_t name_own_world(void)
{
    const char *job = MPIR_pmi_job_id();

    if (MPIR_Deaths_watched)
        return world_of(MPIR_Deaths_own_job());
    if (MPIR_Process.size == 1)
        return world_of(MPIR_Digest_add(MPIR_DIGEST_OF_NOTHING, MPIDI_UCX_global.ctx[0].if_address,
                                        MPIDI_UCX_global.ctx[0].addrname_len));
    return world_of(MPIR_Digest_add(MPIR_DIGEST_OF_NOTHING, job, strlen(job)));
}

/* ---- tables ---- */

static bool is_used(const table_t *table)
{
    return MPIR_Object_get_ref(MPIDIU_get_av_table(table->avtid)) > 0;
}

static bool has_endpoint(const table_t *table)
{
    for (int i = 0; i < table->n; i++) {
        if (table->processes[i].endpoints > 0)
            return true;
    }
    return false;
}

static bool has_process(const table_t *table)
{
    for (int i = 0; i < table->n; i++) {
        if (!table->processes[i].has_ended)
            return true;
    }
    return false;
}

static table_t *table_of(int avtid) { return avtid < worlds.room ? worlds.tables[avtid] : NULL; }

static MPIDI_av_entry_t *entry_of(const process_t *process)
{
    return &MPIDIU_get_av(process->table->avtid, process->lpid);
}

static uint32_t index_of(const process_t *process)
{
    return MPIDIU_gpid_to_index(MPIDIU_GPID_CREATE(process->table->avtid, process->lpid));
}

static void hide_process(process_t *process)
{
    if (process->is_known)
        HASH_DELETE(hash_handle, worlds.processes, process);
    process->is_known = false;
}

/* REQUIRES: no endpoint leads to it. */
static void forget_table(table_t *table)
{
    for (int i = 0; i < table->n; i++) {
        process_t *process = &table->processes[i];

        if (process->is_ending)
            MPIDI_deferred_remove(&endings, 0, &process->ending.job);
        hide_process(process);
        MPL_free(process->upid);
    }
    worlds.tables[table->avtid] = NULL;
    MPL_free(table);
}

/* Forgets one that nobody will miss, and answers its avtid; 0: there is none. */
static int forget_one(void)
{
    int avtid = 0;

    MPID_THREAD_CS_ENTER(VCI, MPIDIU_THREAD_DYNPROC_MUTEX);
    for (int i = 1; i < worlds.room && avtid == 0; i++) {
        table_t *table = worlds.tables[i];

        if (table && !is_used(table) && !has_endpoint(table) &&
            (!has_process(table) || MPIDI_Port_now() - table->used > GRACE)) {
            avtid = table->avtid;
            forget_table(table);
        }
    }
    MPID_THREAD_CS_EXIT(VCI, MPIDIU_THREAD_DYNPROC_MUTEX);
    return avtid;
}

static void collect(void)
{
    int avtid;

    while (!worlds.are_left && (avtid = forget_one()) != 0)
        MPIDIU_free_avt(avtid);
}

/* No communicator uses the table any more. Endpoints are not closed here: a handler may have
 * freed the communicator. */
static bool keeps_table(int avtid)
{
    table_t *table;

    MPID_THREAD_CS_ENTER(VCI, MPIDIU_THREAD_DYNPROC_MUTEX);
    table = table_of(avtid);
    if (table)
        table->used = MPIDI_Port_now();
    MPID_THREAD_CS_EXIT(VCI, MPIDIU_THREAD_DYNPROC_MUTEX);
    collect();
    return table != NULL;
}

static int make_room(int avtid)
{
    int mpi_errno = MPI_SUCCESS;
    int room = MPL_MAX(avtid + 1, 2 * worlds.room);
    table_t **tables;

    if (avtid < worlds.room)
        return mpi_errno;
    tables = MPL_realloc(worlds.tables, room * sizeof(*tables), MPL_MEM_ADDRESS);
    MPIR_ERR_CHKANDSTMT(!tables, mpi_errno, MPI_ERR_NO_MEM, return mpi_errno, "**nomem");
    memset(tables + worlds.room, 0, (room - worlds.room) * sizeof(*tables));
    worlds.tables = tables;
    worlds.room = room;

    return mpi_errno;
}

static size_t upid_bytes(const char *upid)
{
    MPIDI_UCX_upid_t head;

    memcpy(&head, upid, sizeof(head));
    return sizeof(head) + head.card_bytes;
}

static int set_process(table_t *table, int lpid, const char *upid)
{
    int mpi_errno = MPI_SUCCESS;
    process_t *process = &table->processes[lpid];

    process->table = table;
    process->lpid = lpid;
    process->ending.process = process;
    process->upid = MPL_malloc(upid_bytes(upid), MPL_MEM_ADDRESS);
    MPIR_ERR_CHKANDSTMT(!process->upid, mpi_errno, MPI_ERR_NO_MEM, return mpi_errno, "**nomem");
    memcpy(process->upid, upid, upid_bytes(upid));
    HASH_ADD_KEYPTR(hash_handle, worlds.processes, process->upid, KEY_BYTES, process,
                    MPL_MEM_ADDRESS);
    process->is_known = true;
    if (MPIR_Deaths_seen > 0)
        process->has_ended = MPIDIG_deaths_stranger_enters(job_of(process->upid->world),
                                                           process->upid->rank, index_of(process));

    return mpi_errno;
}

/* A table that fails half way is left to collect(). */
static int make_table(int n, const char *const upids[], int *avtid)
{
    int mpi_errno = MPI_SUCCESS;
    table_t *table =
        MPL_calloc(1, sizeof(*table) + n * sizeof(table->processes[0]), MPL_MEM_ADDRESS);

    MPIR_ERR_CHKANDJUMP(!table, mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    mpi_errno = make_room(MPIDIU_get_n_avts());
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = MPIDIU_new_avt(n, avtid);
    MPIR_ERR_CHECK(mpi_errno);
    table->avtid = *avtid;
    table->used = MPIDI_Port_now();
    worlds.tables[*avtid] = table;
    for (table->n = 0; table->n < n && mpi_errno == MPI_SUCCESS; table->n++)
        mpi_errno = set_process(table, table->n, upids[table->n]);
    return mpi_errno;

fn_fail:
    MPL_free(table);
    return mpi_errno;
}

/* Its entry, or NULL. */
static process_t *find_process(const char *upid)
{
    process_t *process;
    char key[KEY_BYTES];

    memcpy(key, upid, KEY_BYTES);
    HASH_FIND(hash_handle, worlds.processes, key, KEY_BYTES, process);
    if (process && process->has_ended && !MPIR_Deaths_watched) {
        hide_process(process);
        process = NULL;
    }
    return process;
}

int MPIDI_UCX_worlds_enter(int n, const char *const upids[], uint64_t gpids[])
{
    int mpi_errno = MPI_SUCCESS;
    const char **strange = MPL_malloc(n * sizeof(*strange), MPL_MEM_ADDRESS);
    int strangers = 0, avtid = 0;

    MPIR_ERR_CHKANDJUMP(!strange, mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    for (int i = 0; i < n; i++) {
        process_t *process = find_process(upids[i]);

        gpids[i] = 0;
        if (process) {
            process->table->used = MPIDI_Port_now();
            gpids[i] = MPIDIU_GPID_CREATE(process->table->avtid, process->lpid);
        } else {
            strange[strangers++] = upids[i];
        }
    }
    if (strangers > 0)
        mpi_errno = make_table(strangers, strange, &avtid);
    MPIR_ERR_CHECK(mpi_errno);
    for (int i = 0, lpid = 0; i < n && strangers > 0; i++) {
        if (gpids[i] == 0)
            gpids[i] = MPIDIU_GPID_CREATE(avtid, lpid++);
    }

fn_exit:
    MPL_free(strange);
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

const MPIDI_UCX_upid_t *MPIDI_UCX_worlds_upid(int avtid, int lpid)
{
    return table_of(avtid)->processes[lpid].upid;
}

uint64_t MPIDI_UCX_worlds_own(void) { return worlds.own; }

unsigned long long MPIDI_UCX_worlds_endpoints(void) { return worlds.endpoints; }

/* ---- endpoints ---- */

/* The process has died, as UCX says inside its progress. With several VNIs the endpoints stay:
 * closing them takes the locks of all. */
static void endpoint_failed(void *arg, ucp_ep_h ep MPL_UNUSED, ucs_status_t status MPL_UNUSED)
{
    process_t *process = arg;

    process->has_ended = true;
    if (MPIDI_UCX_global.num_vnis > 1 || process->is_ending)
        return;
    process->is_ending = true;
    MPIDI_deferred_add(&endings, 0, &process->ending.job);
}

static process_t *process_at(const MPIDI_av_entry_t *av)
{
    for (int i = 1; i < worlds.room; i++) {
        table_t *table = worlds.tables[i];

        if (table && av >= &MPIDIU_get_av(i, 0) && av < &MPIDIU_get_av(i, 0) + table->n)
            return &table->processes[av - &MPIDIU_get_av(i, 0)];
    }
    return NULL;
}

static int make_endpoint(process_t *process, int vni_src, int vni_dst, ucp_ep_h *ep)
{
    int mpi_errno = MPI_SUCCESS;
    size_t bytes;
    ucs_status_t status;
    ucp_ep_params_t params = {
        .field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                      UCP_EP_PARAM_FIELD_ERR_HANDLER,
        .err_mode = UCP_ERR_HANDLING_MODE_PEER,
        .err_handler = {.cb = endpoint_failed, .arg = process},
    };

    if (MPIR_Deaths_watched)
        MPIDI_UCX_peers_learn_of_resets(MPIDI_UCX_global.ctx[vni_src].worker);
    MPIR_ERR_CHKANDJUMP(process->has_ended, mpi_errno, MPI_ERR_OTHER, "**ucx_ended");
    mpi_errno = MPIDI_UCX_card_read(process->upid->card, process->upid->card_bytes, vni_dst,
                                    &params.address, &bytes);
    MPIR_ERR_CHECK(mpi_errno);
    status = ucp_ep_create(MPIDI_UCX_global.ctx[vni_src].worker, &params, ep);
    MPIDI_UCX_CHK_STATUS(status);
    process->endpoints++;
    worlds.endpoints++;

fn_exit:
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

int MPIDI_UCX_worlds_connect(MPIDI_av_entry_t *av, int vni_src, int vni_dst)
{
    int mpi_errno = MPI_SUCCESS;
    process_t *process;
    ucp_ep_h ep;

    MPID_THREAD_CS_ENTER(VCI, MPIDIU_THREAD_DYNPROC_MUTEX);
    if (MPIDI_UCX_AV(av).dest[vni_src][vni_dst])
        goto fn_exit;
    process = process_at(av);
    MPIR_Assert(process);
    mpi_errno = make_endpoint(process, vni_src, vni_dst, &ep);
    MPIR_ERR_CHKANDJUMP2(mpi_errno, mpi_errno, MPI_ERR_OTHER, "**ucx_world", "**ucx_world %d %d",
                         MPIR_Process.rank, (int) process->upid->rank);
    MPIDI_UCX_AV(av).dest[vni_src][vni_dst] = ep;

fn_exit:
    MPID_THREAD_CS_EXIT(VCI, MPIDIU_THREAD_DYNPROC_MUTEX);
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

static void for_each_endpoint(process_t *process, void (*action)(ucp_ep_h *, void *), void *arg)
{
    MPIDI_UCX_addr_t *address = &MPIDI_UCX_AV(entry_of(process));

    for (int i = 0; i < MPIDI_UCX_global.num_vnis; i++) {
        for (int j = 0; j < MPIDI_UCX_global.num_vnis; j++) {
            if (address->dest[i][j])
                action(&address->dest[i][j], arg);
        }
    }
}

static void close_endpoint(ucp_ep_h *ep, void *arg MPL_UNUSED)
{
    ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
                                 .flags = UCP_EP_CLOSE_FLAG_FORCE};
    void *request = ucp_ep_close_nbx(*ep, &param);

    if (UCS_PTR_IS_PTR(request))
        ucp_request_free(request);
    *ep = NULL;
    worlds.endpoints--;
}

/* ---- ends ---- */

static void end_process(process_t *process)
{
    process->has_ended = true;
    if (process->endpoints > 0)
        for_each_endpoint(process, close_endpoint, NULL);
    process->endpoints = 0;
}

static void end_world(uint64_t world)
{
    process_t *process, *next;

    HASH_ITER(hash_handle, worlds.processes, process, next)
    {
        if (process->upid->world == world)
            end_process(process);
    }
}

/* NULL: its table is gone. */
static process_t *process_with(uint32_t index)
{
    for (int i = 1; i < worlds.room; i++) {
        table_t *table = worlds.tables[i];

        if (table && table->n > 0 && index - index_of(&table->processes[0]) < (uint32_t) table->n)
            return &table->processes[index - index_of(&table->processes[0])];
    }
    return NULL;
}

void MPIDI_UCX_worlds_forget(uint32_t index)
{
    process_t *process;

    MPID_THREAD_CS_ENTER(VCI, MPIDIU_THREAD_DYNPROC_MUTEX);
    process = process_with(index);
    if (process)
        end_process(process);
    MPID_THREAD_CS_EXIT(VCI, MPIDIU_THREAD_DYNPROC_MUTEX);
}

/* Each process dies once, and worlds are few. */
static uint32_t find_stranger(uint64_t job, uint32_t rank)
{
    process_t *process, *next;

    HASH_ITER(hash_handle, worlds.processes, process, next)
    {
        if (process->upid->rank == rank && job_of(process->upid->world) == job)
            return index_of(process);
    }
    return CMAP_NONE;
}

static int perform_ending(MPIDI_deferred_job_t *job)
{
    ending_t *ending = (ending_t *) job;

    MPID_THREAD_CS_ENTER(VCI, MPIDIU_THREAD_DYNPROC_MUTEX);
    if (ending->process) {
        ending->process->is_ending = false;
        end_process(ending->process);
    } else {
        end_world(ending->world);
        MPL_free(ending);
    }
    MPID_THREAD_CS_EXIT(VCI, MPIDIU_THREAD_DYNPROC_MUTEX);
    collect();
    return MPI_SUCCESS;
}

/* Without memory the endpoints stay. */
static ucs_status_t take_goodbye(void *arg MPL_UNUSED, void *data, size_t length,
                                 ucp_ep_h reply_ep MPL_UNUSED, unsigned flags MPL_UNUSED)
{
    ending_t *ending;

    if (length != sizeof(uint64_t) || MPIDI_UCX_global.num_vnis > 1)
        return UCS_OK;
    ending = MPL_calloc(1, sizeof(*ending), MPL_MEM_ADDRESS);
    if (ending) {
        memcpy(&ending->world, data, sizeof(ending->world));
        MPIDI_deferred_add(&endings, 0, &ending->job);
    }
    return UCS_OK;
}

/* Of a process's world and rank. */
static uint64_t digest_of(int avtid, int lpid)
{
    MPIDI_UCX_upid_t key = {.world = worlds.own, .rank = (uint32_t) lpid};

    if (avtid != 0) {
        MPID_THREAD_CS_ENTER(VCI, MPIDIU_THREAD_DYNPROC_MUTEX);
        memcpy(&key, MPIDI_UCX_worlds_upid(avtid, lpid), KEY_BYTES);
        MPID_THREAD_CS_EXIT(VCI, MPIDIU_THREAD_DYNPROC_MUTEX);
    }
    return MPIR_Digest_add(MPIR_DIGEST_OF_NOTHING, &key, KEY_BYTES);
}

int MPIDI_UCX_worlds_init(void)
{
    int mpi_errno = MPI_SUCCESS;
    ucs_status_t status;

    generation++;
    memset(&worlds, 0, sizeof(worlds));
    worlds.own = name_own_world();
    MPIDI_deferred_register(MPIDI_DEFERRED_ENDINGS, &endings);
    for (int i = 0; i < MPIDI_UCX_global.num_vnis; i++) {
        status = ucp_worker_set_am_handler(MPIDI_UCX_global.ctx[i].worker, GOODBYE, take_goodbye,
                                           NULL, UCP_AM_FLAG_WHOLE_MSG);
        MPIDI_UCX_CHK_STATUS(status);
    }
    MPIDIU_avt_keeps = keeps_table;
    MPIDIU_process_digest = digest_of;
    if (MPIR_Deaths_watched)
        MPIDIG_deaths_find_stranger = find_stranger;
    MPIDI_Port_on = true;

fn_exit:
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

/* ---- MPI_Finalize ---- */

static void sent(void *request MPL_UNUSED, ucs_status_t status MPL_UNUSED) {}

static void request_wait_for(void *request, double deadline, void (*progress)(void))
{
    if (!UCS_PTR_IS_PTR(request))
        return;
    while (!ucp_request_is_completed(request) && MPIDI_Port_now() < deadline)
        progress();
    ucp_request_free(request);
}

typedef struct {
    double deadline;
    void (*progress)(void);
    bool is_told;
} farewell_t;

/* The other process may end, and its endpoint with it, in each wait. */
static void say_goodbye(ucp_ep_h *ep, void *arg)
{
    farewell_t *farewell = arg;

    if (!farewell->is_told)
        request_wait_for(ucp_am_send_nb(*ep, GOODBYE, &worlds.own, sizeof(worlds.own),
                                        ucp_dt_make_contig(1), sent, 0),
                         farewell->deadline, farewell->progress);
    farewell->is_told = true;
    if (*ep)
        request_wait_for(ucp_ep_flush_nb(*ep, 0, sent), farewell->deadline, farewell->progress);
}

int MPIDI_UCX_worlds_leave(void (*progress)(void))
{
    process_t *process, *next;
    farewell_t farewell = {.deadline = MPIDI_Port_now() + PATIENCE, .progress = progress};

    MPIDI_Port_on = false;
    MPIDI_Port_close_all();
    worlds.are_left = true;
    HASH_ITER(hash_handle, worlds.processes, process, next)
    {
        farewell.is_told = false;
        if (process->endpoints > 0 && !process->has_ended)
            for_each_endpoint(process, say_goodbye, &farewell);
    }
    for (int i = 1; i < worlds.room; i++) {
        for (int j = 0; worlds.tables[i] && j < worlds.tables[i]->n; j++)
            end_process(&worlds.tables[i]->processes[j]);
        if (worlds.tables[i])
            forget_table(worlds.tables[i]);
    }
    MPIDIU_avt_keeps = NULL;
    while (endings.queues[0].first) {
        ending_t *ending = (ending_t *) endings.queues[0].first;

        MPIDI_deferred_remove(&endings, 0, &ending->job);
        MPL_free(ending);
    }
    MPL_free(worlds.tables);
    memset(&worlds, 0, sizeof(worlds));
    return MPI_SUCCESS;
}
