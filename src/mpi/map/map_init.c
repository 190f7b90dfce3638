/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include <stddef.h>
#include "mpir_tvars.h"

/*
=== BEGIN_MPI_T_CVAR_INFO_BLOCK ===

categories :
    - name        : CMAP
      description : cvars that control the compressed maps of groups and communicators

cvars:
    - name        : MPIR_CVAR_CMAP_STRATEGY
      category    : CMAP
      type        : string
      default     : "hybrid"
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_BASIC
      scope       : MPI_T_SCOPE_LOCAL
      description : >-
        How the representation of a map is chosen:
        hybrid - least weighted sum of the logarithms of lookup time and bytes (see MPIR_CVAR_CMAP_ALPHA)
        time   - fastest lookup
        space  - fewest bytes

    - name        : MPIR_CVAR_CMAP_ALPHA
      category    : CMAP
      type        : double
      default     : 0.25
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_DETAIL
      scope       : MPI_T_SCOPE_LOCAL
      description : >-
        Weight of lookup time, from 0 to 1, under MPIR_CVAR_CMAP_STRATEGY=hybrid.
        0 looks at bytes only, 1 at time only.

    - name        : MPIR_CVAR_CMAP_REPRESENTATION
      category    : CMAP
      type        : string
      default     : "any"
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_DETAIL
      scope       : MPI_T_SCOPE_LOCAL
      description : >-
        Use this representation for every map that it can hold: affine, packed, array, runs, bitmap, pperm, concat,
        gap, eliasfano, bdd, bwt, wtr or sub. A library configured --without-buddy has no bdd, and
        one --without-bzip2 no bwt.
        any - let the strategy choose

    - name        : MPIR_CVAR_CMAP_TIMES
      category    : CMAP
      type        : string
      default     : "none"
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_DETAIL
      scope       : MPI_T_SCOPE_LOCAL
      description : >-
        A file with the times of this machine's lookups, which cmap-calibrate has written; the
        strategies hybrid and time compare representations by them. With none they take the times of
        the machine on which the library was made.

    - name        : MPIR_CVAR_CMAP_REPORT
      category    : CMAP
      type        : string
      default     : "0"
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_BASIC
      scope       : MPI_T_SCOPE_READONLY
      description : >-
        What rank 0 of the world tells at finalize of the maps that its communicators and groups used:
        0         - nothing
        1         - a table, on standard error
        FILE.json - more than the table, written into this file, which cmap-report makes a page of

=== END_MPI_T_CVAR_INFO_BLOCK ===
*/

/* "a, b or c" */
static void list_names(char *text, size_t room, const char *const *names, int n)
{
    size_t used = 0;

    text[0] = '\0';
    for (int i = 0; i < n && used < room; i++) {
        const char *separator = (i == 0) ? "" : (i == n - 1) ? " or " : ", ";
        used += snprintf(text + used, room - used, "%s%s", separator, names[i]);
    }
}

static int read_strategy(cmap_policy *policy)
{
    const char *value = MPIR_CVAR_CMAP_STRATEGY;
    const char *names[CMAP_STRATEGY_SPACE + 1];
    char accepted[128];

    if (!value || MPIR_cmap_strategy_from_name(value, &policy->strategy) == CMAP_OK)
        return MPI_SUCCESS;
    for (int i = 0; i <= CMAP_STRATEGY_SPACE; i++)
        names[i] = MPIR_cmap_strategy_name((cmap_strategy) i);
    list_names(accepted, sizeof(accepted), names, CMAP_STRATEGY_SPACE + 1);
    return MPIR_Cvar_wrong_value("MPIR_CVAR_CMAP_STRATEGY", value, accepted);
}

static bool may_force(cmap_rep rep) { return rep == CMAP_REP_ANY || MPIR_cmap_rep_available(rep); }

static int read_representation(cmap_policy *policy)
{
    const char *value = MPIR_CVAR_CMAP_REPRESENTATION;
    const char *names[CMAP_REP_ANY + 1];
    bool known;
    char accepted[256];
    int n = 0;

    if (!value)
        return MPI_SUCCESS;
    known = (MPIR_cmap_rep_from_name(value, &policy->force) == CMAP_OK);
    if (known && may_force(policy->force))
        return MPI_SUCCESS;
    for (int rep = 0; rep <= CMAP_REP_ANY; rep++) {
        if (may_force((cmap_rep) rep))
            names[n++] = MPIR_cmap_rep_name((cmap_rep) rep);
    }
    list_names(accepted, sizeof(accepted), names, n);
    if (known) {
        size_t used = strlen(accepted);
        snprintf(accepted + used, sizeof(accepted) - used, "; this library has no %s (configure)",
                 value);
    }
    return MPIR_Cvar_wrong_value("MPIR_CVAR_CMAP_REPRESENTATION", value, accepted);
}

static int read_alpha(cmap_policy *policy)
{
    char value[32];

    policy->alpha = MPIR_CVAR_CMAP_ALPHA;
    if (policy->alpha >= 0.0 && policy->alpha <= 1.0)
        return MPI_SUCCESS;
    snprintf(value, sizeof(value), "%g", policy->alpha);
    return MPIR_Cvar_wrong_value("MPIR_CVAR_CMAP_ALPHA", value, "numbers from 0 to 1");
}

static int read_times(void)
{
    const char *path = MPIR_CVAR_CMAP_TIMES;
    char why[160], accepted[256];

    if (!path || strcmp(path, "none") == 0 ||
        MPIR_cmap_times_read(path, why, sizeof(why)) == CMAP_OK)
        return MPI_SUCCESS;
    snprintf(accepted, sizeof(accepted), "none, or a file of cmap-calibrate (this file: %s)", why);
    return MPIR_Cvar_wrong_value("MPIR_CVAR_CMAP_TIMES", path, accepted);
}

/* A variable's address is its entry: the offset of a uint64_t in cmap_totals. */
static size_t total_offsets[3 + CMAP_REP_COUNT];

static void read_total(void *address, void *obj_handle MPL_UNUSED, int count MPL_UNUSED,
                       void *buffer)
{
    cmap_totals totals;
    unsigned long long *value = buffer;

    MPIR_cmap_get_totals(&totals);
    *value = *(const uint64_t *) ((const char *) &totals + *(const size_t *) address);
}

static void register_total(int i, size_t offset, int class, const char *name, const char *text)
{
    total_offsets[i] = offset;
    MPIR_Pvar_register(class, name, &total_offsets[i], read_total, "CMAP", text);
}

static void register_totals(void)
{
    static char names[CMAP_REP_COUNT][32]; /* MPI_T keeps their addresses */

    register_total(0, offsetof(cmap_totals, maps), MPI_T_PVAR_CLASS_LEVEL, "cmap_maps",
                   "compressed maps alive");
    register_total(1, offsetof(cmap_totals, bytes), MPI_T_PVAR_CLASS_LEVEL, "cmap_bytes",
                   "bytes of the compressed maps alive");
    register_total(2, offsetof(cmap_totals, array_bytes), MPI_T_PVAR_CLASS_LEVEL,
                   "cmap_array_bytes",
                   "bytes that plain arrays in place of the compressed maps alive would take");
    for (int rep = 0; rep < CMAP_REP_COUNT; rep++) {
        snprintf(names[rep], sizeof(names[rep]), "cmap_builds_%s",
                 MPIR_cmap_rep_name((cmap_rep) rep));
        register_total(3 + rep, offsetof(cmap_totals, builds) + rep * sizeof(uint64_t),
                       MPI_T_PVAR_CLASS_COUNTER, names[rep], "maps built in this representation");
    }
}

int MPIR_Map_init(void)
{
    cmap_policy policy = {
        .strategy = CMAP_STRATEGY_HYBRID, .alpha = CMAP_ALPHA_DEFAULT, .force = CMAP_REP_ANY};

    MPIR_TRY(read_strategy(&policy));
    MPIR_TRY(read_alpha(&policy));
    MPIR_TRY(read_representation(&policy));
    MPIR_TRY(read_times());

    MPIR_cmap_policy_set_default(&policy);
    register_totals();
    MPIR_TRY(MPIR_Map_node_init());
    return MPIR_Map_report_init();
}

static int error_class_of(cmap_status status)
{
    switch (status) {
        case CMAP_ERR_RANGE:
        case CMAP_ERR_DUPLICATE: return MPI_ERR_RANK;
        case CMAP_ERR_ARG: return MPI_ERR_ARG;
        case CMAP_ERR_NOMEM: return MPI_ERR_NO_MEM;
        default: return MPI_ERR_INTERN;
    }
}

int MPIR_Map_error(cmap_status status, const char *operation, int size)
{
    int errclass = error_class_of(status);

    return MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, operation, __LINE__, errclass,
                                "**cmap", "**cmap %s %d %s", operation, size,
                                MPIR_cmap_strerror(status));
}

int MPIR_Map_own_rank(const cmap_t *map)
{
    uint32_t self = (uint32_t) MPIR_Process.rank;
    cmap_rep rep = MPIR_cmap_representation(map);

    if (MPIR_cmap_is_set(map) || rep == CMAP_REP_AFFINE || rep == CMAP_REP_RUNS) {
        uint32_t rank = MPIR_cmap_rank(map, self);
        return (rank == CMAP_NONE) ? MPI_UNDEFINED : (int) rank;
    }

    if (MPIR_cmap_size(map) == 0 || self < MPIR_cmap_min(map) || self > MPIR_cmap_max(map))
        return MPI_UNDEFINED;

    uint32_t block[256];
    cmap_iter iter;
    MPIR_cmap_iter_init(&iter, map);
    for (uint32_t done = 0, n; (n = MPIR_cmap_iter_next(&iter, block, 256)) > 0; done += n) {
        for (uint32_t i = 0; i < n; i++) {
            if (block[i] == self)
                return (int) (done + i);
        }
    }
    return MPI_UNDEFINED;
}
