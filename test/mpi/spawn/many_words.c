/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A program is spawned with 5,000 arguments of 200 characters.  It receives all of them, and its
 * standard input is empty.
 */
#include "cmaptest.h"

enum { WORDS = 5000, LENGTH = 200 };

static void make_word(char *word, int number)
{
    memset(word, 'x', LENGTH);
    word[sprintf(word, "%d", number)] = '-';
    word[LENGTH] = '\0';
}

static void check_words(int words, char **word)
{
    char wanted[LENGTH + 1];

    CT_CHECK(words == WORDS, "%d arguments instead of %d", words, WORDS);
    for (int i = 0; i < words && i < WORDS; i++) {
        make_word(wanted, i);
        CT_CHECK(strcmp(word[i], wanted) == 0, "argument %d is %s", i, word[i]);
    }
}

static void spawn(char *program)
{
    static char text[WORDS][LENGTH + 1], *words[WORDS + 1];
    MPI_Comm inter;
    int wrong = -1;

    for (int i = 0; i < WORDS; i++) {
        words[i] = text[i];
        make_word(text[i], i);
    }
    MPI_Comm_spawn(program, words, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter, MPI_ERRCODES_IGNORE);
    MPI_Recv(&wrong, 1, MPI_INT, 0, 0, inter, MPI_STATUS_IGNORE);
    CT_CHECK(wrong == 0, "the spawned process found %d errors", wrong);
    MPI_Comm_disconnect(&inter);
}

int main(int argc, char **argv)
{
    MPI_Comm parent;

    MTest_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL) {
        spawn(argv[0]);
        MTest_Finalize(ct_errs);
    } else {
        check_words(argc - 1, argv + 1);
        CT_CHECK(getchar() == EOF, "there is standard input");
        MPI_Send(&ct_errs, 1, MPI_INT, 0, 0, parent);
        MPI_Comm_disconnect(&parent);
        MPI_Finalize();
    }
    return MTestReturnValue(ct_errs);
}
