/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_cvar_names.h"

/* Names in the environment that differ from the name of a variable by a slip or two: a letter that
 * is missing, added, wrong, or in its neighbour's place.  Names that resemble no variable may be
 * those of another version, and are let pass. */

extern char **environ;

enum { MOST_SLIPS = 2, LONGEST = 80 };

static int least(int a, int b) { return a < b ? a : b; }

/* REQUIRES names of at most LONGEST characters.  Time is the product of the lengths. */
static int slips_between(const char *a, const char *b)
{
    int m = (int) strlen(a), n = (int) strlen(b), rows[3][LONGEST + 1];
    int *before = rows[0], *last = rows[1], *row = rows[2];

    for (int j = 0; j <= n; j++)
        last[j] = j;
    for (int i = 1; i <= m; i++) {
        int *oldest = before;
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            row[j] = least(least(last[j], row[j - 1]) + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], before[j - 2] + 1);
        }
        before = last;
        last = row;
        row = oldest;
    }
    return last[n];
}

/* NULL: none is near, or this is the name of one. */
static const char *nearest_to(const char *name)
{
    const char *nearest = NULL;
    int least_slips = MOST_SLIPS + 1;

    for (int i = 0; i < (int) utarray_len(cvar_table) && least_slips > 0; i++) {
        const cvar_table_entry_t *cvar = (cvar_table_entry_t *) utarray_eltptr(cvar_table, i);
        int apart = (int) strlen(cvar->name) - (int) strlen(name);

        if (apart > MOST_SLIPS || apart < -MOST_SLIPS || strlen(cvar->name) > LONGEST)
            continue;
        int slips = slips_between(name, cvar->name);
        if (slips < least_slips) {
            least_slips = slips;
            nearest = cvar->name;
        }
    }
    return least_slips > 0 ? nearest : NULL;
}

static void check_name(const char *entry)
{
    char name[LONGEST + 1];
    size_t length = strcspn(entry, "=");
    const char *nearest;

    if (length > LONGEST)
        return;
    memcpy(name, entry, length);
    name[length] = '\0';
    nearest = nearest_to(name);
    if (nearest)
        fprintf(stderr, "%s: MPI has no such variable, and ignores it. Did you mean %s?\n", name,
                nearest);
}

void MPIR_Cvar_check_names(void)
{
    static const char prefix[] = "MPIR_CVAR_";

    if (MPIR_Process.rank != MPIR_Others->first())
        return;
    for (char **entry = environ; entry && *entry; entry++) {
        if (strncmp(*entry, prefix, sizeof(prefix) - 1) == 0)
            check_name(*entry);
    }
}
