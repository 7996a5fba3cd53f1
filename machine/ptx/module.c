#include "machine/ptx/module.h"
#include "base/map.h"
#include "base/memory.h"
#include "machine/memory/arrays.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory that lives as long as the module ---- */

#define CHUNK ((size_t)1 << 16)

struct ptx_memory {
    struct ptx_memory *next;
    size_t used, bytes;
    unsigned char data[] __attribute__((aligned(16)));
};

void *ptx_allocate(struct ptx_module *module, size_t bytes)
{
    struct ptx_memory *chunk = module->memory;
    bytes = (bytes + 15) / 16 * 16;
    if (!chunk || chunk->bytes - chunk->used < bytes) {
        size_t room = bytes > CHUNK ? bytes : CHUNK;
        chunk = allocate(sizeof *chunk + room);
        *chunk = (struct ptx_memory){.next = module->memory, .bytes = room};
        module->memory = chunk;
    }
    void *place = chunk->data + chunk->used;
    chunk->used += bytes;
    return place;
}

/* ---- modules ---- */

struct name {
    const char *name;
    void *value;
};
struct ptx_names {
    struct map map;         /* a map of struct name */
    struct ptx_names *next; /* the next of the module's tables */
};

static void module_free(struct ptx_module *module)
{
    for (size_t i = 0; i < module->variable_count; i++)
        if (module->variables[i].memory) {
            array_forget(module->variables[i].memory);
            free(module->variables[i].memory);
        }
    for (struct ptx_names *names = module->tables; names; names = names->next)
        map_end(&names->map);
    while (module->memory) {
        struct ptx_memory *chunk = module->memory;
        module->memory = chunk->next;
        free(chunk);
    }
    free(module->functions);
    free(module->variables);
    free(module->files);
    free(module->sources);
    free(module->text);
    free(module);
}

void ptx_modules_free(struct ptx_module *module)
{
    while (module) {
        struct ptx_module *next = module->next;
        module_free(module);
        module = next;
    }
}

/* ---- names ---- */

struct ptx_names *ptx_names_make(struct ptx_module *module)
{
    struct ptx_names *names = ptx_allocate(module, sizeof *names);
    *names = (struct ptx_names){.map = MAP_OF_TEXTS(struct name), .next = module->tables};
    return module->tables = names;
}

void *ptx_names_find(const struct ptx_names *names, const char *name)
{
    const struct name *found = map_find(&names->map, &name);
    return found ? found->value : NULL;
}

void *ptx_names_set(struct ptx_names *names, const char *name, void *value)
{
    struct name *set = map_get(&names->map, &name);
    void *before = set->value;
    set->value = value;
    return before;
}

/* ---- functions and variables ---- */

void ptx_name_note(struct ptx_module *module, const char *name, size_t number, bool is_variable)
{
    ptx_names_set(module->names, name, (void *)(uintptr_t)(2 * number + 2 + is_variable));
}

static struct ptx_function *own_function(const struct ptx_module *module, const char *name)
{
    uintptr_t number = (uintptr_t)ptx_names_find(module->names, name);
    return number && number % 2 == 0 ? &module->functions[(number - 2) / 2] : NULL;
}

struct ptx_function *ptx_function_find(const struct ptx_module *module, const char *name)
{
    struct ptx_function *own = own_function(module, name);
    for (const struct ptx_module *m = own && !own->text ? module->first : NULL; m; m = m->next) {
        struct ptx_function *other = own_function(m, name);
        if (other && other->text)
            return other;
    }
    return own;
}

static struct ptx_variable *own_variable(const struct ptx_module *module, const char *name)
{
    uintptr_t number = (uintptr_t)ptx_names_find(module->names, name);
    return number % 2 ? &module->variables[(number - 3) / 2] : NULL;
}

struct ptx_variable *ptx_variable_find(const struct ptx_module *module, const char *name)
{
    struct ptx_variable *own = own_variable(module, name);
    for (const struct ptx_module *m = own && (own->is_external || own->is_weak) ? module->first : NULL; m;
         m = m->next) {
        struct ptx_variable *other = own_variable(m, name);
        if (other && !other->is_external)
            return other;
    }
    return own;
}
