/* SPDX-License-Identifier: BSD-3-Clause */
/* A session, the world after it, and a session after MPI_Finalize, which is refused. */
#include <mpi.h>
#include <stdio.h>

/* What MPI_Session_init returns goes to the caller, who asked for that. */
static int use_session(const char *which)
{
    char text[MPI_MAX_ERROR_STRING];
    int length, error;
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;

    error = MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    if (error) {
        MPI_Error_string(error, text, &length);
        printf("%s\n", text);
        return 1;
    }
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, which, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Barrier(comm);
    printf("%s: fine\n", which);
    fflush(stdout);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
    return 0;
}

int main(void)
{
    if (use_session("first session"))
        return 1;
    MPI_Init(NULL, NULL);
    MPI_Finalize();
    return use_session("second session");
}
