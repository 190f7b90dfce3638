/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "topo_order.h"
#include "locality.h"
#include "mpir_digest.h"
#include "mpir_world_order.h"

#include <errno.h>
#include <inttypes.h>

/*
=== BEGIN_MPI_T_CVAR_INFO_BLOCK ===

cvars:
    - name        : MPIR_CVAR_WORLD_ORDER
      category    : TOPO
      type        : string
      default     : "given"
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_BASIC
      scope       : MPI_T_SCOPE_ALL_EQ
      description : |-
        The order of MPI_COMM_WORLD. grid:XxYxZ is a grid that the program numbers itself, with the
        last dimension first, as MPI_Cart_create does: neighbours get processes of the same node.
        given is the order of the process manager. Anything else is the name of a file. For each
        rank it has the number of the process that gets it, as the process manager counts.

=== END_MPI_T_CVAR_INFO_BLOCK ===
*/

#define GRID "grid:"
/* A text of the setting that fits the agreement on settings. */
enum { TEXT_ROOM = 32, WHY_ROOM = 200 };

static char text[TEXT_ROOM];
const char *MPIR_World_order_text = text;

static int ndims, dims[LOCALITY_DIMS];
static uint32_t *processes; /* of the file, until the world is made */
static bool has_order;

static void write_text(const char *kind, uint64_t number)
{
    snprintf(text, sizeof(text), "%s %016" PRIx64, kind, number);
}

/* ---- grids ---- */

/* False: these are no dimensions. */
static bool parse_dims(const char *from)
{
    char *end;

    for (ndims = 0; ndims < (int) LOCALITY_DIMS; from = end + 1) {
        long dim = strtol(from, &end, 10);
        if (*from < '0' || *from > '9' || dim < 1 || dim > INT_MAX)
            return false;
        dims[ndims++] = (int) dim;
        if (*end != 'x')
            return *end == '\0';
    }
    return false;
}

static bool take_grid(const char *setting, char *why)
{
    uint64_t cells = 1;

    if (!parse_dims(setting + strlen(GRID))) {
        snprintf(why, WHY_ROOM, "it is no grid of 1 to %d dimensions, such as grid:8x4x2",
                 (int) LOCALITY_DIMS);
        return false;
    }
    for (int d = 0; d < ndims && cells <= INT_MAX; d++)
        cells *= (uint64_t) dims[d];
    if (cells != (uint64_t) MPIR_Process.size) {
        snprintf(why, WHY_ROOM, "the grid has %s%" PRIu64 " cells, and the world has %d processes",
                 cells > INT_MAX ? "at least " : "", cells, MPIR_Process.size);
        return false;
    }
    if (strlen(setting) < sizeof(text))
        strcpy(text, setting);
    else
        write_text("grid", MPIR_Digest_add(0, dims, sizeof(dims)));
    return true;
}

/* ---- files ---- */

/* The next process of a file, which has not come before. */
static bool read_process(FILE *file, int rank, uint32_t *rank_of, char *why)
{
    char word[32], *end;
    long long process;

    if (fscanf(file, "%31s", word) != 1) {
        if (ferror(file))
            snprintf(why, WHY_ROOM, "the file cannot be read (%s)", strerror(errno));
        else
            snprintf(why, WHY_ROOM, "the file has %d processes, and the world has %d", rank,
                     MPIR_Process.size);
        return false;
    }
    errno = 0;
    process = strtoll(word, &end, 10);
    if (*end != '\0' || errno != 0 || process < 0 || process >= MPIR_Process.size) {
        snprintf(why, WHY_ROOM,
                 "rank %d gets '%s' in the file, which is none of the processes 0 "
                 "to %d",
                 rank, word, MPIR_Process.size - 1);
        return false;
    }
    if (rank_of[process] != 0) {
        snprintf(why, WHY_ROOM, "ranks %u and %d get the same process in the file, %lld",
                 rank_of[process] - 1, rank, process);
        return false;
    }
    rank_of[process] = (uint32_t) rank + 1;
    processes[rank] = (uint32_t) process;
    return true;
}

static bool read_processes(FILE *file, uint32_t *rank_of, char *why)
{
    char more;

    for (int rank = 0; rank < MPIR_Process.size; rank++) {
        if (!read_process(file, rank, rank_of, why))
            return false;
    }
    if (fscanf(file, " %c", &more) == 1) {
        snprintf(why, WHY_ROOM, "the file has more than the %d processes of the world",
                 MPIR_Process.size);
        return false;
    }
    return true;
}

static bool read_file(FILE *file, char *why)
{
    size_t n = (size_t) MPIR_Process.size;
    uint32_t *rank_of = MPL_calloc(n, sizeof(*rank_of), MPL_MEM_ADDRESS);
    bool good = false;

    processes = MPL_malloc(n * sizeof(*processes), MPL_MEM_ADDRESS);
    if (rank_of && processes)
        good = read_processes(file, rank_of, why);
    else
        snprintf(why, WHY_ROOM, "no memory for the file");
    if (good)
        write_text("file", MPIR_Digest_add(0, processes, n * sizeof(*processes)));
    MPL_free(rank_of);
    return good;
}

static bool take_file(const char *name, char *why)
{
    FILE *file = fopen(name, "r");
    bool good;

    if (!file) {
        snprintf(why, WHY_ROOM, "the file cannot be opened (%s), and it does not begin with " GRID,
                 strerror(errno));
        return false;
    }
    good = read_file(file, why);
    fclose(file);
    return good;
}

/* ---- the world ---- */

static void forget(void)
{
    MPL_free(processes);
    processes = NULL;
    ndims = 0;
}

static bool is_given(const char *setting)
{
    return !setting || setting[0] == '\0' || strcmp(setting, "given") == 0;
}

int MPIR_World_order_init(void)
{
    const char *setting = MPIR_CVAR_WORLD_ORDER;
    char why[WHY_ROOM] = "";
    int mpi_errno = MPI_SUCCESS;
    bool good;

    text[0] = '\0';
    forget();
    if (is_given(setting) || MPIR_Process.has_parent)
        return MPI_SUCCESS;
    if (MPIR_CVAR_CH4_NUM_VCIS > 1) {
        snprintf(why, WHY_ROOM, "there is no order of the world with MPIR_CVAR_CH4_NUM_VCIS=%d",
                 MPIR_CVAR_CH4_NUM_VCIS);
        good = false;
    } else if (strncmp(setting, GRID, strlen(GRID)) == 0) {
        good = take_grid(setting, why);
    } else {
        good = take_file(setting, why);
    }
    MPIR_ERR_CHKANDJUMP2(!good, mpi_errno, MPI_ERR_OTHER, "**world_order", "**world_order %s %s",
                         setting, why);

fn_exit:
    return mpi_errno;
fn_fail:
    forget();
    goto fn_exit;
}

int MPIR_World_order_apply(MPIR_Comm *world)
{
    uint32_t n = (uint32_t) MPIR_Process.size;
    cmap_t *map = NULL;
    cmap_status status = CMAP_OK;

    if (processes)
        status = MPIR_cmap_from_array(processes, n, n, NULL, &map);
    else if (ndims > 0)
        status = MPIR_Topo_order_cells(world->map, ndims, dims, &map);
    forget();
    if (status != CMAP_OK)
        MPIR_TRY(MPIR_Map_error(status, "order of the world", (int) n));
    has_order = map != NULL;
    if (map) {
        MPIR_cmap_release(world->map);
        world->map = map;
        world->rank = (int) MPIR_cmap_rank(map, (uint32_t) MPIR_Process.rank);
    }

    return MPI_SUCCESS;
}

bool MPIR_World_order_is_given(void) { return !has_order; }
