/* SPDX-License-Identifier: BSD-3-Clause */

#include "hydra.h"

struct line {
    char *text;
    size_t used, room;
};

static HYD_status line_append(struct line *line, int c)
{
    HYD_status status = HYD_SUCCESS;

    if (line->used + 1 >= line->room) {
        line->room = line->room ? 2 * line->room : 128;
        HYDU_REALLOC_OR_JUMP(line->text, char *, line->room, status);
    }
    line->text[line->used++] = (char) c;
    line->text[line->used] = '\0';

fn_exit:
    return status;

fn_fail:
    goto fn_exit;
}

/* A # in the middle of a word is part of it */
static char *line_comment(char *text)
{
    for (char *at = text; *at; at++) {
        if (*at == '#' && (at == text || isspace((unsigned char) at[-1])))
            return at;
    }
    return NULL;
}

/* The backslash in front of the end of a line becomes a space; a comment ends with its line */
static int line_goes_on(struct line *line)
{
    size_t last = line->used;

    if (last > 0 && line->text[last - 1] == '\r')
        last--;
    if (last == 0 || line->text[last - 1] != '\\' || line_comment(line->text))
        return 0;
    line->text[last - 1] = ' ';
    return 1;
}

char *HYDU_read_line(FILE *file, int is_of_words)
{
    struct line line = {NULL, 0, 0};
    int c;

    while ((c = getc(file)) != EOF) {
        if (c == '\n' && !(is_of_words && line_goes_on(&line)))
            break;
        if (c != '\n' && line_append(&line, c) != HYD_SUCCESS)
            break;
    }
    if (c == '\n' && line.text == NULL)
        return MPL_strdup("");
    if (is_of_words && line.text && line_comment(line.text))
        *line_comment(line.text) = '\0';
    return line.text;
}
