/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Performance variables by name, and choices of control variables.  An MPI without our variables
 * is no error: ct_pvar_find() says so and the test leaves the part out.
 */
#ifndef CMAPTEST_MPIT_H_INCLUDED
#define CMAPTEST_MPIT_H_INCLUDED

#include "cmaptest.h"

typedef struct ct_pvar {
    int class_;
    MPI_Datatype type;
    MPI_T_pvar_handle handle;
} ct_pvar;

static MPI_T_pvar_session ct_pvar_session;

static inline void ct_mpit_begin(void)
{
    int provided;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(&ct_pvar_session);
}

static inline void ct_mpit_end(void)
{
    MPI_T_pvar_session_free(&ct_pvar_session);
    MPI_T_finalize();
}

/* Whether there is such a variable; opens a handle if so. */
static inline int ct_pvar_find(const char *name, ct_pvar *var)
{
    int n, verbosity, class_, binding, readonly, continuous, atomic, count;
    MPI_Datatype type;
    MPI_T_enum values;

    MPI_T_pvar_get_num(&n);
    for (int i = 0; i < n; i++) {
        char found[256];
        int room = sizeof(found);
        MPI_T_pvar_get_info(i, found, &room, &verbosity, &class_, &type, &values, NULL, NULL,
                            &binding, &readonly, &continuous, &atomic);
        if (strcmp(found, name))
            continue;
        var->class_ = class_;
        var->type = type;
        MPI_T_pvar_handle_alloc(ct_pvar_session, i, NULL, &var->handle, &count);
        if (!continuous)
            MPI_T_pvar_start(ct_pvar_session, var->handle);
        return 1;
    }
    return 0;
}

/* Is this the OFI module?  Messages inside a node go by shared memory then. REQUIRES: no session
 * is open. */
static inline int ct_is_over_ofi(void)
{
    ct_pvar addresses;
    int found;

    ct_mpit_begin();
    found = ct_pvar_find("ofi_addresses", &addresses);
    if (found)
        MPI_T_pvar_handle_free(ct_pvar_session, &addresses.handle);
    ct_mpit_end();
    return found;
}

/* Names of the variables that begin with `prefix`, as many as there is room for; how many. */
static inline int ct_pvar_names(const char *prefix, char names[][64], int room)
{
    int n, found = 0, ignored, class_;
    MPI_Datatype type;
    MPI_T_enum values;

    MPI_T_pvar_get_num(&n);
    for (int i = 0; i < n && found < room; i++) {
        int length = 64;
        MPI_T_pvar_get_info(i, names[found], &length, &ignored, &class_, &type, &values, NULL, NULL,
                            &ignored, &ignored, &ignored, &ignored);
        if (!strncmp(names[found], prefix, strlen(prefix)))
            found++;
    }
    return found;
}

static inline void ct_pvar_close(ct_pvar *var)
{
    MPI_T_pvar_handle_free(ct_pvar_session, &var->handle);
}

static inline long long ct_pvar_read(ct_pvar *var)
{
    union {
        int i;
        unsigned u;
        unsigned long ul;
        unsigned long long ull;
        double d;
    } value = {0};
    int result = MPI_T_pvar_read(ct_pvar_session, var->handle, &value);

    CT_CHECK(result == MPI_SUCCESS, "reading a performance variable gives %d", result);
    if (var->type == MPI_UNSIGNED_LONG_LONG)
        return (long long) value.ull;
    if (var->type == MPI_UNSIGNED_LONG)
        return (long long) value.ul;
    if (var->type == MPI_UNSIGNED)
        return value.u;
    return var->type == MPI_DOUBLE ? (long long) value.d : value.i;
}

/* ---- control variables of choices ---- */

/* The values of one: its description has a line for each, "name - what it does". */
static inline int ct_cvar_values(const char *description)
{
    int n = 0;

    while ((description = strstr(description, " - ")) != NULL) {
        description += 3;
        n++;
    }
    return n;
}

static inline void ct_cvar_set(int variable, int value)
{
    MPI_T_cvar_handle handle;
    int count;

    MPI_T_cvar_handle_alloc(variable, NULL, &handle, &count);
    MPI_T_cvar_write(handle, &value);
    MPI_T_cvar_handle_free(&handle);
}

#endif /* CMAPTEST_MPIT_H_INCLUDED */
