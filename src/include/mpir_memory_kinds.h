/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef MPIR_MEMORY_KINDS_H_INCLUDED
#define MPIR_MEMORY_KINDS_H_INCLUDED

/*
 * Kinds of memory that buffers may have, as lists such as "system,mpi:alloc_mem". The memory of the
 * system and of MPI is always supported. A process asks for others by
 * MPIR_CVAR_MEMORY_ALLOC_KINDS, a session by the info key mpi_memory_alloc_kinds.
 */
#define MPIR_MEMORY_KINDS_KEY "mpi_memory_alloc_kinds"

/* The list of what is supported, in memory for MPL_direct_free; NULL if there is no memory. */
char *MPIR_Memory_kinds_supported(const char *requested);

/* Sets the info key to what the session supports; 0 means the process. */
int MPIR_Memory_kinds_report(MPIR_Info *info, MPI_Session session);

/* The hints of a communicator have the number of the list that it asserts, or 0. */
int MPIR_Memory_kinds_number(const char *kinds);
const char *MPIR_Memory_kinds_string(int number);

#endif /* MPIR_MEMORY_KINDS_H_INCLUDED */
