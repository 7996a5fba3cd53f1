#include "harness/result.h"
#include "base/failure.h"
#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static FILE *journal;

static char *with_suffix(const char *path, const char *suffix)
{
    size_t bytes = strlen(path) + strlen(suffix) + 1;
    char *name = allocate(bytes);
    snprintf(name, bytes, "%s%s", path, suffix);
    return name;
}

void result_check_target(const char *path, bool force)
{
    if (!force && access(path, F_OK) == 0)
        fail(EXIT_BAD_INPUT, "%s exists; --force replaces it", path);
}

/* Reads a line of any length; NULL at the end or for a last line that was cut off. */
static char *read_line(FILE *file)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length = getline(&line, &capacity, file);
    if (length > 0 && line[length - 1] == '\n')
        return line;
    free(line);
    return NULL;
}

static cJSON *read_journal(const char *name, const cJSON *header)
{
    cJSON *points = cJSON_CreateArray();
    FILE *file = fopen(name, "r");
    if (!file)
        return points;
    char *line = read_line(file);
    cJSON *old_header = line ? cJSON_Parse(line) : NULL;
    bool same = old_header && cJSON_Compare(old_header, header, true);
    cJSON_Delete(old_header);
    free(line);
    while (same && (line = read_line(file))) {
        cJSON *point = cJSON_Parse(line);
        if (point)
            cJSON_AddItemToArray(points, point);
        free(line);
    }
    fclose(file);
    return points;
}

cJSON *journal_open(const char *path, const cJSON *header, bool resume)
{
    char *name = with_suffix(path, ".partial");
    cJSON *points = resume ? read_journal(name, header) : cJSON_CreateArray();
    journal = fopen(name, "w");
    if (!journal)
        fail(EXIT_BAD_INPUT, "%s cannot be written: %s", name, strerror(errno));
    free(name);
    journal_add(header);
    const cJSON *point;
    cJSON_ArrayForEach(point, points) journal_add(point);
    return points;
}

void journal_add(const cJSON *point)
{
    if (!journal)
        return;
    char *text = cJSON_PrintUnformatted(point);
    fprintf(journal, "%s\n", text);
    fflush(journal);
    free(text);
}

static bool print_value(FILE *file, const cJSON *value)
{
    char *text = cJSON_PrintUnformatted(value);
    bool written = text && fputs(text, file) >= 0;
    free(text);
    return written;
}

/* One line for each member, and for each point one: to read, and to compare with diff. */
static bool print_result(FILE *file, const cJSON *result)
{
    bool written = fputs("{", file) >= 0;
    const char *separator = "\n";
    const cJSON *member, *element;
    cJSON_ArrayForEach(member, result)
    {
        written = fprintf(file, "%s\"%s\": ", separator, member->string) > 0 && written;
        separator = ",\n";
        if (strcmp(member->string, "points") != 0) {
            written = print_value(file, member) && written;
            continue;
        }
        const char *before = "[\n";
        cJSON_ArrayForEach(element, member)
        {
            written = fputs(before, file) >= 0 && print_value(file, element) && written;
            before = ",\n";
        }
        written = fputs(member->child ? "]" : "[]", file) >= 0 && written;
    }
    return fputs("\n}\n", file) >= 0 && written;
}

void result_write(const char *path, const cJSON *result)
{
    char *temporary = with_suffix(path, ".temporary");
    FILE *file = fopen(temporary, "w");
    bool written = file && print_result(file, result);
    written = file && fclose(file) == 0 && written;
    if (!written || rename(temporary, path) != 0)
        fail(EXIT_BAD_INPUT, "%s cannot be written: %s", path, strerror(errno));
    free(temporary);
    if (journal) {
        fclose(journal);
        journal = NULL;
        char *name = with_suffix(path, ".partial");
        unlink(name);
        free(name);
    }
}
