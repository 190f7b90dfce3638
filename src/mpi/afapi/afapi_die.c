/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages, and the end of a job that cannot go on. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "afapi_impl.h"

static void (*end_job)(void);

static void say(const char *format, va_list arguments)
{
    char text[512];
    int length = snprintf(text, sizeof text, "afapi: ");

    vsnprintf(text + length, sizeof text - (size_t) length - 1, format, arguments);
    strcat(text, "\n");
    fputs(text, stderr);
    fflush(stderr);
}

void MPIR_Afapi_complain(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
}

void MPIR_Afapi_die_by(void (*end)(void)) { end_job = end; }

void MPIR_Afapi_die(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
    if (end_job)
        end_job();
    exit(1);
}
