/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A new handle of a counter that runs begins at 0, whatever the memory was that the handle is in.
 */
#include "mpitest.h"
#include "cmaptest_mpit.h"

enum { BLOCKS = 200 };

/* Freed memory of many sizes, none of it 0 */
static void make_dirt(void)
{
    char *blocks[BLOCKS];

    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = ct_alloc(16 + 4 * i, 1);
        memset(blocks[i], 0xa5, 16 + 4 * i);
    }
    for (int i = 0; i < BLOCKS; i++)
        free(blocks[i]);
}

static int is_counter(int index, char *name)
{
    int room = MPI_MAX_OBJECT_NAME, verbosity, class_, bind, readonly, continuous, atomic;
    MPI_Datatype type;
    MPI_T_enum values;

    MPI_T_pvar_get_info(index, name, &room, &verbosity, &class_, &type, &values, NULL, NULL, &bind,
                        &readonly, &continuous, &atomic);
    return class_ == MPI_T_PVAR_CLASS_COUNTER && bind == MPI_T_BIND_NO_OBJECT && continuous;
}

static void check_counter(int index, const char *name)
{
    MPI_T_pvar_handle handle;
    unsigned long long values[64] = {0};
    int count;

    make_dirt();
    MPI_T_pvar_handle_alloc(ct_pvar_session, index, NULL, &handle, &count);
    if (count <= 64) {
        MPI_T_pvar_read(ct_pvar_session, handle, values);
        for (int i = 0; i < count; i++)
            CT_CHECK(values[i] == 0, "%s begins at %llu", name, values[i]);
    }
    MPI_T_pvar_handle_free(ct_pvar_session, &handle);
}

int main(int argc, char **argv)
{
    char name[MPI_MAX_OBJECT_NAME];
    int n, counters = 0;

    MTest_Init(&argc, &argv);
    ct_mpit_begin();
    MPI_T_pvar_get_num(&n);
    for (int i = 0; i < n; i++) {
        if (is_counter(i, name)) {
            check_counter(i, name);
            counters++;
        }
    }
    CT_CHECK(counters > 0, "no counters");
    ct_mpit_end();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
