/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "port/port_internal.h"
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

double MPIDI_Port_now(void)
{
    MPL_time_t time;
    double seconds;

    MPL_wtime(&time);
    MPL_wtime_todouble(&time, &seconds);
    return seconds;
}

__thread const MPIR_Comm *MPIDI_Port_group;

int MPIDI_Port_let_pass(void)
{
    int mpi_errno = MPID_Progress_test(NULL);

    MPID_THREAD_CS_YIELD(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    if (mpi_errno == MPI_SUCCESS && MPIDI_Port_group && MPIR_Comm_is_over(MPIDI_Port_group))
        mpi_errno = MPIR_Comm_end_error(MPIDI_Port_group);
    return mpi_errno;
}

MPIDI_line_t *MPIDI_Line_create(int fd, double deadline)
{
    MPIDI_line_t *line = MPL_calloc(1, sizeof(*line), MPL_MEM_DYNAMIC);

    if (!line) {
        close(fd);
        return NULL;
    }
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL, 0) | O_NONBLOCK);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    line->fd = fd;
    line->deadline = deadline;
    return line;
}

void MPIDI_Line_free(MPIDI_line_t *line)
{
    if (!line)
        return;
    close(line->fd);
    MPL_free(line->body);
    MPL_free(line);
}

void MPIDI_Line_reset(MPIDI_line_t *line, double deadline)
{
    MPL_free(line->body);
    line->body = NULL;
    line->got = 0;
    line->deadline = deadline;
}

bool MPIDI_Line_lacks_memory(const MPIDI_line_t *line)
{
    return line->got == sizeof(line->head) && line->head.bytes > 0 && !line->body;
}

static bool is_temporary(int error)
{
    return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

/* Up to `want` bytes in all, of which *got are there. */
static MPIDI_line_state_t receive(int fd, void *buffer, size_t want, size_t *got)
{
    while (*got < want) {
        ssize_t n = recv(fd, (char *) buffer + *got, want - *got, 0);

        if (n <= 0)
            return n < 0 && is_temporary(errno) ? MPIDI_LINE_WAITS : MPIDI_LINE_ENDED;
        *got += (size_t) n;
    }
    return MPIDI_LINE_COMPLETE;
}

/* Every byte counts, also when the first one is wrong: the time does not tell the secret. */
static bool is_secret(const unsigned char *theirs, const unsigned char *secret)
{
    unsigned difference = 0;

    for (int i = 0; i < MPIDI_PORT_SECRET; i++)
        difference |= theirs[i] ^ secret[i];
    return difference == 0;
}

static bool is_ours(const MPIDI_line_t *line, const unsigned char *secret)
{
    const MPIDI_port_head_t *head = &line->head;

    return memcmp(head->magic, MPIDI_PORT_MAGIC, sizeof(head->magic)) == 0 &&
           is_secret(head->secret, secret) &&
           (line->has_agreed || head->bytes <= MPIDI_PORT_BODY_MOST);
}

MPIDI_line_state_t MPIDI_Line_receive(MPIDI_line_t *line, const unsigned char *secret)
{
    MPIDI_line_state_t state = MPIDI_LINE_COMPLETE;
    size_t of_body;

    if (line->got < sizeof(line->head)) {
        state = receive(line->fd, &line->head, sizeof(line->head), &line->got);
        if (state != MPIDI_LINE_COMPLETE)
            return state;
        if (!is_ours(line, secret))
            return MPIDI_LINE_STRANGE;
    }
    if (line->head.bytes > 0 && !line->body)
        line->body = MPL_malloc(line->head.bytes, MPL_MEM_DYNAMIC);
    if (line->head.bytes > 0 && !line->body)
        return MPIDI_LINE_ENDED;
    of_body = line->got - sizeof(line->head);
    state = receive(line->fd, line->body, line->head.bytes, &of_body);
    line->got = sizeof(line->head) + of_body;
    return state;
}

static bool is_late(double deadline) { return deadline > 0 && MPIDI_Port_now() > deadline; }

int MPIDI_Line_wait(MPIDI_line_t *line, const unsigned char *secret, MPIDI_line_state_t *state)
{
    int mpi_errno = MPI_SUCCESS;

    while ((*state = MPIDI_Line_receive(line, secret)) == MPIDI_LINE_WAITS) {
        if (is_late(line->deadline))
            break;
        mpi_errno = MPIDI_Port_let_pass();
        if (mpi_errno != MPI_SUCCESS)
            break;
    }
    return mpi_errno;
}

static MPIDI_line_state_t send_some(int fd, const char *data, size_t bytes, size_t *sent)
{
    ssize_t n = send(fd, data + *sent, bytes - *sent, MSG_NOSIGNAL);

    if (n < 0)
        return is_temporary(errno) ? MPIDI_LINE_WAITS : MPIDI_LINE_ENDED;
    *sent += (size_t) n;
    return *sent == bytes ? MPIDI_LINE_COMPLETE : MPIDI_LINE_WAITS;
}

int MPIDI_Line_send(MPIDI_line_t *line, const unsigned char *secret, int refused, const void *body,
                    size_t bytes, MPIDI_line_state_t *state)
{
    int mpi_errno = MPI_SUCCESS;
    MPIDI_port_head_t head = MPIDI_Port_head(secret, bytes, refused);
    size_t all = sizeof(head) + bytes, sent = 0;
    char *message = MPL_malloc(all, MPL_MEM_DYNAMIC);

    *state = MPIDI_LINE_ENDED;
    MPIR_ERR_CHKANDJUMP(!message, mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    memcpy(message, &head, sizeof(head));
    if (bytes > 0)
        memcpy(message + sizeof(head), body, bytes);
    while ((*state = send_some(line->fd, message, all, &sent)) == MPIDI_LINE_WAITS) {
        if (is_late(line->deadline))
            break;
        mpi_errno = MPIDI_Port_let_pass();
        MPIR_ERR_CHECK(mpi_errno);
    }

fn_exit:
    MPL_free(message);
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

/* Hydra's proxy speaks for a process that cannot come any more. It waits for an answer. */
int MPIDI_Port_hear_end(const MPIDI_port_name_t *port, MPIDI_line_t *line, char *text, size_t room)
{
    MPIDI_line_state_t state;

    snprintf(text, room, "%.*s", (int) line->head.bytes, line->body ? line->body : "");
    return MPIDI_Line_send(line, port->answer, 0, NULL, 0, &state);
}
