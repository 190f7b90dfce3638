/* SPDX-License-Identifier: BSD-3-Clause */

/* A program of AFAPI alone: every function for every type.  Without mpiexec it runs as well
 * (AFAPI_NPROC). */
#include "afapi_checks.h"

int main(int argc, char **argv)
{
    int wrong;

    if (p_init())
        return 1;
    wrong = p_reduceAdd32(afapi_check_all(argc > 1 ? (unsigned) atoi(argv[1]) : 6));
    if (IPROC == CPROC && wrong == 0)
        printf(" No Errors\n");
    p_exit();
    return wrong != 0;
}
