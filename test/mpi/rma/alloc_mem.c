/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Alloc_mem: more than there is fails with the class MPI_ERR_NO_MEM, and leaves the address as
 * it is. The memory is aligned as "mpi_minimum_memory_alignment" says; a value that is no power of
 * two asks for nothing. Unknown kinds of memory are as if none were given. MPI_Free_mem of what
 * MPI_Alloc_mem has not given is an error.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

static void check_too_much(MPI_Aint bytes)
{
    void *got = &ct_errs;
    int class, err = MPI_Alloc_mem(bytes, MPI_INFO_NULL, &got);

    MPI_Error_class(err, &class);
    CT_CHECK(class == MPI_ERR_NO_MEM, "%ld bytes: class %d", (long) bytes, class);
    CT_CHECK(got == &ct_errs, "%ld bytes: the address is %p", (long) bytes, got);
}

static void check_hint(const char *key, const char *value, uintptr_t alignment)
{
    MPI_Info info;
    char *got = NULL;

    MPI_Info_create(&info);
    MPI_Info_set(info, key, value);
    MPI_Alloc_mem(100, info, &got);
    CT_CHECK(got && (uintptr_t) got % alignment == 0, "%s=%s gives %p", key, value, got);
    if (got) {
        memset(got, 1, 100);
        MPI_Free_mem(got);
    }
    MPI_Info_free(&info);
}

static void check_free(void *memory, int expected)
{
    int class, err = MPI_Free_mem(memory);

    MPI_Error_class(err, &class);
    CT_CHECK(class == expected, "MPI_Free_mem of %p: class %d", memory, class);
}

int main(int argc, char **argv)
{
    static const char *const no_alignments[] = {"0",   "-16",      "100",
                                                "all", "64 bytes", "99999999999999999999"};
    void *twice;

    MTest_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    check_too_much((MPI_Aint) 1 << 50);
    check_too_much(INTPTR_MAX);
    for (int bits = 0; bits <= 24; bits++) {
        char value[16];

        snprintf(value, sizeof(value), "%d", 1 << bits);
        check_hint("mpi_minimum_memory_alignment", value, (uintptr_t) 1 << bits);
    }
    for (int i = 0; i < (int) (sizeof(no_alignments) / sizeof(no_alignments[0])); i++) {
        check_hint("mpi_minimum_memory_alignment", no_alignments[i], 1);
    }
    check_hint("mpich_buf_type", "of a kind that nobody knows", 1);
    MPI_Alloc_mem(10, MPI_INFO_NULL, &twice);
    check_free(twice, MPI_SUCCESS);
    check_free(twice, MPI_ERR_BASE);
    check_free(&ct_errs, MPI_ERR_BASE);
    check_free(NULL, MPI_SUCCESS);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
