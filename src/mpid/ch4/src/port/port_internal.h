/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PORT_INTERNAL_H_INCLUDED
#define PORT_INTERNAL_H_INCLUDED

#include "port.h"
#include "wire.h"
#include <stddef.h>

/* ---- names ---- */

/* New secrets, and the addresses of this host. REQUIRES: name[MPI_MAX_PORT_NAME] */
int MPIDI_Port_name_make(int tcp_port, MPIDI_port_name_t *port, char *name);
int MPIDI_Port_name_read(const char *name, MPIDI_port_name_t *port);
/* ---- messages on a connection ---- */

enum {
    MPIDI_PORT_BODY_MOST = 64 * 1024,
    MPIDI_PORT_HOW = 256 /* bytes of how a process ended */
};

/* A connection, and the message that is arriving. */
typedef struct MPIDI_line {
    int fd;          /* which does not block */
    double deadline; /* for its message to be complete */
    bool has_agreed; /* its messages may be of any length */
    MPIDI_port_head_t head;
    char *body;
    size_t got; /* of both */
    struct MPIDI_line *prev, *next;
} MPIDI_line_t;

typedef enum {
    MPIDI_LINE_COMPLETE,
    MPIDI_LINE_WAITS,
    MPIDI_LINE_ENDED,  /* closed by the other side, or by an error of the network */
    MPIDI_LINE_STRANGE /* not a message of this port's */
} MPIDI_line_state_t;

/* Takes the file descriptor, also when there is no memory (NULL). */
MPIDI_line_t *MPIDI_Line_create(int fd, double deadline);
void MPIDI_Line_free(MPIDI_line_t *line);
/* For the next message. */
void MPIDI_Line_reset(MPIDI_line_t *line, double deadline);
/* The message cannot be received: there is no memory for its body. */
bool MPIDI_Line_lacks_memory(const MPIDI_line_t *line);
/* Reads what is there. */
MPIDI_line_state_t MPIDI_Line_receive(MPIDI_line_t *line, const unsigned char *secret);
/* Waits until a message has come or gone, with progress. *state says how it ended; an error is one
 * of progress. */
int MPIDI_Line_wait(MPIDI_line_t *line, const unsigned char *secret, MPIDI_line_state_t *state);
int MPIDI_Line_send(MPIDI_line_t *line, const unsigned char *secret, int refused, const void *body,
                    size_t bytes, MPIDI_line_state_t *state);

/* Progress, and other threads' turn. */
int MPIDI_Port_let_pass(void);

/* ---- both sides ---- */

/* *line is a connection with a complete question, or NULL at the deadline. Deadlines: 0 is none. */
int MPIDI_Port_await(const MPIDI_port_name_t *name, double deadline, MPIDI_line_t **line);
/* What Hydra's proxy says at the end of a spawned process, if it has. The line's other messages
 * stay. NULL: nothing, or the port is not open. */
MPIDI_line_t *MPIDI_Port_look_for_end(const MPIDI_port_name_t *name);
/* Reads it, and answers: the proxy waits for that. */
int MPIDI_Port_hear_end(const MPIDI_port_name_t *port, MPIDI_line_t *line, char *text, size_t room);
/* A process has ended before there was a communicator. `how` is what the proxy said, or "":
 * what it said before remains. */
void MPIDI_Port_set_left(const MPIDI_port_name_t *name, const char *how);
/* False: none has, or the port is not open. */
bool MPIDI_Port_was_left(const MPIDI_port_name_t *name, char how[MPIDI_PORT_HOW]);
/* Takes the line, if there is no error: until MPIDI_Port_hang_up(peers). */
int MPIDI_Port_keep(const MPIR_Comm *peers, const MPIDI_port_name_t *port, bool connects,
                    MPIDI_line_t *line);
/* *line is a new connection to the port. */
int MPIDI_Port_dial(const MPIDI_port_name_t *port, double deadline, MPIDI_line_t **line);

#endif /* PORT_INTERNAL_H_INCLUDED */
