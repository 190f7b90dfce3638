/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A counter counts for each handle, from its allocation on: what came before is not in it, and a
 * second handle of another session changes nothing. The names that MPI 4.0 has for tools are there.
 */
#include "cmaptest_mpit.h"

enum { BEFORE = 5, BETWEEN = 3, AFTER = 2 };

static void barriers(int n)
{
    while (n-- > 0)
        MPI_Barrier(MPI_COMM_WORLD);
}

static unsigned long long value_of(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    unsigned long long value = 0;

    MPI_T_pvar_read(session, handle, &value);
    return value;
}

static void check_counter(int index)
{
    MPI_T_pvar_session sessions[2];
    MPI_T_pvar_handle handles[2];
    unsigned long long first, second;
    int n;

    for (int i = 0; i < 2; i++)
        MPI_T_pvar_session_create(&sessions[i]);
    barriers(BEFORE);
    MPI_T_pvar_handle_alloc(sessions[0], index, NULL, &handles[0], &n);
    first = value_of(sessions[0], handles[0]);
    CT_CHECK(first == 0, "the first begins at %llu", first);
    barriers(BETWEEN);
    MPI_T_pvar_handle_alloc(sessions[1], index, NULL, &handles[1], &n);
    second = value_of(sessions[1], handles[1]);
    CT_CHECK(second == 0, "the second begins at %llu", second);
    first = value_of(sessions[0], handles[0]);
    CT_CHECK(first >= BETWEEN, "the first has %llu", first);
    barriers(AFTER);
    second = value_of(sessions[1], handles[1]);
    CT_CHECK(second >= AFTER, "the second has %llu", second);
    CT_CHECK(value_of(sessions[0], handles[0]) == first + second, "the first has not %llu and %llu",
             first, second);
    for (int i = 0; i < 2; i++) {
        MPI_T_pvar_handle_free(sessions[i], &handles[i]);
        MPI_T_pvar_session_free(&sessions[i]);
    }
}

int main(int argc, char **argv)
{
    int index, provided, class_ = MPI_SUCCESS;

    MTest_Init(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    if (MPI_T_pvar_get_index("coll_calls", MPI_T_PVAR_CLASS_COUNTER, &index) == MPI_SUCCESS)
        check_counter(index);
    MPI_Error_class(MPI_T_ERR_NOT_ACCESSIBLE, &class_);
    CT_CHECK(class_ == MPI_T_ERR_NOT_ACCESSIBLE, "MPI_T_ERR_NOT_ACCESSIBLE has class %d", class_);
    CT_CHECK(MPI_T_BIND_MPI_SESSION == MPI_T_BIND_MPI_INFO + 1, "MPI_T_BIND_MPI_SESSION is %d",
             MPI_T_BIND_MPI_SESSION);
    MPI_T_finalize();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
