/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * FNV-1a: a number of 64 bits for a sequence of bytes.  It tells sequences apart, but an attacker
 * can choose two with the same number.  Begin with MPIR_DIGEST_OF_NOTHING, or with a number that
 * was agreed on.
 */
#ifndef MPIR_DIGEST_H_INCLUDED
#define MPIR_DIGEST_H_INCLUDED

#include <stddef.h>
#include <stdint.h>

#define MPIR_DIGEST_OF_NOTHING UINT64_C(14695981039346656037)

/* The digest of what `digest` is of, followed by these bytes.  Time: of the bytes. */
static inline uint64_t MPIR_Digest_add(uint64_t digest, const void *data, size_t bytes)
{
    const unsigned char *p = (const unsigned char *) data;

    for (size_t i = 0; i < bytes; i++)
        digest = (digest ^ p[i]) * UINT64_C(1099511628211);
    return digest;
}

#endif /* MPIR_DIGEST_H_INCLUDED */
