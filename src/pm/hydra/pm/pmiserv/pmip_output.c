/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmip.h"
#include "pmip_output.h"

#include <poll.h>
#include <sys/ioctl.h>

int HYD_pmcd_pmip_output_waits(int fd)
{
    struct pollfd state = {.fd = fd, .events = POLLIN};

    return poll(&state, 1, 0) > 0;
}

static int bytes_waiting(int fd)
{
    int bytes = 0;

    /* a descriptor already closed, or never opened, is negative */
    return fd >= 0 && ioctl(fd, FIONREAD, &bytes) == 0 ? bytes : 0;
}

static HYD_status forward_stream(int fd, int stream, HYD_pmcd_pmip_output_fn forward)
{
    HYD_status status = HYD_SUCCESS;

    /* a call passes on a full buffer, or all that waits */
    for (int left = bytes_waiting(fd); left > 0; left -= HYD_TMPBUF_SIZE) {
        status = forward(fd, HYD_POLLIN, (void *) (size_t) stream);
        HYDU_ERR_POP(status, "unable to pass on output\n");
    }

fn_exit:
    return status;

fn_fail:
    goto fn_exit;
}

HYD_status HYD_pmcd_pmip_forward_output(HYD_pmcd_pmip_output_fn forward)
{
    HYD_status status = HYD_SUCCESS;

    for (int i = 0; i < HYD_pmcd_pmip.local.proxy_process_count; i++) {
        status = forward_stream(HYD_pmcd_pmip.downstream.out[i], STDOUT_FILENO, forward);
        HYDU_ERR_POP(status, "unable to pass on standard output\n");
        status = forward_stream(HYD_pmcd_pmip.downstream.err[i], STDERR_FILENO, forward);
        HYDU_ERR_POP(status, "unable to pass on standard error\n");
    }

fn_exit:
    return status;

fn_fail:
    goto fn_exit;
}
