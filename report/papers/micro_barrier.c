#include "report/papers/micro_barrier.h"
#include "base/failure.h"
#include "report/results.h"
#include "report/timing.h"
#include "report/unit.h"

#include <stdlib.h>

/* Returns the time of a barrier in microseconds: the time of a round with the barrier minus the time of a
 * round without any barrier. */
static double sync_us(const struct result *r, const char *variant)
{
    return operation_us(r, variant, r->sms) - operation_us(r, "none", r->sms);
}

static void print_wrong(const struct result *r, FILE *file)
{
    size_t count, wrong = 0;
    const char **names = result_variants(r, &count);
    for (size_t i = 0; i < count; i++) {
        bool found = false;
        FOR_EACH_POINT(p, r)
        found = found || (point_is(p, names[i]) && is_false(p, "ordered") && is_false(p, "verified"));
        if (found && !is_baseline(names[i]))
            fprintf(file, wrong++ ? ", %s" : "Unordered barriers with wrong results in some run: %s",
                    names[i]);
    }
    if (wrong)
        fputs(".\n", file);
    else
        fprintf(file, "Unordered barriers: no wrong result in any run%s.\n",
                r->machine ? " of the model (on GPUs there are: docs/when.md)" : "");
    free(names);
}

static void print_words(const struct result *r, FILE *file)
{
    const cJSON *best = fastest_point(r, (double)r->sms, -1, is_ordered_barrier);
    char a[32], b[32], c[32];
    if (!best) {
        fputs("No ordered grid barrier was verified.\n", file);
    } else {
        const char *name = text_of(best, "variant");
        enum unit unit = unit_chosen() == UNIT_AS_WRITTEN ? UNIT_US : unit_chosen();
        fprintf(
            file,
            "Fastest ordered grid barrier at %g blocks: %s, %s %s a barrier; cpu-implicit takes %sx as long",
            (double)r->sms, name, fixed(a, unit_factor(unit, r) * sync_us(r, name), unit_digits(unit, 2)),
            unit_name(unit), fixed(b, sync_us(r, "cpu-implicit") / sync_us(r, name), 2));
        if (result_has(r, "grid-sync"))
            fprintf(file, ", grid-sync %sx", fixed(c, sync_us(r, "grid-sync") / sync_us(r, name), 2));
        fputs(r->machine ? " (predicted).\n" : ".\n", file);
    }
    print_wrong(r, file);
}

void print_micro(const char *folder, enum form form, FILE *file)
{
    if (is_for_programs(form))
        return;
    struct result *r = result_need(folder, "micro-barrier");
    char *words = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&words, &bytes);
    if (!stream)
        fail(EXIT_CANNOT, "no memory");
    print_words(r, stream);
    fclose(stream);
    if (form == FORM_HTML) { /* in HTML the names must be escaped, because they come from a file */
        fputs("<p>", file);
        print_html(file, words);
        fputs("</p>\n", file);
    } else {
        fprintf(file, "\n%s", words);
    }
    free(words);
    result_close(r);
}
