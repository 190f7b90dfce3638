/* SPDX-License-Identifier: BSD-3-Clause */

#include "hydra.h"
#include "pmip.h"
#include "pmip_pmi.h"
#include "demux.h"
#include "absent.h"
#include "deaths.h"
#include "parent.h"
#include "../../../../include/mpir_deaths_page.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

static MPIR_deaths_page_t *page;
static int page_fd = -1;
static bool is_over; /* the job, because a rank has died too early */

/* ---- the memory ---- */

static int make_file(void)
{
#ifdef MFD_CLOEXEC
    return memfd_create("mpich_deaths", 0);
#else
    char name[64];
    int fd;

    snprintf(name, sizeof(name), "/mpich_deaths_%d", (int) getpid());
    fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (fd >= 0)
        shm_unlink(name);
    return fd;
#endif
}

static bool make_page(void)
{
    const uint32_t room =
        (uint32_t) HYD_pmcd_pmip.system_global.global_process_count + MPIR_DEATHS_MOST;
    const size_t bytes = MPIR_Deaths_bytes(room);
    MPIR_deaths_page_t *made;

    page_fd = make_file();
    if (page_fd < 0 || ftruncate(page_fd, (off_t) bytes) != 0)
        return false;
    made = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, page_fd, 0);
    if (made == MAP_FAILED)
        return false;
    made->job = MPIR_Deaths_job(HYD_pmcd_pmip.local.kvs->kvsname);
    made->room = room;
    made->ranks = (uint32_t) HYD_pmcd_pmip.local.proxy_process_count;
    made->magic = MPIR_DEATHS_MAGIC;
    __atomic_store_n(&page, made, __ATOMIC_RELEASE);
    return true;
}

void HYD_pmcd_pmip_deaths_lease(uint64_t end)
{
    MPIR_deaths_page_t *made = __atomic_load_n(&page, __ATOMIC_ACQUIRE);

    if (made)
        __atomic_store_n(&made->lease, end, __ATOMIC_RELAXED);
}

static void note_death(uint64_t job, int rank)
{
    if (page)
        MPIR_Deaths_enter(page, job, (uint32_t) rank);
}

HYD_status HYD_pmcd_pmip_hear_of_death(int fd, const struct HYD_pmcd_hdr *hdr)
{
    HYD_pmcd_death_t death = {.hdr = *hdr};
    int got, closed;
    HYD_status status = HYDU_sock_read(fd, &death.hdr + 1, sizeof(death) - sizeof(death.hdr), &got,
                                       &closed, HYDU_SOCK_COMM_MSGWAIT);

    if (status == HYD_SUCCESS && !closed)
        note_death(death.job, hdr->rank);
    return status;
}

HYD_status HYD_pmcd_pmip_deaths_env(struct HYD_env **env)
{
    HYD_status status;
    char fd[16];

    if (!page)
        return HYD_SUCCESS;
    snprintf(fd, sizeof(fd), "%d", page_fd);
    status = HYDU_append_env_to_list(MPIR_DEATHS_VARIABLE, fd, env);
    return status == HYD_SUCCESS ? HYDU_append_env_to_list("MPIR_CVAR_ENABLE_FT", "1", env)
                                 : status;
}

/* mpiexec needs the number here and the rank: where others say the rank and the process. */
static bool tell(enum HYD_pmcd_cmd what, int i)
{
    int closed;

    return HYD_pmcd_pmip_tell(what, i, HYD_pmcd_pmip.downstream.pmi_rank[i], &closed) ==
               HYD_SUCCESS &&
           !closed;
}

/* They may wait for each other where nobody looks at the list. */
static bool need_each_other(void)
{
    return __atomic_load_n(&page->begun, __ATOMIC_ACQUIRE) < page->ranks;
}

bool HYD_pmcd_pmip_is_gone(int fd)
{
    for (int i = 0; page && i < HYD_pmcd_pmip.local.proxy_process_count; i++) {
        if (HYD_pmcd_pmip.downstream.pmi_fd[i] == fd)
            return false;
    }
    return page != NULL;
}

static bool report(int i)
{
    note_death(page->job, HYD_pmcd_pmip.downstream.pmi_rank[i]);
    return tell(PROCESS_TERMINATED, i);
}

static void report_early(int i) { (void) report(i); }

static void end_all(int i)
{
    if (!is_over)
        tell(TERMINATED_EARLY, i);
    is_over = true;
    HYD_pmcd_pmip_ends_unfinished(i);
}

bool HYD_pmcd_pmip_goes_on_without(int i)
{
    int fd = HYD_pmcd_pmip.downstream.pmi_fd[i];

    if (!page || !HYD_pmcd_pmip.downstream.pmi_fd_active[i])
        return false; /* no MPI program */
    if (fd < 0)
        return true; /* it has finalized, or its death is known */
    if (need_each_other()) {
        end_all(i);
        return false;
    }
    HYDT_dmx_deregister_fd(fd);
    close(fd);
    return report(i) && HYD_pmcd_pmip_process_ended(i) == HYD_SUCCESS;
}

bool HYD_pmcd_pmip_others_go_on(int i)
{
    return (page && HYD_pmcd_pmip.downstream.pmi_fd[i] >= 0 && need_each_other() &&
            HYD_pmcd_pmip_left_early(i)) ||
           HYD_pmcd_pmip_goes_on_without(i);
}

HYD_status HYD_pmcd_pmip_deaths_open(void)
{
    HYD_status status = HYD_SUCCESS;

    if (!HYD_pmcd_pmip.user_global.recovery)
        goto fn_exit;
    if (!make_page())
        HYDU_ERR_SETANDJUMP(status, HYD_NO_MEM, "--enable-recovery: no shared memory (%s)\n",
                            strerror(errno));
    HYD_pmcd_pmip_need_each_other = need_each_other;
    HYD_pmcd_pmip_died = report_early;
    HYD_pmcd_pmip_misses_always();

fn_exit:
    return status;

fn_fail:
    goto fn_exit;
}
