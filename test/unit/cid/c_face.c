/* SPDX-License-Identifier: BSD-3-Clause */
/* cid.h alone, as C99. */
#include "cid.h"

uint32_t c_first_free_id(uint32_t limit);

uint32_t c_first_free_id(uint32_t limit)
{
    uint32_t id, found = UINT32_MAX;
    cid_table_t *table = MPIR_cid_table_create(CID_RADIX, limit);
    if (table == NULL)
        return found;
    for (id = 0; id < 3; id++) {
        if (MPIR_cid_claim(table, id, table) != CID_OK)
            goto fn_exit;
    }
    found = MPIR_cid_next_free(table, 0);
fn_exit:
    MPIR_cid_table_destroy(table);
    return found;
}
