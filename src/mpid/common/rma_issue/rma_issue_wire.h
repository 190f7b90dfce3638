/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An operation in a message: a record, then its data.
 *
 * If an operation has few elements and its displacement has 32 bits, its record has 8 bytes.  That
 * counts where a network sends short messages without a buffer.  All others have the wide form, 24
 * bytes.  Both keep data of 8 bytes on their alignment.
 */
#ifndef RMA_ISSUE_WIRE_H_INCLUDED
#define RMA_ISSUE_WIRE_H_INCLUDED

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int64_t disp;
    uint32_t count; /* at least 1 */
    uint32_t type;  /* the caller's numbers: small ones for frequent types */
    uint8_t op;     /* below 32 */
    uint8_t kind;   /* below 8 */
} rma_issue_record_t;

/* The first part of a record, and the second one of the wide form. */
typedef struct {
    uint32_t disp;
    uint16_t type;
    uint8_t count; /* 0: the wide form, which has these three */
    uint8_t op_and_kind;
} rma_issue_narrow_t;

typedef struct {
    int64_t disp;
    uint32_t count, type;
} rma_issue_wide_t;

static inline bool MPIR_rma_issue_record_is_narrow(const rma_issue_record_t *record)
{
    return record->disp >= 0 && record->disp <= UINT32_MAX && record->count <= UINT8_MAX &&
           record->type <= UINT16_MAX;
}

/* Bytes of a message that MPIR_rma_issue_record_write() fills. */
static inline size_t MPIR_rma_issue_record_size(const rma_issue_record_t *record)
{
    return sizeof(rma_issue_narrow_t) +
           (MPIR_rma_issue_record_is_narrow(record) ? 0 : sizeof(rma_issue_wide_t));
}

/* Both answer the place behind it. */
static inline char *MPIR_rma_issue_record_write(char *to, const rma_issue_record_t *record)
{
    rma_issue_narrow_t narrow = {0, 0, 0, (uint8_t) (record->op << 3 | record->kind)};
    rma_issue_wide_t wide = {record->disp, record->count, record->type};

    assert(record->count > 0 && record->op < 32 && record->kind < 8);
    if (!MPIR_rma_issue_record_is_narrow(record)) {
        memcpy(to, &narrow, sizeof(narrow));
        memcpy(to + sizeof(narrow), &wide, sizeof(wide));
        return to + sizeof(narrow) + sizeof(wide);
    }
    narrow.disp = (uint32_t) record->disp;
    narrow.type = (uint16_t) record->type;
    narrow.count = (uint8_t) record->count;
    memcpy(to, &narrow, sizeof(narrow));
    return to + sizeof(narrow);
}

static inline char *MPIR_rma_issue_record_read(char *from, rma_issue_record_t *record)
{
    rma_issue_narrow_t narrow;
    rma_issue_wide_t wide;

    memcpy(&narrow, from, sizeof(narrow));
    from += sizeof(narrow);
    record->op = narrow.op_and_kind >> 3;
    record->kind = narrow.op_and_kind & 7;
    record->disp = narrow.disp;
    record->count = narrow.count;
    record->type = narrow.type;
    if (narrow.count > 0)
        return from;
    memcpy(&wide, from, sizeof(wide));
    record->disp = wide.disp;
    record->count = wide.count;
    record->type = wide.type;
    return from + sizeof(wide);
}

#ifdef __cplusplus
}
#endif
#endif
