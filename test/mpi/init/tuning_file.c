/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * If a file of collective tuning does not exist, or is not JSON, MPI_Init ends the process with a
 * message that names the file, and not by a signal. A child without a process manager tries it.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const variables[] = {"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE",
                                        "MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE"};

static void begin_child(const char *self, const char *variable, const char *file, int output)
{
    unsetenv("PMI_FD");
    unsetenv("PMI_RANK");
    unsetenv("PMI_SIZE");
    unsetenv("PMI_PORT");
    setenv(variable, file, 1);
    dup2(output, 1);
    dup2(output, 2);
    execl(self, self, "child", (char *) NULL);
    _exit(0);
}

static void check_file(const char *self, const char *variable, const char *file)
{
    static char text[100000];
    int ends[2], status = 0;
    size_t length = 0;
    ssize_t n;
    pid_t child;

    if (pipe(ends) || (child = fork()) < 0)
        return;
    if (child == 0)
        begin_child(self, variable, file, ends[1]);
    close(ends[1]);
    while ((n = read(ends[0], text + length, sizeof(text) - 1 - length)) > 0)
        length += n;
    text[length] = '\0';
    close(ends[0]);
    waitpid(child, &status, 0);
    CT_CHECK(WIFEXITED(status) && WEXITSTATUS(status) != 0, "%s of %s: status %x", variable, file,
             status);
    CT_CHECK(strstr(text, file), "%s: no message names %s", variable, file);
}

int main(int argc, char **argv)
{
    char empty[] = "tuning_file.tmp", wrong[] = "tuning_file.txt";

    if (argc > 1) {
        MPI_Init(NULL, NULL);
        MPI_Finalize();
        return 0;
    }
    close(open(empty, O_CREAT | O_WRONLY, 0600));
    int file = open(wrong, O_CREAT | O_WRONLY, 0600);
    CT_CHECK(write(file, "no JSON", 7) == 7, "cannot write %s", wrong);
    close(file);
    for (int i = 0; i < 2; i++) {
        check_file(argv[0], variables[i], "tuning_file.missing");
        check_file(argv[0], variables[i], empty);
        check_file(argv[0], variables[i], wrong);
    }
    unlink(empty);
    unlink(wrong);
    MTest_Init(&argc, &argv);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
