/* SPDX-License-Identifier: BSD-3-Clause */

#include "hydra.h"
#include "pmip.h"
#include "demux.h"
#include "absent.h"
#include "left_files.h"
#include "parent.h"
#include "../../../../mpid/ch4/src/port/wire.h"
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

enum {
    STATUS_TRIES = 40,
    STATUS_EVERY = 5000 /* microseconds */
};

static bool is_over; /* no process of this proxy can get through MPI_Init */
static bool goes_on; /* the parent waits for no process */

bool (*HYD_pmcd_pmip_need_each_other)(void);
void (*HYD_pmcd_pmip_died)(int i);

/* The program of a process, which is number i here. */
static const struct HYD_exec *exec_of(int i)
{
    const struct HYD_exec *exec = HYD_pmcd_pmip.exec_list;

    while (exec && exec->next && i >= exec->proc_count) {
        i -= exec->proc_count;
        exec = exec->next;
    }
    return exec;
}

static const char *parent_port(const struct HYD_exec *exec)
{
    for (const struct HYD_env *env = exec ? exec->user_env : NULL; env; env = env->next) {
        if (strcmp(env->env_name, "MPICH_PARENT_PORT") == 0)
            return env->env_value;
    }
    return NULL;
}

static void describe_status(int status, char *text, size_t room)
{
    if (WIFSIGNALED(status))
        snprintf(text, room, "signal %d", WTERMSIG(status));
    else
        snprintf(text, room, "exit status %d", WEXITSTATUS(status));
}

/* The proxy has its status, or gets it after this. */
static void describe_end(int i, char *text, size_t room)
{
    siginfo_t info = {.si_pid = 0};

    for (int k = 0; k < STATUS_TRIES && info.si_pid == 0; k++) {
        if (waitid(P_PID, (id_t) HYD_pmcd_pmip.downstream.pid[i], &info,
                   WEXITED | WNOWAIT | WNOHANG) != 0)
            break;
        if (info.si_pid == 0)
            usleep(STATUS_EVERY);
    }
    if (info.si_pid != 0 && info.si_code == CLD_EXITED)
        snprintf(text, room, "exit status %d", info.si_status);
    else if (info.si_pid != 0)
        snprintf(text, room, "signal %d", info.si_status);
    else if (HYD_pmcd_pmip.downstream.exit_status[i] != -1)
        describe_status(HYD_pmcd_pmip.downstream.exit_status[i], text, room);
    else
        snprintf(text, room, "it has closed its connection to the process manager");
}

static bool tell_mpiexec(enum HYD_pmcd_cmd what)
{
    struct HYD_pmcd_hdr hdr;
    int sent, closed;

    HYD_pmcd_init_header(&hdr);
    hdr.cmd = what;
    if (HYDU_sock_write(HYD_pmcd_pmip.upstream.control, &hdr, sizeof(hdr), &sent, &closed,
                        HYDU_SOCK_COMM_MSGWAIT) == HYD_SUCCESS)
        return true;
    HYDU_dump(stderr, "cannot tell mpiexec that a process ended\n");
    return false;
}

/* The parent has not listened. It may have heard of another process, and its port is closed. */
static bool has_heard_another(void)
{
    goes_on = !tell_mpiexec(PARENT_GOES_ON);
    while (!is_over && !goes_on) {
        if (HYD_pmcd_pmip_control_cmd_cb(HYD_pmcd_pmip.upstream.control, HYD_POLLIN, NULL) !=
            HYD_SUCCESS)
            break;
    }
    return is_over;
}

/* A process inside MPI_Init may wait for the one that has ended, and not look at its connection.
 * One that is no MPI program never looks. */
static void end_process(int i)
{
    if (HYD_pmcd_pmip.downstream.exit_status[i] == -1)
        killpg(HYD_pmcd_pmip.downstream.pid[i], SIGKILL);
}

/* The proxy's loop over file descriptors allows a callback to remove its own alone. */
static void give_up(void)
{
    if (is_over)
        return;
    is_over = true;
    for (int i = 0; i < HYD_pmcd_pmip.local.proxy_process_count; i++) {
        if (HYD_pmcd_pmip.downstream.pmi_fd[i] < 0)
            continue;
        shutdown(HYD_pmcd_pmip.downstream.pmi_fd[i], SHUT_WR);
        end_process(i);
    }
}

bool HYD_pmcd_pmip_hears(enum HYD_pmcd_cmd what)
{
    if (what == LEFT_EARLY)
        give_up();
    else if (what == PARENT_GOES_ON)
        goes_on = true;
    else if (what == UNFINISHED)
        HYD_pmcd_pmip_ends_for_another();
    return what == LEFT_EARLY || what == PARENT_GOES_ON || what == UNFINISHED;
}

/* It may have closed its connection and go on. */
static void forget(int i)
{
    end_process(i);
    if (HYD_pmcd_pmip_died)
        HYD_pmcd_pmip_died(i);
    HYDT_dmx_deregister_fd(HYD_pmcd_pmip.downstream.pmi_fd[i]);
    close(HYD_pmcd_pmip.downstream.pmi_fd[i]);
    HYD_pmcd_pmip.downstream.pmi_fd[i] = HYD_FD_CLOSED;
}

/* `how` is NULL if the process has ended, or is about to. */
static bool leaves(int i, const char *how)
{
    const struct HYD_exec *exec = exec_of(i);
    const char *name = parent_port(exec);
    MPIDI_port_name_t port;
    char status[64], text[400];

    if (!is_over) {
        if (!name || !MPIDI_Port_parse(name, &port))
            return false;
        if (!how)
            describe_end(i, status, sizeof(status));
        snprintf(text, sizeof(text), "%.200s, process %d on %s (%s)", exec->exec[0],
                 (int) HYD_pmcd_pmip.downstream.pid[i],
                 HYD_pmcd_pmip.local.hostname ? HYD_pmcd_pmip.local.hostname : "its host",
                 how ? how : status);
        tell_mpiexec(ASKS_PARENT);
        if (HYD_pmcd_tell_port(name, text) || !HYD_pmcd_pmip.downstream.pmi_fd_active[i] ||
            (HYD_pmcd_pmip_need_each_other && HYD_pmcd_pmip_need_each_other())) {
            tell_mpiexec(LEFT_EARLY);
            give_up();
        } else if (!has_heard_another()) {
            return false;
        }
    }
    forget(i);
    return true;
}

bool HYD_pmcd_pmip_left_early(int i) { return leaves(i, NULL); }

bool HYD_pmcd_pmip_aborts_early(int fd)
{
    for (int i = 0; i < HYD_pmcd_pmip.local.proxy_process_count; i++) {
        if (HYD_pmcd_pmip.downstream.pmi_fd[i] == fd)
            return leaves(i, "it aborted");
    }
    return false;
}

void HYD_pmcd_pmip_has_finalized(int fd)
{
    for (int i = 0; i < HYD_pmcd_pmip.local.proxy_process_count; i++) {
        if (HYD_pmcd_pmip.downstream.pmi_fd[i] == fd)
            HYD_pmcd_pmip.downstream.pmi_fd[i] = HYD_FD_CLOSED;
    }
}

void HYD_pmcd_pmip_all_left(void)
{
    HYDU_remove_left_files();
    HYD_pmcd_pmip_unfinished_fails();
    for (int i = 0; i < HYD_pmcd_pmip.local.proxy_process_count; i++) {
        if (HYD_pmcd_pmip.downstream.pmi_fd[i] >= 0 && !HYD_pmcd_pmip_left_early(i))
            HYD_pmcd_pmip_never_comes(i);
    }
    for (int i = 0; is_over && i < HYD_pmcd_pmip.local.proxy_process_count; i++) {
        if (WIFSIGNALED(HYD_pmcd_pmip.downstream.exit_status[i]))
            HYD_pmcd_pmip.downstream.exit_status[i] = EXIT_FAILURE << 8;
    }
}

bool HYD_pmcd_pmip_is_over(void) { return is_over; }
