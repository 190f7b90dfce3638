/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "reach.h"

static uint64_t own_number; /* 0: not made yet */

reach_process_t MPIR_reach_self(void)
{
    const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
    struct timespec now;

    if (!own_number) {
        clock_gettime(CLOCK_REALTIME, &now);
        own_number = (uint64_t) now.tv_nsec << 32 ^ (uint64_t) now.tv_sec << 8 ^
                     (uint64_t) getpid() * odd ^ (uintptr_t) &own_number;
        own_number |= 1;
    }
    return (reach_process_t){own_number, (uintptr_t) &own_number, (int32_t) getpid()};
}

#ifdef __linux__

/* So many bytes from the begin of the pieces are done. */
static void advance(struct iovec **pieces, size_t bytes)
{
    while (bytes > 0 && bytes >= (*pieces)->iov_len) {
        bytes -= (*pieces)->iov_len;
        ++*pieces;
    }
    if (bytes > 0) {
        (*pieces)->iov_base = (char *) (*pieces)->iov_base + bytes;
        (*pieces)->iov_len -= bytes;
    }
}

/* The kernel copies at most 2 GiB in a call, and less if it is interrupted. */
static int copy_pieces(int32_t id, bool is_written, struct iovec *mine, struct iovec *theirs, int n)
{
    const struct iovec *end = mine + n;

    while (mine < end) {
        unsigned long left = (unsigned long) (end - mine);
        ssize_t done = is_written ? process_vm_writev(id, mine, left, theirs, left, 0)
                                  : process_vm_readv(id, mine, left, theirs, left, 0);

        if (done <= 0)
            return done ? errno : EFAULT;
        advance(&mine, (size_t) done);
        advance(&theirs, (size_t) done);
    }
    return 0;
}

/* A process that nobody has waited for yet exists, without memory. */
bool MPIR_reach_is_alive(int32_t id)
{
    char byte;
    struct iovec mine = {&byte, 1}, theirs = {NULL, 1};

    if (process_vm_readv(id, &mine, 1, &theirs, 1, 0) >= 0 || errno == EFAULT)
        return true;
    return errno != ESRCH && (kill(id, 0) == 0 || errno != ESRCH);
}

#else

static int copy_pieces(int32_t id, bool is_written, struct iovec *mine, struct iovec *theirs, int n)
{
    (void) id, (void) is_written, (void) mine, (void) theirs, (void) n;
    return ENOSYS;
}

bool MPIR_reach_is_alive(int32_t id) { return kill(id, 0) == 0 || errno != ESRCH; }

#endif

static bool try(const reach_process_t *process)
{
    uint64_t number = 0;
    struct iovec mine = {&number, sizeof number},
                 theirs = {(void *) (uintptr_t) process->number_at, sizeof number};

    return copy_pieces(process->id, false, &mine, &theirs, 1) == 0 && number == process->number;
}

/* Each at a place that follows from the number; another one may take it. */
enum { ANSWERS = 256 };
static struct {
    uint64_t number;
    bool leads;
} answers[ANSWERS];

bool MPIR_reach_leads(const reach_process_t *process)
{
    size_t at = (size_t) (process->number * UINT64_C(0x9e3779b97f4a7c15) >> 32) % ANSWERS;

    if (answers[at].number != process->number) {
        answers[at].leads = try(process);
        answers[at].number = process->number;
    }
    return answers[at].leads && process->number != 0;
}

/* A kernel that refuses what it did not refuse before makes all answers old. */
int MPIR_reach_copy(int32_t id, bool is_written, struct iovec *mine, struct iovec *theirs, int n)
{
    int error = copy_pieces(id, is_written, mine, theirs, n);

    if (error && error != EFAULT)
        memset(answers, 0, sizeof answers);
    return error;
}
