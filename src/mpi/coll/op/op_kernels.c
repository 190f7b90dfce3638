/* SPDX-License-Identifier: BSD-3-Clause */

#include "op_kernels.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define BYTES 16
#define TARGET
#define NAMED(name) name##_plain
#include "op_kernels_body.h"

#ifdef __x86_64__
#define BYTES 32
#define TARGET __attribute__((target("avx2")))
#define NAMED(name) name##_avx2
#include "op_kernels_body.h"

#define BYTES 64
#define TARGET __attribute__((target("avx512f,avx512bw,avx512dq")))
#define NAMED(name) name##_avx512
#include "op_kernels_body.h"

static bool has_avx2(void) { return __builtin_cpu_supports("avx2"); }

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq");
}
#endif

static bool has_plain(void) { return true; }

/* The widest first. */
static const struct {
    const char *name;
    const MPIR_Op_kernels_t *kernels;
    bool (*is_there)(void);
} widths[] = {
#ifdef __x86_64__
    {"avx512", &kernels_avx512, has_avx512},
    {"avx2", &kernels_avx2, has_avx2},
#endif
    {"plain", &kernels_plain, has_plain},
};

const MPIR_Op_kernels_t *MPIR_Op_kernels(const char *name)
{
    bool any = !strcmp(name, "auto");

    for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
        if ((any || !strcmp(name, widths[i].name)) && widths[i].is_there())
            return widths[i].kernels;
    }
    return NULL;
}
