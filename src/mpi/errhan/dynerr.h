/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef DYNERR_H_INCLUDED
#define DYNERR_H_INCLUDED

/* Properties of an error class or code that the program added. They keep it from being removed. */
typedef struct {
    bool has_string;
    int num_codes; /* of a class */
} MPII_Dynerr_t;

/* False if the program has added no such class or code. */
bool MPII_Dynerr_find_class(int errorclass, MPII_Dynerr_t *found);
bool MPII_Dynerr_find_code(int errorcode, MPII_Dynerr_t *found);

#endif /* DYNERR_H_INCLUDED */
