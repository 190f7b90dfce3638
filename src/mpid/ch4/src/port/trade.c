/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "port/port_internal.h"
#include "mpir_intercomm.h"
#include "utlist.h"

/* The roots keep the connection by which they met until their groups have an intercommunicator,
 * and what they tell each other until then goes over it. The system closes it when a process
 * ends: messages of MPI to such a process may never be complete. If another process of the world
 * ends, its root may wait for it, and keep the connection: the process manager tells the port. */

/* Seconds for what the process manager says of the end, and for processes that start late. */
enum { PATIENCE = 10, LATE = 60 };

typedef struct pair {
    const MPIR_Comm *peers; /* of the roots */
    MPIDI_port_name_t port; /* without addresses */
    bool connects;
    MPIDI_line_t *line;
    struct pair *prev, *next;
} pair_t;

/* Belongs to MPIDIU_THREAD_DYNPROC_MUTEX. */
static pair_t *pairs;

static pair_t *pair_find(const MPIR_Comm *peers)
{
    pair_t *pair;

    MPID_THREAD_CS_ENTER(VCI, MPIDIU_THREAD_DYNPROC_MUTEX);
    DL_SEARCH_SCALAR(pairs, pair, peers, peers);
    MPID_THREAD_CS_EXIT(VCI, MPIDIU_THREAD_DYNPROC_MUTEX);
    return pair;
}

/* ---- messages ---- */

static int has_left(const pair_t *pair, const char *how)
{
    int mpi_errno = MPI_SUCCESS;

    if (!pair->connects)
        MPIDI_Port_set_left(&pair->port, how);
    MPIR_ERR_SET1(mpi_errno, MPI_ERR_PORT, "**port_left", "**port_left %d", pair->port.tcp_port);
    return mpi_errno;
}

static int pair_put(const pair_t *pair, const void *own, size_t bytes)
{
    int mpi_errno = MPI_SUCCESS;
    MPIDI_line_state_t state;
    const unsigned char *secret = pair->connects ? pair->port.question : pair->port.answer;

    mpi_errno = MPIDI_Line_send(pair->line, secret, 0, own, bytes, &state);
    if (mpi_errno == MPI_SUCCESS && state != MPIDI_LINE_COMPLETE)
        mpi_errno = has_left(pair, "");
    return mpi_errno;
}

/* how[0] is not '\0': a process has ended. An error is one of progress. */
static int hear_end(const MPIDI_port_name_t *port, char how[MPIDI_PORT_HOW])
{
    int mpi_errno = MPI_SUCCESS;
    MPIDI_line_t *line = MPIDI_Port_look_for_end(port);

    how[0] = '\0';
    if (line)
        mpi_errno = MPIDI_Port_hear_end(port, line, how, MPIDI_PORT_HOW);
    MPIDI_Line_free(line);
    return mpi_errno;
}

/* The next message, unless a process of the other world ends: see hear_end(). */
static int await(const pair_t *pair, MPIDI_line_state_t *state, char how[MPIDI_PORT_HOW])
{
    int mpi_errno = MPI_SUCCESS;
    const unsigned char *secret = pair->connects ? pair->port.answer : pair->port.question;

    how[0] = '\0';
    MPIDI_Line_reset(pair->line, 0);
    while (!how[0] && (*state = MPIDI_Line_receive(pair->line, secret)) == MPIDI_LINE_WAITS) {
        mpi_errno = MPIDI_Port_let_pass();
        if (mpi_errno == MPI_SUCCESS && !pair->connects)
            mpi_errno = hear_end(&pair->port, how);
        if (mpi_errno != MPI_SUCCESS)
            break;
    }
    return mpi_errno;
}

static int get(const pair_t *pair, void *theirs, size_t room, size_t *got)
{
    int mpi_errno = MPI_SUCCESS;
    MPIDI_line_state_t state;
    char how[MPIDI_PORT_HOW];

    MPIR_TRY(await(pair, &state, how));
    MPIR_ERR_CHKANDSTMT(MPIDI_Line_lacks_memory(pair->line), mpi_errno, MPI_ERR_NO_MEM,
                        return mpi_errno, "**nomem");
    if (state != MPIDI_LINE_COMPLETE || pair->line->head.bytes > room)
        return has_left(pair, how);
    *got = pair->line->head.bytes;
    if (*got > 0)
        memcpy(theirs, pair->line->body, *got);

    return mpi_errno;
}

/* The accepting root is the first to send: two that only send could wait for each other. */
static bool trade(const MPIR_Comm *peers, const void *own, size_t bytes, void *theirs, size_t room,
                  size_t *got, int *error)
{
    pair_t *pair = pair_find(peers);

    if (!pair)
        return false;
    *error = MPI_SUCCESS;
    if (!pair->connects && own)
        *error = pair_put(pair, own, bytes);
    if (*error == MPI_SUCCESS && theirs)
        *error = get(pair, theirs, room, got);
    if (*error == MPI_SUCCESS && pair->connects && own)
        *error = pair_put(pair, own, bytes);
    return true;
}

/* ---- connections ---- */

int MPIDI_Port_keep(const MPIR_Comm *peers, const MPIDI_port_name_t *port, bool connects,
                    MPIDI_line_t *line)
{
    int mpi_errno = MPI_SUCCESS;
    pair_t *pair = MPL_malloc(sizeof(*pair), MPL_MEM_DYNAMIC);

    MPIR_ERR_CHKANDSTMT(!pair, mpi_errno, MPI_ERR_NO_MEM, return mpi_errno, "**nomem");
    *pair = (pair_t){.peers = peers, .port = *port, .connects = connects, .line = line};
    pair->port.addresses = NULL;
    MPIDI_Line_reset(line, 0);
    line->has_agreed = true;
    MPIR_Leaders_port = trade;
    MPID_THREAD_CS_ENTER(VCI, MPIDIU_THREAD_DYNPROC_MUTEX);
    DL_APPEND(pairs, pair);
    MPID_THREAD_CS_EXIT(VCI, MPIDIU_THREAD_DYNPROC_MUTEX);

    return mpi_errno;
}

void MPIDI_Port_hang_up(const MPIR_Comm *peers)
{
    pair_t *pair = pair_find(peers);

    if (!pair)
        return;
    MPID_THREAD_CS_ENTER(VCI, MPIDIU_THREAD_DYNPROC_MUTEX);
    DL_DELETE(pairs, pair);
    MPID_THREAD_CS_EXIT(VCI, MPIDIU_THREAD_DYNPROC_MUTEX);
    MPIDI_Line_free(pair->line);
    MPL_free(pair);
}

/* ---- where processes may die ---- */

static void tell_if_all_have(MPIR_Comm *group, int root, const MPIR_Comm *peers)
{
    const pair_t *pair = group->rank == root ? pair_find(peers) : NULL;
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;
    int one = 1, all = 0;
    int error = MPIR_Reduce(&one, &all, 1, MPI_INT, MPI_SUM, root, group, &errflag);

    if (pair && error == MPI_SUCCESS && errflag == MPIR_ERR_NONE)
        (void) pair_put(pair, &all, sizeof(all));
}

static int hear_if_all_have(MPIR_Comm *group, int root, const MPIR_Comm *peers)
{
    int mpi_errno = MPI_SUCCESS, all, errclass;
    const pair_t *pair = group->rank == root ? pair_find(peers) : NULL;
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;
    size_t got;

    if (pair)
        mpi_errno = get(pair, &all, sizeof(all), &got);
    errclass = MPIR_ERR_GET_CLASS(mpi_errno);
    MPIR_TRY(MPIR_Bcast_allcomm_auto(&errclass, 1, MPI_INT, root, group, &errflag));
    if (mpi_errno == MPI_SUCCESS && errclass != MPI_SUCCESS)
        MPIR_ERR_SET(mpi_errno, errclass, "**comm_connect_fail");
    return mpi_errno;
}

int MPIDI_Port_confirm(MPIR_Comm *group, int root, const MPIR_Comm *peers, bool connects)
{
    if (connects)
        return hear_if_all_have(group, root, peers);
    tell_if_all_have(group, root, peers);
    return MPI_SUCCESS;
}

/* ---- spawned processes ---- */

static void await_news(const MPIDI_port_name_t *port, char how[MPIDI_PORT_HOW])
{
    double deadline = MPIDI_Port_now() + PATIENCE;

    do {
        if (hear_end(port, how) != MPI_SUCCESS || how[0])
            break;
    } while (MPIDI_Port_let_pass() == MPI_SUCCESS && MPIDI_Port_now() < deadline);
}

/* The parents have failed.  The spawned processes fail in MPI_Init then, and abort.  If nothing
 * heard of it, that would end the parents. */
static void refuse(const MPIDI_port_name_t *port, int class)
{
    double deadline = MPIDI_Port_now() + LATE;
    bool has_ended = false;
    MPIDI_line_t *line;

    while (!has_ended && MPIDI_Port_await(port, deadline, &line) == MPI_SUCCESS && line) {
        char how[MPIDI_PORT_HOW];
        MPIDI_line_state_t state;

        has_ended = line->head.refused == MPIDI_PORT_ENDED;
        if (has_ended)
            (void) MPIDI_Port_hear_end(port, line, how, sizeof(how));
        else if (MPIDI_Line_send(line, port->answer, class, NULL, 0, &state) == MPI_SUCCESS)
            deadline = MPIDI_Port_now() + PATIENCE;
        MPIDI_Line_free(line);
    }
}

static int error_of_end(const MPIDI_port_name_t *port, char how[MPIDI_PORT_HOW])
{
    int mpi_errno = MPI_SUCCESS; /* the text is to have room */

    if (!how[0])
        await_news(port, how);
    if (how[0])
        MPIR_ERR_SET1(mpi_errno, MPI_ERR_SPAWN, "**port_ended", "**port_ended %s", how);
    else
        MPIR_ERR_SET(mpi_errno, MPI_ERR_SPAWN, "**port_ended");
    return mpi_errno;
}

int MPIDI_Port_spawn_error(const char *port_name, int error)
{
    int mpi_errno = error, class = error ? MPIR_ERR_GET_CLASS(error) : MPI_SUCCESS;
    bool is_root = port_name[0] != '\0';
    MPIDI_port_name_t port;
    char how[MPIDI_PORT_HOW];

    if (error == MPI_SUCCESS || !MPIDI_Port_on)
        return error;
    if (!is_root && class == MPI_ERR_OTHER)
        MPIR_ERR_SET(mpi_errno, MPI_ERR_SPAWN, "**spawn");
    if (!is_root || MPIDI_Port_name_read(port_name, &port) != MPI_SUCCESS)
        return mpi_errno;
    if (MPIDI_Port_was_left(&port, how))
        mpi_errno = error_of_end(&port, how);
    else if (class != MPI_ERR_SPAWN) /* which says that they have ended */
        refuse(&port, class);
    return mpi_errno;
}
