/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "ofi_impl.h"
#include "ch4_cards.h"
#include "ch4_settings.h"
#include "mpir_digest.h"
#include "mpir_tvars.h"
#include <unistd.h>

/*
=== BEGIN_MPI_T_CVAR_INFO_BLOCK ===

cvars:
    - name        : MPIR_CVAR_CH4_OFI_LAZY_ADDRESSES
      category    : CH4_OFI
      type        : boolean
      default     : true
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_BASIC
      scope       : MPI_T_SCOPE_ALL_EQ
      description : >-
        If true, the address of a process is looked up when it is first used, where one NIC and one VCI are in use. If
        false, MPI_Init does so for all processes.

=== END_MPI_T_CVAR_INFO_BLOCK ===
*/

uint64_t MPIDI_OFI_own_id;

static bool lazy;
static uint64_t world; /* this one's name among worlds */

static struct {
    unsigned long long count, bytes;
} inserted;

/* The rank apart, two processes are the same with a chance of 2^-32. */
static void choose_ids(void)
{
    char host[256] = "";
    const char *job = MPIR_pmi_job_id();
    pid_t pid = getpid();
    uint64_t process;

    gethostname(host, sizeof(host) - 1);
    world = MPIR_Digest_add(MPIR_DIGEST_OF_NOTHING, job, strlen(job)) | 1;
    process = MPIR_Digest_add(MPIR_Digest_add(world, host, strlen(host)), &pid, sizeof(pid));
    MPL_COMPILE_TIME_ASSERT(MPIDI_CH4_MAX_VCIS <= 64);
    MPIDI_OFI_own_id = process << 32 | (uint64_t) MPIR_Process.rank << 6;
}

/* Of a process's world and rank.  The world is not known if it is not this one. */
static uint64_t digest_of(int avtid, int lpid)
{
    if (avtid != 0)
        return 0;
    return MPIR_Digest_add(MPIR_Digest_add(MPIR_DIGEST_OF_NOTHING, &world, sizeof(world)), &lpid,
                           sizeof(lpid));
}

int MPIDI_OFI_match_room(void)
{
    const int most = 62; /* a bit is MPICH's; some providers have no highest one */
    uint64_t format = MPIDI_OFI_global.prov_use[0]->ep_attr->mem_tag_format;
    int bits = 0;

    for (; format; format >>= 1)
        bits++;
    return (bits ? MPL_MIN(bits - 1, most) : most) + MPIR_TAG_ERROR_BITS;
}

#if MPIDI_OFI_ENABLE_RUNTIME_CHECKS == MPIDI_OFI_ON
/* Few widths: worlds that divide alike can be connected. The first one takes nothing from the
 * tag; 0: there are too many. */
static int choose_rank_bits(void)
{
    static const int widths[] = {11, 15, 20};

    for (int i = 0; i < (int) (sizeof(widths) / sizeof(widths[0])); i++) {
        if (MPIR_Process.size <= 1 << widths[i])
            return widths[i];
    }
    return 0;
}

/* Gives the sender's rank a place in the match bits, if there is one that nobody has asked for. */
static void make_room_for_rank(void)
{
    const int least_tag = 18;
    MPIDI_OFI_capabilities_t *set = &MPIDI_OFI_global.settings;
    int bits = set->source_bits > 0 || MPIR_CVAR_CH4_OFI_RANK_BITS == 0 ? set->source_bits
                                                                        : choose_rank_bits();
    int room = MPIDI_OFI_match_room() - set->context_bits - bits;

    if (bits > 0 && room >= (MPIR_CVAR_CH4_OFI_TAG_BITS == -1 ? least_tag : set->tag_bits)) {
        set->source_bits = bits;
        set->tag_bits = MPL_MIN(set->tag_bits, room);
    }
}

/* What is left belongs to the context id, so that the bit that is MPICH's has the same place in
 * all jobs. */
static void fill_match_bits(void)
{
    MPIDI_OFI_capabilities_t *set = &MPIDI_OFI_global.settings;

    if (MPIR_CVAR_CH4_OFI_CONTEXT_ID_BITS == -1)
        set->context_bits =
            MPL_MAX(set->context_bits, MPIDI_OFI_match_room() - set->source_bits - set->tag_bits);
}
#else
static void make_room_for_rank(void) {}

static void fill_match_bits(void) {}
#endif

/* But for the number of NICs, about which all have to agree then. */
static bool can_be_lazy(void)
{
    return MPIR_CVAR_CH4_OFI_LAZY_ADDRESSES && MPIDI_global.n_vcis == 1 &&
           MPIDI_CH4_MT_MODEL != MPIDI_CH4_MT_LOCKLESS;
}

static void register_variables(void)
{
    MPIR_Pvar_register(MPI_T_PVAR_CLASS_LEVEL, "ofi_addresses", &inserted.count, NULL, "CH4_OFI",
                       "addresses of peers, and its own, that were inserted at first use");
    MPIR_Pvar_register(MPI_T_PVAR_CLASS_LEVEL, "ofi_address_bytes", &inserted.bytes, NULL,
                       "CH4_OFI", "bytes of addresses that were inserted at first use");
}

void MPIDI_OFI_peers_choose(void)
{
    register_variables();
    choose_ids();
    MPIDIU_process_digest = digest_of;
    lazy = can_be_lazy();
    MPIDI_Settings_nics = lazy ? MPIDI_OFI_global.num_nics : 1;
    lazy = lazy && MPIDI_OFI_global.num_nics == 1;
    if (lazy && MPIDI_OFI_ENABLE_TAGGED) {
        make_room_for_rank();
        lazy = MPIDI_OFI_SOURCE_BITS > 0;
    }
    fill_match_bits();
    MPIDI_Settings_match.context_bits = MPIDI_OFI_CONTEXT_BITS;
    MPIDI_Settings_match.rank_bits = MPIDI_OFI_SOURCE_BITS;
    MPIDI_Settings_match.tag_bits = MPIDI_OFI_TAG_BITS;
}

bool MPIDI_OFI_peers_are_lazy(void) { return lazy; }

/* Some providers allocate for so many with the first. */
size_t MPIDI_OFI_peers_expected(void)
{
    const int few = 64;

    return lazy ? MPL_MIN(MPIR_Process.size, few) : MPIR_Process.size;
}

static int insert(MPIDI_av_entry_t *av, const void *name)
{
    int mpi_errno = MPI_SUCCESS;
    fi_addr_t addr = FI_ADDR_NOTAVAIL;

    MPIDI_OFI_CALL(fi_av_insert(MPIDI_OFI_global.ctx[0].av, name, 1, &addr, 0ULL, NULL), avmap);
    MPIR_ERR_CHKANDJUMP(addr == FI_ADDR_NOTAVAIL, mpi_errno, MPI_ERR_OTHER, "**ofi_no_address");
    inserted.count++;
    inserted.bytes += MPIDI_OFI_global.addrnamelen;
    MPIDI_OFI_SET_ADDR(av, 0, 0, addr);

fn_exit:
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

/* Before there is a world, a process of sessions may put into its own window. */
static int insert_myself(void)
{
    int mpi_errno = MPI_SUCCESS;
    MPIDI_av_entry_t *av = &MPIDIU_get_av(0, MPIR_Process.rank);

    MPIDI_OFI_global.addrnamelen = FI_NAME_MAX;
    MPIDI_OFI_CALL(fi_getname((fid_t) MPIDI_OFI_global.ctx[0].ep, MPIDI_OFI_global.addrname,
                              &MPIDI_OFI_global.addrnamelen),
                   getname);
    if (!MPIDI_OFI_HAS_ADDR(av))
        mpi_errno = insert(av, MPIDI_OFI_global.addrname);

fn_exit:
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

int MPIDI_OFI_peers_init(void)
{
    MPIR_TRY(insert_myself());
    return MPIR_Process.size > 1
               ? MPIDI_Cards_leave(MPIDI_OFI_global.addrname, (int) MPIDI_OFI_global.addrnamelen,
                                   FI_NAME_MAX)
               : MPI_SUCCESS;
}

int MPIDI_OFI_peers_finalize(void)
{
    memset(&inserted, 0, sizeof(inserted));
    return MPIDI_Cards_free();
}

static int find_and_insert(MPIDI_av_entry_t *av, int rank)
{
    int mpi_errno = MPI_SUCCESS;
    const void *name;
    void *buffer = NULL;
    int bytes;

    mpi_errno = MPIDI_Cards_find(rank, &name, &bytes, &buffer);
    MPIR_ERR_CHECK(mpi_errno);
    MPIR_ERR_CHKANDJUMP2(bytes != (int) MPIDI_OFI_global.addrnamelen, mpi_errno, MPI_ERR_OTHER,
                         "**ofi_name", "**ofi_name %d %d", bytes,
                         (int) MPIDI_OFI_global.addrnamelen);
    mpi_errno = insert(av, name);
    MPIR_ERR_CHECK(mpi_errno);

fn_exit:
    MPL_free(buffer);
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

int MPIDI_OFI_peer_insert(MPIDI_av_entry_t *av)
{
    int mpi_errno = MPI_SUCCESS;
    int rank = (int) (av - MPIDI_global.avt_mgr.av_table0->table);

    mpi_errno = rank == MPIR_Process.rank ? insert_myself() : find_and_insert(av, rank);
    MPIR_ERR_CHKANDSTMT2(mpi_errno, mpi_errno, MPI_ERR_OTHER, return mpi_errno, "**card_peer",
                         "**card_peer %d %d", MPIR_Process.rank, rank);

    return mpi_errno;
}

int MPIDI_OFI_peer_reach(MPIDI_av_entry_t *av)
{
    int mpi_errno = MPI_SUCCESS;

    if (likely(MPIDI_OFI_HAS_ADDR(av)))
        return MPI_SUCCESS;
    MPID_THREAD_CS_ENTER(VCI, MPIDI_VCI(0).lock);
    if (!MPIDI_OFI_HAS_ADDR(av))
        mpi_errno = MPIDI_OFI_peer_insert(av);
    MPID_THREAD_CS_EXIT(VCI, MPIDI_VCI(0).lock);
    return mpi_errno;
}

int MPIDI_OFI_peer_failed(MPIDI_av_entry_t *av, int mpi_errno)
{
    ptrdiff_t rank = av - MPIDI_global.avt_mgr.av_table0->table;

    if (MPIR_ERR_GET_CLASS(mpi_errno) == MPIX_ERR_EAGAIN)
        return mpi_errno;
    if (rank >= 0 && rank < MPIR_Process.size)
        MPIR_ERR_SET2(mpi_errno, MPI_ERR_OTHER, "**ofi_peer", "**ofi_peer %d %d", MPIR_Process.rank,
                      (int) rank);
    else
        MPIR_ERR_SET(mpi_errno, MPI_ERR_OTHER, "**ofi_peer");
    return mpi_errno;
}

int MPIDI_OFI_check_ranks(MPIR_Comm *comm)
{
    int mpi_errno = MPI_SUCCESS;
    int ranks = MPL_MAX(comm->local_size, comm->remote_size);

    MPIR_ERR_CHKANDSTMT2(MPIDI_OFI_SOURCE_BITS > 0 && ranks > 1LL << MPIDI_OFI_SOURCE_BITS,
                         mpi_errno, MPI_ERR_OTHER, return mpi_errno, "**ofi_ranks",
                         "**ofi_ranks %d %d", ranks, MPIDI_OFI_SOURCE_BITS);

    return mpi_errno;
}

typedef struct {
    uint64_t world; /* 0: who tells does not know it */
    int64_t rank;
} upid_tail_t;

static int look_name_up(MPIDI_av_entry_t *av, char *name, size_t *bytes)
{
    int mpi_errno = MPIDI_OFI_peer_reach(av);

    MPIR_ERR_CHECK(mpi_errno);
    *bytes = MPIDI_OFI_global.addrnamelen;
    MPIDI_OFI_VCI_CALL(
        fi_av_lookup(MPIDI_OFI_global.ctx[0].av, MPIDI_OFI_ADDR(av, 0, 0), name, bytes), 0,
        avlookup);

fn_exit:
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

int MPIDI_OFI_upid_write(MPIR_Comm *comm, int rank, char *upid, int *bytes)
{
    upid_tail_t tail = {0, 0};
    int avtid, lpid;
    size_t length;

    MPL_COMPILE_TIME_ASSERT(sizeof(tail) == MPIDI_OFI_UPID_TAIL);
    MPIDIU_comm_rank_to_pid(comm, rank, &lpid, &avtid);
    MPIR_TRY(look_name_up(&MPIDIU_get_av(avtid, lpid), upid, &length));
    if (avtid == 0) {
        tail.world = world;
        tail.rank = lpid;
    }
    memcpy(upid + length, &tail, sizeof(tail));
    *bytes = (int) (length + sizeof(tail));

    return MPI_SUCCESS;
}

static int has_name(int rank, const char *name, size_t bytes, bool *has)
{
    char own[FI_NAME_MAX];
    size_t length;
    int mpi_errno = look_name_up(&MPIDIU_get_av(0, rank), own, &length);

    *has = mpi_errno == MPI_SUCCESS && length == bytes && !memcmp(own, name, bytes);
    return mpi_errno;
}

/* A third world tells of it: if it is of this one, only the name says so. */
static int search_world(const char *name, size_t bytes, bool *found, int *rank)
{
    int mpi_errno = MPI_SUCCESS;

    *found = false;
    for (int i = 0; i < MPIR_Process.size && !*found && mpi_errno == MPI_SUCCESS; i++) {
        mpi_errno = has_name(i, name, bytes, found);
        *rank = i;
    }
    return mpi_errno;
}

int MPIDI_OFI_upid_read(const char *upid, int bytes, bool *is_ours, int *rank)
{
    int mpi_errno = MPI_SUCCESS;
    upid_tail_t tail;
    size_t length = bytes - sizeof(tail);

    *is_ours = false;
    memcpy(&tail, upid + length, sizeof(tail));
    if (tail.world == 0) {
        mpi_errno = search_world(upid, length, is_ours, rank);
    } else if (tail.world == world && tail.rank < MPIR_Process.size) {
        *rank = (int) tail.rank;
        mpi_errno = has_name(*rank, upid, length, is_ours);
    }

    return mpi_errno;
}
