/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "port/port_internal.h"
#include "ch4_settings.h"
#include "ch4i_comm.h"

bool MPIDI_Port_on;

enum { PATIENCE = 30 }; /* seconds for what the other side does at once */

/* What a root tells the other one: its settings and its upid follow. */
typedef struct {
    uint32_t context_id; /* with which it receives */
    int32_t settings_bytes;
    int32_t upid_bytes;
} offer_t;

typedef struct {
    MPIDI_port_name_t port;
    double deadline;
    MPIR_Context_id_t own_id, their_id;
    uint64_t gpid; /* of the other root; 0: not known */
    char *offer;   /* ours */
    size_t bytes;
    MPIDI_line_t *line; /* by which they have met */
} meeting_t;

static double deadline_in(int seconds) { return MPIDI_Port_now() + seconds; }

static int write_offer(meeting_t *meeting)
{
    int mpi_errno = MPI_SUCCESS;
    char settings[MPIDI_SETTINGS_OF_JOB], *upid = NULL;
    offer_t offer = {.context_id = meeting->own_id};
    int *upid_bytes = NULL;

    offer.settings_bytes = MPIDI_Settings_of_job(settings);
    mpi_errno = MPIDI_NM_get_local_upids(MPIR_Process.comm_self, &upid_bytes, &upid);
    MPIR_ERR_CHECK(mpi_errno);
    offer.upid_bytes = upid_bytes[0];
    meeting->bytes = sizeof(offer) + offer.settings_bytes + offer.upid_bytes;
    MPIR_Assert(meeting->bytes <= MPIDI_PORT_BODY_MOST);
    meeting->offer = MPL_malloc(meeting->bytes, MPL_MEM_DYNAMIC);
    MPIR_ERR_CHKANDJUMP(!meeting->offer, mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    memcpy(meeting->offer, &offer, sizeof(offer));
    memcpy(meeting->offer + sizeof(offer), settings, offer.settings_bytes);
    memcpy(meeting->offer + sizeof(offer) + offer.settings_bytes, upid, offer.upid_bytes);

fn_exit:
    MPL_free(upid);
    MPL_free(upid_bytes);
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

/* Jobs that do not fit together find out on both sides. */
static int read_offer(meeting_t *meeting, const MPIDI_line_t *line)
{
    int mpi_errno = MPI_SUCCESS;
    offer_t offer;
    size_t rest = line->head.bytes - sizeof(offer);
    char *settings = line->body + sizeof(offer);

    MPIR_ERR_CHKANDSTMT(line->head.bytes < sizeof(offer), mpi_errno, MPI_ERR_PORT, return mpi_errno,
                        "**settings");
    memcpy(&offer, line->body, sizeof(offer));
    MPIR_ERR_CHKANDSTMT(offer.settings_bytes <= 0 || offer.upid_bytes <= 0 ||
                            (size_t) offer.settings_bytes > rest ||
                            (size_t) offer.upid_bytes != rest - offer.settings_bytes,
                        mpi_errno, MPI_ERR_PORT, return mpi_errno, "**settings");
    mpi_errno = MPIDI_Settings_compare_jobs(settings, offer.settings_bytes);
    if (mpi_errno)
        return mpi_errno; /* the text is to have room for it */
    meeting->their_id = (MPIR_Context_id_t) offer.context_id;
    return MPIDIU_upids_to_gpids(1, &offer.upid_bytes, settings + offer.settings_bytes,
                                 &meeting->gpid);
}

static int class_of(int error) { return error ? MPIR_ERR_GET_CLASS(error) : 0; }

static int check_verdict(const MPIDI_line_t *line)
{
    int mpi_errno = MPI_SUCCESS;

    if (line->head.refused)
        MPIR_ERR_SET(mpi_errno, MPI_ERR_PORT, "**port_refused");
    return mpi_errno;
}

/* ---- the root that accepts ---- */

static int say_who_ended(const meeting_t *meeting, MPIDI_line_t *line)
{
    char text[MPIDI_PORT_HOW];
    int mpi_errno = MPIDI_Port_hear_end(&meeting->port, line, text, sizeof(text));

    MPIR_ERR_SET1(mpi_errno, MPI_ERR_SPAWN, "**port_ended", "**port_ended %s", text);
    return mpi_errno;
}

/* *met is false when the connecting process has gone. */
static int answer(meeting_t *meeting, MPIDI_line_t *line, bool *met)
{
    int mpi_errno = MPI_SUCCESS, error;
    MPIDI_line_state_t state;

    *met = false;
    if (line->head.refused == MPIDI_PORT_ENDED)
        return say_who_ended(meeting, line);
    error = read_offer(meeting, line);
    MPIDI_Line_reset(line, deadline_in(PATIENCE));
    mpi_errno = MPIDI_Line_send(line, meeting->port.answer, class_of(error), meeting->offer,
                                meeting->bytes, &state);
    MPIR_ERR_CHKRETURN(mpi_errno);
    if (state == MPIDI_LINE_COMPLETE) {
        mpi_errno = MPIDI_Line_wait(line, meeting->port.question, &state);
        MPIR_ERR_CHKRETURN(mpi_errno);
    }
    *met = state == MPIDI_LINE_COMPLETE;
    mpi_errno = error;
    if (mpi_errno == MPI_SUCCESS && *met)
        mpi_errno = check_verdict(line);

    return mpi_errno;
}

static int accept_one(meeting_t *meeting, int timeout)
{
    int mpi_errno = MPI_SUCCESS;
    bool met = false;

    while (!met && mpi_errno == MPI_SUCCESS) {
        MPIDI_line_t *line;

        mpi_errno = MPIDI_Port_await(&meeting->port, meeting->deadline, &line);
        if (mpi_errno != MPI_SUCCESS)
            break;
        MPIR_ERR_CHKANDSTMT2(!line, mpi_errno, MPI_ERR_PORT, return mpi_errno, "**port_nobody",
                             "**port_nobody %d %d", timeout, meeting->port.tcp_port);
        mpi_errno = answer(meeting, line, &met);
        if (met && mpi_errno == MPI_SUCCESS)
            meeting->line = line;
        else
            MPIDI_Line_free(line);
    }

    return mpi_errno;
}

/* ---- the root that connects ---- */

static int ask(meeting_t *meeting, MPIDI_line_t *line, int timeout)
{
    int mpi_errno = MPI_SUCCESS;
    MPIDI_line_state_t state;

    MPIR_TRY(
        MPIDI_Line_send(line, meeting->port.question, 0, meeting->offer, meeting->bytes, &state));
    if (state == MPIDI_LINE_COMPLETE)
        MPIR_TRY(MPIDI_Line_wait(line, meeting->port.answer, &state));
    MPIR_ERR_CHKANDSTMT2(state == MPIDI_LINE_WAITS, mpi_errno, MPI_ERR_PORT, return mpi_errno,
                         "**port_late", "**port_late %d %d", timeout, meeting->port.tcp_port);
    MPIR_ERR_CHKANDSTMT1(state == MPIDI_LINE_STRANGE, mpi_errno, MPI_ERR_PORT, return mpi_errno,
                         "**port_strange", "**port_strange %d", meeting->port.tcp_port);
    MPIR_ERR_CHKANDSTMT1(state == MPIDI_LINE_ENDED, mpi_errno, MPI_ERR_PORT, return mpi_errno,
                         "**port_closed", "**port_closed %d", meeting->port.tcp_port);

    return mpi_errno;
}

static int read_answer(meeting_t *meeting, const MPIDI_line_t *line)
{
    int mpi_errno = MPI_SUCCESS;

    if (!line->head.refused || line->head.bytes > 0)
        mpi_errno = read_offer(meeting, line);
    return mpi_errno == MPI_SUCCESS ? check_verdict(line) : mpi_errno;
}

static int connect_one(meeting_t *meeting, int timeout)
{
    int mpi_errno = MPI_SUCCESS, error;
    MPIDI_line_t *line = NULL;
    MPIDI_line_state_t state;

    mpi_errno = MPIDI_Port_dial(&meeting->port, meeting->deadline, &line);
    if (mpi_errno != MPI_SUCCESS)
        goto fn_exit;
    mpi_errno = ask(meeting, line, timeout);
    if (mpi_errno != MPI_SUCCESS)
        goto fn_exit;
    error = read_answer(meeting, line);
    MPIDI_Line_reset(line, deadline_in(PATIENCE));
    mpi_errno = MPIDI_Line_send(line, meeting->port.question, class_of(error), NULL, 0, &state);
    MPIR_Err_keep_first(&mpi_errno, error);
    MPIR_ERR_CHKANDJUMP1(mpi_errno == MPI_SUCCESS && state != MPIDI_LINE_COMPLETE, mpi_errno,
                         MPI_ERR_PORT, "**port_closed", "**port_closed %d", meeting->port.tcp_port);
    if (mpi_errno == MPI_SUCCESS) {
        meeting->line = line;
        line = NULL;
    }

fn_exit:
    MPIDI_Line_free(line);
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

int MPIDI_Port_meet(const char *port_name, int timeout, bool connects, MPIR_Comm **peer)
{
    int mpi_errno = MPI_SUCCESS;
    meeting_t meeting = {.deadline = timeout > 0 ? deadline_in(timeout) : 0};

    mpi_errno = MPIDI_Port_name_read(port_name, &meeting.port);
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = MPIR_Get_contextid_sparse(MPIR_Process.comm_self, &meeting.own_id, false);
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = write_offer(&meeting);
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = connects ? connect_one(&meeting, timeout) : accept_one(&meeting, timeout);
    if (mpi_errno)
        goto fn_fail; /* the text is to have room for it beside the call's */
    mpi_errno =
        MPIR_peer_intercomm_create(meeting.their_id, meeting.own_id, meeting.gpid, connects, peer);
    MPIR_ERR_CHECK(mpi_errno);
    meeting.own_id = 0; /* the communicator's */
    mpi_errno = MPIDI_Port_keep(*peer, &meeting.port, connects, meeting.line);
    MPIR_ERR_CHECK(mpi_errno);
    meeting.line = NULL;

fn_exit:
    MPIDI_Line_free(meeting.line);
    MPIDIU_gpids_release(&meeting.gpid, 1);
    MPL_free(meeting.offer);
    return mpi_errno;
fn_fail:
    if (meeting.own_id)
        MPIR_Free_contextid(meeting.own_id);
    goto fn_exit;
}
