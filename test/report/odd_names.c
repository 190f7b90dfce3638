/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators with names that a page or a table could take for something else. */
#include <locale.h>
#include <mpi.h>

static const char *const names[] = {"odd name <script>alert(1)</script>",
                                    "odd name \"quoted\" \\",
                                    "two lines\nodd name",
                                    "\033[31modd name",
                                    "not UTF-8 \xff\xc3 odd name",
                                    "<!-- odd name",
                                    "cut off odd name \xe2\x82",
                                    "\xf0\x9f\x98 odd name",
                                    "a half \xed\xa0\x80 odd name",
                                    "too long \xc0\xaf odd name",
                                    "beyond \xf4\x90\x80\x80 odd name",
                                    "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 odd name",
                                    "\x01\x7f\t odd name"};

int main(int argc, char **argv)
{
    setlocale(LC_NUMERIC, "de_DE.UTF-8"); /* where it is installed, numbers have a comma */
    MPI_Init(&argc, &argv);
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        MPI_Comm comm;

        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_set_name(comm, names[i]);
    }
    MPI_Finalize();
    return 0;
}
