/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Two jobs of which a variable has different values cannot be connected: both sides get an error
 * that names the variable and both values, and go on: the same server accepts the next client,
 * whose values are its own.
 *
 * Rank 0 starts the clients, each a job of one process, without the process manager. Argument of a
 * client: the port.
 */
#include "cmaptest_alone.h"
#include "cmaptest_mpit.h"

#define NAME "MPIR_CVAR_CTXID_LIMIT"
#define RANK_BITS "MPIR_CVAR_CH4_UCX_RANK_BITS"

static struct {
    const char *name, *mine, *theirs;
} cases[] = {
    {NAME, "0", "100"}, {RANK_BITS, "11", "15"}, {NULL, NULL, NULL}, /* nothing differs */
};

static void check_error(int result, const char *name, const char *mine, const char *theirs)
{
    char text[MPI_MAX_ERROR_STRING], words[200];
    int length, class;

    CT_CHECK(result != MPI_SUCCESS, "connected, although %s differs", name);
    if (result == MPI_SUCCESS)
        return;
    MPI_Error_class(result, &class);
    MPI_Error_string(result, text, &length);
    snprintf(words, sizeof(words),
             "%s has to be the same in jobs that are connected: here it is %s, there it is %s",
             name, mine, theirs);
    CT_CHECK(class == MPI_ERR_PORT && strstr(text, words), "class %d, not \"%s\": %s", class, words,
             text);
}

static void use(MPI_Comm inter)
{
    int out = 5, in = 0;
    MPI_Comm all, copy;

    MPI_Intercomm_merge(inter, 0, &all);
    MPI_Comm_dup(all, &copy);
    MPI_Allreduce(&out, &in, 1, MPI_INT, MPI_MIN, copy);
    CT_CHECK(in == out, "%d over both jobs", in);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&inter);
}

/* Each netmod has its own variable. */
static void choose_variable(void)
{
    cases[1].name = ct_is_over_ofi() ? "MPIR_CVAR_CH4_OFI_RANK_BITS" : RANK_BITS;
}

/* What the client is to see follows from which of the variables it has. */
static int be_client(const char *port, const char *number)
{
    int i = atoi(number), result, size;
    MPI_Comm inter;

    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    result = MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
    if (cases[i].name) {
        check_error(result, cases[i].name, cases[i].theirs, cases[i].mine);
    } else {
        CT_CHECK(result == MPI_SUCCESS, "an error although nothing differs");
        if (result == MPI_SUCCESS)
            use(inter);
    }
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return ct_errs ? 3 : 0;
}

static pid_t start_client(char *program, char *port, int i)
{
    char number[10];
    char *args[] = {program, port, number, NULL};

    snprintf(number, sizeof(number), "%d", i);
    return ct_start_alone(args, cases[i].name, cases[i].theirs);
}

static void serve(int i, int rank, char *program, char *port)
{
    MPI_Comm inter;
    pid_t client = -1;
    int result, sum = 0, one = 1, size, is_started;

    if (rank == 0)
        client = start_client(program, port, i);
    is_started = client > 0;
    MPI_Bcast(&is_started, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!is_started)
        return;
    result = MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter);
    if (!cases[i].name) {
        CT_CHECK(result == MPI_SUCCESS, "an error although nothing differs");
        if (result == MPI_SUCCESS)
            use(inter);
    } else if (rank == 0) {
        check_error(result, cases[i].name, cases[i].mine, cases[i].theirs);
    } else {
        CT_CHECK(result != MPI_SUCCESS, "connected, although %s differs", cases[i].name);
    }
    if (rank == 0) {
        char what[30];

        snprintf(what, sizeof(what), "client %d", i);
        ct_wait_alone(client, what);
    }
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CT_CHECK(sum == size, "sum is %d", sum);
}

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME] = "";
    int rank;

    MTest_Init(&argc, &argv);
    choose_variable();
    if (argc > 2)
        return be_client(argv[1], argv[2]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    ct_me = rank;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0)
        MPI_Open_port(MPI_INFO_NULL, port);
    for (int i = 0; i < (int) (sizeof(cases) / sizeof(cases[0])); i++)
        serve(i, rank, argv[0], port);
    if (rank == 0)
        MPI_Close_port(port);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
