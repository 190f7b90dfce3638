/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Temporary buffers of collectives.  A process that cannot allocate one must not return alone: the
 * others wait for its messages.  A small buffer is on the stack.  Without a large one the process
 * goes on with messages that carry no data and mark the collective as failed.
 */
#ifndef COLL_SMALL_H_INCLUDED
#define COLL_SMALL_H_INCLUDED

#include <stddef.h>

/* Also for what an agreement on context ids exchanges at a time. */
#define MPIR_COLL_SMALL_BYTES 1024

#define MPIR_COLL_SMALL_DECL(room_) max_align_t room_[MPIR_COLL_SMALL_BYTES / sizeof(max_align_t)]

/* `size_` counts or measures what each message carries; `first_error_` is what the collective
 * returns. */
#define MPIR_CHKLMEM_MALLOC_OR_NO_DATA(pointer_, bytes_, rc_, name_, size_, first_error_, \
                                       errflag_) \
    MPIR_CHKLMEM_MALLOC_ORSTMT(pointer_, void *, bytes_, rc_, name_, MPL_MEM_BUFFER, { \
        first_error_ = rc_; \
        size_ = 0; \
        *(errflag_) = MPIR_ERR_OTHER; \
    })

/* As MPIR_CHKLMEM_MALLOC, but without an allocation when the bytes fit into `room_`. */
#define MPIR_CHKLMEM_MALLOC_UNLESS_SMALL(room_, pointer_, bytes_, rc_, name_) \
    do { \
        if ((size_t) (bytes_) <= sizeof(room_)) \
            pointer_ = (void *) (room_); \
        else \
            MPIR_CHKLMEM_MALLOC(pointer_, void *, bytes_, rc_, name_, MPL_MEM_BUFFER); \
    } while (0)

#endif /* COLL_SMALL_H_INCLUDED */
