/* SPDX-License-Identifier: BSD-3-Clause */
/* agree_lines.c once more, with a place to stop before each access to what others write. */
#define AGREE_SIMULATED
#define MPIR_agree_lines_bytes simulated_lines_bytes
#define MPIR_agree_lines_put simulated_lines_put
#define MPIR_agree_lines_poll simulated_lines_poll
#include "agree_lines.c"
