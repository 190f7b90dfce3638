/* SPDX-License-Identifier: BSD-3-Clause */

/* From a call on the kernel refuses this process to copy memory of others. */
#ifndef CMAPTEST_REFUSE_H_INCLUDED
#define CMAPTEST_REFUSE_H_INCLUDED

#ifdef __linux__
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

/* 0: this cannot be had here. */
#if defined(__linux__) && defined(PR_SET_SECCOMP)
static inline int ct_refuse_copies(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

    return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
           !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
#else
static inline int ct_refuse_copies(void) { return 0; }
#endif

#endif /* CMAPTEST_REFUSE_H_INCLUDED */
