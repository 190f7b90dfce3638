/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmip.h"
#include "pmip_stdin.h"
#include "demux.h"

#include <stdbool.h>

static char *piece; /* what the pipe has no room for yet */
static int piece_bytes, piece_written;
static bool is_registered;

/* The proxy takes a SIGPIPE for the end of mpiexec; here it is the end of the reader. */
static ssize_t stdin_write(const char *data, size_t bytes)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    ssize_t written;
    int error;

    sigaction(SIGPIPE, &ignore, &before);
    written = write(HYD_pmcd_pmip.downstream.in, data, bytes);
    error = errno;
    sigaction(SIGPIPE, &before, NULL);
    errno = error;
    return written;
}

static void stdin_drop(void)
{
    MPL_free(piece);
    piece = NULL;
}

void HYD_pmcd_pmip_stdin_close(void)
{
    if (is_registered)
        HYDT_dmx_deregister_fd(HYD_pmcd_pmip.downstream.in);
    is_registered = false;
    if (HYD_pmcd_pmip.downstream.in >= 0)
        close(HYD_pmcd_pmip.downstream.in);
    HYD_pmcd_pmip.downstream.in = HYD_FD_CLOSED;
    stdin_drop();
}

static HYD_status stdin_cb(int fd, HYD_event_t events, void *userp);

static HYD_status stdin_wait_for_room(HYD_event_t events)
{
    HYD_status status;

    if (is_registered)
        return HYDT_dmx_set_events(HYD_pmcd_pmip.downstream.in, events);
    if (!events)
        return HYD_SUCCESS;
    status = HYDT_dmx_register_fd(1, &HYD_pmcd_pmip.downstream.in, events, NULL, stdin_cb);
    is_registered = status == HYD_SUCCESS;
    return status;
}

static HYD_status stdin_ask_for_more(void)
{
    struct HYD_pmcd_hdr hdr;
    int sent, closed;

    HYD_pmcd_init_header(&hdr);
    hdr.cmd = STDIN_TAKEN;
    return HYDU_sock_write(HYD_pmcd_pmip.upstream.control, &hdr, sizeof(hdr), &sent, &closed,
                           HYDU_SOCK_COMM_MSGWAIT);
}

/* If the reader has closed the pipe, nobody asks for more. */
static HYD_status stdin_go_on(void)
{
    HYD_status status = HYD_SUCCESS;

    while (piece_written < piece_bytes) {
        ssize_t written = stdin_write(piece + piece_written, piece_bytes - piece_written);
        if (written >= 0) {
            piece_written += written;
        } else if (errno == EAGAIN) {
            return stdin_wait_for_room(HYD_POLLOUT);
        } else if (errno != EINTR) {
            HYD_pmcd_pmip_stdin_close();
            return HYD_SUCCESS;
        }
    }
    stdin_drop();
    status = stdin_wait_for_room(0);
    HYDU_ERR_POP(status, "unable to leave the pipe of standard input\n");
    status = stdin_ask_for_more();
    HYDU_ERR_POP(status, "unable to ask for more of standard input\n");

fn_exit:
    return status;

fn_fail:
    goto fn_exit;
}

static HYD_status stdin_cb(int fd MPL_UNUSED, HYD_event_t events MPL_UNUSED, void *userp MPL_UNUSED)
{
    return stdin_go_on();
}

HYD_status HYD_pmcd_pmip_stdin_put(char *data, int bytes)
{
    if (HYD_pmcd_pmip.downstream.in < 0) {
        MPL_free(data);
        return HYD_SUCCESS;
    }
    piece = data;
    piece_bytes = bytes;
    piece_written = 0;
    return stdin_go_on();
}
