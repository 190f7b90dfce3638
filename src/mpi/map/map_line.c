/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "mpiimpl.h"
#include "mpir_map_site.h"
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

/* A place as addr2line takes it: "file" and "0x12ab". */
typedef struct place {
    char *file;
    char *offset; /* in `file`, behind its end; NULL: not known, or done */
} place;

static void find_place(place *place, map_site site)
{
    char text[PATH_MAX + 32], *plus;

    MPIR_Map_site_call(site, text, sizeof(text));
    place->file = MPL_strdup(text);
    plus = place->file ? strrchr(place->file, '+') : NULL;
    place->offset = plus ? plus + 1 : NULL;
    if (plus)
        *plus = '\0';
}

static const char *base_name(const char *file)
{
    const char *slash = strrchr(file, '/');

    return slash ? slash + 1 : file;
}

static void write_line(map_line *line, const char *where)
{
    char function[64];

    MPIR_Map_site_function(line->site, function, sizeof(function));
    snprintf(line->text, sizeof(line->text), "%s%s%s", function, function[0] ? " at " : "", where);
}

/* Until something better is known. */
static void write_offset(map_line *line, const place *place)
{
    char where[96];

    snprintf(where, sizeof(where), "%s+%s", base_name(place->file), place->offset);
    write_line(line, where);
}

/* addr2line with its output in a pipe: -1 if it cannot be started.  It is spawned, not forked: a
 * copy of the address space is what some networks do not allow. */
static int line_start(char **argv, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    int ends[2];

    if (pipe2(ends, O_CLOEXEC))
        return -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (posix_spawnp(pid, argv[0], &actions, NULL, argv, environ)) {
        close(ends[0]);
        ends[0] = -1;
    }
    close(ends[1]);
    posix_spawn_file_actions_destroy(&actions);
    return ends[0];
}

/* The next line of its answer: "program.c:12", perhaps with " (discriminator 3)"; "program.c:?" or
 * "??:0" if it does not know. */
static void read_answer(FILE *answers, map_line *line)
{
    char answer[96];

    if (!fgets(answer, sizeof(answer), answers))
        return;
    answer[strcspn(answer, " \n")] = '\0';
    if (answer[0] && !strchr(answer, '?'))
        write_line(line, answer);
}

/* Asks for the places in the file of the first one, and marks them as done. */
static void ask(map_line *lines, place *places, size_t n, char **argv, size_t *asked)
{
    size_t wanted = 0, first = 0;
    FILE *answers;
    pid_t pid;
    int fd;

    while (!places[first].offset)
        first++;
    for (size_t i = first; i < n; i++) {
        if (places[i].offset && strcmp(places[i].file, places[first].file) == 0) {
            asked[wanted] = i;
            argv[4 + wanted++] = places[i].offset;
            places[i].offset = NULL;
        }
    }
    argv[0] = (char *) "addr2line";
    argv[1] = (char *) "-s";
    argv[2] = (char *) "-e";
    argv[3] = places[first].file;
    argv[4 + wanted] = NULL;
    fd = line_start(argv, &pid);
    if (fd < 0)
        return;
    answers = fdopen(fd, "r");
    for (size_t k = 0; answers && k < wanted; k++)
        read_answer(answers, &lines[asked[k]]);
    if (answers)
        fclose(answers);
    else
        close(fd);
    waitpid(pid, NULL, 0);
}

static bool is_left(const place *places, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (places[i].offset)
            return true;
    }
    return false;
}

void MPIR_Map_site_lines(map_line *lines, size_t n)
{
    place *places = MPL_calloc(n, sizeof(*places), MPL_MEM_OTHER);
    char **argv = MPL_malloc((n + 5) * sizeof(*argv), MPL_MEM_OTHER);
    size_t *asked = MPL_malloc(n * sizeof(*asked), MPL_MEM_OTHER);

    for (size_t i = 0; i < n; i++)
        lines[i].text[0] = '\0';
    if (places && argv && asked) {
        for (size_t i = 0; i < n; i++) {
            find_place(&places[i], lines[i].site);
            if (places[i].offset)
                write_offset(&lines[i], &places[i]);
        }
        while (is_left(places, n))
            ask(lines, places, n, argv, asked);
    }
    for (size_t i = 0; places && i < n; i++)
        MPL_free(places[i].file);
    MPL_free(asked);
    MPL_free(argv);
    MPL_free(places);
}
