#include "report/papers/papers.h"
#include "report/devices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* folder of micro-litmus on the memory machine; its results also have the outcomes of all executions of the
 * machine's model */
#define MACHINE_FOLDER "results/reference/memory-machine"

/* Returns the part FORM of a variant's name TEST+FORM. TEST may contain plus signs, too. */
static const char *form_in(const char *variant)
{
    static const char *const begins[] = {"+weak", "+relaxed", "+release"};
    const char *first = NULL;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        const char *at = strstr(variant, begins[i]);
        if (at && (!first || at < first))
            first = at;
    }
    return first ? first + 1 : variant + strlen(variant);
}

static bool same_test(const char *a, const char *b)
{
    size_t length = (size_t)(form_in(a) - a);
    return length == (size_t)(form_in(b) - b) && strncmp(a, b, length) == 0;
}

static double rate_of(const cJSON *point)
{
    return point ? number_of(point, "seen") / number_of(point, "executions") : NAN;
}

/* place_of_test returns the place of the variant's test among all tests, and place_of_form the place of its
 * form among all forms; both count from 0 in the order of the result. */
static size_t place_of_test(const struct result *r, const char *variant)
{
    size_t place = 0;
    const char *last = NULL;
    FOR_EACH_POINT(p, r)
    {
        const char *other = text_of(p, "variant");
        if (last && !same_test(last, other))
            place++;
        last = other;
        if (same_test(variant, other))
            break;
    }
    return place;
}

static size_t place_of_form(const struct result *r, const char *variant)
{
    size_t place = 0;
    const char *first = text_of(r->points->child, "variant");
    FOR_EACH_POINT(p, r)
    {
        if (!same_test(first, text_of(p, "variant")) ||
            strcmp(form_in(text_of(p, "variant")), form_in(variant)) == 0)
            break;
        place++;
    }
    return place;
}

/* Returns whether a point counts. A point with more blocks than multiprocessors does not, because it repeats
 * a test that another point has. */
static bool is_counted(const struct result *r, const cJSON *p)
{
    return number_of(p, "blocks") <= r->sms;
}

bool write_litmus(const struct result *r, FILE *file)
{
    struct result *machine = result_open(suite_path(MACHINE_FOLDER), "micro-litmus");
    if (!machine || strcmp(r->experiment, "micro-litmus") != 0)
        return false;
    FOR_EACH_POINT(p, r)
    {
        const char *variant = text_of(p, "variant"), *form = form_in(variant);
        const cJSON *other = result_point(machine, variant, -1, -1, -1);
        if (other && is_counted(r, p))
            fprintf(file, "%zu\t%zu\t\"%s\"\t\"%.*s\"\t%d\t%.9g\t%.9g\t%d\n", place_of_form(r, variant),
                    place_of_test(r, variant), form, (int)(form - variant) - 1, variant,
                    is_true(p, "allowed"), rate_of(p), rate_of(other), is_true(other, "explored_condition"));
    }
    return true;
}

/* ---- the table ---- */

struct count {
    unsigned allowed, seen, shown, runs, forbidden, forbidden_seen;
    double most, most_on_machine;
};

static void count_point(struct count *count, const cJSON *p, const cJSON *other)
{
    bool allowed = is_true(p, "allowed");
    count->allowed += allowed;
    count->forbidden += !allowed;
    count->forbidden_seen += number_of(p, "forbidden") > 0 || number_of(other, "forbidden") > 0;
    count->seen += allowed && number_of(p, "seen") > 0;
    count->runs += allowed && number_of(other, "seen") > 0;
    count->shown += allowed && is_true(other, "explored_condition");
    count->most = fmax(count->most, rate_of(p));
    count->most_on_machine = fmax(count->most_on_machine, rate_of(other));
}

/* Returns a rate as a percentage, or "-" for one that is not positive. */
static const char *percent(double rate)
{
    return rate > 0 ? made("%.2g %%", 100 * rate) : "-";
}

static void add_count(struct table *t, const char *name, int length, struct count c)
{
    table_add(t, "%.*s | %u | %u | %s | %u | %u | %s | %u | %u", length, name, c.allowed, c.seen,
              percent(c.most), c.shown, c.runs, percent(c.most_on_machine), c.forbidden, c.forbidden_seen);
}

void print_litmus(const char *folder, enum form form, FILE *file)
{
    struct result *r = result_need(folder, "micro-litmus"),
                  *machine = result_need(suite_path(MACHINE_FOLDER), "micro-litmus");
    struct table t = {NULL, 0};
    table_add(
        &t,
        "test | forms that PTX allows | of them seen here | most often | in some execution of the machine's "
        "model | in its runs | most often there | forms that PTX forbids | where a forbidden outcome came");
    struct count all = {0}, count = {0};
    FOR_EACH_POINT(p, r)
    {
        const char *variant = text_of(p, "variant");
        const cJSON *other = result_point(machine, variant, -1, -1, -1), *next = p->next;
        if (!is_counted(r, p))
            continue;
        if (other) {
            count_point(&count, p, other);
            count_point(&all, p, other);
        }
        if (!next || !same_test(variant, text_of(next, "variant"))) {
            add_count(&t, variant, (int)(form_in(variant) - variant) - 1, count);
            count = (struct count){0};
        }
    }
    add_count(&t, "all", 3, all);
    table_end(&t, form, file);
}
