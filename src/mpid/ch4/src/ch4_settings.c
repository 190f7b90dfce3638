/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "ch4_settings.h"

#define NUMBER(cvar_) {#cvar_, &cvar_, NULL}
#define TEXT(cvar_) {#cvar_, NULL, &cvar_}

int MPIDI_Settings_nics = 1;

/* Those that say which nodes there are come first: what else differs may follow from them. */
static const struct {
    const char *name;
    const int *number;
    const char *const *text;
} settings[] = {
    NUMBER(MPIR_CVAR_NOLOCAL),
    NUMBER(MPIR_CVAR_NUM_CLIQUES),
    NUMBER(MPIR_CVAR_ODD_EVEN_CLIQUES),
    NUMBER(MPIR_CVAR_CLIQUES_BY_BLOCK),
    TEXT(MPIR_CVAR_CTXID_ALGORITHM),
    NUMBER(MPIR_CVAR_CTXID_LIMIT),
    NUMBER(MPIR_CVAR_CH4_NUM_VCIS),
    NUMBER(MPIR_CVAR_CH4_GLOBAL_PROGRESS),
    NUMBER(MPIR_CVAR_CH4_UCX_LAZY_ENDPOINTS),
    NUMBER(MPIR_CVAR_CH4_UCX_RANK_BITS),
    NUMBER(MPIR_CVAR_CH4_OFI_LAZY_ADDRESSES),
    NUMBER(MPIR_CVAR_CH4_OFI_RANK_BITS),
    NUMBER(MPIR_CVAR_CH4_OFI_TAG_BITS),
    {"The number of NICs (see MPIR_CVAR_CH4_OFI_MAX_NICS, and MPIR_CVAR_CH4_OFI_LAZY_ADDRESSES=0)", &MPIDI_Settings_nics, NULL},
};

#define SETTINGS ((int) (sizeof(settings) / sizeof(settings[0])))
#define VALUE_ROOM 32
#define VALUES_ROOM (SETTINGS * VALUE_ROOM)

#define KEY_ROOM 32

static int generation;          /* of keys: MPI may be initialized again */

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
static int pack_values(char *packed)
{
    char *end = packed;

    for (int i = 0; i < SETTINGS; i++) {
        char value[VALUE_ROOM];
        read_value(i, value);
        memcpy(end, value, strlen(value) + 1);
        end += strlen(value) + 1;
    }
    return (int) (end - packed);
}

uint64_t MPIDI_Digest_add(uint64_t digest, const void *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        digest = (digest ^ ((const unsigned char *) data)[i]) * 1099511628211u;
    return digest;
}

uint64_t MPIDI_Settings_digest(void)
{
    char packed[VALUES_ROOM];
    int bytes = pack_values(packed);

    return MPIDI_Digest_add(MPIDI_DIGEST_OF_NOTHING, packed, (size_t) bytes);
}

/* Nobody has to agree with himself, and those that do not exist have no values. */
static bool is_alone(void)
{
    return MPIR_Process.size == 1 || MPIR_Solo_on;
}

static bool bcast_has_barrier(void)
{
#ifdef USE_PMI1_API
    return MPIR_Process.size != MPIR_Process.num_nodes;
#else
    return false;
#endif
}

int MPIDI_Settings_leave(void)
{
    int mpi_errno = MPI_SUCCESS;
    char key[KEY_ROOM], packed[VALUES_ROOM];

    if (is_alone())
        goto fn_exit;
    generation++;
    if (MPIR_Process.local_rank == 0) {
        name_key(key, MPIR_Process.rank);
        mpi_errno = MPIR_pmi_kvs_put_bytes(key, packed, pack_values(packed));
        MPIR_ERR_CHECK(mpi_errno);
    }
    if (!bcast_has_barrier())
        mpi_errno = MPIR_pmi_barrier();
    MPIR_ERR_CHECK(mpi_errno);

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

static int compare_values(const char *theirs, int bytes, int rank)
{
    int mpi_errno = MPI_SUCCESS;
    const char *end = theirs + bytes;

    for (int i = 0; i < SETTINGS; i++) {
        char mine[VALUE_ROOM];

        read_value(i, mine);
        MPIR_ERR_CHKANDJUMP(theirs >= end, mpi_errno, MPI_ERR_OTHER, "**settings");
        if (strcmp(mine, theirs) != 0) {
            mpi_errno = MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, __func__, __LINE__, MPI_ERR_OTHER,
                                             "**settings", "**settings %s %d %s %d %s", settings[i].name, rank,
                                             theirs, MPIR_Process.rank, mine);
            goto fn_fail;
        }
        theirs += strlen(theirs) + 1;
    }

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

static int compare_with(int rank)
{
    int mpi_errno = MPI_SUCCESS;
    char key[KEY_ROOM], packed[VALUES_ROOM + 1] = { 0 };
    int bytes = VALUES_ROOM;

    name_key(key, rank);
    mpi_errno = MPIR_pmi_kvs_get_bytes(rank, key, packed, &bytes);
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = compare_values(packed, bytes, rank);
    MPIR_ERR_CHECK(mpi_errno);

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

/* Rank 0 is the first of its node however the nodes are counted: it has left its values, also when the process that this one
 * takes for the first of its node has not. */
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
