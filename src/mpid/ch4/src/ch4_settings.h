/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CH4_SETTINGS_H_INCLUDED
#define CH4_SETTINGS_H_INCLUDED

#include <stddef.h>
#include <stdint.h>

/*
 * Environment variables that must be equal in all processes: processes that differ in one of them
 * deadlock. MPI_Init compares them before anything depends on them. A process compares its digest
 * with that of the node's first process, which is in the node's segment. The first processes of
 * other nodes compare theirs with rank 0. A process that finds a difference names the variable.
 */

/* NICs that the netmod uses; 1 if their number does not matter. REQUIRES: set before the settings
 * are compared. */
extern int MPIDI_Settings_nics;

/* How the netmod divides the match bits of messages; zeros where it does so by the number of
 * processes alone. */
typedef struct {
    int context_bits, rank_bits, tag_bits;
} MPIDI_Settings_match_t;
extern MPIDI_Settings_match_t MPIDI_Settings_match;
/* The same over UCX, where the division follows from it. */
extern int MPIDI_Settings_ucx_rank_bits;

uint64_t MPIDI_Settings_digest(void);
/* The first process of a node leaves its values, and the name of the segment that it has made, or
 * NULL. REQUIRES: MPIR_pmi_bcast to the node's processes comes next. Collective. */
int MPIDI_Settings_leave(const char *segment);
/* For a start that fails after that: calls `remove` for each segment of this host that has been
 * left. The processes which made them wait for this one until they are ended. */
void MPIDI_Settings_remove_segments(void (*remove)(const char *segment));
/* REQUIRES: MPIR_pmi_bcast has been called, and returned bcast_errno. */
int MPIDI_Settings_compare(int bcast_errno);
/* In processes of a node but the first, with what that one's MPIDI_Settings_digest returned. */
int MPIDI_Settings_compare_on_node(uint64_t digest);

/* Jobs that are connected have to agree about some of them, too: the values that each one tells
 * the other. */
#define MPIDI_SETTINGS_OF_JOB 672
/* REQUIRES: packed[MPIDI_SETTINGS_OF_JOB]. Returns how many bytes it has. */
int MPIDI_Settings_of_job(char *packed);
int MPIDI_Settings_compare_jobs(const char *theirs, int bytes);

#endif /* CH4_SETTINGS_H_INCLUDED */
