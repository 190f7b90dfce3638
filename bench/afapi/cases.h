/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of the functions that the program has defined, such as reduceAnd8 and bcast64f.
 * Included once, behind them.
 */
#ifndef CASES_H_INCLUDED
#define CASES_H_INCLUDED

#include "batches.h"

#define FOLD_CASE(op, mpi_op, T, type, mpi) \
    {"reduce" #op "-" #T, reduce##op##T}, {"scan" #op "-" #T, scan##op##T},
#define EXCHANGE_CASES(T, type, mpi) \
    {"bcast-" #T, bcast##T}, {"scatter-" #T, scatter##T}, {"gather-" #T, gather##T}, \
        {"putGet-" #T, putGet##T}, {"all2all-" #T, all2all##T},
#define CASES_OF_INTEGER(T, type, mpi) \
    BITWISE(FOLD_CASE, T, type, mpi) \
    ARITHMETIC(FOLD_CASE, T, type, mpi) EXCHANGE_CASES(T, type, mpi)
#define CASES_OF_FLOAT(T, type, mpi) \
    ARITHMETIC(FOLD_CASE, T, type, mpi) EXCHANGE_CASES(T, type, mpi)

/* A barrier has no type: it is measured beside those of 32 bits. */
static const case_t cases[] = {{"barrier-32", wait_all},
                               INTEGERS(CASES_OF_INTEGER) FLOATS(CASES_OF_FLOAT)};

#endif /* CASES_H_INCLUDED */
