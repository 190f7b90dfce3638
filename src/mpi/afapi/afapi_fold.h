/* SPDX-License-Identifier: BSD-3-Clause */
/* The operations of AFAPI on elements in a row, for the aggregates. */
#ifndef AFAPI_FOLD_H_INCLUDED
#define AFAPI_FOLD_H_INCLUDED

#include "afapi.h"
#include "aggr.h"

/* REQUIRES a type for the operation: no floats for And, Or and Xor, and the unsigned type where
 * bits_of() has it. */
const aggr_fold_t *MPIR_Afapi_fold(enum AFAPI_op op, enum AFAPI_type type);

#endif /* AFAPI_FOLD_H_INCLUDED */
