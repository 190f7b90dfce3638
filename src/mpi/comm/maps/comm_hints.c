/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_info.h"
#include "old_maps.h"

/* Info hints: a communicator whose map is held under another policy than the rest.  What is in
 * force is read from the map itself, so that there is nothing to keep, and duplicates, which
 * share the map, inherit it. */

#define KEY_STRATEGY "cmap_strategy"
#define KEY_ALPHA "cmap_alpha"
#define KEY_REPRESENTATION "cmap_representation" /* read only */

static const char *value_of(MPIR_Info *info, const char *key)
{
    const char *value = NULL;
    MPIR_Info *entry;

    LL_FOREACH(info, entry)
    {
        if (entry->key && !strcmp(entry->key, key))
            value = entry->value;
    }
    return value;
}

static bool read_alpha(const char *value, double *alpha)
{
    char *end;
    double given = strtod(value, &end);

    if (end == value || *end != '\0' || !(given >= 0.0 && given <= 1.0))
        return false;
    *alpha = given;
    return true;
}

/* Changes `policy` as the hints want it; false when there is none, or none that is valid. */
static bool read_hints(MPIR_Info *info, cmap_policy *policy)
{
    const char *strategy = value_of(info, KEY_STRATEGY), *alpha = value_of(info, KEY_ALPHA);
    cmap_policy usual;
    bool found = false;

    MPIR_cmap_policy_default(&usual);
    if (policy->strategy != CMAP_STRATEGY_HYBRID)
        policy->alpha = usual.alpha;
    if (strategy && MPIR_cmap_strategy_from_name(strategy, &policy->strategy) == CMAP_OK)
        found = true;
    if (alpha && policy->strategy == CMAP_STRATEGY_HYBRID && read_alpha(alpha, &policy->alpha))
        found = true;
    return found;
}

static bool is_kept(const struct MPIR_Map_link *link, const cmap_t *map)
{
    while (link && link->map != map)
        link = link->next;
    return link != NULL;
}

/* Puts `map` in the slot.  Once there are threads the map that was there stays until the
 * communicator goes: a sender may be inside a lookup of it. */
static void replace(MPIR_Comm *comm, cmap_t **slot, cmap_t *map)
{
    struct MPIR_Map_link *link = NULL;
    const cmap_t *old = *slot;
    bool keep = MPIR_IS_THREADED && old != map && !is_kept(comm->old_maps, old);

    if (keep) {
        link = MPL_malloc(sizeof(*link), MPL_MEM_ADDRESS);
        if (!link) { /* then the hint is not honoured */
            MPIR_cmap_release(map);
            return;
        }
        link->map = old;
        link->next = comm->old_maps;
        comm->old_maps = link;
    }
    MPIR_Map_store(slot, map);
    if (!keep)
        MPIR_cmap_release(old);
}

/* The group that the communicator hands out was made from the map before.  With threads it stays:
 * one of them may be taking a reference to it. */
static void renew_group(MPIR_Group **group, const cmap_t *map)
{
    MPIR_Group *renewed = NULL;

    if (!*group || MPIR_IS_THREADED || (*group)->map == map)
        return;
    if (MPIR_Group_create_from_map(MPIR_cmap_addref(map), (*group)->rank, &renewed) != MPI_SUCCESS)
        return;
    MPIR_Group_release(*group);
    *group = renewed;
}

/* Both sides of an intercommunicator, or none. */
static void represent(MPIR_Comm *comm, const cmap_policy *policy)
{
    cmap_t *map = NULL, *local_map = NULL;

    if (MPIR_cmap_with_policy(comm->map, policy, &map) != CMAP_OK)
        return;
    if (comm->local_map && MPIR_cmap_with_policy(comm->local_map, policy, &local_map) != CMAP_OK) {
        MPIR_cmap_release(map);
        return;
    }
    replace(comm, &comm->map, map);
    if (local_map)
        replace(comm, &comm->local_map, local_map);
    renew_group(&comm->local_group, MPIR_Comm_map(comm, MPIR_MAP_LOCAL));
    renew_group(&comm->remote_group, comm->map);
    if (comm->comm_kind == MPIR_COMM_KIND__INTERCOMM && comm->local_comm)
        represent(comm->local_comm, policy);
}

void MPIR_Comm_map_set_hints(MPIR_Comm *comm, MPIR_Info *info)
{
    cmap_policy policy;

    /* a split with info and MPI_UNDEFINED has made no communicator */
    if (!comm || !comm->map)
        return;
    MPIR_cmap_policy_of(comm->map, &policy);
    if (read_hints(info, &policy))
        represent(comm, &policy);
}

int MPIR_Comm_map_get_hints(const MPIR_Comm *comm, MPIR_Info *info)
{
    const cmap_t *map = MPIR_Map_load(&comm->map);
    cmap_policy policy;
    char alpha[32];

    MPIR_cmap_policy_of(map, &policy);
    MPIR_TRY(MPIR_Info_set_impl(info, KEY_STRATEGY, MPIR_cmap_strategy_name(policy.strategy)));
    if (policy.strategy == CMAP_STRATEGY_HYBRID) {
        snprintf(alpha, sizeof(alpha), "%.15g", policy.alpha);
        MPIR_TRY(MPIR_Info_set_impl(info, KEY_ALPHA, alpha));
    }
    return MPIR_Info_set_impl(info, KEY_REPRESENTATION,
                              MPIR_cmap_rep_name(MPIR_cmap_representation(map)));
}
