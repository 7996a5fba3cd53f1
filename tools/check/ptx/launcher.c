/*
 * The program that gpusync-check and gpusync-predict run for a file without main(): it makes the arrays that
 * the launches name, makes the launches one after the other, and waits for each. It is linked with the tool
 * when the suite is built, so that no compiler is needed to check PTX. The PTX is the file kernels.ptx beside
 * the program; kernels.cubin has the machine code, if it is known (tools/check/program.bash).
 * One file because it is all that is linked with a tool for such a file.
 *
 * Its arguments are launches. A launch is a text or the name of a JSON file with an array of launches:
 *
 *     scale<<<32, 128>>>(f32[4096]=1, x: f32[4096], i32 4096)
 *     [{"kernel": "scale", "grid": [32], "block": [128], "shared": 0, "cooperative": false, "arguments":
 *       [{"type": "f32", "values": [1, 2]}, {"type": "f32", "count": 4096, "name": "x"},
 *        {"type": "i32", "value": 4096}]}]
 *
 * An extent is 8, 8x4 or (8, 4, 2). After the extents of grid and block, the text may have the bytes of
 * dynamic shared memory, and then the word cooperative. An argument is a number, a new array or the name of
 * an array of an earlier argument. An array has `count` elements, which are 0, or the value after =, or with
 * =index their own indices; in JSON they are `values`, or the bytes of the file that `file` names. TYPE[] in
 * text, and a type without a value in JSON, is a null pointer.
 */
#include "base/failure.h"
#include "base/file.h"
#include "base/memory.h"
#include "tools/check/checked_program.h"
#include "machine/ptx.h"
#include "machine/runtime_api.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The fat binary with the text, as nvcc would write it. It is a variable of the program because places in it
 * are told by their distance from the program's first byte (machine/ptx/lines.c). */
static _Alignas(8) char image[64 << 20];
static const char *ptx_text; /* the text of the PTX within `image` */

/* Functions of the runtime that machine/runtime_api.h does not declare. */
struct ptx_image;
struct ptx_kernel;
void machine_name_array(const void *memory, const char *name);
cudaError_t cudaLibraryLoadData(struct ptx_image **library, const void *data, void *options, void **values,
                                unsigned count, void *of_library, void **values_of_library,
                                unsigned count_of_library);
cudaError_t cudaLibraryGetKernel(struct ptx_kernel **kernel, struct ptx_image *library, const char *name);
cudaError_t cudaFuncSetAttribute(const void *of, int attribute, int value);
enum { MOST_DYNAMIC_SHARED = 8 }; /* cudaFuncAttributeMaxDynamicSharedMemorySize */
cudaError_t cudaLaunchKernel(const void *of, struct machine_index grid, struct machine_index block,
                             void **arguments, size_t bytes, cudaStream_t stream);
cudaError_t cudaLaunchCooperativeKernel(const void *of, struct machine_index grid, struct machine_index block,
                                        void **arguments, size_t bytes, cudaStream_t stream);

/* ---- values ---- */

enum kind { SIGNED, UNSIGNED, FLOATING, BRAIN_FLOAT };
static const struct type {
    const char *name;
    enum kind kind;
    unsigned bytes;
} types[] = {{"i8", SIGNED, 1},    {"u8", UNSIGNED, 1},  {"i16", SIGNED, 2},   {"u16", UNSIGNED, 2},
             {"i32", SIGNED, 4},   {"u32", UNSIGNED, 4}, {"i64", SIGNED, 8},   {"u64", UNSIGNED, 8},
             {"f16", FLOATING, 2}, {"f32", FLOATING, 4}, {"f64", FLOATING, 8}, {"bf16", BRAIN_FLOAT, 2}};

struct array {
    char *name;  /* NULL if no later argument names it */
    char *shown; /* how reports name it */
    unsigned char *initial;
    size_t bytes;
    void *memory; /* on the machine; NULL until it is made */
};
struct argument {
    struct array *array; /* NULL for a number and a null pointer */
    unsigned bytes;
    unsigned char value[8];
};
struct launch {
    const char *text; /* what the user has written, for messages */
    char *kernel;
    struct machine_index grid, block;
    size_t shared_bytes;
    bool cooperative;
    struct argument *arguments;
    size_t count;
};
static struct launch *launches;
static size_t launch_count;
static struct array **arrays;
static size_t array_count;

static const char *wrong; /* the launch that is being read, for messages */

static void __attribute__((noreturn)) refuse(const char *what, const char *where)
{
    fail(EXIT_BAD_INPUT, "--launch %s: %s%s%s", wrong, what, *where ? " at " : "", where);
}

/* Can the type represent `number`, as far as a double shows it? */
static bool fits(const struct type *type, double number)
{
    double values = (double)(UINT64_C(1) << (type->bytes * 8 - 1)) * 2;
    if (type->kind == SIGNED)
        return number >= -values / 2 && number < values / 2;
    return type->kind != UNSIGNED || (number >= 0 && number < values);
}

static void write_value(const struct type *type, const char *text, double number, unsigned char *to)
{
    union {
        int64_t whole;
        double f64;
        float f32;
        _Float16 f16;
        uint32_t bits;
    } value = {0};
    if (!fits(type, number))
        refuse("the type does not have the number", text ? text : type->name);
    if (type->kind == SIGNED || type->kind == UNSIGNED) {
        /* a double cannot hold all digits of a number of 64 bits */
        value.whole = !text                    ? (int64_t)number
                      : type->kind == UNSIGNED ? (int64_t)strtoull(text, NULL, 0)
                                               : strtoll(text, NULL, 0);
    } else if (type->kind == BRAIN_FLOAT) {
        value.f32 = (float)number;
        value.bits = (value.bits + 0x7fff + (value.bits >> 16 & 1)) >> 16;
    } else if (type->bytes == 8) {
        value.f64 = number;
    } else if (type->bytes == 4) {
        value.f32 = (float)number;
    } else {
        value.f16 = (_Float16)number;
    }
    memcpy(to, &value, type->bytes);
}

static struct array *new_array(const struct launch *launch, const struct type *type, size_t count, char *name)
{
    struct array *array = allocate(sizeof *array);
    char shown[300];
    if (!count || count > SIZE_MAX / 2 / type->bytes)
        refuse("an array has at least one element", name ? name : "");
    snprintf(shown, sizeof shown, "%.100s%sargument %zu of %.100s", name ? name : "", name ? ", " : "",
             launch->count, launch->kernel);
    array->shown = copy_text(shown);
    array->name = name;
    array->bytes = count * type->bytes;
    array->initial = allocate(array->bytes);
    arrays = with_room(arrays, sizeof(struct array *), array_count, 1);
    return arrays[array_count++] = array;
}

static struct array *array_named(const char *name)
{
    for (size_t i = 0; i < array_count; i++)
        if (arrays[i]->name && strcmp(arrays[i]->name, name) == 0)
            return arrays[i];
    return NULL;
}

static const struct type *type_named(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i].name) == length && strncmp(types[i].name, name, length) == 0)
            return &types[i];
    return NULL;
}

static struct argument *add_argument(struct launch *launch)
{
    launch->arguments = with_room(launch->arguments, sizeof *launch->arguments, launch->count, 1);
    struct argument *argument = &launch->arguments[launch->count++];
    *argument = (struct argument){.bytes = sizeof(void *)};
    return argument;
}

/* ---- a launch as text ---- */

static void skip_blanks(const char **at)
{
    *at += strspn(*at, " \t\n");
}

static void expect(const char **at, const char *text)
{
    skip_blanks(at);
    if (strncmp(*at, text, strlen(text)) != 0) {
        char what[64];
        snprintf(what, sizeof what, "%s is expected", text);
        refuse(what, **at ? *at : "the end");
    }
    *at += strlen(text);
    skip_blanks(at);
}

static bool accept(const char **at, char c)
{
    skip_blanks(at);
    bool is_there = **at == c;
    *at += is_there;
    skip_blanks(at);
    return is_there;
}

static char *read_word(const char **at)
{
    size_t length = 0;
    while (isalnum((unsigned char)(*at)[length]) || strchr("_$%.", (*at)[length] ? (*at)[length] : ' '))
        length++;
    if (!length)
        refuse("a name is expected", **at ? *at : "the end");
    char *word = copy_text(*at);
    word[length] = 0;
    *at += length;
    return word;
}

static size_t read_count(const char **at, size_t most)
{
    char *end;
    skip_blanks(at);
    unsigned long long count = isdigit((unsigned char)**at) ? strtoull(*at, &end, 10) : ULLONG_MAX;
    if (count > most)
        refuse("a number is expected", **at ? *at : "the end");
    *at = end;
    skip_blanks(at);
    return count;
}

static struct machine_index read_extent(const char **at)
{
    unsigned extents[3] = {1, 1, 1}, count = 0;
    bool has_bracket = accept(at, '(');
    do {
        if (count == 3)
            refuse("an extent has three parts at most", *at);
        extents[count++] = (unsigned)read_count(at, INT32_MAX);
    } while (accept(at, 'x') || (has_bracket && accept(at, ',')));
    if (has_bracket)
        expect(at, ")");
    return (struct machine_index){extents[0], extents[1], extents[2]};
}

/* Reads a number, and returns its text, which the caller frees. */
static char *read_number(const char **at, double *number)
{
    char *end, *text = copy_text(*at);
    *number = strtod(*at, &end);
    if (end == *at)
        refuse("a number is expected", **at ? *at : "the end");
    text[end - *at] = 0;
    *at = end;
    return text;
}

static void read_elements(const struct type *type, struct array *array, const char **at)
{
    double number = 0;
    bool is_index = strncmp(*at, "index", 5) == 0;
    char *text = is_index ? NULL : read_number(at, &number);
    *at += is_index ? 5 : 0;
    for (size_t i = 0; i < array->bytes / type->bytes; i++)
        write_value(type, text, is_index ? (double)i : number, array->initial + i * type->bytes);
    free(text);
}

static void read_argument(struct launch *launch, const char **at)
{
    struct argument *argument = add_argument(launch);
    char *word = read_word(at), *name = NULL;
    if (accept(at, ':')) {
        name = word;
        word = read_word(at);
    }
    const struct type *type = type_named(word, strlen(word));
    if (!type && !name && (argument->array = array_named(word))) {
        free(word);
        return;
    }
    if (!type)
        refuse("no array before has this name, and no type (i32, f32, ...)", word);
    if (accept(at, '[')) {
        if (accept(at, ']'))
            return;
        argument->array = new_array(launch, type, read_count(at, SIZE_MAX / 2), name);
        expect(at, "]");
        if (accept(at, '='))
            read_elements(type, argument->array, at);
    } else {
        double number;
        char *text = read_number(at, &number);
        argument->bytes = type->bytes;
        write_value(type, text, number, argument->value);
        free(text);
    }
    free(word);
}

static void read_text(struct launch *launch, const char *at)
{
    skip_blanks(&at);
    launch->kernel = read_word(&at);
    expect(&at, "<<<");
    launch->grid = read_extent(&at);
    expect(&at, ",");
    launch->block = read_extent(&at);
    if (accept(&at, ','))
        launch->shared_bytes = read_count(&at, INT32_MAX);
    if (accept(&at, ',')) {
        expect(&at, "cooperative");
        launch->cooperative = true;
    }
    expect(&at, ">>>");
    expect(&at, "(");
    while (*at != ')') {
        read_argument(launch, &at);
        if (*at != ')')
            expect(&at, ",");
    }
    at++;
    accept(&at, ';');
    if (*at)
        refuse("nothing is expected", at);
}

/* ---- launches as JSON ---- */

static const cJSON *member(const cJSON *of, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(of, name);
}

static double number_of(const cJSON *value, const char *name)
{
    if (!cJSON_IsNumber(value))
        refuse("a number is expected", name);
    return value->valuedouble;
}

static struct machine_index extent_of(const cJSON *of, const char *name)
{
    const cJSON *list = member(of, name);
    unsigned extents[3] = {1, 1, 1};
    int count = cJSON_GetArraySize(list);
    if (count < 1 || count > 3)
        refuse("an array of one to three numbers is expected", name);
    for (int i = 0; i < count; i++) {
        double extent = number_of(cJSON_GetArrayItem(list, i), name);
        if (!(extent >= 1 && extent <= INT32_MAX))
            refuse("a number of at least 1 is expected", name);
        extents[i] = (unsigned)extent;
    }
    return (struct machine_index){extents[0], extents[1], extents[2]};
}

static void read_bytes(struct array *array, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fread(array->initial, 1, array->bytes, file) != array->bytes)
        refuse("the array's bytes cannot be read", path);
    fclose(file);
}

static void read_json_array(const struct launch *launch, struct argument *argument, const struct type *type,
                            const cJSON *of)
{
    const cJSON *count = member(of, "count"), *values = member(of, "values"), *file = member(of, "file"),
                *item, *name = member(of, "name");
    size_t elements = values ? (size_t)cJSON_GetArraySize(values) : (size_t)number_of(count, "count");
    argument->array =
        new_array(launch, type, elements, cJSON_IsString(name) ? copy_text(name->valuestring) : NULL);
    size_t at = 0;
    cJSON_ArrayForEach(item, values)
        write_value(type, NULL, number_of(item, "values"), argument->array->initial + at++ * type->bytes);
    if (cJSON_IsString(file))
        read_bytes(argument->array, file->valuestring);
}

static void read_json_argument(struct launch *launch, const cJSON *of)
{
    struct argument *argument = add_argument(launch);
    const cJSON *named = member(of, "type"), *name = member(of, "name"), *value = member(of, "value");
    if (!named && cJSON_IsString(name) && (argument->array = array_named(name->valuestring)))
        return;
    const struct type *type =
        cJSON_IsString(named) ? type_named(named->valuestring, strlen(named->valuestring)) : NULL;
    if (!type)
        refuse("an argument has a type (i32, f32, ...) or the name of an array before", "\"arguments\"");
    if (value) {
        argument->bytes = type->bytes;
        write_value(type, NULL, number_of(value, "value"), argument->value);
    } else if (member(of, "count") || member(of, "values")) {
        read_json_array(launch, argument, type, of);
    }
}

static void read_json_launch(struct launch *launch, const cJSON *of)
{
    const cJSON *kernel = member(of, "kernel"), *shared = member(of, "shared"), *argument;
    if (!cJSON_IsString(kernel))
        refuse("a name is expected", "\"kernel\"");
    launch->kernel = copy_text(kernel->valuestring);
    launch->grid = extent_of(of, "grid");
    launch->block = extent_of(of, "block");
    launch->shared_bytes = shared ? (size_t)number_of(shared, "shared") : 0;
    launch->cooperative = cJSON_IsTrue(member(of, "cooperative"));
    cJSON_ArrayForEach(argument, member(of, "arguments")) read_json_argument(launch, argument);
}

/* ---- the kernels of the text ---- */

static void read_image(void)
{
    FILE *ptx = checked_program_open("kernels.ptx"), *cubin = checked_program_open("kernels.cubin");
    if (!ptx)
        fail(EXIT_CANNOT, "no PTX is beside the program: %s", strerror(errno));
    ptx_text = ptx_set_image(image, sizeof image, ptx, cubin);
    if (!ptx_text)
        fail(EXIT_BAD_INPUT, "the PTX and its machine code are larger than %zu MiB", sizeof image >> 20);
    fclose(ptx);
    if (cubin)
        fclose(cubin);
}

/* Returns where the list of a kernel's parameters begins, and stores the kernel's name in `name`. A function
 * of C++ can be named without the rest of its mangled name. Exits if the text has no such kernel. */
static const char *find_kernel(const char *wanted, char *name, size_t size)
{
    char mangled[300], all[600] = "", several[600] = "";
    const char *found = NULL;
    snprintf(mangled, sizeof mangled, "_Z%zu%.256s", strlen(wanted), wanted);
    for (const char *at = ptx_text; (at = strstr(at, ".entry"));) {
        at += strlen(".entry");
        at += strspn(at, " \t\n");
        size_t length = strcspn(at, " \t\n({");
        snprintf(name, size, "%.*s", (int)length, at);
        if (strcmp(name, wanted) == 0)
            return at + length;
        bool is_match = strncmp(name, mangled, strlen(mangled)) == 0;
        char *list = is_match ? several : all;
        snprintf(list + strlen(list), sizeof all - strlen(list), "%s%.100s", *list ? ", " : "", name);
        found = is_match ? at : found;
    }
    if (strchr(several, ','))
        fail(EXIT_BAD_INPUT, "--launch %s: %s is one of %s; which?", wrong, wanted, several);
    if (found) {
        snprintf(name, size, "%s", several);
        return found + strlen(several);
    }
    fail(EXIT_BAD_INPUT, "--launch %s: there is no kernel %s; the file has %s", wrong, wanted,
         *all ? all : "none");
}

/* Compares the arguments with the kernel's parameters, whose list begins here. */
static void check_arguments(const struct launch *launch, const char *at)
{
    char what[160];
    size_t count = 0;
    at += strspn(at, " \t\n");
    const char *end = *at == '(' ? strchr(at, ')') : at;
    for (; (at = strstr(at, ".param")) && at < end; count++) {
        at += strlen(".param");
        const char *until = at + strcspn(at, ",)");
        size_t bytes = 0;
        for (const char *part = at; part < until; part++)
            if (*part == '.' && strchr("bsuf", part[1]) && isdigit((unsigned char)part[2]) && !bytes)
                bytes = strtoul(part + 2, NULL, 10) / 8;
        const char *bracket = memchr(at, '[', (size_t)(until - at));
        bytes *= bracket ? strtoul(bracket + 1, NULL, 10) : 1;
        if (count < launch->count && launch->arguments[count].bytes != bytes) {
            snprintf(what, sizeof what, "argument %zu has %u bytes, and the kernel's parameter %zu",
                     count + 1, launch->arguments[count].bytes, bytes);
            refuse(what, "");
        }
    }
    if (count != launch->count) {
        snprintf(what, sizeof what, "the kernel has %zu parameters, and here are %zu arguments", count,
                 launch->count);
        refuse(what, "");
    }
}

static struct launch *add_launch(void)
{
    launches = with_room(launches, sizeof *launches, launch_count, 1);
    launches[launch_count] = (struct launch){.text = wrong};
    return &launches[launch_count++];
}

void gpusync_checked_arguments(const char *tool, int count, char **words)
{
    set_program_name(tool);
    read_image();
    for (int i = 1; i < count; i++) {
        wrong = words[i];
        size_t length = strlen(words[i]);
        if (strstr(words[i], "<<<") || length < 5 || strcmp(words[i] + length - 5, ".json") != 0) {
            read_text(add_launch(), words[i]);
            continue;
        }
        char *text = file_text(words[i]);
        cJSON *json = text ? cJSON_Parse(text) : NULL, *launch;
        if (!cJSON_IsArray(json))
            refuse("the file has no JSON array of launches", "");
        cJSON_ArrayForEach(launch, json) read_json_launch(add_launch(), launch);
        cJSON_Delete(json);
        free(text);
    }
    for (size_t i = 0; i < launch_count; i++) {
        char name[1000];
        wrong = launches[i].text;
        if ((uint64_t)launches[i].block.x * launches[i].block.y * launches[i].block.z > 1024)
            refuse("a block has at most 1024 threads", "");
        check_arguments(&launches[i], find_kernel(launches[i].kernel, name, sizeof name));
        free(launches[i].kernel);
        launches[i].kernel = copy_text(name);
    }
}

/* ---- the program ---- */

static void check(cudaError_t error, const struct launch *launch)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s: %s\n", launch->text, cudaGetErrorString(error));
    exit(EXIT_FAILURE);
}

static void make_launch(struct ptx_image *module, const struct launch *launch)
{
    struct ptx_kernel *kernel = NULL;
    void *places[launch->count + 1];
    for (size_t i = 0; i < launch->count; i++) {
        struct argument *argument = &launch->arguments[i];
        struct array *array = argument->array;
        if (array && !array->memory) {
            check(cudaMalloc(&array->memory, array->bytes), launch);
            machine_name_array(array->memory, array->shown);
            check(cudaMemcpy(array->memory, array->initial, array->bytes, cudaMemcpyHostToDevice), launch);
        }
        if (array)
            memcpy(argument->value, &array->memory, sizeof array->memory);
        places[i] = argument->value;
    }
    check(cudaLibraryGetKernel(&kernel, module, launch->kernel), launch);
    if (launch->shared_bytes)
        check(cudaFuncSetAttribute(kernel, MOST_DYNAMIC_SHARED, (int)launch->shared_bytes), launch);
    check((launch->cooperative ? cudaLaunchCooperativeKernel : cudaLaunchKernel)(
              kernel, launch->grid, launch->block, places, launch->shared_bytes, NULL),
          launch);
    check(cudaDeviceSynchronize(), launch);
}

int gpusync_checked_main(int count, char **words, char **environment)
{
    struct ptx_image *module = NULL;
    (void)count, (void)words, (void)environment;
    check(cudaLibraryLoadData(&module, image, NULL, NULL, 0, NULL, NULL, 0), &launches[0]);
    for (size_t i = 0; i < launch_count; i++)
        make_launch(module, &launches[i]);
    return EXIT_SUCCESS;
}
