#include "report/devices.h"
#include "base/failure.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/results.h"
#include "report/table.h"

#include <sys/stat.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <limits.h>

/* The kinds of folders. If a name fits several folders, the first kind of this list is preferred. */
enum kind { OF_GPU, OF_MODEL, OF_PREDICTIONS };

struct device {
    char *folder;
    char *name;     /* the last part of the folder's path; for a folder NAME/predicted the part NAME */
    char *shortest; /* the shortest name with which device_folder finds the folder */
    enum kind kind;
    bool is_committed;
};

static bool is_folder(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

const char *reference_folder(void)
{
    static char *folder;
    if (folder)
        return folder;
    if (is_folder("results/reference"))
        return folder = copy_text("results/reference");
    /* the shortest form of a path such as /opt/gpusync/build/../results/reference */
    const char *path = suite_path("results/reference");
    char *whole = realpath(path, NULL);
    return folder = whole ? whole : copy_text(path);
}

/* ---- the list of all devices ---- */

static struct {
    struct device *items;
    size_t count;
    bool is_read;
} all;

/* Returns whether the file is a result. Only its begin is read, where every result names its schema. */
static bool begins_as_result(const char *path)
{
    char begin[4096];
    FILE *file = fopen(path, "rb");
    size_t bytes = file ? fread(begin, 1, sizeof begin - 1, file) : 0;
    if (file)
        fclose(file);
    begin[bytes] = '\0';
    return strstr(begin, "gpusync-result/") != NULL;
}

/* Returns the number of result files in the folder. *first becomes the path of the first one, by name, or ""
 * if there is none. */
static size_t count_results(const char *folder, const char **first)
{
    size_t results = 0;
    struct texts names = entries_of(folder);
    *first = "";
    for (size_t i = 0; i < names.count; i++) {
        size_t length = strlen(names.items[i]);
        const char *path = made("%s/%s", folder, names.items[i]);
        if (length <= 5 || strcmp(names.items[i] + length - 5, ".json") != 0 || !begins_as_result(path))
            continue;
        *first = results++ ? *first : path;
    }
    free(names.items);
    return results;
}

static void add_device(const char *parent, const char *name, const char *below, bool is_committed)
{
    const char *folder = made("%s/%s%s", parent, name, below), *first;
    if (!is_folder(folder) || !count_results(folder, &first))
        return;
    bool is_model = strncmp(name, "machine-", 8) == 0 || strcmp(name, "memory-machine") == 0;
    all.items = with_room(all.items, sizeof *all.items, all.count, 1);
    all.items[all.count++] = (struct device){.folder = copy_text(folder),
                                             .name = copy_text(name),
                                             .kind = *below     ? OF_PREDICTIONS
                                                     : is_model ? OF_MODEL
                                                                : OF_GPU,
                                             .is_committed = is_committed};
}

static void add_devices(const char *parent, bool is_committed)
{
    struct texts names = entries_of(parent);
    for (size_t i = 0; i < names.count; i++) {
        const char *name = names.items[i];
        if (!is_plain_name(name) || strcmp(name, "papers") == 0 || strcmp(name, "reference") == 0)
            continue;
        add_device(parent, name, "", is_committed);
        add_device(parent, name, "/predicted", is_committed);
    }
    free(names.items);
}

static int by_preference(const void *a, const void *b)
{
    const struct device *x = a, *y = b;
    if (x->kind != y->kind)
        return (int)x->kind - (int)y->kind;
    return x->is_committed != y->is_committed ? (int)x->is_committed - (int)y->is_committed
                                              : strcmp(x->name, y->name);
}

/* Reads the list of all devices, the preferred ones first. */
static void read_devices(void)
{
    if (all.is_read)
        return;
    all.is_read = true;
    add_devices("results", false);
    add_devices(reference_folder(), true);
    if (all.count)
        qsort(all.items, all.count, sizeof *all.items, by_preference);
}

/* ---- names ---- */

static void make_small(char *text)
{
    for (; *text; text++)
        *text = (char)tolower((unsigned char)*text);
}

/* Returns whether the words of `name`, which dashes separate, follow each other in `whole`. */
static bool has_words(const char *whole, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = whole; (at = strstr(at, name)); at++)
        if ((at == whole || at[-1] == '-') && (!at[length] || at[length] == '-'))
            return true;
    return false;
}

/* Returns whether none of the name's words distinguishes devices; "nvidia" is such a word. */
static bool is_too_general(const char *name)
{
    static const char *const general[] = {"nvidia", "geforce", "tesla", "quadro", "gpu", "memory", "machine"};
    while (*name) {
        size_t length = strcspn(name, "-");
        bool is_one = false;
        for (size_t i = 0; i < sizeof general / sizeof *general; i++)
            is_one = is_one || (strlen(general[i]) == length && strncmp(general[i], name, length) == 0);
        if (!is_one)
            return false;
        name += length + (name[length] == '-');
    }
    return true;
}

#define SUFFIX "-predicted"

/* Returns whether the device has this name, either as its whole name or as some words of its whole name
 * (`is_whole` is false). Only names of predictions end in SUFFIX. */
static bool fits(const struct device *device, const char *name, bool is_whole)
{
    size_t length = strlen(name), end = strlen(SUFFIX);
    bool has_suffix = length > end && strcmp(name + length - end, SUFFIX) == 0;
    const char *base = made("%.*s", (int)(has_suffix ? length - end : length), name);
    if (has_suffix != (device->kind == OF_PREDICTIONS))
        return false;
    return is_whole ? strcmp(device->name, base) == 0
                    : has_words(device->name, base) && !is_too_general(base);
}

/* Returns the device of this name or NULL. *other becomes another device of this name, or NULL. */
static const struct device *find(const char *argument, const struct device **other)
{
    static const char committed[] = "reference/";
    char name[300];
    bool of_committed = strncmp(argument, committed, strlen(committed)) == 0;
    snprintf(name, sizeof name, "%s", argument + (of_committed ? strlen(committed) : 0));
    make_small(name);
    read_devices();
    for (int is_whole = 1; is_whole >= 0; is_whole--) {
        const struct device *found = NULL;
        *other = NULL;
        for (const struct device *d = all.items; d < all.items + all.count; d++) {
            if ((of_committed && !d->is_committed) || !fits(d, name, is_whole))
                continue;
            if (!found)
                found = d;
            else if (!*other)
                *other = d;
        }
        if (found)
            return found;
    }
    return NULL;
}

/* Gives the device its shortest name: the first word that distinguishes devices. If that word finds another
 * device or a folder, it is the whole name, with "reference/" before it for committed results if needed. */
static void name_shortly(struct device *device)
{
    const struct device *other;
    const char *suffix = device->kind == OF_PREDICTIONS ? SUFFIX : "";
    for (const char *word = device->name; *word;) {
        size_t length = strcspn(word, "-");
        bool is_general = is_too_general(made("%.*s", (int)length, word));
        const char *name = made("%.*s%s", (int)length, word, suffix);
        if (!is_general && find(name, &other) == device && !is_folder(name)) {
            device->shortest = copy_text(name);
            return;
        }
        word += length + (word[length] == '-');
    }
    const char *name = made("%s%s", device->name, suffix);
    bool is_alone = find(name, &other) == device && !is_folder(name);
    device->shortest = copy_text(made("%s%s", is_alone ? "" : "reference/", name));
}

static void __attribute__((noreturn)) refuse(const char *argument)
{
    char meant[NEAREST_BYTES], small[64];
    const char **names = allocate((all.count + 1) * sizeof *names);
    char *last = file_text("results/.last");
    if (last && *argument && strcspn(last, "\n") == strlen(argument) &&
        strncmp(last, argument, strlen(argument)) == 0)
        fail(EXIT_BAD_INPUT, "the last run's folder %s is gone (results/.last)", argument);
    free(last);
    snprintf(small, sizeof small, "%s", argument);
    make_small(small);
    for (size_t i = 0; i < all.count; i++) {
        name_shortly(&all.items[i]);
        names[i] = all.items[i].shortest;
    }
    if (*argument && !strchr(argument, '/'))
        fail(EXIT_BAD_INPUT, "%s is no folder of results and no device%s (%s list shows all)", argument,
             did_you_mean(meant, "", small, names, all.count), program_name());
    fail(EXIT_BAD_INPUT, "%s is no folder of results", *argument ? argument : "\"\"");
}

/* Returns the folder. Exits if one of its files is broken, even if the command does not read it, because
 * other files from the same disk or run may be wrong, too. */
static const char *checked(const char *folder)
{
    const char *wrong = wrong_in_folder(folder);
    if (wrong)
        fail(EXIT_BAD_INPUT, "%s", wrong);
    return folder;
}

const char *device_folder(const char *argument)
{
    if (is_folder(argument))
        return checked(argument);
    const struct device *other = NULL, *device = *argument ? find(argument, &other) : NULL;
    if (!device)
        refuse(argument);
    if (other)
        warn("%s is taken as %s, though it fits %s, too", argument, device->folder, other->folder);
    return checked(device->folder);
}

void device_folders(int count, char **words)
{
    for (int i = 0; i < count; i++)
        words[i] = (char *)device_folder(words[i]);
}

/* ---- the table of all devices ---- */

int print_device_list(struct arguments *a, FILE *file)
{
    static const char *const kinds[] = {"GPU", "model", "prediction"};
    struct table t = {NULL, 0};
    read_devices();
    if (!all.count)
        fail(EXIT_BAD_INPUT, "there are no results, neither in results/ nor in %s", reference_folder());
    table_add(&t, "name | kind | device | date | revision | results | folder");
    for (size_t i = 0; i < all.count; i++) {
        struct device *device = &all.items[i];
        const char *first;
        size_t results = count_results(device->folder, &first);
        cJSON *json = json_read(first);
        if (!json) {
            warn("%s is left out: %s is not JSON, or is cut off", device->folder, first);
            continue;
        }
        /* a result without a main sweep describes each of its sweeps */
        const cJSON *sweeps = member_of(json, "sweeps");
        const cJSON *sweep = cJSON_HasObjectItem(json, "device") || !sweeps ? json : sweeps->child;
        const char *revision = text_of(sweep, "revision"), *model = text_of(sweep, "device.name");
        name_shortly(device);
        table_add(&t, "%s | %s | %s | %.10s | %s | %zu | %s", device->shortest, kinds[device->kind],
                  *model ? model : "-", *text_of(sweep, "created") ? text_of(sweep, "created") : "-",
                  *revision ? revision : "-", results, device->folder);
    }
    table_end(&t, a->form, file);
    return EXIT_VERIFIED;
}

/* ---- folders ---- */

/* Adds the folders of devices' results that are in the folder `parent`. A folder with a broken file is left
 * out, because the user has not named it; a message says so if `tells` is true. */
static void add_folders(struct texts *folders, const char *parent, bool tells)
{
    struct texts names = entries_of(parent);
    for (size_t i = 0; i < names.count; i++) {
        const char *path = made("%s/%s", parent, names.items[i]);
        if (!is_plain_name(names.items[i]) ||
            place_in("papers reference bench", ' ', names.items[i], strlen(names.items[i])) >= 0 ||
            !is_folder(path))
            continue;
        const char *wrong = wrong_in_folder(path);
        if (!wrong)
            texts_add(folders, path);
        else if (tells)
            warn("%s is left out: %s", path, wrong);
    }
    free(names.items);
}

struct texts all_folders(void)
{
    struct texts folders = {NULL, 0};
    add_folders(&folders, "results", true);
    add_folders(&folders, "results/reference", true);
    return folders;
}

bool is_reference(const char *folder)
{
    static const char parent[] = "reference/";
    const char *name = check_folder(folder);
    size_t before = (size_t)(name - folder), length = strlen(parent);
    return before >= length && strncmp(name - length, parent, length) == 0 &&
           (before == length || name[-(ptrdiff_t)length - 1] == '/');
}

const char *plots_of(const char *folder)
{
    return made("plots/%s%s", is_reference(folder) ? "reference/" : "", check_folder(folder));
}

/* ---- the nearest ---- */

/* Returns how different two devices are, for the choice of the nearest; infinite if one is a GPU and the
 * other a machine. A difference of 1 in compute capability outweighs any difference in the number of
 * multiprocessors. */
static double distance(const struct result *a, const struct result *b)
{
    if (a->machine != b->machine)
        return INFINITY;
    double capability =
        fabs(number_of(a->device, "compute_capability") - number_of(b->device, "compute_capability"));
    return (isnan(capability) ? 0 : 1e4 * capability) + abs(a->sms - b->sms) +
           (strcmp(a->device_name, b->device_name) != 0 ? 0.5 : 0);
}

const char *last_folder(void)
{
    char *text = file_text("results/.last");
    const char *folder = text && strcspn(text, "\n") ? made("%.*s", (int)strcspn(text, "\n"), text) : NULL;
    free(text);
    return folder ? device_folder(folder) : NULL;
}

const char *nearest_reference(const char *folder)
{
    struct texts folders = {NULL, 0};
    const char *nearest = NULL;
    double least = INFINITY;
    add_folders(&folders, reference_folder(), false);
    check_folder(folder);
    struct result *r = first_result(folder);
    if (!r)
        fail(EXIT_BAD_INPUT, "%s has no result", folder);
    for (size_t i = 0; i < folders.count; i++) {
        struct result *other = is_same_file(folder, folders.items[i]) ? NULL : first_result(folders.items[i]);
        if (other && distance(r, other) < least) {
            least = distance(r, other);
            nearest = folders.items[i];
        }
    }
    free(folders.items);
    if (!nearest)
        fail(EXIT_BAD_INPUT, "results/reference has nothing that %s can be compared with", folder);
    return nearest;
}

/* ---- files of the suite ---- */

const char *suite_path(const char *path)
{
    const char *data = getenv("GPUSYNC_DATA");
    char program[PATH_MAX];
    if (data && *data)
        return made("%s/%s", data, path);
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    char *slash = length > 0 ? memrchr(program, '/', (size_t)length) : NULL;
    const char *found = slash ? made("%.*s/../%s", (int)(slash - program), program, path) : path;
    return access(found, F_OK) == 0 ? found : path;
}

cJSON *json_of_suite(const char *path)
{
    return json_need(suite_path(path));
}
