/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Output of this node's processes that the proxy has not yet passed on.
 *
 * mpiexec ends as soon as it learns that a process aborts. Output that is then in the pipes of the
 * proxies would be lost. A process writes the reason of its abort last.
 */
#ifndef PMIP_OUTPUT_H_INCLUDED
#define PMIP_OUTPUT_H_INCLUDED

#include "hydra.h"

/* Reads one piece of the output behind fd and passes it on; stream is STDOUT_FILENO or
 * STDERR_FILENO, as a pointer. */
typedef HYD_status (*HYD_pmcd_pmip_output_fn)(int fd, HYD_event_t events, void *stream);

/* Passes on all that was written before this call, by any process of this proxy.  Ends even when
 * the processes go on writing.  Never closes a descriptor: that is left to the demultiplexer. */
HYD_status HYD_pmcd_pmip_forward_output(HYD_pmcd_pmip_output_fn forward);

/* Would a read of fd return at once, with data or with the end of the file? */
int HYD_pmcd_pmip_output_waits(int fd);

#endif /* PMIP_OUTPUT_H_INCLUDED */
