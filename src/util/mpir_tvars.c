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

void MPIR_Pvar_register(int class, const char *name, void *address,
                        void (*read)(void *address, void *obj_handle, int count, void *buffer),
                        const char *category, const char *text)
{
    if (!is_registered(name, class))
        MPIR_T_PVAR_REGISTER_impl(class, MPI_UNSIGNED_LONG_LONG, name, address, 1, NULL,
                                  MPI_T_VERBOSITY_USER_BASIC, MPI_T_BIND_NO_OBJECT,
                                  MPIR_T_PVAR_FLAG_READONLY | MPIR_T_PVAR_FLAG_CONTINUOUS, read,
                                  NULL, category, text);
}

void MPIR_Pvar_register_text(const char *name, int room,
                             void (*read)(void *address, void *obj_handle, int count, void *buffer),
                             void (*count)(void *address, void *obj_handle, int *count),
                             const char *category, const char *text)
{
    if (!is_registered(name, MPI_T_PVAR_CLASS_GENERIC))
        MPIR_T_PVAR_REGISTER_impl(MPI_T_PVAR_CLASS_GENERIC, MPI_CHAR, name, NULL, room, NULL,
                                  MPI_T_VERBOSITY_USER_BASIC, MPI_T_BIND_NO_OBJECT,
                                  MPIR_T_PVAR_FLAG_READONLY | MPIR_T_PVAR_FLAG_CONTINUOUS, read,
                                  count, category, text);
}

void MPIR_Pvar_register_bound(int bind, const char *name, void *address,
                              void (*read)(void *address, void *obj_handle, int count,
                                           void *buffer),
                              void (*count)(void *address, void *obj_handle, int *count),
                              const char *category, const char *text)
{
    if (!is_registered(name, MPI_T_PVAR_CLASS_COUNTER))
        MPIR_T_PVAR_REGISTER_impl(MPI_T_PVAR_CLASS_COUNTER, MPI_UNSIGNED_LONG_LONG, name, address,
                                  1, NULL, MPI_T_VERBOSITY_USER_DETAIL, bind,
                                  MPIR_T_PVAR_FLAG_READONLY | MPIR_T_PVAR_FLAG_CONTINUOUS, read,
                                  count, category, text);
}
