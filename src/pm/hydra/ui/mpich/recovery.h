/* SPDX-License-Identifier: BSD-3-Clause */

/* The option --enable-recovery, for utils.c, as Open MPI calls it: a rank that dies does not end
 * the job. */
#ifndef RECOVERY_H_INCLUDED
#define RECOVERY_H_INCLUDED

static HYD_status recovery_on(char *arg MPL_UNUSED, char ***argv MPL_UNUSED)
{
    HYD_server_info.user_global.recovery = 1;
    return HYD_SUCCESS;
}

static void recovery_help(void)
{
    printf("\n");
    printf(
        "-enable-recovery: A process that dies does not end the job; the others get errors of\n");
    printf("                  class MPIX_ERR_PROC_FAILED, and can repair their communicators\n");
    printf("                  The variable MPIR_CVAR_FT_TIMEOUT=SECONDS gives up hosts that do\n");
    printf("                  not answer for so long\n\n");
}

static void timeout_from_environment(void)
{
    enum { MOST = 1000000 };
    const char *value = getenv("MPIR_CVAR_FT_TIMEOUT");
    char *end;
    long seconds;

    if (!value || !*value)
        return;
    seconds = strtol(value, &end, 10);
    if (end == value || *end || seconds < 0 || seconds > MOST) {
        fprintf(stderr,
                "mpiexec: MPIR_CVAR_FT_TIMEOUT=%s is not accepted; accepted values: whole numbers "
                "from 0 to %d\n",
                value, MOST);
        exit(EXIT_FAILURE);
    }
    HYD_server_info.user_global.ft_timeout = (int) seconds;
}

/* MPIR_CVAR_ENABLE_FT in the environment of mpiexec means the same. */
static void recovery_from_environment(void)
{
    int wanted = 0;

    if (MPL_env2bool("MPIR_CVAR_ENABLE_FT", &wanted) == 1 && wanted)
        HYD_server_info.user_global.recovery = 1;
    if (HYD_server_info.user_global.recovery) {
        HYD_server_info.user_global.auto_cleanup = 0;
        timeout_from_environment();
    }
}

#define RECOVERY_OPTION \
    { \
        "enable-recovery", recovery_on, recovery_help \
    }

#endif /* RECOVERY_H_INCLUDED */
