/* Prints the version of the suite and its revision, for --version. */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

#include "revision.h"

#include <stdio.h>

static inline void print_version(const char *program)
{
    printf("%s %s (%s%s)\n", program, GPUSYNC_VERSION, GPUSYNC_REVISION, GPUSYNC_DIRTY ? ", changed" : "");
}

#endif
