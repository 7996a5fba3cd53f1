#include "base/failure.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *name = "gpusync";

void set_program_name(const char *new_name)
{
    name = new_name;
}
const char *program_name(void)
{
    return name;
}

void fail(enum exit_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fflush(stdout);
    fprintf(stderr, "%s: ", name);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    /* A kernel that hangs would keep exit handlers of the runtime waiting for ever. */
    if (status == EXIT_DEADLOCK) {
        fflush(stderr);
        _exit((int)status);
    }
    exit((int)status);
}
