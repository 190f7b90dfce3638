/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPIR_DEATHS_H_INCLUDED
#define MPIR_DEATHS_H_INCLUDED

#include <stdbool.h>
#include <stdint.h>
#include "cmap.h"

/*
 * Who has died.  With MPIR_CVAR_ENABLE_FT a process reads it in memory of the process manager
 * (mpir_deaths_page.h); otherwise nobody dies.  What follows from a death: ch4's deaths.h.
 */

/* Programs compare codes with these classes, as with other MPI libraries.  So their codes are the
 * classes, and tell no more. */
#define MPIR_Err_is_of_failure(error_class) \
    ((error_class) == MPIX_ERR_PROC_FAILED || (error_class) == MPIX_ERR_PROC_FAILED_PENDING || \
     (error_class) == MPIX_ERR_REVOKED)

/* A request of the communicator has failed.  A call that completes several requests then calls the
 * error handler of this communicator, of which it knows nothing itself, with this error. */
struct MPIR_Comm;
void MPIR_Err_note_comm(struct MPIR_Comm *comm, int error);

#define MPIR_Err_note(comm, error) \
    do { \
        if (unlikely((error) != MPI_SUCCESS) && MPIR_Deaths_watched) \
            MPIR_Err_note_comm(comm, error); \
    } while (0)

#ifdef MPIR_WITHOUT_SURVIVE
#define MPIR_Deaths_seen UINT32_C(0)
#define MPIR_Deaths_watched false
#define MPIR_Deaths_own_job() UINT64_C(0)
#define MPIR_Deaths_has(rank) false
#define MPIR_Deaths_rank_in(map, i) CMAP_NONE
#define MPIR_Deaths_news() false
#define MPIR_Deaths_obey_lease() ((void) 0)
#else

/* How many have died.  Points to a 0 where nobody says who dies. */
extern const uint32_t *MPIR_Deaths_number;
/* Of how many this process has drawn the consequences; the first ones of the list. */
extern uint32_t MPIR_Deaths_seen;
/* Does somebody say who dies?  Does not change after MPI_Init. */
extern bool MPIR_Deaths_watched;

/* Early in MPI_Init. */
void MPIR_Deaths_init(void);
/* At the end of MPI_Init, when the job may go on without this process.  True when this can be said
 * of all processes of the node. */
void MPIR_Deaths_begin(void);
bool MPIR_Deaths_have_begun(void);

/* Before this process makes an endpoint: if it and its host were stopped, others may believe that
 * it is dead.  Then it ends here. */
void MPIR_Deaths_obey_lease(void);

/* The digest of this job's name, in the list.  REQUIRES MPIR_Deaths_watched */
uint64_t MPIR_Deaths_own_job(void);
/* Number i of the list: a rank of a job.  REQUIRES i < *MPIR_Deaths_number, as seen by an acquire
 * load. */
uint32_t MPIR_Deaths_rank(uint32_t i, uint64_t *job);

/* Is this rank of MPI_COMM_WORLD in the list? */
bool MPIR_Deaths_has(int rank);

/* Of each number below MPIR_Deaths_seen the index of the process (ch4_proc.h); CMAP_NONE: it is of
 * another world, and not known here.  NULL until memory is there. */
extern uint32_t *MPIR_Deaths_indices;
/* Memory for all; false without.  Nobody is put in. */
bool MPIR_Deaths_make_indices(void);

/* The rank of number i in the map, or CMAP_NONE.  REQUIRES i < MPIR_Deaths_seen */
static inline uint32_t MPIR_Deaths_rank_in(const cmap_t *map, uint32_t i)
{
    const uint32_t index = MPIR_Deaths_indices[i];

    return index == CMAP_NONE ? CMAP_NONE : MPIR_cmap_rank(map, index);
}

static inline bool MPIR_Deaths_news(void)
{
    return __atomic_load_n(MPIR_Deaths_number, __ATOMIC_RELAXED) != MPIR_Deaths_seen;
}

#endif

/* Has anybody died, as the process manager knows? */
static inline bool MPIR_Deaths_any(void)
{
#ifdef MPIR_WITHOUT_SURVIVE
    return false;
#else
    return __atomic_load_n(MPIR_Deaths_number, __ATOMIC_RELAXED) > 0;
#endif
}

#endif /* MPIR_DEATHS_H_INCLUDED */
