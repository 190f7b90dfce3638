/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "mpir_deaths.h"
#include "ucx_impl.h"
#include "ucx_transports.h"
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Buffers of a pool's chunk. A node has at most 4,096 segments for sysv by default, each of them a
 * chunk: 524,288 messages that wait for a receive. */
#define CHUNK "128"

enum { CHUNK_BYTES = 2 << 20 }; /* at least what a chunk of a pool takes, and the queue beside it */

/* Of the transport that is left. The environment stays as it is: setenv would move it while a
 * thread reads it. */
static void set(ucp_config_t *config, const char *option, const char *value)
{
    static const char *const families[] = {"SYSV", "POSIX", "MM"}; /* MM: both, and xpmem */
    char name[64];

    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
        snprintf(name, sizeof(name), "UCX_%s_%s", families[i], option);
        if (getenv(name))
            return;
    }
    snprintf(name, sizeof(name), "MM_%s", option);
    ucp_config_modify(config, name, value);
}

/* Can this process make a segment of System V shared memory, and attach it? */
static bool have_sysv(void)
{
    void *at;
    int id = shmget(IPC_PRIVATE, CHUNK_BYTES, IPC_CREAT | 0600);

    if (id < 0)
        return false;
    at = shmat(id, NULL, 0);
    shmctl(id, IPC_RMID, NULL);
    if (at == (void *) -1)
        return false;
    shmdt(at);
    return true;
}

/* Has the directory of POSIX shared memory room for the pools of all processes of this node? */
static bool have_posix(void)
{
    struct statvfs file_system;
    size_t processes = MPL_MAX(MPIR_Process.local_size, 1);

    return statvfs("/dev/shm", &file_system) == 0 &&
           (size_t) file_system.f_bavail * file_system.f_frsize >= processes * CHUNK_BYTES;
}

/* Has nobody set UCX_TLS? The configuration tells, wherever it has its values from. */
static bool all_transports(const ucp_config_t *config)
{
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    bool is_default;

    if (!file)
        return false;
    ucp_config_print(config, file, NULL, UCS_CONFIG_PRINT_CONFIG);
    fclose(file);
    is_default = text && strstr(text, "UCX_TLS=all\n");
    free(text);
    return is_default;
}

/* The user namespace of a process; 0 when it cannot be seen. */
static ino_t user_namespace(const char *process)
{
    struct stat status;
    char path[64];

    snprintf(path, sizeof(path), "/proc/%s/ns/user", process);
    return stat(path, &status) == 0 ? status.st_ino : 0;
}

/* The process at the other end of the connection to the process manager; 0 when there is none on
 * this node. */
static pid_t process_manager(void)
{
    const char *descriptor = getenv("PMI_FD");
    struct ucred peer = {0};
    socklen_t length = sizeof(peer);

    if (!descriptor || getsockopt(atoi(descriptor), SOL_SOCKET, SO_PEERCRED, &peer, &length))
        return 0;
    return peer.pid;
}

/* The kernel copies from one process to another only inside a user namespace. A container for each
 * rank has one of its own, and this process then does not share the process manager's. UCX 1.13
 * does not look, and ends the program at the first copy. */
static bool have_cma(void)
{
    enum { INITIAL = 0xEFFFFFFD }; /* the number of the namespace that a machine starts with */
    ino_t mine = user_namespace("self");
    char manager[16];

    if (mine == 0 || mine == (ino_t) INITIAL || MPIR_Process.size == 1)
        return true;
    snprintf(manager, sizeof(manager), "%d", (int) process_manager());
    return user_namespace(manager) == mine;
}

static bool is_ucx_since(unsigned minor_wanted)
{
    unsigned major, minor, release;

    ucp_get_version(&major, &minor, &release);
    return major > 1 || minor >= minor_wanted;
}

/* UCX before 1.17 knows an option of a transport without its prefix. */
static void set_option(ucp_config_t *config, const char *name, const char *value)
{
    char variable[64];

    snprintf(variable, sizeof(variable), "UCX_%s", name);
    if (!getenv(variable))
        ucp_config_modify(config, is_ucx_since(17) ? name : strchr(name, '_') + 1, value);
}

/* A message that the network sends in several parts has no end if the sender dies between them: UCX
 * does not end its receive.  So each is one part, or a rendezvous, which ends with the endpoint.
 * By TCP a message is copied in either case, and a rendezvous has two more legs.  Adapters have
 * parts of 8 KB. */
static void have_whole_messages(ucp_config_t *config)
{
    const bool is_by_adapter = access("/sys/class/infiniband", F_OK) == 0;

    set_option(config, "TCP_TX_SEG_SIZE", "160k");
    set_option(config, "TCP_RX_SEG_SIZE", "160k");
    if (!getenv("UCX_RNDV_THRESH"))
        ucp_config_modify(config, "RNDV_THRESH", is_by_adapter ? "8000" : "128k");
}

/* UCX 1.13 takes over the connection that another process has made, when this one connects to it.
 * If that one has died meanwhile it connects anew; when that fails at once, it ends this process by
 * an assertion.  A connection that nobody waits for fails later. */
static void have_patient_connections(ucp_config_t *config)
{
    set_option(config, "TCP_CONN_NB", "y");
}

/* Parts of loans (ucx_loans.h) are parts of messages to this process.  UCX before 1.17 takes their
 * size from the environment alone. */
static void have_large_parts(ucp_config_t *config)
{
    if (is_ucx_since(17))
        set_option(config, "SELF_SEG_SIZE", "256k");
    else
        setenv("UCX_SELF_SEG_SIZE", "256k", 0);
}

/* Without sysv and posix UCX goes through the kernel inside a node: slower, and it works.
 *
 * Where processes may die it does so, too.  In shared memory all processes write into one queue of
 * the receiver, and one that is killed between its first and its last step would stop the queue for
 * ever, for all of them.  By cma a process reaches itself then, and nobody else. */
void MPIDI_UCX_transports_choose(ucp_config_t *config)
{
    bool sysv, posix;
    char without[32];

    /* UCX before 1.12 takes options of transports from the environment alone, and before 1.11 no
     * list of transports to leave out */
    if (!is_ucx_since(12) || !all_transports(config))
        return;
    if (MPIR_Deaths_watched) {
        ucp_config_modify(config, "TLS", have_cma() ? "^mm" : "^shm");
        have_whole_messages(config);
        have_patient_connections(config);
        have_large_parts(config);
        return;
    }
    sysv = have_sysv();
    posix = !sysv && have_posix();
    snprintf(without, sizeof(without), "^%s%s",
             sysv    ? "posix"
             : posix ? "sysv"
                     : "posix,sysv",
             have_cma() ? "" : ",cma");
    ucp_config_modify(config, "TLS", without);
    if (sysv || posix) {
        set(config, "RX_BUFS_GROW", CHUNK);
        set(config, "ERROR_HANDLING", "y");
    }
}
