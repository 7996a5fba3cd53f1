#include "harness/result.h"
#include "base/failure.h"
#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static FILE *journal;
static char *journal_name;    /* NULL: none is kept */
static cJSON *journal_header; /* of a journal that has no point yet */

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

static cJSON *read_json_line(FILE *file)
{
    char *line = read_line(file);
    cJSON *json = line ? cJSON_Parse(line) : NULL;
    free(line);
    return json;
}

/* What every reader of a point relies on. */
static bool is_point(const cJSON *point)
{
    static const char *const numbers[] = {"blocks", "threads", "size", "median", "per_operation", "repeats"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!cJSON_IsNumber(cJSON_GetObjectItem(point, numbers[i])))
            return false;
    return cJSON_IsString(cJSON_GetObjectItem(point, "variant")) &&
           cJSON_IsArray(cJSON_GetObjectItem(point, "samples")) &&
           cJSON_IsArray(cJSON_GetObjectItem(point, "ci95"));
}

/* The points behind the header; a line that was cut off when its run was killed, or is damaged, is no point. */
static cJSON *read_points(FILE *file)
{
    cJSON *points = cJSON_CreateArray();
    char *line;
    while ((line = read_line(file))) {
        cJSON *point = cJSON_Parse(line);
        if (is_point(point))
            cJSON_AddItemToArray(points, point);
        else
            cJSON_Delete(point);
        free(line);
    }
    return points;
}

/* ---- another header ---- */

/* The first member, or member of a member, that differs, as "name.name"; the values as texts to be freed. */
static bool find_difference(const cJSON *old, const cJSON *new, char *name, size_t bytes, char **was,
                            char **is)
{
    const cJSON *member;
    cJSON_ArrayForEach(member, new)
    {
        const cJSON *other = cJSON_GetObjectItemCaseSensitive(old, member->string);
        size_t used = strlen(name);
        if (cJSON_Compare(member, other, true))
            continue;
        snprintf(name + used, bytes - used, "%s%s", used ? "." : "", member->string);
        if (!cJSON_IsObject(member) || !find_difference(other, member, name, bytes, was, is)) {
            *was = other ? cJSON_PrintUnformatted(other) : copy_text("nothing");
            *is = cJSON_PrintUnformatted(member);
        }
        return true;
    }
    return false;
}

static void __attribute__((noreturn)) refuse_header(const cJSON *old, const cJSON *new)
{
    char name[256] = "", *was = NULL, *is = NULL;
    if (!find_difference(old, new, name, sizeof name, &was, &is))
        snprintf(name, sizeof name, "what was swept");
    fail(EXIT_BAD_INPUT,
         "%s is of another run: %s was %.100s and is %.100s; go on as that run was called, or remove it",
         journal_name, name, was ? was : "else", is ? is : "else");
}

/* ---- opening ---- */

/* The file comes with its first point, so that what is refused before leaves none. Never through a link. */
static void start_journal(void)
{
    char *text = cJSON_PrintUnformatted(journal_header);
    int file = open(journal_name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK, 0666);
    journal = file < 0 ? NULL : fdopen(file, "w");
    if (!journal || !text)
        fail(EXIT_BAD_INPUT, "%s cannot be written: %s", journal_name, strerror(errno));
    fprintf(journal, "%s\n", text);
    free(text);
}

/* Goes on behind what is there; what a killed run cut off gets a line of its own. */
static void continue_journal(void)
{
    journal = fopen(journal_name, "r+");
    if (!journal || fseek(journal, -1, SEEK_END) != 0)
        fail(EXIT_BAD_INPUT, "%s cannot be written: %s", journal_name, strerror(errno));
    int last = fgetc(journal);
    fseek(journal, 0, SEEK_END);
    if (last != '\n')
        fputc('\n', journal);
}

static bool has_points(const cJSON *points)
{
    return points && points->child;
}

cJSON *journal_open(const char *path, const cJSON *header, bool resume, bool force)
{
    size_t bytes = strlen(path) + sizeof ".partial";
    if (file_is_special(path))
        return cJSON_CreateArray();
    journal_name = allocate(bytes);
    snprintf(journal_name, bytes, "%s.partial", path);
    FILE *file = NULL;
    if (access(journal_name, F_OK) == 0) {
        file_check_input(journal_name);
        file = fopen(journal_name, "r");
    }
    cJSON *old_header = file ? read_json_line(file) : NULL;
    cJSON *points = old_header ? read_points(file) : cJSON_CreateArray();
    if (file && !cJSON_GetObjectItem(old_header, "schema") && !force)
        fail(EXIT_BAD_INPUT,
             "%s is in the way: it is no journal of a sweep; remove it, or --force replaces it",
             journal_name);
    if (file)
        fclose(file);
    if (has_points(points) && !resume && !force)
        fail(EXIT_BAD_INPUT,
             "%s has %d points of an interrupted run: --resume goes on with them, --force drops them",
             journal_name, cJSON_GetArraySize(points));
    bool same = old_header && cJSON_Compare(old_header, header, true);
    if (has_points(points) && resume && !same)
        refuse_header(old_header, header);
    cJSON_Delete(old_header);
    if (same && resume) {
        continue_journal();
        return points;
    }
    cJSON_Delete(points);
    journal_header = cJSON_Duplicate(header, true);
    return cJSON_CreateArray();
}

void journal_add(const cJSON *point)
{
    if (!journal_name)
        return;
    if (!journal)
        start_journal();
    char *text = cJSON_PrintUnformatted(point);
    bool written = text && fprintf(journal, "%s\n", text) > 0 && fflush(journal) == 0;
    free(text);
    if (!written)
        fail(EXIT_BAD_INPUT, "%s cannot be written: %s", journal_name, strerror(errno));
}

/* ---- the result ---- */

static void print_value(FILE *file, const cJSON *value)
{
    char *text = cJSON_PrintUnformatted(value);
    if (!text)
        fail(EXIT_CANNOT, "out of memory");
    fputs(text, file);
    free(text);
}

/* One line for each member, and for each point one: to read, and to compare with diff. */
static void print_result(FILE *file, const cJSON *result)
{
    const char *separator = "{\n";
    const cJSON *member, *element;
    cJSON_ArrayForEach(member, result)
    {
        fprintf(file, "%s\"%s\": ", separator, member->string);
        separator = ",\n";
        if (strcmp(member->string, "points") != 0) {
            print_value(file, member);
            continue;
        }
        const char *before = "[\n";
        cJSON_ArrayForEach(element, member)
        {
            fputs(before, file);
            print_value(file, element);
            before = ",\n";
        }
        fputs(member->child ? "]" : "[]", file);
    }
    fputs("\n}\n", file);
}

void result_write(const char *path, const cJSON *result)
{
    struct new_file file = file_begin(path);
    print_result(file.file, result);
    file_finish(&file); /* which asks the stream whether all was written */
    if (journal) {
        fclose(journal);
        journal = NULL;
        unlink(journal_name);
    }
    free(journal_name);
    journal_name = NULL;
    cJSON_Delete(journal_header);
    journal_header = NULL;
}
