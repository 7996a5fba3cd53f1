#include "harness/progress_bar.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static size_t total, done;
static bool shown;
static time_t began;

void progress_bar_begin(size_t new_total, bool quiet)
{
    total = new_total;
    done = 0;
    shown = !quiet && isatty(STDERR_FILENO);
    began = time(NULL);
}

void progress_bar_step(const char *what)
{
    if (!shown)
        return;
    long elapsed = (long)(time(NULL) - began);
    long left = done ? (long)((double)elapsed * (double)(total - done) / (double)done) : 0;
    fprintf(stderr, "\r\033[K[%zu/%zu] %s", done, total, what);
    if (done)
        fprintf(stderr, "  %ld:%02ld left", left / 60, left % 60);
    fflush(stderr);
    done++;
}

void progress_bar_end(void)
{
    if (shown)
        fprintf(stderr, "\r\033[K");
    shown = false;
}
