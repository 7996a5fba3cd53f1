#include "harness/result.h"
#include "base/failure.h"
#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include <zlib.h>

static FILE *journal;      /* the journal's file, locked; NULL if there is none yet */
static char *journal_name; /* path of the journal, or NULL if none is kept */
/* The journal's header until it is written, with the first point, in place of an older journal. NULL after
 * that, or if no journal is kept. */
static cJSON *journal_header;

/* Reads a line of any length. Returns NULL at the end of the file, and for a last line without a line feed,
 * which was cut off. */
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

/* Returns whether the JSON is a point: whether it has the members that every reader of a point relies on. */
static bool is_point(const cJSON *point)
{
    static const char *const numbers[] = {"blocks", "threads", "size", "median", "per_operation", "repeats"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!cJSON_IsNumber(cJSON_GetObjectItemCaseSensitive(point, numbers[i])))
            return false;
    return cJSON_IsString(cJSON_GetObjectItemCaseSensitive(point, "variant")) &&
           cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(point, "samples")) &&
           cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(point, "ci95"));
}

static unsigned long checksum_of(const char *text)
{
    return crc32(0, (const Bytef *)text, (uInt)strlen(text));
}

/* Parses a journal's line, which is JSON, a tab, and the checksum of the JSON. The checksum may be missing,
 * because other programs write lines without one. Returns NULL if the line is damaged. */
static cJSON *json_of_line(char *line)
{
    char *checksum, expected[20];
    line[strcspn(line, "\n")] = '\0';
    checksum = strchr(line, '\t');
    if (checksum)
        *checksum++ = '\0';
    snprintf(expected, sizeof expected, "%08lx", checksum_of(line));
    if (checksum && strcmp(checksum, expected) != 0)
        return NULL;
    return cJSON_ParseWithOpts(line, NULL, true);
}

/* Returns the points of a journal, which stand after its header. Leaves out lines that are damaged,
 * *damaged in number, and a last line that was cut off when its run was killed. */
static cJSON *read_points(FILE *file, int *damaged)
{
    cJSON *points = cJSON_CreateArray();
    char *line;
    while ((line = read_line(file))) {
        cJSON *point = json_of_line(line);
        if (is_point(point)) {
            cJSON_AddItemToArray(points, point);
        } else {
            cJSON_Delete(point);
            ++*damaged;
        }
        free(line);
    }
    return points;
}

/* ---- another header ---- */

/* Finds the first difference between two journal headers; it also compares the members of members. `name`
 * becomes the name of the member that differs ("name.name" inside of a member), and *was and *is its two
 * values as texts, which the caller frees. Returns false if the headers do not differ. */
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

/* ---- the sweeps that one result file holds ---- */

static bool is_main(const char *sweep)
{
    return strcmp(sweep, MAIN_SWEEP) == 0;
}

/* Returns the content of the file as JSON, or NULL if the file is missing or not a result. */
static cJSON *read_result(const char *path)
{
    char *text = file_text(path);
    cJSON *json = text ? cJSON_Parse(text) : NULL;
    const char *schema = cJSON_GetStringValue(cJSON_GetObjectItem(json, "schema"));
    free(text);
    if (schema && strcmp(schema, SCHEMA) == 0)
        return json;
    cJSON_Delete(json);
    return NULL;
}

static const cJSON *sweep_of(const cJSON *file, const char *sweep)
{
    return is_main(sweep) ? cJSON_GetObjectItem(file, "points")
                          : cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItem(file, "sweeps"), sweep);
}

bool result_lacks(const char *path, const char *sweep)
{
    cJSON *file = read_result(path);
    bool lacks = file && !sweep_of(file, sweep);
    cJSON_Delete(file);
    return lacks;
}

static const char *slug_of(const cJSON *device)
{
    const char *slug = cJSON_GetStringValue(cJSON_GetObjectItem(device, "slug"));
    return slug ? slug : "";
}

/* Exits if the file holds a result of another device. All sweeps of a file must come from one device. */
static void check_device(const char *path, const cJSON *device)
{
    cJSON *file = read_result(path);
    const cJSON *sweeps = cJSON_GetObjectItem(file, "sweeps"), *any = sweeps ? sweeps->child : NULL;
    const cJSON *other = cJSON_GetObjectItem(cJSON_HasObjectItem(file, "device") ? file : any, "device");
    if (other && strcmp(slug_of(other), slug_of(device)) != 0)
        fail(EXIT_BAD_INPUT, "%s is of %s, and this is %s: a result is of one device", path, slug_of(other),
             slug_of(device));
    cJSON_Delete(file);
}

/* Returns the new content of the result file: its present content, into which this sweep is inserted among
 * the other sweeps. */
static cJSON *merged(const char *path, const char *sweep, const cJSON *result)
{
    cJSON *file = read_result(path), *sweeps = cJSON_DetachItemFromObject(file, "sweeps");
    if (is_main(sweep)) {
        cJSON_Delete(file);
        file = cJSON_Duplicate(result, true);
    }
    if (!file) {
        file = cJSON_CreateObject();
        cJSON_AddStringToObject(file, "schema", SCHEMA);
    }
    if (!is_main(sweep)) {
        sweeps = sweeps ? sweeps : cJSON_CreateObject();
        cJSON_DeleteItemFromObjectCaseSensitive(sweeps, sweep);
        cJSON_AddItemToObject(sweeps, sweep, cJSON_Duplicate(result, true));
    }
    if (sweeps)
        cJSON_AddItemToObject(file, "sweeps", sweeps);
    return file;
}

/* Locks the folder of the result file. Two programs may write sweeps of one file at the same time, and only
 * one at a time may insert its sweep. */
static int lock_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? copy_text(path) : copy_text(".");
    if (slash)
        folder[slash == path ? 1 : slash - path] = '\0';
    int lock = open(folder, O_RDONLY | O_DIRECTORY);
    if (lock < 0 || flock(lock, LOCK_EX) != 0)
        fail(EXIT_BAD_INPUT, "%s cannot be locked: %s", folder, strerror(errno));
    free(folder);
    return lock;
}

/* ---- opening ---- */

/* Opens the journal's file and locks it, so that no other run adds to it or removes it. The lock ends with
 * the process. O_NOFOLLOW refuses to write through a link. Returns NULL if there is no file and `creates` is
 * false. */
static FILE *open_locked(bool creates)
{
    for (;;) {
        int file =
            open(journal_name, O_RDWR | (creates ? O_CREAT : 0) | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
        if (file < 0 && errno == ENOENT && !creates)
            return NULL;
        if (file < 0)
            fail(EXIT_BAD_INPUT, "%s cannot be written: %s", journal_name, strerror(errno));
        if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) /* some file systems have no locks */
            fail(EXIT_CANNOT, "another run writes %s", journal_name);
        if (file_has_name(file, journal_name)) { /* else the run that had the lock has removed the file */
            FILE *locked = fdopen(file, "r+");
            if (!locked)
                fail(EXIT_CANNOT, "%s cannot be opened: %s", journal_name, strerror(errno));
            return locked;
        }
        close(file);
    }
}

void journal_close(void)
{
    if (journal)
        fclose(journal);
    journal = NULL;
    free(journal_name);
    journal_name = NULL;
    cJSON_Delete(journal_header);
    journal_header = NULL;
}

/* Writes the journal's header. This is done when the first point is added, so that a run that is refused
 * earlier leaves no file, and a journal that it would replace stays. */
static void start_journal(void)
{
    char *text = cJSON_PrintUnformatted(journal_header);
    if (!journal)
        journal = open_locked(true);
    rewind(journal);
    if (!text || ftruncate(fileno(journal), 0) != 0)
        fail(EXIT_BAD_INPUT, "%s cannot be written: %s", journal_name, strerror(errno));
    fprintf(journal, "%s\n", text);
    free(text);
    cJSON_Delete(journal_header);
    journal_header = NULL;
}

/* Goes to the journal's end to add lines. If a killed run left its last line without a line feed, adds
 * one. */
static void continue_journal(void)
{
    if (fseek(journal, -1, SEEK_END) != 0)
        fail(EXIT_BAD_INPUT, "%s cannot be written: %s", journal_name, strerror(errno));
    int last = fgetc(journal);
    fseek(journal, 0, SEEK_END);
    if (last != '\n')
        fputc('\n', journal);
}

/* Returns whether the journal was cut off in its first line when it was written: whether it has no line feed
 * and begins as every header does, as far as it goes. */
static bool is_cut_header(void)
{
    static const char begin[] = "{\"schema\":";
    char *line = NULL;
    size_t capacity = 0, most = sizeof begin - 1;
    rewind(journal);
    ssize_t got = getline(&line, &capacity, journal);
    size_t length = got > 0 ? (size_t)got : 0;
    bool is_cut =
        !length || (line[length - 1] != '\n' && memcmp(line, begin, length < most ? length : most) == 0);
    free(line);
    return is_cut;
}

static bool has_points(const cJSON *points)
{
    return points && points->child;
}

cJSON *journal_open(const char *path, const char *sweep, const cJSON *header, bool resume, bool force)
{
    const char *name = sweep && !is_main(sweep) ? sweep : "", *dot = *name ? "." : "";
    size_t bytes = strlen(path) + strlen(name) + sizeof "..partial";
    if (sweep)
        check_device(path, cJSON_GetObjectItem(header, "device"));
    journal_close();
    if (file_is_special(path))
        return cJSON_CreateArray();
    journal_name = allocate(bytes);
    snprintf(journal_name, bytes, "%s%s%s.partial", path, dot, name);
    if (access(journal_name, F_OK) == 0)
        file_check_input(journal_name);
    journal = open_locked(false);
    cJSON *old_header = journal ? read_json_line(journal) : NULL;
    int damaged = 0;
    cJSON *points = old_header ? read_points(journal, &damaged) : cJSON_CreateArray();
    if (journal && !cJSON_GetObjectItem(old_header, "schema") && !force && !is_cut_header())
        fail(EXIT_BAD_INPUT,
             "%s is in the way: it is no journal of a sweep; remove it, or --force replaces it",
             journal_name);
    if (has_points(points) && !resume && !force)
        fail(EXIT_BAD_INPUT,
             "%s has %d points of an interrupted run: --resume goes on with them, --force drops them",
             journal_name, cJSON_GetArraySize(points));
    bool same = old_header && cJSON_Compare(old_header, header, true);
    if (has_points(points) && resume && !same)
        refuse_header(old_header, header);
    cJSON_Delete(old_header);
    if (same && resume) {
        if (damaged)
            fprintf(stderr, "%s: %s: %d damaged lines are left out, and their points measured again\n",
                    program_name(), journal_name, damaged);
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
    if (journal_header)
        start_journal();
    char *text = cJSON_PrintUnformatted(point);
    bool written =
        text && fprintf(journal, "%s\t%08lx\n", text, checksum_of(text)) > 0 && fflush(journal) == 0;
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

static void print_points(FILE *file, const cJSON *points)
{
    const char *before = "[\n";
    const cJSON *element;
    cJSON_ArrayForEach(element, points)
    {
        fputs(before, file);
        print_value(file, element);
        before = ",\n";
    }
    fputs(points->child ? "]" : "[]", file);
}

static void print_result(FILE *file, const cJSON *result);

static void print_sweeps(FILE *file, const cJSON *sweeps)
{
    const char *separator = "{\n";
    const cJSON *sweep;
    cJSON_ArrayForEach(sweep, sweeps)
    {
        fprintf(file, "%s\"%s\": ", separator, sweep->string);
        print_result(file, sweep);
        separator = ",\n";
    }
    fputs("}", file);
}

/* Prints the result with each member and each point on a line of its own, so that diff can compare
 * results. */
static void print_result(FILE *file, const cJSON *result)
{
    const char *separator = "{\n";
    const cJSON *member;
    cJSON_ArrayForEach(member, result)
    {
        fprintf(file, "%s\"%s\": ", separator, member->string);
        separator = ",\n";
        if (strcmp(member->string, "points") == 0)
            print_points(file, member);
        else if (strcmp(member->string, "sweeps") == 0)
            print_sweeps(file, member);
        else
            print_value(file, member);
    }
    fputs("\n}\n", file);
}

void result_write(const char *path, const char *sweep, const cJSON *result)
{
    int lock = sweep ? lock_folder(path) : -1;
    cJSON *whole = sweep ? merged(path, sweep, result) : NULL;
    struct new_file file = file_begin(path);
    print_result(file.file, whole ? whole : result);
    file_finish(&file); /* exits if not all of the file could be written */
    if (sweep)
        close(lock);
    cJSON_Delete(whole);
    if (journal)
        unlink(journal_name); /* this run has the lock, so this is not another run's journal */
    journal_close();
}
