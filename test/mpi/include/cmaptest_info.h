/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The info hints of our maps, and what the environment says about the usual ones.
 */
#ifndef CMAPTEST_INFO_H_INCLUDED
#define CMAPTEST_INFO_H_INCLUDED

#include "cmaptest.h"

/* Some hints, NULL for those that are not given. */
typedef struct ct_hints {
    const char *strategy, *alpha, *representation;
} ct_hints;

static inline void ct_add_hint(MPI_Info info, const char *key, const char *value)
{
    if (value)
        MPI_Info_set(info, key, value);
}

static inline MPI_Info ct_make_info(ct_hints hints)
{
    MPI_Info info;

    MPI_Info_create(&info);
    ct_add_hint(info, "cmap_strategy", hints.strategy);
    ct_add_hint(info, "cmap_alpha", hints.alpha);
    ct_add_hint(info, "cmap_representation", hints.representation);
    return info;
}

static inline void ct_set_hints(MPI_Comm comm, ct_hints hints)
{
    MPI_Info info = ct_make_info(hints);

    MPI_Comm_set_info(comm, info);
    MPI_Info_free(&info);
}

/* What MPI_Comm_get_info reports under a key; "" when nothing. */
static inline void ct_get_hint(MPI_Comm comm, const char *key, char value[MPI_MAX_INFO_VAL])
{
    MPI_Info info;
    int flag;

    MPI_Comm_get_info(comm, &info);
    MPI_Info_get(info, key, MPI_MAX_INFO_VAL - 1, value, &flag);
    if (!flag)
        value[0] = '\0';
    MPI_Info_free(&info);
}

static inline void ct_expect_hint(MPI_Comm comm, const char *key, const char *want,
                                  const char *what)
{
    char got[MPI_MAX_INFO_VAL];

    ct_get_hint(comm, key, got);
    CT_CHECK(!strcmp(got, want), "%s: %s is '%s', not '%s'", what, key, got, want);
}

/* Strategy and alpha ("" when it does not count) that must be in force. */
static inline void ct_expect_policy(MPI_Comm comm, const char *strategy, const char *alpha,
                                    const char *what)
{
    ct_expect_hint(comm, "cmap_strategy", strategy, what);
    ct_expect_hint(comm, "cmap_alpha", alpha, what);
}

static inline const char *ct_setting(const char *cvar, const char *usual)
{
    const char *value = getenv(cvar);

    return value && *value ? value : usual;
}

/* What communicators without hints have. */
static inline const char *ct_usual_strategy(void)
{
    return ct_setting("MPIR_CVAR_CMAP_STRATEGY", "hybrid");
}

static inline const char *ct_usual_alpha(void)
{
    return ct_setting("MPIR_CVAR_CMAP_ALPHA", "0.25");
}

static inline int ct_is_forced(void)
{
    return strcmp(ct_setting("MPIR_CVAR_CMAP_REPRESENTATION", "any"), "any") != 0;
}

#endif /* CMAPTEST_INFO_H_INCLUDED */
