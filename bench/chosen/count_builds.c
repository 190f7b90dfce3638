/* SPDX-License-Identifier: BSD-3-Clause */
/* Loaded before a program (LD_PRELOAD): at MPI_Finalize each process adds a line to the file that
 * CMAP_CHOSEN names, with how many maps it has built in each representation since MPI_Init. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PREFIX "cmap_builds_"
#define MOST 32

static struct {
    char name[64];
    MPI_T_pvar_handle handle;
} counters[MOST];
static int n_counters;
static MPI_T_pvar_session session;

/* A counter counts from the moment at which its handle is made. */
static void begin_counting(void)
{
    int n, provided;

    if (!getenv("CMAP_CHOSEN") || MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
        return;
    MPI_T_pvar_session_create(&session);
    MPI_T_pvar_get_num(&n);
    for (int i = 0; i < n && n_counters < MOST; i++) {
        char name[128];
        int length = sizeof(name), verbosity, class, bind, readonly, continuous, atomic, count;
        MPI_Datatype type;
        MPI_T_enum enumtype;
        if (MPI_T_pvar_get_info(i, name, &length, &verbosity, &class, &type, &enumtype, NULL, NULL,
                                &bind, &readonly, &continuous, &atomic) != MPI_SUCCESS ||
            strncmp(name, PREFIX, strlen(PREFIX)) != 0)
            continue;
        snprintf(counters[n_counters].name, sizeof(counters[0].name), "%s", name + strlen(PREFIX));
        if (MPI_T_pvar_handle_alloc(session, i, NULL, &counters[n_counters].handle, &count) ==
            MPI_SUCCESS)
            n_counters++;
    }
}

int MPI_Init(int *argc, char ***argv)
{
    int rc = PMPI_Init(argc, argv);

    begin_counting();
    return rc;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int rc = PMPI_Init_thread(argc, argv, required, provided);

    begin_counting();
    return rc;
}

static int write_counts(char *line, size_t room)
{
    int used = 0;

    for (int i = 0; i < n_counters; i++) {
        unsigned long long value = 0;
        MPI_T_pvar_read(session, counters[i].handle, &value);
        used += snprintf(line + used, room - used, "%s %llu ", counters[i].name, value);
    }
    return used;
}

int MPI_Finalize(void)
{
    const char *path = getenv("CMAP_CHOSEN");
    int file = n_counters > 0 ? open(path, O_WRONLY | O_APPEND | O_CREAT, 0600) : -1;

    if (file >= 0) {
        char line[1024];
        int used = write_counts(line, sizeof(line) - 1);
        line[used] = '\n';
        if (write(file, line, used + 1) < 0)
            perror(path);
        close(file);
        MPI_T_pvar_session_free(&session);
        MPI_T_finalize();
    }
    return PMPI_Finalize();
}
