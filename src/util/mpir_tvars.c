/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_tvars.h"

int MPIR_Cvar_wrong_value(const char *cvar, const char *value, const char *accepted)
{
    int mpi_errno = MPI_SUCCESS;

    MPIR_ERR_SETANDSTMT3(mpi_errno, MPI_ERR_OTHER, ;
                         , "**cvar_choice", "**cvar_choice %s %s %s", cvar, value, accepted);
    return mpi_errno;
}

int MPIR_Cvar_wrong_number(const char *cvar, int value, const char *accepted)
{
    char given[32];

    snprintf(given, sizeof(given), "%d", value);
    return MPIR_Cvar_wrong_value(cvar, given, accepted);
}

static bool is_registered(const char *name, int class)
{
    name2index_hash_t *entry;

    HASH_FIND_STR(pvar_hashs[class - MPIR_T_PVAR_CLASS_FIRST], name, entry);
    return entry != NULL;
}

static void read_number(void *address, void *obj_handle MPL_UNUSED, int count MPL_UNUSED,
                        void *buffer)
{
    *(unsigned long long *) buffer =
        __atomic_load_n((unsigned long long *) address, __ATOMIC_RELAXED);
}

static void pvar_register(int class, MPI_Datatype type, int elements, int verbosity, int bind,
                          const char *name, void *address, MPIR_Pvar_read_fn *read,
                          MPIR_Pvar_count_fn *count, const char *category, const char *text)
{
    if (!is_registered(name, class))
        MPIR_T_PVAR_REGISTER_impl(class, type, name, address, elements, NULL, verbosity, bind,
                                  MPIR_T_PVAR_FLAG_READONLY | MPIR_T_PVAR_FLAG_CONTINUOUS, read,
                                  count, category, text);
}

void MPIR_Pvar_register(int class, const char *name, void *address, MPIR_Pvar_read_fn *read,
                        const char *category, const char *text)
{
    pvar_register(class, MPI_UNSIGNED_LONG_LONG, 1, MPI_T_VERBOSITY_USER_BASIC,
                  MPI_T_BIND_NO_OBJECT, name, address, read ? read : read_number, NULL, category,
                  text);
}

void MPIR_Pvar_register_text(const char *name, int room, MPIR_Pvar_read_fn *read,
                             MPIR_Pvar_count_fn *count, const char *category, const char *text)
{
    pvar_register(MPI_T_PVAR_CLASS_GENERIC, MPI_CHAR, room, MPI_T_VERBOSITY_USER_BASIC,
                  MPI_T_BIND_NO_OBJECT, name, NULL, read, count, category, text);
}

void MPIR_Pvar_register_bound(int bind, const char *name, void *address, MPIR_Pvar_read_fn *read,
                              MPIR_Pvar_count_fn *count, const char *category, const char *text)
{
    pvar_register(MPI_T_PVAR_CLASS_COUNTER, MPI_UNSIGNED_LONG_LONG, 1, MPI_T_VERBOSITY_USER_DETAIL,
                  bind, name, address, read, count, category, text);
}
