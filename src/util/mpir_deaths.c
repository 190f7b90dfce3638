/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_deaths.h"
#include "mpir_deaths_page.h"
#include "mpir_pmi_polling.h"
#include "mpir_pmix.h"
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const uint32_t nobody = 0;

const uint32_t *MPIR_Deaths_number = &nobody;
uint32_t MPIR_Deaths_seen;
bool MPIR_Deaths_watched;
uint32_t *MPIR_Deaths_indices;

static MPIR_deaths_page_t *page; /* stays: MPI may be initialized again */

static MPIR_deaths_page_t *map_page(int fd)
{
    struct stat file;
    MPIR_deaths_page_t *mapped;

    if (fstat(fd, &file) != 0 || file.st_size < (off_t) sizeof(*mapped))
        return NULL;
    mapped = mmap(NULL, (size_t) file.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (mapped == MAP_FAILED)
        return NULL;
    if (mapped->magic == MPIR_DEATHS_MAGIC &&
        (size_t) file.st_size >= MPIR_Deaths_bytes(mapped->room))
        return mapped;
    munmap(mapped, (size_t) file.st_size);
    return NULL;
}

/* The process manager says which descriptor; a process that it did not start may have inherited the
 * variable and not the descriptor. */
static void find_page(void)
{
    int fd;

    if (MPL_env2int(MPIR_DEATHS_VARIABLE, &fd) != 1 || fd < 0)
        return;
    page = map_page(fd);
    if (page)
        close(fd);
}

/* The first n of the list. */
static bool is_among(uint32_t n, int rank)
{
    uint32_t i = 0;

    while (i < n && (page->dead[i].rank != (uint32_t) rank || page->dead[i].job != page->job))
        i++;
    return i < n;
}

static int pass_barrier(void (*poll)(void))
{
    return MPIR_Pmix_barrier_of_living(MPIR_Deaths_number, is_among, poll);
}

static void enter(const char *job, uint32_t rank)
{
    MPIR_Deaths_enter(page, MPIR_Deaths_job(job), rank);
}

/* Under another launcher.  Nobody counts who is through MPI_Init: that of the list's job has no
 * ranks then. */
static void make_page(void)
{
    const uint32_t room = (uint32_t) MPIR_Process.size + MPIR_DEATHS_MOST;
    const size_t bytes = MPIR_Deaths_bytes(room);

    page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                -1, 0);
    if (page == MAP_FAILED) {
        page = NULL;
        return;
    }
    page->job = MPIR_Deaths_job(MPIR_pmi_job_id());
    page->room = room;
    if (MPIR_Pmix_watch_deaths(enter)) {
        MPIR_pmi_barrier_of_living = pass_barrier;
    } else {
        munmap(page, bytes);
        page = NULL;
    }
}

void MPIR_Deaths_init(void)
{
    static bool has_asked, has_warned;

    if (!MPIR_CVAR_ENABLE_FT)
        return;
    if (!has_asked)
        find_page();
    if (!has_asked && !page)
        make_page();
    has_asked = true;
    if (page) {
        MPIR_Deaths_number = &page->number;
        MPIR_Deaths_watched = true;
    } else if (!has_warned) {
        fprintf(stderr, "MPI: MPIR_CVAR_ENABLE_FT is set, but the launcher does not say which "
                        "processes die; use mpiexec --enable-recovery, or prterun\n");
        has_warned = true;
    }
}

void MPIR_Deaths_begin(void)
{
    static bool has_said;

    if (page && !has_said)
        __atomic_fetch_add(&page->begun, 1, __ATOMIC_RELEASE);
    has_said = true;
}

bool MPIR_Deaths_have_begun(void)
{
    return !page || __atomic_load_n(&page->begun, __ATOMIC_ACQUIRE) >= page->ranks;
}

void MPIR_Deaths_obey_lease(void)
{
    const uint64_t end = page ? __atomic_load_n(&page->lease, __ATOMIC_RELAXED) : 0;
    struct timespec now;

    if (end == 0)
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if ((uint64_t) now.tv_sec * 1000000000 + (uint64_t) now.tv_nsec >= end)
        raise(SIGKILL);
}

uint64_t MPIR_Deaths_own_job(void) { return page->job; }

uint32_t MPIR_Deaths_rank(uint32_t i, uint64_t *job)
{
    *job = page->dead[i].job;
    return page->dead[i].rank;
}

bool MPIR_Deaths_has(int rank)
{
    return is_among(__atomic_load_n(MPIR_Deaths_number, __ATOMIC_ACQUIRE), rank);
}

/* The system gives a page of it when it is used. */
bool MPIR_Deaths_make_indices(void)
{
    if (!MPIR_Deaths_indices)
        MPIR_Deaths_indices = MPL_malloc(page->room * sizeof(uint32_t), MPL_MEM_OTHER);
    return MPIR_Deaths_indices != NULL;
}
