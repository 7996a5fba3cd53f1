#include "machine/ptx/warp.h"
#include "base/failure.h"
#include "machine/cuda/given_back.h"
#include "machine/engine/rules.h"
#include "machine/ptx.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

void ptx_fault(const char *what, int number, const struct ptx_code *code)
{
    char line[512] = "an unknown line";
    if (rules_are_checked) { /* the checker says where the thread was */
        running.code = code;
        raise(number);
    }
    ptx_line_of(code, line, sizeof line);
    fflush(stdout);
    fail(EXIT_CANNOT, "block %u thread %u at %s %s", running.warp->block->index,
         thread_of(running.warp, running.lane), line, what);
}

/* ---- printf ---- */

/* Prints one conversion, whose text begins with %. Takes its argument from `from`, and returns how many
 * bytes of arguments it has used up to now. */
static size_t print_conversion(const char *format, const unsigned char *from, size_t at)
{
    char type = format[strlen(format) - 1];
    size_t bytes = strchr("diouxXc", type) && !strpbrk(format, "lLjzt") ? 4 : 8;
    uint64_t bits = 0;
    double real;
    at = (at + bytes - 1) / bytes * bytes;
    memcpy(&bits, from + at, bytes);
    if (strchr("eEfFgGaA", type)) {
        memcpy(&real, &bits, sizeof real);
        printf(format, real); // NOLINT
    } else if (type == 's' || type == 'p') {
        printf(format, (const void *)(uintptr_t)bits); // NOLINT
    } else if (bytes == 4) {
        printf(format, (uint32_t)bits); // NOLINT
    } else {
        printf(format, bits); // NOLINT
    }
    return at + bytes;
}

/* vprintf(format, arguments): the arguments are one after another, each aligned to its size. Returns the
 * number of arguments, as CUDA's printf does. */
static uint64_t print(const uint64_t *arguments, const struct ptx_code *code)
{
    const char *format = (const char *)(uintptr_t)arguments[0];
    const unsigned char *from = (const unsigned char *)(uintptr_t)arguments[1];
    char conversion[64];
    size_t at = 0;
    uint64_t count = 0;
    (void)code;
    while (*format) {
        size_t plain = strcspn(format, "%");
        printf("%.*s", (int)plain, format);
        format += plain;
        if (!*format)
            break;
        size_t length = 1 + strspn(format + 1, "-+ #0123456789.lhLjzt");
        if (format[1] == '%') {
            putchar('%');
            format += 2;
            continue;
        }
        if (!format[length] || length + 2 > sizeof conversion)
            break;
        memcpy(conversion, format, length + 1);
        conversion[length + 1] = 0;
        at = print_conversion(conversion, from, at);
        count++;
        format += length + 1;
    }
    return count;
}

/* ---- assert, malloc, free ---- */

/* __assertfail(message, file, line, function, size of a character) */
static uint64_t assertion(const uint64_t *arguments, const struct ptx_code *code)
{
    char text[512];
    if (rules_are_checked)
        fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", (const char *)(uintptr_t)arguments[1],
                (unsigned)arguments[2], (const char *)(uintptr_t)arguments[3],
                (const char *)(uintptr_t)arguments[0]);
    snprintf(text, sizeof text, "fails the assertion `%s` in %s", (const char *)(uintptr_t)arguments[0],
             (const char *)(uintptr_t)arguments[3]);
    ptx_fault(text, SIGABRT, code);
    return 0;
}

static uint64_t take(const uint64_t *arguments, const struct ptx_code *code)
{
    return (uintptr_t)device_heap_take(arguments[0], 16, code);
}

static uint64_t give_back(const uint64_t *arguments, const struct ptx_code *code)
{
    device_heap_give_back((void *)(uintptr_t)arguments[0], code);
    return 0;
}

ptx_builtin *ptx_builtin_named(const char *name)
{
    static const struct {
        const char *name;
        ptx_builtin *builtin;
    } builtins[] = {{"vprintf", print}, {"__assertfail", assertion}, {"malloc", take}, {"free", give_back}};
    for (unsigned b = 0; b < sizeof builtins / sizeof *builtins; b++)
        if (strcmp(name, builtins[b].name) == 0)
            return builtins[b].builtin;
    return NULL;
}
