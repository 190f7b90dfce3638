/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_memory_kinds.h"

/*
=== BEGIN_MPI_T_CVAR_INFO_BLOCK ===

cvars:
    - name        : MPIR_CVAR_MEMORY_ALLOC_KINDS
      category    : MEMORY
      type        : string
      default     : system,mpi
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_BASIC
      scope       : MPI_T_SCOPE_LOCAL
      description : >-
        Kinds of memory that the program asks for, such as "system,mpi:alloc_mem". The info key
        mpi_memory_alloc_kinds of MPI_INFO_ENV tells which of them are supported.

=== END_MPI_T_CVAR_INFO_BLOCK ===
*/

#define KINDS_ALWAYS "system,mpi"

/* A part of a list. */
typedef struct {
    const char *start;
    size_t length;
} span;

static bool is_word(span s, const char *word)
{
    return s.length == strlen(word) && strncmp(s.start, word, s.length) == 0;
}

/* Takes the part before the separator from the rest. */
static span next_part(span *rest, char separator)
{
    const char *end = memchr(rest->start, separator, rest->length);
    span part = {rest->start, end ? (size_t) (end - rest->start) : rest->length};
    size_t taken = end ? part.length + 1 : part.length;

    rest->start += taken;
    rest->length -= taken;
    return part;
}

/* The system's memory has no restrictors, and MPI's has three. */
static bool is_supported(span kind)
{
    bool is_mpi = is_word(next_part(&kind, ':'), "mpi");
    bool is_known = is_mpi && kind.length > 0;

    while (kind.length > 0 && is_known) {
        span r = next_part(&kind, ':');

        is_known = is_word(r, "alloc_mem") || is_word(r, "win_allocate") ||
                   is_word(r, "win_allocate_shared");
    }
    return is_known;
}

static bool is_in(span kind, const char *list)
{
    span rest = {list, strlen(list)};

    while (rest.length > 0) {
        span known = next_part(&rest, ',');

        if (known.length == kind.length && strncmp(known.start, kind.start, kind.length) == 0)
            return true;
    }
    return false;
}

char *MPIR_Memory_kinds_supported(const char *requested)
{
    span rest = {requested, strlen(requested)};
    char *list = MPL_direct_malloc(sizeof(KINDS_ALWAYS) + rest.length + 1);

    if (!list)
        return NULL;
    strcpy(list, KINDS_ALWAYS);
    while (rest.length > 0) {
        span kind = next_part(&rest, ',');

        if (is_supported(kind) && !is_in(kind, list)) {
            strcat(list, ",");
            strncat(list, kind.start, kind.length);
        }
    }
    return list;
}

/* MPI_Info_create_env may ask before there are control variables. */
static int report_process(MPIR_Info *info)
{
    int mpi_errno = MPI_SUCCESS;
    const char *requested = "";
    char *list;

    MPL_env2str("MPIR_CVAR_MEMORY_ALLOC_KINDS", &requested);
    list = MPIR_Memory_kinds_supported(requested);
    if (list)
        mpi_errno = MPIR_Info_set_impl(info, MPIR_MEMORY_KINDS_KEY, list);
    MPL_direct_free(list);
    return mpi_errno;
}

int MPIR_Memory_kinds_report(MPIR_Info *info, MPI_Session session)
{
    MPIR_Session *session_ptr = NULL;

    if (session)
        MPIR_Session_get_ptr(session, session_ptr);
    if (!session_ptr || !session_ptr->memory_kinds)
        return report_process(info);
    return MPIR_Info_set_impl(info, MPIR_MEMORY_KINDS_KEY, session_ptr->memory_kinds);
}

/* ---- assertions ---- */

#define KINDS_MAX 64 /* different assertions; further ones are ignored */

static char *asserted[KINDS_MAX];
static int num_asserted;
static MPL_initlock_t asserted_lock = MPL_INITLOCK_INITIALIZER;

static int free_asserted(void *unused ATTRIBUTE((unused)))
{
    while (num_asserted > 0)
        MPL_direct_free(asserted[--num_asserted]);
    return MPI_SUCCESS;
}

static int add_asserted(const char *kinds)
{
    char *copy = num_asserted < KINDS_MAX ? MPL_direct_strdup(kinds) : NULL;

    if (!copy)
        return 0;
    if (num_asserted == 0)
        MPIR_Add_finalize(free_asserted, NULL, 0);
    asserted[num_asserted++] = copy;
    return num_asserted;
}

int MPIR_Memory_kinds_number(const char *kinds)
{
    int number = 0;

    MPL_initlock_lock(&asserted_lock);
    for (int i = 0; i < num_asserted && number == 0; i++) {
        if (strcmp(asserted[i], kinds) == 0)
            number = i + 1;
    }
    if (number == 0)
        number = add_asserted(kinds);
    MPL_initlock_unlock(&asserted_lock);
    return number;
}

const char *MPIR_Memory_kinds_string(int number) { return asserted[number - 1]; }
