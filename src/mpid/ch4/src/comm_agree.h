/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CH4_COMM_AGREE_H_INCLUDED
#define CH4_COMM_AGREE_H_INCLUDED

#include "agree.h"

/*
 * An agreement of the members of a communicator that live (agree.h).  Members are ranks; between
 * groups those of the low group come first, then those of the other one.  Offers are those of
 * MPIR_Ctxid_begin_group, and the acknowledged those of this process.
 *
 * begin     REQUIRES that this process has the result of the communicator's last one.
 * test      *result stays NULL until there is a result, and this process knows all of the dead in
 *           it.  The result stays until the communicator's next agreement.
 * MPIDIG_agree  both, and progress between them.
 */
typedef struct MPIDIG_agreement MPIDIG_agreement_t;

/* The members, and the number of one: of a rank in the local group, or in the other one. */
int MPIDIG_agree_members(const MPIR_Comm *comm);
int MPIDIG_agree_local(const MPIR_Comm *comm, int rank);
int MPIDIG_agree_remote(const MPIR_Comm *comm, int rank);

int MPIDIG_agree_begin(MPIR_Comm *comm, uint32_t flag, const uint64_t offer[2],
                       MPIDIG_agreement_t **agreement);
int MPIDIG_agree_test(MPIDIG_agreement_t *agreement, const agree_value_t **result);
int MPIDIG_agree(MPIR_Comm *comm, uint32_t flag, const uint64_t offer[2],
                 const agree_value_t **result);

/* Under the lock of VCI 0: processes have died, with the numbers from `first` to below `end` in the
 * list; a communicator is there. */
void MPIDIG_agree_deaths(uint32_t first, uint32_t end);
int MPIDIG_agree_committed(MPIR_Comm *comm);
/* A communicator goes: nobody asks for its agreements any more. */
void MPIDIG_agree_freed(const MPIR_Comm *comm);

void MPIDIG_agree_init(void);
void MPIDIG_agree_finalize(void);

#endif /* CH4_COMM_AGREE_H_INCLUDED */
