/* Tests that a result file is either complete or absent, and that the journal of an interrupted sweep can be
 * trusted. */
#include "harness/result.h"
#include "tests/check.h"
#include "tests/refusal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/gpusync-test-XXXXXX", path[64], partial[80];

static cJSON *object(const char *text)
{
    return cJSON_Parse(text);
}

static char *contents(const char *name)
{
    static char text[4096];
    FILE *file = fopen(name, "r");
    if (!file)
        return NULL;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static struct {
    const cJSON *header;
    bool resume, force;
} opening; /* the arguments with which open_journal() calls journal_open() */

static void open_journal(void)
{
    journal_open(path, NULL, opening.header, opening.resume, opening.force);
}

/* Returns whether journal_open() ends the program with EXIT_BAD_INPUT, and leaves the journal as it was. */
static bool refuses(const cJSON *header, bool resume, bool force)
{
    struct stat before, after;
    stat(partial, &before);
    opening.header = header, opening.resume = resume, opening.force = force;
    journal_close(); /* its lock would keep out the process in which refusal() opens the journal */
    return *refusal(open_journal) && stat(partial, &after) == 0 && before.st_size == after.st_size;
}

#define POINT                                                                                                \
    "{\"variant\":\"a\",\"blocks\":1,\"threads\":1,\"size\":1,\"samples\":[1],\"median\":1,\"ci95\":[1,1],"  \
    "\"per_operation\":1,\"repeats\":1}"

/* the point as a line of a journal, with its CRC-32 by another program (Python's zlib) */
#define LINE POINT "\t81f69c7b"

static void check_journal(void)
{
    cJSON *header = object("{\"schema\": 1, \"size\": 3}"), *other = object("{\"schema\": 1, \"size\": 4}"),
          *point = object(POINT);
    cJSON_Delete(journal_open(path, NULL, header, false, false));
    journal_add(point);
    check(contents(partial) && strcmp(contents(partial), "{\"schema\":1,\"size\":3}\n" LINE "\n") == 0,
          "the journal has a line for the header and one for each point");

    check(refuses(other, true, false) && refuses(other, true, true),
          "the journal of another sweep is refused, forced or not");
    check(refuses(header, false, false), "a journal is not dropped when --resume is forgotten");
    cJSON *points = journal_open(path, NULL, other, false, true);
    check(cJSON_GetArraySize(points) == 0, "a journal is dropped when that is forced");
    cJSON_Delete(points);
    result_write(path, NULL, header);
    unlink(path);
    FILE *file = fopen(partial, "w");
    fputs("somebody's notes\n", file);
    fclose(file);
    check(refuses(header, true, false),
          "a file that has the journal's name and is no journal is not replaced");
    unlink(partial);
    check(symlink("/dev/null", partial) == 0 && refuses(header, false, false),
          "a journal is not written through a link");
    unlink(partial);
    cJSON_Delete(journal_open(path, NULL, header, false, false));
    check(access(partial, F_OK) != 0, "there is no journal before the first point");
    cJSON_Delete(header);
    cJSON_Delete(other);
    cJSON_Delete(point);
}

static void check_result(void)
{
    cJSON *result = object("{\"schema\": \"x\", \"points\": [{\"a\": 1}, {\"a\": null}]}");
    result_write(path, NULL, result);
    cJSON *read = contents(path) ? cJSON_Parse(contents(path)) : NULL;
    check(read && cJSON_Compare(read, result, true), "what is written is what is read");
    check(access(partial, F_OK) != 0, "the journal is removed when the result is written");
    cJSON_Delete(read);
    cJSON_Delete(result);
}

static void check_not_finite(void)
{
    cJSON *result = cJSON_CreateObject();
    cJSON_AddNumberToObject(result, "r2", (double)NAN);
    result_write(path, NULL, result);
    check(contents(path) && strstr(contents(path), "\"r2\": null"), "a number that is not finite is null");
    cJSON_Delete(result);
}

/* Checks that a run which is cut off at any byte of its journal, as by a full disk, and then resumed, has the
 * points of an uninterrupted run. Its line of a point that was cut off stays, and does not count. */
static void check_each_cut(void)
{
    cJSON *header = object("{\"schema\":\"gpusync-result/1\",\"size\":3}"), *points[3];
    const cJSON *point;
    cJSON_Delete(journal_open(path, NULL, header, false, false));
    char whole[4096];
    for (int i = 0; i < 3; i++) {
        points[i] = object(POINT);
        cJSON_SetNumberValue(cJSON_GetObjectItem(points[i], "size"), i + 1);
        journal_add(points[i]);
    }
    journal_close();
    snprintf(whole, sizeof whole, "%s", contents(partial));
    unsigned wrong = 0;
    for (size_t length = 0; length <= strlen(whole); length++) {
        FILE *file = fopen(partial, "w");
        fwrite(whole, 1, length, file);
        fclose(file);
        wrong += refuses(header, true, false);
        cJSON *left = journal_open(path, NULL, header, true, false);
        int lines = 0; /* number of complete lines */
        for (size_t i = 0; i < length; i++)
            lines += whole[i] == '\n';
        wrong += cJSON_GetArraySize(left) != (lines ? lines - 1 : 0);
        for (int i = cJSON_GetArraySize(left); i < 3; i++)
            journal_add(points[i]);
        journal_close();
        cJSON *resumed = journal_open(path, NULL, header, true, false);
        unsigned found = 0; /* the resumed run's points; one that was cut at the line feed is there twice */
        cJSON_ArrayForEach(point, resumed)
        {
            int i = (int)cJSON_GetNumberValue(cJSON_GetObjectItem(point, "size")) - 1;
            wrong += !cJSON_Compare(point, points[i], true);
            found |= 1u << i;
        }
        wrong += found != 7;
        journal_close();
        cJSON_Delete(left);
        cJSON_Delete(resumed);
        wrong += !contents(partial) || strncmp(contents(partial), whole, strcspn(whole, "\n") + 1) != 0;
    }
    check(wrong == 0, "a journal that is cut off at any byte is gone on with (%u were not)", wrong);
    unlink(partial);
    for (int i = 0; i < 3; i++)
        cJSON_Delete(points[i]);
    cJSON_Delete(header);
}

/* Returns whether journal_open() accepts a point from a journal that has this line. */
static bool counts(const cJSON *header, const char *line)
{
    FILE *file = fopen(partial, "w");
    char *text = cJSON_PrintUnformatted(header);
    fprintf(file, "%s\n%s\n", text, line);
    fclose(file);
    free(text);
    cJSON *points = journal_open(path, NULL, header, true, false);
    bool has = points->child;
    cJSON_Delete(points);
    result_write(path, NULL, header);
    unlink(path);
    return has;
}

/* Checks that journal_open() does not accept a point from a journal if the point lacks a member on which
 * readers rely. */
static void check_each_member(void)
{
    cJSON *header = object("{\"schema\": 1}"), *point = object(POINT);
    check(counts(header, POINT), "a complete point counts");
    for (int i = 0; i < cJSON_GetArraySize(point); i++) {
        cJSON *less = cJSON_Duplicate(point, true);
        const char *name = cJSON_GetArrayItem(point, i)->string;
        cJSON_DeleteItemFromObject(less, name);
        char *text = cJSON_PrintUnformatted(less);
        check(!counts(header, text), "a point without its %s does not count", name);
        free(text);
        cJSON_Delete(less);
    }
    cJSON_Delete(header);
    cJSON_Delete(point);
}

/* Checks that a journal's line does not count if any one of its bits has changed. */
static void check_each_bit(void)
{
    cJSON *header = object("{\"schema\": 1}");
    unsigned wrong = 0;
    check(counts(header, LINE), "a line with its checksum counts");
    for (size_t bit = 0; bit < 8 * (sizeof LINE - 1); bit++) {
        char line[] = LINE;
        line[bit / 8] = (char)(line[bit / 8] ^ 1 << bit % 8);
        wrong += line[bit / 8] && counts(header, line);
    }
    check(wrong == 0, "a line with a flipped bit does not count (%u of %zu did)", wrong,
          8 * (sizeof LINE - 1));
    cJSON_Delete(header);
}

/* Checks that nothing is left of a long file that a shorter one replaces. */
static void check_dropped(void)
{
    cJSON *header = object("{\"schema\": 1}"), *point = object(POINT);
    FILE *file = fopen(partial, "w");
    fputs("{\"schema\": 1, \"other\": 2}\n" POINT "\n" POINT "\n", file);
    fclose(file);
    cJSON_Delete(journal_open(path, NULL, header, false, true));
    journal_add(point);
    check(contents(partial) && strcmp(contents(partial), "{\"schema\":1}\n" LINE "\n") == 0,
          "a journal that replaces a longer one has its own points only");
    result_write(path, NULL, point);
    result_write(path, NULL, header);
    check(contents(path) && strcmp(contents(path), "{\n\"schema\": 1\n}\n") == 0,
          "a result that replaces a longer one has its own members only");
    unlink(path);
    cJSON_Delete(header);
    cJSON_Delete(point);
}

/* Returns the message with which journal_open() refuses the header `new` for a journal that has the header
 * `old` and a point. */
static const char *said_of(const char *old, const char *new)
{
    cJSON *header = object(new);
    FILE *file = fopen(partial, "w");
    fprintf(file, "%s\n" POINT "\n", old);
    fclose(file);
    opening.header = header, opening.resume = true, opening.force = false;
    const char *said = refusal(open_journal);
    cJSON_Delete(header);
    unlink(partial);
    return said;
}

/* Checks the message about a journal that has another header: it names the member that differs and both
 * its values. */
static void check_differences(void)
{
    static const struct {
        const char *old, *new, *said;
    } rows[] = {
        {"{\"schema\": 1, \"size\": 3}", "{\"schema\": 1, \"size\": 4}", ": size was 3 and is 4;"},
        {"{\"schema\": 1, \"p\": {\"a\": 1, \"b\": 2}}", "{\"schema\": 1, \"p\": {\"a\": 1, \"b\": \"x\"}}",
         ": p.b was 2 and is \"x\";"},
        {"{\"schema\": 1, \"p\": {\"q\": {\"r\": [1, 2]}}}",
         "{\"schema\": 1, \"p\": {\"q\": {\"r\": [1, 3]}}}", ": p.q.r was [1,2] and is [1,3];"},
        {"{\"schema\": 1, \"p\": {}}", "{\"schema\": 1, \"p\": {\"a\": 5}}", ": p.a was nothing and is 5;"},
        {"{\"schema\": 1, \"p\": {\"a\": 5}}", "{\"schema\": 1, \"p\": {}}", ": p was {\"a\":5} and is {};"},
        {"{\"schema\": 1, \"old\": 2}", "{\"schema\": 1}", ": what was swept was else and is else;"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *said = said_of(rows[i].old, rows[i].new);
        check(strstr(said, rows[i].said), "the message about another run has%s %s", rows[i].said,
              strstr(said, rows[i].said) ? "" : said);
    }
}

int main(void)
{
    if (!mkdtemp(folder))
        return 1;
    snprintf(path, sizeof path, "%s/r.json", folder);
    snprintf(partial, sizeof partial, "%s.partial", path);
    check_journal();
    check_result();
    check_not_finite();
    unlink(path);
    check_each_member();
    check_each_bit();
    check_each_cut();
    check_dropped();
    check_differences();
    unlink(path);
    rmdir(folder);
    return checks_done();
}
