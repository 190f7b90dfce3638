/* SPDX-License-Identifier: BSD-3-Clause */

#include "hydra.h"
#include "pmip.h"
#include "beats.h"
#include "deaths.h"
#include "guardian.h"
#include <poll.h>
#include <sys/socket.h>

static int fd = -1;

/* Behind a cut the buffer may fill up. */
static void say_time(void)
{
    const uint64_t now = HYD_pmcd_beat_now();

    (void) send(fd, &now, sizeof(now), MSG_DONTWAIT | MSG_NOSIGNAL);
}

static bool hear(uint64_t *said)
{
    return recv(fd, said, sizeof(*said), MSG_WAITALL) == (ssize_t) sizeof(*said);
}

static bool extend_lease(uint64_t said)
{
    const uint64_t limit = HYD_pmcd_beat_limit(HYD_pmcd_pmip.user_global.ft_timeout);
    const uint64_t lease = said + limit / 4 * 3;

    HYD_pmcd_pmip_deaths_lease(lease);
    return HYDU_guardian_set_lease(lease);
}

/* False: mpiexec has closed the connection, or there is no guardian. */
static bool hear_until(uint64_t end)
{
    struct pollfd answer = {.fd = fd, .events = POLLIN};

    for (;;) {
        const uint64_t now = HYD_pmcd_beat_now();
        uint64_t said;

        if (now >= end)
            return true;
        if (poll(&answer, 1, (int) ((end - now) / 1000000) + 1) > 0 &&
            (!hear(&said) || !extend_lease(said)))
            return false;
    }
}

static void *beat(void *arg MPL_UNUSED)
{
    const uint64_t every =
        HYD_pmcd_beat_limit(HYD_pmcd_pmip.user_global.ft_timeout) / HYD_PMCD_BEATS;

    do
        say_time();
    while (hear_until(HYD_pmcd_beat_now() + every));
    return NULL;
}

static HYD_status connect_beat(void)
{
    const int id = ~HYD_pmcd_pmip.local.id;
    int sent, closed;
    HYD_status status =
        HYDU_sock_connect(HYD_pmcd_pmip.upstream.server_name, HYD_pmcd_pmip.upstream.server_port,
                          &fd, HYD_pmcd_pmip.local.retries, HYD_CONNECT_DELAY);

    HYDU_ERR_POP(status, "unable to open a second connection to mpiexec\n");
    status = HYDU_sock_cloexec(fd);
    HYDU_ERR_POP(status, "unable to set close on exec\n");
    status = HYDU_sock_write(fd, &id, sizeof(id), &sent, &closed, HYDU_SOCK_COMM_MAY_END);
    HYDU_ERR_POP(status, "unable to use the second connection to mpiexec\n");

fn_exit:
    return status;
fn_fail:
    goto fn_exit;
}

/* The first answer may take long, as mpiexec starts other proxies; so the second one counts. */
static bool wait_for_lease(uint64_t *said)
{
    say_time();
    if (!hear(said))
        return false;
    say_time();
    return hear(said);
}

HYD_status HYD_pmcd_pmip_beats_begin(void)
{
    HYD_status status = HYD_SUCCESS;
    uint64_t said;

    if (HYD_pmcd_pmip.user_global.ft_timeout == 0)
        goto fn_exit;
    status = connect_beat();
    HYDU_ERR_POP(status, "MPIR_CVAR_FT_TIMEOUT: mpiexec cannot be asked\n");
    HYDU_guardian_start();
    if (!wait_for_lease(&said))
        HYDU_ERR_SETANDJUMP(status, HYD_GRACEFUL_ABORT, "%s", "");
    if (!extend_lease(said) || !HYD_pmcd_beat_thread(beat))
        HYDU_ERR_SETANDJUMP(status, HYD_INTERNAL_ERROR,
                            "MPIR_CVAR_FT_TIMEOUT: no process, or no thread, for the proxy\n");

fn_exit:
    return status;
fn_fail:
    goto fn_exit;
}
