/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_launcher.h"
#include "mpir_pmix.h"

/*
=== BEGIN_MPI_T_CVAR_INFO_BLOCK ===

cvars:
    - name        : MPIR_CVAR_ALLOW_SINGLETONS
      category    : CH4
      type        : boolean
      default     : false
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_BASIC
      scope       : MPI_T_SCOPE_LOCAL
      description : >-
        A process that a launcher started as one of several, without a process manager that this library knows, may be a
        world of one process.

=== END_MPI_T_CVAR_INFO_BLOCK ===
*/

/* A launcher by the variables that it sets for each process; `size` is NULL where it sets none. */
typedef struct launcher {
    const char *name, *rank, *size, *instead;
} launcher_t;

#define OWN_MPIEXEC "the mpiexec of this library"

/* Slurm comes first: its processes have PMIX_RANK as well. SLURM_NTASKS is no sign: batch scripts
 * have it, too. */
static const launcher_t launchers[] = {
    {"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS",
     "srun --mpi=pmi2, srun --mpi=pmix, or " OWN_MPIEXEC},
    {"Open MPI's mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", OWN_MPIEXEC},
    {"a launcher that speaks PMIx", "PMIX_RANK", NULL, OWN_MPIEXEC},
    {"Cray's PALS", "PALS_RANKID", NULL, OWN_MPIEXEC}};

static bool have_pmi(void) { return getenv("PMI_FD") || getenv("PMI_PORT"); }

/* Is this process one of several? Where no size is known, it is taken for one. */
static bool is_one_of_several(const launcher_t *launcher)
{
    const char *size = launcher->size ? getenv(launcher->size) : "";

    return getenv(launcher->rank) && size && (*size == '\0' || atoi(size) > 1);
}

static int refuse(const launcher_t *launcher)
{
    int mpi_errno = MPI_SUCCESS;
    const char *size = launcher->size ? getenv(launcher->size) : "several";

    MPIR_ERR_SETANDSTMT4(mpi_errno, MPI_ERR_OTHER, ;, "**launcher", "**launcher %s %s %s %s",
                                                    launcher->name, getenv(launcher->rank), size,
                                                    launcher->instead);
    return mpi_errno;
}

int MPIR_Launcher_check(void)
{
    if (MPIR_Pmix_is_used())
        return MPIR_Pmix_start();
    if (MPIR_CVAR_ALLOW_SINGLETONS || have_pmi())
        return MPI_SUCCESS;
    for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++) {
        const launcher_t *launcher = &launchers[i];
        if (is_one_of_several(launcher))
            return refuse(launcher);
        /* it says that this process is the only one: other variables are of an outer launcher */
        if (getenv(launcher->rank) && launcher->size && getenv(launcher->size))
            return MPI_SUCCESS;
    }
    return MPI_SUCCESS;
}
