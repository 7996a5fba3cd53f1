#include "harness/check.h"
#include "base/failure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void check_call(cudaError_t error, const char *call, const char *file, int line)
{
    if (error == cudaSuccess)
        return;
    if (error == cudaErrorLaunchTimeout)
        fail(EXIT_DEADLOCK, "%s", cudaGetErrorString(error));
    fail(EXIT_CANNOT, "%s: %s (%s:%d)", call, cudaGetErrorString(error), file, line);
}

/* where to jump when the running attempt fails; NULL means that no attempt is running */
static jmp_buf *way_out;
static char said[REASON_BYTES]; /* reason why the last attempt failed */

bool attempt(void (*work)(void *context), void *context, char reason[REASON_BYTES])
{
    jmp_buf here, *const outer = way_out;
    way_out = &here;
    bool done = setjmp(here) == 0;
    if (done)
        work(context);
    else
        snprintf(reason, REASON_BYTES, "%s", said);
    way_out = outer;
    return done;
}

void cannot_measure(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(said, sizeof said, format, arguments);
    va_end(arguments);
    if (!way_out)
        fail(EXIT_CANNOT, "nothing can be measured here: %s", said);
    longjmp(*way_out, 1);
}

void need_library(const char *library, bool good, const char *reason)
{
    const char *planted = getenv("GPUSYNC_PLANT_FAILURE");
    if (planted && strcmp(planted, library) == 0)
        cannot_measure("%s: a failure was planted", library);
    if (!good)
        cannot_measure("%s: %s", library, reason);
}
