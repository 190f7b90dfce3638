/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "mpir_tvars.h"
#include "rma/peers/reach.h"

static unsigned long long copies;

void MPIDIG_rma_reach_init(void)
{
    MPIR_Pvar_register(MPI_T_PVAR_CLASS_COUNTER, "rma_copies", &copies, NULL, "CH4_RMA",
                       "system calls that have copied window memory of other processes");
}

#ifdef __linux__

/* 0: not made yet. */
static uint64_t own_number;

static void own_number_make(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    own_number = (uint64_t) now.tv_nsec << 32 ^ (uint64_t) now.tv_sec << 8 ^
                 (uint64_t) getpid() * UINT64_C(0x9e3779b97f4a7c15) ^ (uintptr_t) &own_number;
    own_number |= 1;
}

void MPIDIG_rma_door_describe(MPIDIG_rma_door_t *door, const MPIR_Win *win)
{
    bool is_dynamic = win->create_flavor == MPI_WIN_FLAVOR_DYNAMIC;

    if (!own_number)
        own_number_make();
    *door = (MPIDIG_rma_door_t){.base = win->base,
                                .size = is_dynamic ? MPIR_AINT_MAX : win->size,
                                .disp_unit = win->disp_unit,
                                .process = getpid(),
                                .number = own_number,
                                .number_at = &own_number};
}

bool MPIDIG_rma_door_leads(const MPIDIG_rma_door_t *door)
{
    uint64_t number = 0;
    struct iovec mine = {&number, sizeof(number)};
    struct iovec theirs = {(void *) door->number_at, sizeof(number)};

    return process_vm_readv(door->process, &mine, 1, &theirs, 1, 0) == sizeof(number) &&
           number == door->number;
}

/* Memory has one kind from its first byte to its last, as far as one call can tell. */
bool MPIDIG_rma_is_copied(const void *base, MPI_Aint size)
{
    char ends[2];
    struct iovec mine = {ends, 2}, theirs[2] = {{(char *) base, 1}, {(char *) base + size - 1, 1}};

    return size <= 0 || process_vm_readv(getpid(), &mine, 1, theirs, 2, 0) == 2;
}

/* So many bytes from the begin of the pieces are done. */
static void pieces_advance(struct iovec **pieces, size_t bytes)
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

/* The kernel copies at most 2 GiB in a call. */
int MPIDIG_rma_copy(int process, bool is_written, struct iovec *mine, struct iovec *theirs, int n)
{
    const struct iovec *end = mine + n;

    while (mine < end) {
        unsigned long left = (unsigned long) (end - mine);
        ssize_t done = is_written ? process_vm_writev(process, mine, left, theirs, left, 0)
                                  : process_vm_readv(process, mine, left, theirs, left, 0);

        if (done <= 0)
            return done ? errno : EFAULT;
        copies++;
        pieces_advance(&mine, (size_t) done);
        pieces_advance(&theirs, (size_t) done);
    }
    return 0;
}

#else

void MPIDIG_rma_door_describe(MPIDIG_rma_door_t *door, const MPIR_Win *win MPL_UNUSED)
{
    *door = (MPIDIG_rma_door_t){.is_closed = 1};
}

bool MPIDIG_rma_door_leads(const MPIDIG_rma_door_t *door MPL_UNUSED) { return false; }

bool MPIDIG_rma_is_copied(const void *base MPL_UNUSED, MPI_Aint size MPL_UNUSED) { return false; }

int MPIDIG_rma_copy(int process MPL_UNUSED, bool is_written MPL_UNUSED,
                    struct iovec *mine MPL_UNUSED, struct iovec *theirs MPL_UNUSED,
                    int n MPL_UNUSED)
{
    return ENOSYS;
}

#endif
