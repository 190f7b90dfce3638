/* SPDX-License-Identifier: BSD-3-Clause */
/* AFAPI in a program without MPI. */
#include "afapi_impl.h"

bool MPIR_Afapi_has_mpi(void) { return false; }

const MPIR_Afapi_network_t *MPIR_Afapi_mpi(void) { return NULL; }
