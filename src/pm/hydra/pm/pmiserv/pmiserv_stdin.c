/* SPDX-License-Identifier: BSD-3-Clause */
#include "hydra.h"
#include "common.h"
#include "demux.h"
#include "pmiserv_stdin.h"

static char piece[HYD_TMPBUF_SIZE];
static int is_asleep; /* the job has been put into the background */

/* The proxy may end meanwhile: then its processes need no input. */
static HYD_status stdin_send(const struct HYD_proxy *proxy, int bytes, int *closed)
{
    struct HYD_pmcd_hdr hdr;
    int sent;
    HYD_status status = HYD_SUCCESS;

    HYD_pmcd_init_header(&hdr);
    hdr.cmd = STDIN;
    hdr.buflen = bytes;
    status = HYDU_sock_write(proxy->control_fd, &hdr, sizeof(hdr), &sent, closed,
                             HYDU_SOCK_COMM_MAY_END);
    HYDU_ERR_POP(status, "unable to announce standard input\n");
    if (bytes && !*closed) {
        status =
            HYDU_sock_write(proxy->control_fd, piece, bytes, &sent, closed, HYDU_SOCK_COMM_MAY_END);
        HYDU_ERR_POP(status, "unable to send standard input\n");
    }

fn_exit:
    return status;

fn_fail:
    goto fn_exit;
}

/* A signal, or a faster reader of the same file, is not the end. */
HYD_status HYD_pmcd_stdin_forward(const struct HYD_proxy *proxy)
{
    ssize_t bytes;
    int closed = 1;
    HYD_status status = HYD_SUCCESS;

    is_asleep = HYDT_dmx_stdin_in_background();
    if (is_asleep) {
        closed = 0;
    } else if (proxy->control_fd >= 0) {
        bytes = read(STDIN_FILENO, piece, sizeof(piece));
        if (bytes < 0 && (errno == EINTR || errno == EAGAIN))
            goto fn_exit;
        status = stdin_send(proxy, bytes > 0 ? bytes : 0, &closed);
        HYDU_ERR_POP(status, "unable to send standard input to the proxy\n");
        closed |= bytes <= 0;
    }
    status = closed ? HYDT_dmx_deregister_fd(STDIN_FILENO) : HYDT_dmx_set_events(STDIN_FILENO, 0);
    HYDU_ERR_POP(status, "unable to leave standard input\n");

fn_exit:
    return status;

fn_fail:
    goto fn_exit;
}

HYD_status HYD_pmcd_stdin_taken(void)
{
    if (!HYDT_dmx_query_fd_registration(STDIN_FILENO))
        return HYD_SUCCESS;
    return HYDT_dmx_set_events(STDIN_FILENO, HYD_POLLIN);
}

int HYD_pmcd_stdin_patience(int seconds)
{
    if (is_asleep && !HYDT_dmx_stdin_in_background()) {
        is_asleep = 0;
        HYD_pmcd_stdin_taken();
    }
    return is_asleep && (seconds < 0 || seconds > 1) ? 1 : seconds;
}
