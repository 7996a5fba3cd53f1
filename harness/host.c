#include "harness/host.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

void make_slug(const char *prefix, const char *name, char *slug, size_t bytes)
{
    snprintf(slug, bytes, "%s%s", prefix, name);
    for (char *c = slug; *c; c++)
        *c = isalnum((unsigned char)*c) ? (char)tolower((unsigned char)*c) : '-';
}

/* Copies the processor's name from /proc/cpuinfo: the value of the first line that begins with "model
 * name". */
static void processor_name(char *name, size_t bytes)
{
    char line[256];
    snprintf(name, bytes, "unknown");
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon) {
            snprintf(name, bytes, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
            break;
        }
    }
    if (file)
        fclose(file);
}

cJSON *describe_host(void)
{
    char processor[256];
    struct utsname system;
    processor_name(processor, sizeof processor);
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "processor", processor);
    cJSON_AddNumberToObject(json, "processors", (double)sysconf(_SC_NPROCESSORS_ONLN));
    if (uname(&system) == 0) {
        cJSON_AddStringToObject(json, "system", system.sysname);
        cJSON_AddStringToObject(json, "release", system.release);
    }
    return json;
}
