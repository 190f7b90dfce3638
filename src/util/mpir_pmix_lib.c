/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_pmix_lib.h"
#include <dlfcn.h>

MPIR_Pmix_lib_t MPIR_Pmix_lib;
MPIR_Pmix_proc_t MPIR_Pmix_self;

static const struct {
    const char *name;
    size_t place;
} functions[] = {
#define FUNCTION(name_) \
    { \
        "PMIx_" #name_, offsetof(MPIR_Pmix_lib_t, name_) \
    }
    FUNCTION(Init),     FUNCTION(Finalize),    FUNCTION(Abort), FUNCTION(Put),
    FUNCTION(Commit),   FUNCTION(Fence),       FUNCTION(Get),   FUNCTION(Publish),
    FUNCTION(Lookup),   FUNCTION(Unpublish),   FUNCTION(Spawn), FUNCTION(Register_event_handler),
    FUNCTION(Fence_nb), FUNCTION(Error_string)};

bool MPIR_Pmix_load(const char **reason)
{
    void *library = dlopen("libpmix.so.2", RTLD_NOW | RTLD_LOCAL);

    for (size_t i = 0; library && i < sizeof(functions) / sizeof(functions[0]); i++) {
        void *function = dlsym(library, functions[i].name);

        if (!function) {
            *reason = dlerror();
            return false;
        }
        memcpy((char *) &MPIR_Pmix_lib + functions[i].place, &function, sizeof(function));
    }
    if (!library)
        *reason = dlerror();
    return library;
}

/* NULL: there is none. */
static MPIR_Pmix_value_t *get(uint32_t rank, const char *key, const MPIR_Pmix_info_t infos[],
                              size_t n)
{
    MPIR_Pmix_proc_t owner = MPIR_Pmix_self;
    MPIR_Pmix_value_t *value = NULL;

    owner.rank = rank;
    return MPIR_Pmix_lib.Get(&owner, key, infos, n, &value) ? NULL : value;
}

/* What the launcher has told each process about the job: without asking it, since the server of
 * Open MPI 4 does not answer when another host's has the value. */
static MPIR_Pmix_value_t *about_job(uint32_t rank, const char *key)
{
    MPIR_Pmix_info_t here = {.key = "pmix.optional", .value = {.type = PMIX_IS_BOOL}};

    here.value.data.flag = true;
    return get(rank, key, &here, 1);
}

/* libpmix allocates values, and what they point to. */
static char *string_of(MPIR_Pmix_value_t *value)
{
    char *string = value && value->type == PMIX_IS_STRING ? value->data.string : NULL;

    MPL_external_free(value);
    return string;
}

char *MPIR_Pmix_string(uint32_t rank, const char *key) { return string_of(about_job(rank, key)); }

char *MPIR_Pmix_published(uint32_t rank, const char *key)
{
    return string_of(get(rank, key, NULL, 0));
}

/* Managers use other types than the standard says, too. */
bool MPIR_Pmix_number(uint32_t rank, const char *key, uint32_t *number)
{
    MPIR_Pmix_value_t *value = about_job(rank, key);
    bool is_number = true;

    switch (value ? value->type : 0) {
        case PMIX_IS_UINT16: *number = value->data.uint16; break;
        case PMIX_IS_SIZE: *number = (uint32_t) value->data.size; break;
        case PMIX_IS_INT:
        case PMIX_IS_INT32:
        case PMIX_IS_UINT:
        case PMIX_IS_UINT32:
        case PMIX_IS_RANK: *number = value->data.uint32; break;
        default: is_number = false;
    }
    MPL_external_free(value);
    return is_number;
}

void MPIR_Pmix_fill(MPIR_Pmix_info_t *info, const char *key, const char *string)
{
    memset(info, 0, sizeof(*info));
    MPL_strncpy(info->key, key, sizeof(info->key));
    info->value.type = PMIX_IS_STRING;
    info->value.data.string = (char *) string;
}
