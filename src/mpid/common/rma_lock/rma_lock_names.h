/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of functions for the linker; written by "make lists" of src/mpid/common/rma_lock. */
#ifndef RMA_LOCK_NAMES_H_INCLUDED
#define RMA_LOCK_NAMES_H_INCLUDED

#define rma_lock_ask MPIR_rma_lock_ask
#define rma_lock_guard_enter MPIR_rma_lock_guard_enter
#define rma_lock_guard_leave MPIR_rma_lock_guard_leave
#define rma_lock_guard_wait MPIR_rma_lock_guard_wait
#define rma_lock_is_exclusive MPIR_rma_lock_is_exclusive
#define rma_lock_poll MPIR_rma_lock_poll
#define rma_lock_release MPIR_rma_lock_release
#define rma_lock_try MPIR_rma_lock_try

#endif /* RMA_LOCK_NAMES_H_INCLUDED */
