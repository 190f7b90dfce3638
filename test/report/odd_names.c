/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators with names that a page or a table could take for something else. */
#include <mpi.h>

static const char *const names[] = {
    "odd name <script>alert(1)</script>", "odd name \"quoted\" \\", "two lines\nodd name", "\033[31modd name", "not UTF-8 \xff\xc3 odd name",
    "<!-- odd name"
};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        MPI_Comm comm;

        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_set_name(comm, names[i]);
    }
    MPI_Finalize();
    return 0;
}
