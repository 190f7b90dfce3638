/* SPDX-License-Identifier: BSD-3-Clause */
/* A session that is finalized, and another one after it. */
#include <mpi.h>
#include <stdio.h>

static void use_session(const char *which)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;

    if (MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) != MPI_SUCCESS)
        return;
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, which, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Barrier(comm);
    printf("%s: fine\n", which);
    fflush(stdout);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
}

int main(void)
{
    use_session("first session");
    use_session("second session");
    return 0;
}
