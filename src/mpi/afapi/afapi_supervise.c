/* SPDX-License-Identifier: BSD-3-Clause */
/* The process that started a job does none of its work: it waits, so that a process that dies is
 * noticed at once, whatever the others do. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "afapi_impl.h"

void MPIR_Afapi_kill(const int *processes, int n)
{
    for (int p = 0; p < n; p++)
        if (processes[p] > 0)
            kill(processes[p], SIGKILL);
}

static int number_of(pid_t process, const int *processes, int n)
{
    int p = 0;

    while (p < n && processes[p] != process)
        p++;
    return p;
}

/* The job's part of an exit status: that of a shell for a signal. */
static int status_of(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void report(int number, int status)
{
    if (WIFSIGNALED(status))
        MPIR_Afapi_complain("process %d was ended by signal %d (%s); all others are ended", number,
                            WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        MPIR_Afapi_complain("process %d ended with status %d before p_exit; all others are ended",
                            number, WEXITSTATUS(status));
}

/* Only this process waits for them, so that the number of one that is gone is not another's. */
void MPIR_Afapi_supervise(const int *processes, int n, const unsigned char *left)
{
    int running[n], status, result = 0;
    bool failed = false;

    memcpy(running, processes, sizeof running);
    for (int alive = n; alive > 0;) {
        pid_t process = waitpid(-1, &status, 0);
        int number = number_of(process, running, n);

        if (process < 0 && errno != EINTR)
            break;
        if (process < 0 || number == n)
            continue; /* a child that the program had before p_init */
        alive--;
        running[number] = 0;
        if (failed)
            continue;
        if (status_of(status) > result)
            result = status_of(status);
        /* the system orders what a process wrote before the wait for its end */
        failed = WIFSIGNALED(status) || !__atomic_load_n(&left[number], __ATOMIC_RELAXED);
        if (failed) {
            report(number, status);
            MPIR_Afapi_kill(running, n);
            result = result ? result : 1;
        }
    }
    _exit(result);
}
