/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "ch4_settings.h"
#include "mpir_digest.h"
#ifndef MPIR_WITHOUT_TOPOLOGIES
#include "mpir_world_order.h"
#endif

#define NUMBER(cvar_, jobs_) \
    { \
#cvar_, &cvar_, NULL, jobs_ \
    }

int MPIDI_Settings_nics = 1;
MPIDI_Settings_match_t MPIDI_Settings_match;
int MPIDI_Settings_ucx_rank_bits;

/* Those that say which nodes there are come first: what else differs may follow from them. */
static const struct {
    const char *name;
    const int *number;
    const char *const *text;
    bool between_jobs; /* jobs that are connected, too, have to agree */
} settings[] = {
    NUMBER(MPIR_CVAR_NOLOCAL, false),
    NUMBER(MPIR_CVAR_NUM_CLIQUES, false),
    NUMBER(MPIR_CVAR_ODD_EVEN_CLIQUES, false),
    NUMBER(MPIR_CVAR_CLIQUES_BY_BLOCK, false),
#ifndef MPIR_WITHOUT_TOPOLOGIES
    {"MPIR_CVAR_WORLD_ORDER (with the contents of a file)", NULL, &MPIR_World_order_text, false},
    NUMBER(MPIR_CVAR_REORDER, false),
#endif
    NUMBER(MPIR_CVAR_ENABLE_FT, false),
    NUMBER(MPIR_CVAR_CTXID_LIMIT, true),
    NUMBER(MPIR_CVAR_CTXID_BLOCK, true),
#ifndef MPIR_WITHOUT_AGGREGATES
    NUMBER(MPIR_CVAR_AGGR_DIRECT, true),
#endif
    NUMBER(MPIR_CVAR_SPLIT_DESCRIBED, true),
    NUMBER(MPIR_CVAR_CH4_NUM_VCIS, true),
    NUMBER(MPIR_CVAR_CH4_GLOBAL_PROGRESS, false),
    NUMBER(MPIR_CVAR_CH4_UCX_LAZY_ENDPOINTS, false),
    NUMBER(MPIR_CVAR_CH4_UCX_RANK_BITS, false),
    NUMBER(MPIR_CVAR_CH4_OFI_LAZY_ADDRESSES, false),
    {"The number of NICs (see MPIR_CVAR_CH4_OFI_MAX_NICS, and MPIR_CVAR_CH4_OFI_LAZY_ADDRESSES=0)",
     &MPIDI_Settings_nics, NULL, false},
    {"MPIR_CVAR_CH4_UCX_RANK_BITS", &MPIDI_Settings_ucx_rank_bits, NULL, true},
    {"MPIR_CVAR_CH4_OFI_RANK_BITS", &MPIDI_Settings_match.rank_bits, NULL, true},
    {"MPIR_CVAR_CH4_OFI_TAG_BITS", &MPIDI_Settings_match.tag_bits, NULL, true},
    {"MPIR_CVAR_CH4_OFI_CONTEXT_ID_BITS", &MPIDI_Settings_match.context_bits, NULL, true},
};

#define SETTINGS ((int) (sizeof(settings) / sizeof(settings[0])))
#define VALUE_ROOM 32
#define VALUES_ROOM (SETTINGS * VALUE_ROOM)
#define SEGMENT_ROOM 256
#define LEFT_ROOM (VALUES_ROOM + SEGMENT_ROOM)

#define KEY_ROOM 32

static int generation; /* of keys: MPI may be initialized again */

static void name_key(char *key, int rank)
{
    snprintf(key, KEY_ROOM, "settings-%d-%d", generation, rank);
}

/* With one VCI nobody reads it. */
static bool is_in_use(int i)
{
    return settings[i].number != &MPIR_CVAR_CH4_GLOBAL_PROGRESS || MPIR_CVAR_CH4_NUM_VCIS > 1;
}

static void read_value(int i, char *value)
{
    memset(value, 0, VALUE_ROOM);
    if (!is_in_use(i))
        return;
    if (settings[i].number)
        snprintf(value, VALUE_ROOM, "%d", *settings[i].number);
    else if (*settings[i].text)
        snprintf(value, VALUE_ROOM, "%s", *settings[i].text);
}

/* Each value with its end, as they travel. */
static int pack_values(char *packed, bool between_jobs)
{
    char *end = packed;

    for (int i = 0; i < SETTINGS; i++) {
        char value[VALUE_ROOM];
        if (between_jobs && !settings[i].between_jobs)
            continue;
        read_value(i, value);
        memcpy(end, value, strlen(value) + 1);
        end += strlen(value) + 1;
    }
    return (int) (end - packed);
}

uint64_t MPIDI_Settings_digest(void)
{
    char packed[VALUES_ROOM];
    int bytes = pack_values(packed, false);

    return MPIR_Digest_add(MPIR_DIGEST_OF_NOTHING, packed, (size_t) bytes);
}

/* No other process has values to compare with. */
static bool is_alone(void) { return MPIR_Others->count(MPIR_Process.size) == 1; }

static bool bcast_has_barrier(void)
{
#ifdef USE_PMI1_API
    return MPIR_Process.size != MPIR_Process.num_nodes;
#else
    return false;
#endif
}

/* Behind the values. */
static int pack_segment(char *packed, const char *segment)
{
    int bytes = segment && strlen(segment) < SEGMENT_ROOM ? (int) strlen(segment) + 1 : 0;

    if (bytes)
        memcpy(packed, segment, (size_t) bytes);
    return bytes;
}

int MPIDI_Settings_leave(const char *segment)
{
    char key[KEY_ROOM], packed[LEFT_ROOM];

    if (is_alone())
        return MPI_SUCCESS;
    generation++;
    if (MPIR_Process.local_rank == 0) {
        int bytes = pack_values(packed, false);
        bytes += pack_segment(packed + bytes, segment);
        name_key(key, MPIR_Process.rank);
        MPIR_TRY(MPIR_pmi_kvs_put_bytes(key, packed, bytes));
    }
    return !bcast_has_barrier() ? MPIR_pmi_barrier() : MPI_SUCCESS;
}

/* The first setting whose value is another one there: its index, and both values. */
typedef struct {
    int setting; /* SETTINGS: none is; -1: these are no values */
    const char *theirs;
    char mine[VALUE_ROOM];
} difference_t;

static void find_difference(const char *theirs, int bytes, bool between_jobs, difference_t *d)
{
    const char *end = theirs + bytes;

    for (d->setting = 0; d->setting < SETTINGS; d->setting++) {
        if (between_jobs && !settings[d->setting].between_jobs)
            continue;
        read_value(d->setting, d->mine);
        d->theirs = theirs;
        if (!memchr(theirs, 0, end - theirs))
            d->setting = -1;
        if (d->setting < 0 || strcmp(d->mine, theirs) != 0)
            return;
        theirs += strlen(theirs) + 1;
    }
}

static int compare_values(const char *theirs, int bytes, int rank)
{
    int mpi_errno = MPI_SUCCESS;
    difference_t d;

    find_difference(theirs, bytes, false, &d);
    MPIR_ERR_CHKANDJUMP(d.setting < 0, mpi_errno, MPI_ERR_OTHER, "**settings");
    if (d.setting < SETTINGS)
        mpi_errno = MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, __func__, __LINE__,
                                         MPI_ERR_OTHER, "**settings", "**settings %s %d %s %d %s",
                                         settings[d.setting].name, rank, d.theirs,
                                         MPIR_Process.rank, d.mine);

fn_fail:
    return mpi_errno;
}

int MPIDI_Settings_of_job(char *packed)
{
    MPL_COMPILE_TIME_ASSERT(MPIDI_SETTINGS_OF_JOB >= VALUES_ROOM);
    return pack_values(packed, true);
}

int MPIDI_Settings_compare_jobs(const char *theirs, int bytes)
{
    int mpi_errno = MPI_SUCCESS;
    difference_t d;

    find_difference(theirs, bytes, true, &d);
    MPIR_ERR_CHKANDJUMP(d.setting < 0, mpi_errno, MPI_ERR_PORT, "**settings");
    if (d.setting < SETTINGS)
        mpi_errno = MPIR_Err_create_code(
            MPI_SUCCESS, MPIR_ERR_RECOVERABLE, __func__, __LINE__, MPI_ERR_PORT, "**settings_jobs",
            "**settings_jobs %s %s %s", settings[d.setting].name, d.mine, d.theirs);

fn_fail:
    return mpi_errno;
}

static int compare_with(int rank)
{
    char key[KEY_ROOM], packed[LEFT_ROOM + 1] = {0};
    int bytes = LEFT_ROOM;

    name_key(key, rank);
    MPIR_TRY(MPIR_pmi_kvs_get_bytes(rank, key, packed, &bytes));
    return compare_values(packed, bytes, rank);
}

static const char *segment_of(int rank, char *packed)
{
    char key[KEY_ROOM];
    const char *at = packed;
    int bytes = LEFT_ROOM;

    memset(packed, 0, LEFT_ROOM + 1);
    name_key(key, rank);
    if (MPIR_pmi_kvs_get_bytes(rank, key, packed, &bytes) != MPI_SUCCESS)
        return "";
    for (int i = 0; i < SETTINGS && at < packed + bytes; i++)
        at += strlen(at) + 1;
    return at < packed + bytes ? at : "";
}

void MPIDI_Settings_remove_segments(void (*remove)(const char *segment))
{
    enum { MOST = 1024 }; /* ranks that made-up nodes are for */
    bool made_up = MPIR_CVAR_NOLOCAL || MPIR_CVAR_ODD_EVEN_CLIQUES || MPIR_CVAR_NUM_CLIQUES > 1;
    int n = made_up ? MPL_MIN(MPIR_Process.size, MOST) : MPIR_Process.local_size;
    char packed[LEFT_ROOM + 1];

    if (is_alone() || generation == 0)
        return;
    for (int i = 0; i < n; i++) {
        const char *segment = segment_of(made_up ? i : MPIR_Process.node_local_map[i], packed);
        if (*segment)
            remove(segment);
    }
}

/* Rank 0 is the first of its node however the nodes are counted: it has left its values, also when
 * the process that this one takes for the first of its node has not. */
int MPIDI_Settings_compare(int bcast_errno)
{
    int mpi_errno = MPI_SUCCESS;
    bool is_first = MPIR_Process.local_rank == 0 && MPIR_Process.rank != 0;

    if (!is_alone() && (is_first || bcast_errno != MPI_SUCCESS))
        mpi_errno = compare_with(0);
    return mpi_errno != MPI_SUCCESS ? mpi_errno : bcast_errno;
}

int MPIDI_Settings_compare_on_node(uint64_t digest)
{
    if (is_alone() || digest == MPIDI_Settings_digest())
        return MPI_SUCCESS;
    return compare_with(MPIR_Process.node_local_map[0]);
}
