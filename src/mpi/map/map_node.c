/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include <stddef.h>
#include "mpir_tvars.h"
#include "onecopy.h"

/*
=== BEGIN_MPI_T_CVAR_INFO_BLOCK ===

cvars:
    - name        : MPIR_CVAR_CMAP_SHARED
      category    : CMAP
      type        : string
      default     : "auto"
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_BASIC
      scope       : MPI_T_SCOPE_LOCAL
      description : >-
        Where the payloads of large maps lie:
        auto  - once in shared memory, if several processes of a node have the same
        never - in the memory of each process

    - name        : MPIR_CVAR_CMAP_SHARED_BYTES
      category    : CMAP
      type        : int
      default     : 65536
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_DETAIL
      scope       : MPI_T_SCOPE_LOCAL
      description : >-
        The least bytes of a payload, or of the inverse that a lookup adds, which
        MPIR_CVAR_CMAP_SHARED puts into shared memory.

=== END_MPI_T_CVAR_INFO_BLOCK ===
*/

static bool is_on;

/* A variable's address is its entry. */
static const struct figure {
    const char *name, *text;
    size_t offset; /* of a uint64_t in onecopy_figures_t */
    bool counts;   /* since MPI_Init; else a level */
} figures[] = {
    {"cmap_shared_bytes", "bytes of maps that lie in shared memory of the node",
     offsetof(onecopy_figures_t, bytes), false},
    {"cmap_shared_blocks", "payloads and inverses of maps that lie there",
     offsetof(onecopy_figures_t, blocks), false},
    {"cmap_shared_made", "large payloads and inverses that this process has put there",
     offsetof(onecopy_figures_t, made), true},
    {"cmap_shared_found", "large payloads and inverses that another process had put there",
     offsetof(onecopy_figures_t, found), true},
    {"cmap_shared_refused", "large payloads and inverses that stayed private",
     offsetof(onecopy_figures_t, refused), true},
};

static void read_figure(void *address, void *obj_handle MPL_UNUSED, int count MPL_UNUSED,
                        void *buffer)
{
    onecopy_figures_t now;
    unsigned long long *value = buffer;

    MPIR_onecopy_get_figures(&now);
    *value = *(const uint64_t *) ((const char *) &now + ((const struct figure *) address)->offset);
}

static void register_figures(void)
{
    for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
        MPIR_Pvar_register(figures[i].counts ? MPI_T_PVAR_CLASS_COUNTER : MPI_T_PVAR_CLASS_LEVEL,
                           figures[i].name, (void *) &figures[i], read_figure, "CMAP",
                           figures[i].text);
}

int MPIR_Map_node_init(void)
{
    const char *value = MPIR_CVAR_CMAP_SHARED ? MPIR_CVAR_CMAP_SHARED : "auto";
    int mpi_errno = MPI_SUCCESS;

    register_figures();
    is_on = strcmp(value, "auto") == 0;
    if (!is_on && strcmp(value, "never") != 0)
        mpi_errno = MPIR_Cvar_wrong_value("MPIR_CVAR_CMAP_SHARED", value, "auto or never");
    else if (MPIR_CVAR_CMAP_SHARED_BYTES < 1)
        mpi_errno = MPIR_Cvar_wrong_number("MPIR_CVAR_CMAP_SHARED_BYTES",
                                           MPIR_CVAR_CMAP_SHARED_BYTES, "1 to 2147483647");
    return mpi_errno;
}

void MPIR_Map_meet(void *board)
{
    const cmap_node_memory memory = {.least = (size_t) MPIR_CVAR_CMAP_SHARED_BYTES,
                                     .keep = MPIR_onecopy_keep,
                                     .drop = MPIR_onecopy_drop};

    unsigned processes = (unsigned) MPIR_Process.local_size;

    if (is_on && board && MPIR_Others->count(MPIR_Process.local_size) > 1 &&
        MPIR_onecopy_start(board, processes, (unsigned) MPIR_Process.local_rank))
        MPIR_cmap_set_node_memory(&memory);
}

void MPIR_Map_part(void)
{
    MPIR_cmap_set_node_memory(NULL);
    MPIR_onecopy_stop();
}
