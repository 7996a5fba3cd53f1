/* One file because all of its functions read through one cache of the files that have been read. */
#include "report/results.h"
#include "base/failure.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "harness/result.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads the JSON object of a file into *json, which becomes NULL if there is no such file or it is broken.
 * Returns what is wrong with it, or NULL. */
static const char *read_json(const char *path, cJSON **json)
{
    struct stat facts;
    *json = NULL;
    if (stat(path, &facts) == 0 && (!S_ISREG(facts.st_mode) || access(path, R_OK) != 0))
        return made("%s cannot be read: %s", path,
                    S_ISREG(facts.st_mode) ? strerror(errno) : "it is no file");
    char *text = file_text(path);
    if (!text)
        return NULL;
    cJSON *read = cJSON_Parse(text);
    free(text);
    if (cJSON_IsObject(read)) {
        *json = read;
        return NULL;
    }
    cJSON_Delete(read);
    return made("%s is not JSON, or is cut off", path);
}

/* ---- members ---- */

/* Returns the member whose name has these characters, or the element of an array whose number they are; NULL
 * if there is none. */
static const cJSON *member_named(const cJSON *json, const char *name, size_t length)
{
    if (cJSON_IsArray(json) && length && strspn(name, "0123456789") >= length)
        return cJSON_GetArrayItem(json, atoi(name));
    for (const cJSON *member = cJSON_IsObject(json) ? json->child : NULL; member; member = member->next)
        if (member->string && strncmp(member->string, name, length) == 0 && !member->string[length])
            return member;
    return NULL;
}

const cJSON *member_of(const cJSON *json, const char *path)
{
    while (json && *path) {
        size_t length = strcspn(path, ".");
        json = member_named(json, path, length);
        path += length + (path[length] == '.');
    }
    return json;
}

double number_of(const cJSON *json, const char *path)
{
    const cJSON *item = member_of(json, path);
    return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

const char *text_of(const cJSON *json, const char *path)
{
    const char *text = cJSON_GetStringValue(member_of(json, path));
    return text ? text : "";
}

bool is_true(const cJSON *json, const char *name)
{
    return cJSON_IsTrue(member_of(json, name));
}
bool is_false(const cJSON *json, const char *name)
{
    return cJSON_IsFalse(member_of(json, name));
}

/* ---- a result ---- */

/* Returns what is wrong with the result if it or one of its points lacks a member on which all readers of a
 * result rely, or NULL. */
static const char *wrong_in(const struct result *r)
{
    static const char *const numbers[] = {"blocks", "threads", "size", "median", "operations"};
    if (!(r->sms >= 1) || isnan(r->clock_hz))
        return made("%s does not describe its device", r->path);
    if (!cJSON_IsObject(r->parameters) || !cJSON_IsObject(r->device))
        return made("%s does not describe its device and its parameters", r->path);
    if (!cJSON_IsArray(r->points))
        return made("%s has no points", r->path);
    FOR_EACH_POINT(p, r)
    {
        if (!*text_of(p, "variant"))
            return made("%s: a point names no variant", r->path);
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            if (isnan(number_of(p, numbers[i])))
                return made("%s: a point of %s has no %s", r->path, text_of(p, "variant"), numbers[i]);
    }
    return NULL;
}

/* Sorts the points by their variants, so that a point is found fast. Notes the largest size. */
static void sort_points(struct result *r)
{
    struct points_of_variant *of = NULL;
    FOR_EACH_POINT(p, r)
    {
        const char *name = text_of(p, "variant");
        size_t i = 0;
        if (!of || strcmp(of->variant, name) != 0) {
            while (i < r->variant_count && strcmp(r->variants[i].variant, name) != 0)
                i++;
            if (i == r->variant_count) {
                r->variants = with_room(r->variants, sizeof *r->variants, r->variant_count, 1);
                r->variants[r->variant_count++] = (struct points_of_variant){.variant = name};
            }
            of = &r->variants[i];
        }
        r->largest_size = fmax(r->largest_size, number_of(p, "size"));
        of->points = with_room(of->points, sizeof *of->points, of->count, 1);
        of->points[of->count++] = p;
    }
}

/* The result files (`documents`) and sweeps (`items`) that have been read since the last
 * results_forget(). */
static struct {
    struct document {
        char *path;
        cJSON *json;
    } * documents;
    size_t document_count;
    struct result **items;
    size_t count;
} shelf;

static void free_result(struct result *r)
{
    for (size_t i = 0; i < r->variant_count; i++)
        free(r->variants[i].points);
    free(r->variants);
    free(r->path);
    free(r);
}

void results_forget(void)
{
    for (size_t i = 0; i < shelf.count; i++)
        free_result(shelf.items[i]);
    for (size_t i = 0; i < shelf.document_count; i++) {
        free(shelf.documents[i].path);
        cJSON_Delete(shelf.documents[i].json);
    }
    free(shelf.items);
    free(shelf.documents);
    memset(&shelf, 0, sizeof shelf);
}

static struct result *result_kept(const char *path)
{
    for (size_t i = 0; i < shelf.count; i++)
        if (strcmp(shelf.items[i]->path, path) == 0)
            return shelf.items[i];
    return NULL;
}

/* Reads a file as read_json does, but only once. */
static const char *read_document(const char *path, cJSON **json)
{
    for (size_t i = 0; i < shelf.document_count; i++)
        if (strcmp(shelf.documents[i].path, path) == 0) {
            *json = shelf.documents[i].json;
            return NULL;
        }
    const char *wrong = read_json(path, json);
    if (*json) {
        shelf.documents = with_room(shelf.documents, sizeof *shelf.documents, shelf.document_count, 1);
        shelf.documents[shelf.document_count++] = (struct document){copy_text(path), *json};
    }
    return wrong;
}

/* Returns the file's JSON, or NULL if there is no such file. Exits if it is broken. */
static cJSON *json_if_there(const char *path)
{
    cJSON *json;
    const char *wrong = read_document(path, &json);
    if (wrong)
        fail(EXIT_BAD_INPUT, "%s", wrong);
    return json;
}

cJSON *json_need(const char *path)
{
    cJSON *json = json_if_there(path);
    if (!json)
        fail(EXIT_BAD_INPUT, "%s is missing", path);
    return json;
}

cJSON *json_read(const char *path)
{
    cJSON *json;
    read_document(path, &json);
    return json;
}

static bool is_result(const cJSON *json)
{
    return strcmp(text_of(json, "schema"), SCHEMA) == 0;
}

cJSON *json_beside(const char *folder, const char *name)
{
    cJSON *json = json_if_there(made("%s/%s.json", folder, name));
    return is_result(json) ? NULL : json;
}

/* Returns the sweep `name` of a result file, or NULL if the file does not have it. "main" and "" name the
 * main sweep. */
static cJSON *sweep_of(cJSON *document, const char *name)
{
    cJSON *sweeps = cJSON_GetObjectItemCaseSensitive(document, "sweeps");
    if (*name && strcmp(name, MAIN_SWEEP) != 0)
        return cJSON_GetObjectItemCaseSensitive(sweeps, name);
    return sweeps && !cJSON_HasObjectItem(document, "points") ? NULL : document;
}

/* Returns the first sweep that the result file has of those in the comma-separated list, or NULL if it has
 * none. */
static cJSON *first_sweep_of(cJSON *document, const char *sweeps)
{
    char names[256], *rest;
    if (!*sweeps)
        return sweep_of(document, "");
    snprintf(names, sizeof names, "%s", sweeps);
    for (char *name = strtok_r(names, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
        if (sweep_of(document, name))
            return sweep_of(document, name);
    return NULL;
}

/* Reads from the file `path` into *read the first of the comma-separated `sweeps` that it has; "" stands for
 * the main sweep. `name` names the file and the sweep together, in messages and among the results that are
 * kept. *read becomes NULL if there is no such file or sweep, or if it is broken. Returns what is wrong, or
 * NULL. */
static const char *try_sweep(const char *path, const char *sweeps, const char *name, struct result **read)
{
    cJSON *document;
    if ((*read = result_kept(name)))
        return NULL;
    const char *wrong = read_document(path, &document);
    if (!wrong && document && !is_result(document))
        wrong = made("%s is no result of this suite (schema " SCHEMA ")", path);
    cJSON *json = document && !wrong ? first_sweep_of(document, sweeps) : NULL;
    if (!json)
        return wrong;
    struct result *r = allocate(sizeof *r);
    r->path = copy_text(name);
    r->json = json;
    r->experiment = text_of(r->json, "experiment");
    r->family = *text_of(r->json, "family") ? text_of(r->json, "family") : "micro";
    r->device = member_of(r->json, "device");
    r->parameters = member_of(r->json, "parameters");
    r->points = member_of(r->json, "points");
    r->device_name = text_of(r->device, "name");
    r->machine = strcmp(text_of(r->device, "kind"), "machine") == 0;
    r->clock_hz = number_of(r->device, "clock_hz");
    double sms = number_of(r->device, "sm_count");
    r->sms = sms >= 1 && sms <= INT_MAX ? (int)sms : 0;
    r->us = r->machine ? 1e6 / r->clock_hz : 1e-3;
    wrong = wrong_in(r);
    if (wrong) {
        free_result(r);
        return wrong;
    }
    sort_points(r);
    shelf.items = with_room(shelf.items, sizeof *shelf.items, shelf.count, 1);
    shelf.items[shelf.count++] = *read = r;
    return NULL;
}

static struct result *read_sweep(const char *path, const char *sweeps, const char *name)
{
    struct result *r;
    const char *wrong = try_sweep(path, sweeps, name, &r);
    if (wrong)
        fail(EXIT_BAD_INPUT, "%s", wrong);
    return r;
}

struct result *result_read(const char *path)
{
    return read_sweep(path, "", path);
}

/* *path becomes FOLDER/FILE.json, for a name FILE or FILE@SWEEPS. Returns SWEEPS, or "" for a name without
 * it. */
static const char *path_of(const char *folder, const char *name, const char **path)
{
    size_t length = strcspn(name, "@");
    *path = made("%s/%.*s.json", folder, (int)length, name);
    return name + length + (name[length] == '@');
}

struct result *result_open(const char *folder, const char *name)
{
    const char *path, *sweeps = path_of(folder, name, &path);
    return read_sweep(path, sweeps, made("%s%s%s", path, *sweeps ? "@" : "", sweeps));
}

bool result_is_one(const char *folder, const char *name)
{
    const char *path, *sweeps = path_of(folder, name, &path);
    cJSON *json = json_if_there(path);
    return json && is_result(json) && first_sweep_of(json, sweeps);
}

bool has_file(const char *folder, const char *name)
{
    const char *path, *sweeps = path_of(folder, name, &path);
    if (access(path, F_OK) != 0)
        return false;
    cJSON *json = json_read(path);
    return !is_result(json) || first_sweep_of(json, sweeps);
}

struct result *result_need(const char *folder, const char *name)
{
    struct result *r = result_open(folder, name);
    if (!r)
        fail(EXIT_BAD_INPUT,
             "%s/%s is missing; make run EXPERIMENTS=%.*s measures it, into a folder of results/", folder,
             name, (int)strcspn(name, "-@"), name);
    return r;
}

const char *result_extent(const struct result *r)
{
    const cJSON *word;
    cJSON_ArrayForEach(word, member_of(r->json, "command"))
    {
        const char *text = cJSON_GetStringValue(word), *next = cJSON_GetStringValue(word->next);
        if (text && strcmp(text, "--extent") == 0)
            return next ? next : "";
    }
    return "";
}

const char *how(const struct result *r)
{
    return r->machine ? "predicted" : "measured";
}

/* ---- its points ---- */

bool is_library(const char *variant)
{
    static const char *const names[] = {"cufft", "cub-radix-sort", "sum-cub", "prefix-cub"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(variant, names[i]) == 0)
            return true;
    return false;
}

bool is_dataflow(const char *variant)
{
    return strncmp(variant, "dataflow", strlen("dataflow")) == 0;
}

bool is_baseline(const char *variant)
{
    return strcmp(variant, "none") == 0 || strcmp(variant, "none-cold") == 0;
}

bool point_is(const cJSON *point, const char *variant)
{
    return strcmp(text_of(point, "variant"), variant) == 0;
}

static bool matches(const cJSON *point, const char *name, double wanted)
{
    return wanted < 0 || number_of(point, name) == wanted;
}

const cJSON *result_point(const struct result *r, const char *variant, double blocks, double threads,
                          double size)
{
    for (size_t i = 0; i < r->variant_count; i++) {
        const struct points_of_variant *of = &r->variants[i];
        if (strcmp(of->variant, variant) != 0)
            continue;
        for (size_t k = 0; k < of->count; k++)
            if (matches(of->points[k], "blocks", blocks) && matches(of->points[k], "threads", threads) &&
                matches(of->points[k], "size", size))
                return of->points[k];
        break;
    }
    return NULL;
}

bool result_has(const struct result *r, const char *variant)
{
    return result_point(r, variant, -1, -1, -1);
}

bool gave_wrong_answers(const struct result *r, const char *variant)
{
    FOR_EACH_POINT(p, r)
    if (point_is(p, variant) && !is_baseline(variant) && is_false(p, "ordered") && is_false(p, "verified"))
        return true;
    return false;
}

/* ---- folders ---- */

/* Adds the names for which a .json file stands: FILE, unless it is a result without a main sweep, and
 * FILE@SWEEP for each other sweep. */
static void add_names(struct texts *names, const char *folder, const char *file)
{
    const char *path;
    path_of(folder, file, &path);
    cJSON *json = json_read(path);
    const cJSON *sweep, *sweeps = is_result(json) ? cJSON_GetObjectItemCaseSensitive(json, "sweeps") : NULL;
    if (!is_result(json) || sweep_of(json, ""))
        texts_add(names, file);
    cJSON_ArrayForEach(sweep, sweeps)
    {
        if (!is_plain_name(sweep->string))
            fail(EXIT_BAD_INPUT, "%s: a sweep is named in small letters, digits, dots and dashes", path);
        texts_add(names, made("%s@%s", file, sweep->string));
    }
}

/* Returns whether standard output goes into the file, which the shell has emptied, as in
 * `report cards A B >A/cards.json`. */
static bool is_output(const char *path)
{
    struct stat output, file;
    return fstat(STDOUT_FILENO, &output) == 0 && stat(path, &file) == 0 && output.st_dev == file.st_dev &&
           output.st_ino == file.st_ino;
}

static struct texts sorted(struct texts texts)
{
    if (texts.count)
        qsort(texts.items, texts.count, sizeof *texts.items, compare_texts);
    return texts;
}

struct texts entries_of(const char *folder)
{
    struct texts names = {NULL, 0};
    const struct dirent *entry;
    DIR *directory = opendir(folder);
    while (directory && (entry = readdir(directory)))
        texts_add(&names, made("%s", entry->d_name));
    if (directory)
        closedir(directory);
    return sorted(names);
}

/* Returns the names of the .json files of a folder without this ending, sorted, but not of one that is being
 * written. */
static struct texts json_files(const char *folder)
{
    struct texts entries = entries_of(folder), files = {entries.items, 0};
    for (size_t i = 0; i < entries.count; i++) {
        size_t length = strlen(entries.items[i]);
        if (length > 5 && strcmp(entries.items[i] + length - 5, ".json") == 0 &&
            !is_output(made("%s/%s", folder, entries.items[i])))
            files.items[files.count++] = made("%.*s", (int)length - 5, entries.items[i]);
    }
    return sorted(files);
}

struct texts result_names(const char *folder)
{
    struct texts names = {NULL, 0}, files = json_files(folder);
    for (size_t i = 0; i < files.count; i++) {
        if (!is_plain_name(files.items[i]))
            fail(EXIT_BAD_INPUT, "%s/%s.json: a result is named in small letters, digits, dots and dashes",
                 folder, files.items[i]);
        add_names(&names, folder, files.items[i]);
    }
    free(files.items);
    return sorted(names);
}

struct result *first_result(const char *folder)
{
    struct result *r = NULL;
    struct texts names = result_names(folder);
    for (size_t i = 0; i < names.count && !r; i++)
        r = result_is_one(folder, names.items[i]) ? result_open(folder, names.items[i]) : NULL;
    free(names.items);
    return r;
}

/* Returns what is wrong with a .json file of a folder, which need not be a result, or NULL. */
static const char *wrong_in_file(const char *folder, const char *file)
{
    const char *path;
    cJSON *json;
    struct result *r = NULL;
    path_of(folder, file, &path);
    const char *wrong = read_document(path, &json);
    if (wrong || !is_result(json))
        return wrong;
    wrong = try_sweep(path, "", path, &r);
    const cJSON *sweep, *sweeps = cJSON_GetObjectItemCaseSensitive(json, "sweeps");
    cJSON_ArrayForEach(sweep, sweeps)
    {
        if (wrong)
            break;
        if (!sweep->string || !is_plain_name(sweep->string))
            wrong = made("%s: a sweep is named in small letters, digits, dots and dashes", path);
        else
            wrong = try_sweep(path, sweep->string, made("%s@%s", path, sweep->string), &r);
    }
    return wrong;
}

const char *wrong_in_folder(const char *folder)
{
    const char *const folders[] = {folder, made("%s/predicted", folder)}, *wrong = NULL;
    for (size_t f = 0; f < sizeof folders / sizeof *folders; f++) {
        struct texts files = json_files(folders[f]);
        for (size_t i = 0; i < files.count && !wrong; i++)
            wrong = wrong_in_file(folders[f], files.items[i]);
        free(files.items);
    }
    return wrong;
}

static bool is_of_family(const char *folder, const char *name, const char *family)
{
    struct result *r = result_is_one(folder, name) ? result_open(folder, name) : NULL;
    size_t file = strcspn(name, "@");
    return r && strcmp(r->family, family) == 0 && strncmp(r->experiment, name, file) == 0 &&
           !r->experiment[file];
}

struct texts results_of_family(const char *folder, const char *family)
{
    struct texts names = result_names(folder), kept = {names.items, 0};
    for (size_t i = 0; i < names.count; i++) {
        const char *file = made("%.*s", (int)strcspn(names.items[i], "@"), names.items[i]);
        bool is_known = kept.count && strcmp(kept.items[kept.count - 1], file) == 0;
        if (!is_known && is_of_family(folder, names.items[i], family))
            kept.items[kept.count++] = file;
    }
    return kept;
}

bool is_plain_name(const char *name)
{
    return *name && *name != '.' && !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789.-_")];
}

const char *check_folder(const char *folder)
{
    struct stat facts;
    const char *slash = strrchr(folder, '/'), *last = slash ? slash + 1 : folder;
    if (stat(folder, &facts) != 0 || !S_ISDIR(facts.st_mode))
        fail(EXIT_BAD_INPUT, "%s is no folder of results", folder);
    if (!is_plain_name(last))
        fail(EXIT_BAD_INPUT, "%s: a folder of results is named in small letters, digits, dots and dashes",
             folder);
    return last;
}
