/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PARENT_H_INCLUDED
#define PARENT_H_INCLUDED

#include "hydra.h"
#include <stdbool.h>

/*
 * MPI_Comm_spawn waits until the new processes connect to its port. If one of them ends before or
 * in MPI_Init, they never do. The proxy, which started the process, then tells the port.
 */

/* In mpiexec: puts the port among the variables of the new processes, where the proxies find it. */
HYD_status HYD_pmcd_tell_parent_port(struct HYD_exec *exec_list, const char *key,
                                     const char *value);

/* In mpiexec: the proxy says that a process of its own has ended early. Tells the other proxies of
 * the same processes, at once and those that start later. */
void HYD_pmcd_left_early(struct HYD_proxy *proxy);
/* In mpiexec: the proxy has got its processes to start. */
void HYD_pmcd_tell_if_left_early(const struct HYD_proxy *proxy);

/* In the proxy: its process number i has closed its connection to the process manager, and not said
 * that it is done. If the process was spawned and has not begun MPI_Init, or the parent still waits
 * for it, the parent gets an error. The others read the end of their connections, on all hosts, and
 * those inside MPI_Init are killed: they would wait for this one. Then the result is true, as for
 * those others. False: this is another case. */
bool HYD_pmcd_pmip_left_early(int i);
/* In the proxy: the process with this connection says "abort". True: its parent still waits for it
 * and gets an error, as above. */
bool HYD_pmcd_pmip_aborts_early(int fd);
/* In the proxy: that has happened. What its processes say from then on is dropped: if one cannot
 * get through MPI_Init, and says "abort", this is not to end the parents. */
bool HYD_pmcd_pmip_is_over(void);
/* In the proxy: a process of another host has ended early. */
void HYD_pmcd_pmip_give_up(void);
/* In the proxy: the process with this connection is done, and the connection closed. */
void HYD_pmcd_pmip_has_finalized(int fd);
/* When all processes of the proxy have ended: the same for those whose connections the proxy has
 * not seen closed. If one has ended early, those that a signal ended count as failed, not as
 * killed: mpiexec would end the parents for them, which have their error. */
void HYD_pmcd_pmip_all_left(void);

#endif /* PARENT_H_INCLUDED */
