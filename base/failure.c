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

char *without_controls(char *text)
{
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
    return text;
}

void warn(const char *format, ...)
{
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    fprintf(stderr, "%s: %s\n", name, without_controls(message));
}

void fail(enum exit_status status, const char *format, ...)
{
    /* The message is in static memory and not on the stack, because a simulated thread of the memory machine
     * may also call this function, and its stack is small. */
    static char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    fflush(stdout);
    fprintf(stderr, "%s: %s\n", name, without_controls(message));
    /* This status ends the process at once: the runtime's exit handlers would wait for ever for the hanging
     * kernel. */
    if (status == EXIT_DEADLOCK) {
        fflush(stderr);
        _exit((int)status);
    }
    exit((int)status);
}

void finish_output(void)
{
    if (fflush(stdout) != 0 || ferror(stdout))
        fail(EXIT_BAD_INPUT, "standard output cannot be written");
}
