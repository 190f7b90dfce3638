/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Arguments and info values of a spawned program arrive whole: of any length, empty, and with the
 * characters and words that the process manager's protocol uses.  An argument of two lines, which
 * this protocol cannot pass on, is an error.
 */
#include "cmaptest.h"

enum { PROGRAMS = 2, LONG = 5, WORDS = 10 };

static const int lengths[LONG] = {1000, 1017, 1018, 1500, 100000};
static char text[LONG][100001];
static char *words[WORDS + 1];

static void make_words(void)
{
    static char *special[] = {"", "a=b", "two words ", "endcmd", "weekendcmd"};

    for (int i = 0; i < LONG; i++) {
        memset(text[i], 'a' + i, lengths[i]);
        words[i] = text[i];
        words[LONG + i] = special[i];
    }
}

static void check_words(int count, char **word)
{
    CT_CHECK(count == WORDS, "%d arguments instead of %d", count, WORDS);
    for (int i = 0; i < count && i < WORDS; i++)
        CT_CHECK(strcmp(word[i], words[i]) == 0,
                 "argument %d has %d characters and begins with %.20s", i, (int) strlen(word[i]),
                 word[i]);
}

static void spawn(char *program)
{
    static char value[MPI_MAX_INFO_VAL];
    char *programs[PROGRAMS] = {program, program};
    char **arguments[PROGRAMS] = {words, words};
    int processes[PROGRAMS] = {1, 1};
    MPI_Info infos[PROGRAMS];
    MPI_Comm inter;

    memset(value, 'v', sizeof(value) - 1);
    for (int i = 0; i < PROGRAMS; i++) {
        MPI_Info_create(&infos[i]);
        MPI_Info_set(infos[i], "unknown", value);
        MPI_Info_set(infos[i], "unknown, too", value);
    }
    MPI_Comm_spawn_multiple(PROGRAMS, programs, arguments, processes, infos, 0, MPI_COMM_SELF,
                            &inter, MPI_ERRCODES_IGNORE);
    for (int i = 0; i < PROGRAMS; i++) {
        int wrong = -1;

        MPI_Recv(&wrong, 1, MPI_INT, i, 0, inter, MPI_STATUS_IGNORE);
        CT_CHECK(wrong == 0, "spawned process %d found %d errors", i, wrong);
        MPI_Info_free(&infos[i]);
    }
    MPI_Comm_disconnect(&inter);
}

static void refuse_two_lines(char *program)
{
    char *lines[] = {"one\ntwo", NULL};
    MPI_Comm inter = MPI_COMM_NULL;

    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CT_CHECK(MPI_Comm_spawn(program, lines, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter,
                            MPI_ERRCODES_IGNORE) != MPI_SUCCESS,
             "an argument of two lines is passed on");
}

int main(int argc, char **argv)
{
    MPI_Comm parent;

    MTest_Init(&argc, &argv);
    make_words();
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL) {
        spawn(argv[0]);
        refuse_two_lines(argv[0]);
        MTest_Finalize(ct_errs);
    } else {
        check_words(argc - 1, argv + 1);
        MPI_Send(&ct_errs, 1, MPI_INT, 0, 0, parent);
        MPI_Comm_disconnect(&parent);
        MPI_Finalize();
    }
    return MTestReturnValue(ct_errs);
}
