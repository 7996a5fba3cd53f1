#include "harness/methods.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

#define FIELDS(...) __VA_ARGS__

const struct variant sync_variants[SYNC_METHODS] = {
#define METHOD(ID, type, variant, method) [SYNC_##ID] = {.id = SYNC_##ID, variant},
#include "harness/methods.def"
#undef METHOD
};

const struct sync_method sync_methods[SYNC_METHODS] = {
#define METHOD(ID, type, variant, method) [SYNC_##ID] = {method},
#include "harness/methods.def"
#undef METHOD
};

/* Returns the plain name of the method whose name is the first `length` letters of the text, or NULL. */
static const char *plain_of(const char *text, size_t length)
{
    for (int i = 0; i < SYNC_METHODS; i++)
        if (sync_methods[i].plain && strlen(sync_variants[i].name) == length &&
            strncmp(sync_variants[i].name, text, length) == 0)
            return sync_methods[i].plain;
    return NULL;
}

char *plain_names_in(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    char *named = allocate(3 * strlen(text) + 1), *end = named; /* no plain name is three times as long */
    while (*text) {
        size_t length = strspn(text, letters);
        const char *plain = plain_of(text, length);
        length += length == 0;
        end += sprintf(end, "%.*s", plain ? (int)strlen(plain) : (int)length, plain ? plain : text);
        text += length;
    }
    return named;
}
