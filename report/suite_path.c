#include "report/suite_path.h"
#include "base/failure.h"
#include "report/results.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *join(const char *folder, const char *between, const char *path, char found[SUITE_PATH_BYTES])
{
    if (snprintf(found, SUITE_PATH_BYTES, "%s%s%s", folder, between, path) >= SUITE_PATH_BYTES)
        fail(EXIT_BAD_INPUT, "the path of %s is too long", path);
    return found;
}

char *suite_path(const char *path, char found[SUITE_PATH_BYTES])
{
    const char *data = getenv("GPUSYNC_DATA");
    char program[SUITE_PATH_BYTES];
    if (data && *data)
        return join(data, "/", path, found);
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    char *slash = length > 0 ? memrchr(program, '/', (size_t)length) : NULL;
    if (slash) {
        *slash = '\0';
        if (access(join(program, "/../", path, found), F_OK) == 0)
            return found;
    }
    return join("", "", path, found);
}

cJSON *json_of_suite(const char *format, ...)
{
    char path[SUITE_PATH_BYTES], found[SUITE_PATH_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(path, sizeof path, format, arguments);
    va_end(arguments);
    return json_need("%s", suite_path(path, found));
}
