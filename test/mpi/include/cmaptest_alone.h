/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A program that is started without the process manager: a job of one process.
 */
#ifndef CMAPTEST_ALONE_H_INCLUDED
#define CMAPTEST_ALONE_H_INCLUDED

#include "cmaptest.h"
#include <errno.h>
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

/* The environment without the process manager's variables, and with name=value unless name is
 * NULL, for which `setting` is memory. */
static inline char **ct_environment_alone(const char *name, const char *value, char *setting,
                                          int room)
{
    int n = 0, kept = 0;
    char **new;

    while (environ[n])
        n++;
    new = ct_alloc(n + 2, sizeof(char *));
    for (int k = 0; k < n; k++) {
        int is_same = name && !strncmp(environ[k], name, strlen(name));

        if (strncmp(environ[k], "PMI", 3) && !is_same)
            new[kept++] = environ[k];
    }
    if (name) {
        snprintf(setting, room, "%s=%s", name, value);
        new[kept++] = setting;
    }
    return new;
}

/* args begins with the program.  Returns its process, or -1. */
static inline pid_t ct_start_alone(char *const args[], const char *name, const char *value)
{
    char setting[200];
    char **environment = ct_environment_alone(name, value, setting, sizeof(setting));
    pid_t process;
    int error = posix_spawn(&process, args[0], NULL, NULL, args, environment);

    CT_CHECK(error == 0, "%s: %s", args[0], strerror(error));
    free(environment);
    return error ? -1 : process;
}

static inline void ct_wait_alone(pid_t process, const char *what)
{
    int status = -1;

    while (waitpid(process, &status, 0) < 0 && errno == EINTR)
        ;
    CT_CHECK(status == 0, "%s ended with %d", what, status);
}

#endif /* CMAPTEST_ALONE_H_INCLUDED */
