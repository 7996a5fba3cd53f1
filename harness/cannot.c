#include "harness/cannot.h"
#include "base/failure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf way_out;
static bool under_way;
static char said[REASON_BYTES];

bool attempt(void (*work)(void *context), void *context, char reason[REASON_BYTES])
{
    under_way = true;
    bool done = setjmp(way_out) == 0;
    if (done)
        work(context);
    else
        snprintf(reason, REASON_BYTES, "%s", said);
    under_way = false;
    return done;
}

void cannot_measure(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(said, sizeof said, format, arguments);
    va_end(arguments);
    if (!under_way)
        fail(EXIT_CANNOT, "%s", said);
    longjmp(way_out, 1);
}

void need_library(const char *library, bool good, const char *reason)
{
    const char *planted = getenv("GPUSYNC_PLANT_FAILURE");
    if (planted && strcmp(planted, library) == 0)
        cannot_measure("%s: a failure was planted", library);
    if (!good)
        cannot_measure("%s: %s", library, reason);
}
