/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PARENT_H_INCLUDED
#define PARENT_H_INCLUDED

#include "hydra.h"
#include "common.h"
#include <stdbool.h>

/*
 * MPI_Comm_spawn waits until the new processes connect to its port. If one of them ends before or
 * in MPI_Init, they never do. The proxy, which started the process, then tells the port.
 *
 * Where deaths end no job (deaths.h), the processes end also if the port does not listen.  Its root
 * may have died, or have left MPI_Comm_spawn.
 *
 * The proxies of several hosts may tell the port at the same time. It listens to one of them, and
 * the root closes it. To the other proxies, this looks like a parent that goes on with its new
 * processes. An abort would end that parent, too. So mpiexec decides, by these messages:
 *   ASKS_PARENT       The proxy is about to tell the port.
 *   LEFT_EARLY        The port has listened. mpiexec tells all proxies of these processes.
 *   PARENT_GOES_ON    The port has not listened. The proxy waits for mpiexec's answer. This is
 *                     LEFT_EARLY, or, when no other proxy asks any more, PARENT_GOES_ON.
 * The first proxy has said ASKS_PARENT before the root closes the port to another one.
 *
 * If a proxy cannot start, mpiexec itself tells the port, and LEFT_EARLY to the other proxies.
 */

/* Tells the port, in a text of at most 400 characters, which process never comes.  False: the port
 * is closed, or its process does not accept any more.  It has heard from all processes then, or of
 * one that has ended. */
bool HYD_pmcd_tell_port(const char *name, const char *text);

/* In mpiexec: a proxy of spawned processes has not started, or has ended.  `how` tells more.  The
 * parent gets an error, as above.  False: it has not listened. */
bool HYD_pmcd_spawn_misses(struct HYD_proxy *proxy, const char *how);

/* In mpiexec: puts the port among the variables of the new processes, where the proxies find it. */
HYD_status HYD_pmcd_tell_parent_port(struct HYD_exec *exec_list, const char *key,
                                     const char *value);

/* In mpiexec: can the proxy be told something? */
bool HYD_pmcd_is_connected(const struct HYD_proxy *proxy);
/* In mpiexec: tells it. One that ends meanwhile does not need to know. */
void HYD_pmcd_tell_proxy(const struct HYD_proxy *proxy, enum HYD_pmcd_cmd what);
/* In mpiexec: the proxy says one of the above. False: something else. */
bool HYD_pmcd_ends_early(const struct HYD_proxy *proxy, enum HYD_pmcd_cmd what);
/* In mpiexec: the proxy has got its processes to start, after one of another proxy has ended. */
void HYD_pmcd_tell_if_left_early(const struct HYD_proxy *proxy);

/* In the proxy: its process number i has closed its connection to the process manager, and not said
 * that it is done. If the process was spawned and has not begun MPI_Init, or the parent still waits
 * for it, the parent gets an error. The others read the end of their connections, on all hosts, and
 * are killed: they would wait for this one, or never look. Then the result is true, as for those
 * others. False: this is another case. */
bool HYD_pmcd_pmip_left_early(int i);
/* In the proxy, where deaths end no job (deaths.h), otherwise NULL: do the processes here still
 * need each other, to get through MPI_Init?  And: one of those that end has died. */
extern bool (*HYD_pmcd_pmip_need_each_other)(void);
extern void (*HYD_pmcd_pmip_died)(int i);
/* In the proxy: the process with this connection says "abort". True: its parent still waits for it
 * and gets an error, as above. */
bool HYD_pmcd_pmip_aborts_early(int fd);
/* In the proxy: that has happened. What its processes say from then on is dropped: if one cannot
 * get through MPI_Init, and says "abort", this is not to end the parents. */
bool HYD_pmcd_pmip_is_over(void);
/* In the proxy: mpiexec says one of the above. False: something else. */
bool HYD_pmcd_pmip_hears(enum HYD_pmcd_cmd what);
/* In the proxy: the process with this connection is done, and the connection closed. */
void HYD_pmcd_pmip_has_finalized(int fd);
/* When all processes of the proxy have ended: the same for those whose connections the proxy has
 * not seen closed. If one has ended early, those that a signal ended count as failed, not as
 * killed: mpiexec would end the parents for them, which have their error. */
void HYD_pmcd_pmip_all_left(void);

#endif /* PARENT_H_INCLUDED */
