/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * PMIx_Spawn adds to the arguments and the environment of each application, and allocates them
 * again for that.  So they come from malloc, which MPL may forbid: this file does not include it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "mpir_pmix.h"
#include "mpir_pmix_lib.h"

static void free_words(char **words)
{
    for (int i = 0; words && words[i]; i++)
        free(words[i]);
    free(words);
}

/* MPI's arguments begin after the name of the program. */
static char **with_command(const char *command, const char **argv)
{
    char **words;
    int n = 0;

    while (argv && argv[n])
        n++;
    words = calloc(n + 2, sizeof(char *));
    for (int i = 0; words && i <= n; i++) {
        words[i] = strdup(i == 0 ? command : argv[i - 1]);
        if (!words[i])
            n = -1;
    }
    if (n < 0) {
        free_words(words);
        words = NULL;
    }
    return words;
}

static char **environment(int n, const PMI_keyval_t pairs[])
{
    char **lines = calloc(n + 2, sizeof(char *));
    bool is_whole = lines;

    for (int i = 0; is_whole && i < n; i++) {
        size_t bytes = sizeof(MPIR_PMIX_PREPUT) + strlen(pairs[i].key) + strlen(pairs[i].val) + 1;

        lines[i] = malloc(bytes);
        is_whole = lines[i];
        if (is_whole)
            snprintf(lines[i], bytes, MPIR_PMIX_PREPUT "%s=%s", pairs[i].key, pairs[i].val);
    }
    if (is_whole)
        lines[n] = strdup(MPIR_PMIX_SPAWNED "=1");
    if (is_whole && lines[n])
        return lines;
    free_words(lines);
    return NULL;
}

static void add_info(MPIR_Pmix_app_t *app, const char *key, const char *string)
{
    MPIR_Pmix_fill(&app->info[app->ninfo++], key, string);
}

/* PMIx 5 looks for the end of an array of no infos, unless there is no array. */
static bool add_infos(MPIR_Pmix_app_t *app, const PMI_keyval_t infos[], int n)
{
    app->info = n ? malloc(n * sizeof(*app->info)) : NULL;
    for (int i = 0; app->info && i < n; i++) {
        if (strcmp(infos[i].key, "host") == 0)
            add_info(app, "pmix.host", infos[i].val);
        else if (strcmp(infos[i].key, "wdir") == 0)
            add_info(app, "pmix.wdir", infos[i].val);
    }
    if (n && !app->info)
        return false;
    if (app->ninfo == 0) {
        free(app->info);
        app->info = NULL;
    }
    return true;
}

static bool app_prepare(MPIR_Pmix_app_t *app, const char *command, const char **argv,
                        const PMI_keyval_t infos[], int n)
{
    app->cmd = strdup(command);
    app->argv = with_command(command, argv);
    return app->cmd && app->argv && add_infos(app, infos, n);
}

static void free_app(MPIR_Pmix_app_t *app)
{
    free(app->cmd);
    free_words(app->argv);
    free_words(app->env);
    free(app->info);
}

int MPIR_Pmix_Spawn_multiple(int count, const char *commands[], const char **argvs[],
                             const int maxprocs[], const int info_sizes[],
                             const PMI_keyval_t *infos[], int preput_size,
                             const PMI_keyval_t preput[], int errors[])
{
    MPIR_Pmix_app_t *apps = calloc(count, sizeof(*apps));
    char nspace[PMIX_NSPACE_ROOM];
    int processes = 0, result;
    bool is_ready = apps;

    for (int i = 0; i < count; i++)
        processes += maxprocs[i];
    for (int i = 0; is_ready && i < count; i++) {
        apps[i].maxprocs = maxprocs[i];
        apps[i].env = environment(preput_size, preput);
        is_ready =
            app_prepare(&apps[i], commands[i], argvs ? argvs[i] : NULL, infos[i], info_sizes[i]) &&
            apps[i].env;
    }
    result =
        is_ready && MPIR_Pmix_lib.Spawn(NULL, 0, apps, count, nspace) == 0 ? PMI_SUCCESS : PMI_FAIL;
    for (int i = 0; i < processes; i++)
        errors[i] = result;
    for (int i = 0; apps && i < count; i++)
        free_app(&apps[i]);
    free(apps);
    return result;
}
