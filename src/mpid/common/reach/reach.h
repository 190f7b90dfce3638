/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of other processes of the node, as the kernel copies it.
 *
 * process_vm_readv() and process_vm_writev() take about 0.6 us and do not involve the other
 * process.  The kernel refuses them where the processes have different users, and where settings of
 * the machine or of a container say so.
 *
 * A process describes itself, and others read its description where the caller puts it.  Whether
 * they reach it, they learn by a trial.  The module remembers the answers: one trial serves all
 * that a process shares with another.
 *
 * Threads: several may copy; one at a time calls the other functions.
 */
#ifndef REACH_H_INCLUDED
#define REACH_H_INCLUDED

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A number that only this process has, and where: a process with the same id elsewhere, such as in
 * another container, is another one. */
typedef struct reach_process {
    uint64_t number; /* 0: nobody */
    uint64_t number_at;
    int32_t id;
} reach_process_t;

reach_process_t MPIR_reach_self(void);

/* Does the kernel copy memory of the process that has described itself so?  It may still refuse
 * some of it, such as that of a device, or begin to refuse all. */
bool MPIR_reach_leads(const reach_process_t *process);

/* Copies between n pieces of this process and as many, equally long, of the other, of which none is
 * empty; changes both arrays.  0 or the error number. */
int MPIR_reach_copy(int32_t id, bool is_written, struct iovec *mine, struct iovec *theirs, int n);

/* Has the process memory?  One that has ended has none. */
bool MPIR_reach_is_alive(int32_t id);

#ifdef __cplusplus
}
#endif

#endif /* REACH_H_INCLUDED */
