/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_report.h"
#include "mpir_tvars.h"
#include "ctxid_holders_report.h"
#include "ctxid_holders.h"
#include <signal.h>

/* The lines that hold most context ids, when somebody asks: by MPI_T, or by a signal. */

enum {
    TEXT = 1024,
    MOST = 10,
    LOW_LIMIT = 4096 /* ids; a sample of the creations would be small */
};

int MPIR_Ctxid_asked;

static void note_signal(int number MPL_UNUSED)
{
    __atomic_store_n(&MPIR_Ctxid_asked, 1, __ATOMIC_RELAXED);
}

void MPIR_ctxid_holders_answer(void)
{
    char text[TEXT];

    __atomic_store_n(&MPIR_Ctxid_asked, 0, __ATOMIC_RELAXED);
    MPIR_ctxid_holders_text(MOST, text, sizeof(text));
    fprintf(stderr, "rank %d: context ids are held by %s\n", MPIR_Process.rank,
            text[0] ? text : "no communicators of the program");
}

static void read_text(void *address MPL_UNUSED, void *obj_handle MPL_UNUSED, int count,
                      void *buffer)
{
    memset(buffer, 0, (size_t) count);
    MPIR_ctxid_holders_text(MOST, buffer, (size_t) count);
}

/* MPI_T asks when a tool gets a handle. */
static void count_text(void *address MPL_UNUSED, void *obj_handle MPL_UNUSED, int *count)
{
    MPIR_ctxid_holders_look_always();
    *count = TEXT;
}

static struct sigaction before;
static int number;

static int restore_signal(void *unused MPL_UNUSED)
{
    sigaction(number, &before, NULL);
    number = 0;
    return MPI_SUCCESS;
}

static int number_of(const char *value)
{
    if (strcmp(value, "usr1") == 0)
        return SIGUSR1;
    return strcmp(value, "usr2") == 0 ? SIGUSR2 : 0;
}

int MPIR_ctxid_holders_init(void)
{
    const char *value = MPIR_CVAR_CTXID_REPORT_SIGNAL;
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};

    MPIR_Pvar_register_text("ctxid_holders", TEXT, read_text, count_text, "CTXID",
                            "lines of the program that hold most context ids, as a text");
    if (MPIR_Map_report_is_on() ||
        (MPIR_CVAR_CTXID_LIMIT > 0 && MPIR_CVAR_CTXID_LIMIT <= LOW_LIMIT))
        MPIR_ctxid_holders_look_always();
    MPIR_Map_report_phase("settings");
    if (!value || strcmp(value, "none") == 0)
        return MPI_SUCCESS;
    number = number_of(value);
    if (number == 0)
        return MPIR_Cvar_wrong_value("MPIR_CVAR_CTXID_REPORT_SIGNAL", value, "none, usr1 or usr2");
    sigemptyset(&action.sa_mask);
    MPIR_ctxid_holders_look_always();
    if (sigaction(number, &action, &before) == 0)
        MPIR_Add_finalize(restore_signal, NULL, MPIR_FINALIZE_CALLBACK_PRIO + 1);
    return MPI_SUCCESS;
}
