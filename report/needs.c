#include "report/needs.h"
#include "report/results.h"

#include <stdio.h>
#include <string.h>

static bool has_one(const char *folder, const char *need)
{
    char name[64];
    const char *variant = strchr(need, ':');
    snprintf(name, sizeof name, "%.*s", (int)strcspn(need, ":"), need);
    if (!variant)
        return has_file(folder, name);
    struct result *r = result_open(folder, name);
    bool has = r && result_has(r, variant + 1);
    return has;
}

static bool has_any(const char *folder, char *alternatives)
{
    char *rest;
    for (char *need = strtok_r(alternatives, "|", &rest); need; need = strtok_r(NULL, "|", &rest))
        if (has_one(folder, need))
            return true;
    return false;
}

bool folder_has(const char *folder, const char *needs)
{
    char copy[256], *rest;
    snprintf(copy, sizeof copy, "%s", needs);
    for (char *need = strtok_r(copy, " ", &rest); need; need = strtok_r(NULL, " ", &rest))
        if (!has_any(folder, need))
            return false;
    return true;
}
