#include "report/formula.h"
#include "base/failure.h"
#include "report/results.h"
#include "report/cards.h"
#include "report/devices.h"
#include "report/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void refuse_formula(const char *formula, const char *rest)
{
    fail(EXIT_BAD_INPUT, "cannot read the formula \"%s\" at \"%s\"", formula, rest);
}

static double parse_number(const struct call *call, const char *text)
{
    static const char *const words[] = {"any", "all", "best", "largest"};
    for (int i = 0; i < 4; i++)
        if (strcmp(text, words[i]) == 0)
            return OF_ANY - i;
    char *end;
    double number = strtod(text, &end);
    if (*end || end == text)
        refuse_formula(call->formula, call->rest);
    return number;
}

double call_number(const struct call *call, int argument)
{
    return parse_number(call, call->argument[argument]);
}

/* Returns a missing value for a point that was not measured. The value says what is missing: `otherwise` if
 * the result has other points of the variant, or else the variant itself. */
static struct value no_point(const struct call *call, const char *variant, const char *otherwise)
{
    return value_missing(result_has(call->result, variant) ? otherwise : variant, call->argument[0]);
}

/* Returns a missing value for a point whose `what`, a size or a number of blocks, was not measured. The value
 * says if a run with FULL=1 has more. */
static struct value not_measured(const struct call *call, const char *variant, const char *what)
{
    const struct result *r = call->result;
    return no_point(call, variant,
                    made("no such %s%s", what,
                         r->machine && strcmp(result_extent(r), "full") != 0 ? " without FULL=1" : ""));
}

/* ---- formula functions for times, with the arguments FILE, VARIANT, BLOCKS ---- */

/* Returns the variant's largest point, and notes that it was searched among the points of other sizes. */
static const cJSON *searched_largest(const struct call *call, const char *variant)
{
    const struct result *r = call->result;
    FOR_EACH_POINT(p, r)
    if (point_is(p, variant))
        sources_note(call->sources, r, p, true);
    return largest_of(r, variant);
}

/* Notes that the formula read the point, and returns the point. */
static const cJSON *noted(const struct call *call, const cJSON *point)
{
    sources_note(call->sources, call->result, point, false);
    return point;
}

/* Returns the variant's point with the number of blocks that `text` describes: as a number, as a word of
 * call_number, or as "best:OTHER", the number with which the variant OTHER is fastest. */
static const cJSON *point_with(const struct call *call, const char *variant, const char *text)
{
    const struct result *r = call->result;
    bool as_other = strncmp(text, "best:", 5) == 0;
    double blocks = as_other ? number_of(fastest_of(r, text + 5, -1), "blocks") : parse_number(call, text);
    return blocks == OF_BEST      ? fastest_of(r, variant, -1)
           : blocks == OF_LARGEST ? searched_largest(call, variant)
           : blocks == OF_ALL     ? result_point(r, variant, r->sms, -1, -1)
                                  : result_point(r, variant, blocks, -1, -1);
}

static struct value time_with(const struct call *call,
                              struct timing (*time)(const struct result *, const cJSON *))
{
    const cJSON *point = noted(call, point_with(call, call->argument[1], call->argument[2]));
    return point ? value_of_timing(time(call->result, point))
                 : not_measured(call, call->argument[1], "number of blocks");
}

FORMULA_FUNCTION(round_us, time_with(call, operation_time))
FORMULA_FUNCTION(total_ms, value_scaled(time_with(call, run_time), 1e-3))
FORMULA_FUNCTION(barrier_us, result_has(r, "none") ? time_with(call, barrier_time)
                                                   : value_missing("none", call->argument[0]))
static struct value of_size_us(const struct call *call)
{
    const struct result *r = call->result;
    double size = call_number(call, 2);
    const cJSON *point = noted(call, fastest_of(r, call->argument[1], size));
    return point ? value_of_timing(run_time(r, point)) : not_measured(call, call->argument[1], "size");
}

static struct value fastest_ms(const struct call *call)
{
    const struct result *r = call->result;
    const char *variant = call->argument[1];
    double fewest = call_number(call, 2), most = call_number(call, 3);
    const cJSON *best = NULL;
    FOR_EACH_POINT(p, r)
    if (point_is(p, variant) && number_of(p, "blocks") >= fewest && number_of(p, "blocks") <= most &&
        (!best || run_time(r, p).us < run_time(r, best).us))
        best = p;
    return noted(call, best) ? value_scaled(value_of_timing(run_time(r, best)), 1e-3)
                             : not_measured(call, variant, "number of blocks");
}

/* ---- formula functions that read a number of a result or of a point ---- */

static struct value reference_ms(const struct call *call)
{
    const struct result *r = sources_result(call->sources, call->argument[0]);
    double ns = r ? number_of(r->json, "reference.median") : NAN;
    return isnan(ns) ? value_missing("a sequential reference on a host", call->argument[0])
                     : value_exactly(1e-6 * ns);
}

FORMULA_FUNCTION(clock_ghz, value_exactly(1e-9 * r->clock_hz))
static struct value constant_ns(const struct call *call)
{
    const struct result *r = call->result;
    const cJSON *constant = member_of(r->device, made("description.constants.%s", call->argument[1]));
    double number = number_of(constant, "value");
    return isnan(number) ? value_missing(call->argument[1], call->argument[0])
                         : value_exactly(*text_of(constant, "unit") ? number : 1e9 * number / r->clock_hz);
}

FORMULA_FUNCTION(multiprocessors, value_exactly(r->sms))
/* Returns the member of the point that the call's third argument names. Rates of the memory machine, which
 * are in cells per time unit, are converted to giga-cells per second. */
static struct value field_of(const struct call *call, const cJSON *point)
{
    const struct result *r = call->result;
    const char *name = call->argument[2];
    double number = number_of(noted(call, point), name);
    if (r->machine && strncmp(name, "rate", 4) == 0)
        number *= r->clock_hz * 1e-9;
    return isnan(number) ? value_missing(point ? name : call->argument[1], call->argument[0])
                         : value_exactly(number);
}

FORMULA_FUNCTION(field, field_of(call, result_point(r, call->argument[1], -1, -1, -1)))
FORMULA_FUNCTION(field_of_size,
                 field_of(call, call_number(call, 3) == OF_LARGEST
                                    ? searched_largest(call, call->argument[1])
                                    : result_point(r, call->argument[1], -1, -1, call_number(call, 3))))
static struct value analysis_times(const struct call *call, double factor)
{
    double number = number_of(call->result->json, made("analysis.%s", call->argument[1])) * factor;
    return isnan(number) ? value_missing(call->argument[1], call->argument[0]) : value_exactly(number);
}

FORMULA_FUNCTION(analysis, analysis_times(call, 1))
/* A machine's analysis has bytes or operations a cycle, a GPU's has them a nanosecond. */
FORMULA_FUNCTION(analysis_rate, analysis_times(call, r->machine ? 1e-9 * r->clock_hz : 1))
FORMULA_FUNCTION(analysis_ms10000, analysis_times(call, 10 * r->us))
/* ---- formula functions over all points of a variant ---- */

static struct value points(const struct call *call)
{
    const struct result *r = call->result;
    double count = 0;
    FOR_EACH_POINT(p, r)
    count += point_is(p, call->argument[1]);
    return count ? value_exactly(count) : value_missing(call->argument[1], call->argument[0]);
}

static bool is_unordered_barrier(const cJSON *p)
{
    return is_false(p, "ordered") && !is_baseline(text_of(p, "variant")) &&
           cJSON_IsBool(cJSON_GetObjectItem(p, "verified"));
}

/* Returns how many percent of the points of unordered barriers have wrong results. `variant` may be NULL;
 * then the points of all variants count. */
static struct value percent_wrong(const struct call *call, const char *variant)
{
    const struct result *r = call->result;
    double all = 0, bad = 0;
    FOR_EACH_POINT(p, r)
    if (is_unordered_barrier(p) && number_of(p, "blocks") > 1 && (!variant || point_is(p, variant))) {
        sources_note(call->sources, r, p, false);
        all++;
        bad += is_false(p, "verified");
    }
    return all ? value_exactly(100 * bad / all) : value_missing("no unordered barrier", call->argument[0]);
}

FORMULA_FUNCTION(wrong, percent_wrong(call, NULL))
FORMULA_FUNCTION(wrong_of_variant, percent_wrong(call, call->argument[1]))
/* ---- formula functions that read the papers' numbers and cards.json ---- */

static struct value paper_number(const struct call *call)
{
    double number =
        number_of(json_of_suite(made("results/papers/%s.json", call->argument[0])), call->argument[1]);
    return isnan(number) ? value_missing(call->argument[1], call->argument[0]) : value_exactly(number);
}

static struct value paper_list(const struct call *call)
{
    double key = call_number(call, 3);
    const cJSON *paper = json_of_suite(made("results/papers/%s.json", call->argument[0]));
    const cJSON *numbers = member_of(paper, call->argument[1]), *keys = member_of(paper, call->argument[2]);
    for (int i = 0; i < cJSON_GetArraySize(numbers); i++)
        if (cJSON_GetNumberValue(cJSON_GetArrayItem(keys, i)) == key)
            return value_exactly(cJSON_GetNumberValue(cJSON_GetArrayItem(numbers, i)));
    return value_missing(call->argument[1], call->argument[0]);
}

static struct value cards(const struct call *call)
{
    const cJSON *json = cards_of_either(call->sources->folder, call->sources->folder);
    double factor = cards_factor(json, call->argument[0], call->argument[1]);
    return isnan(factor) ? value_missing("no two cards", call->argument[0]) : value_exactly(factor);
}

/* ---- formula functions of the point for which a table's row is made ---- */

static struct value time_of_point(const struct call *call,
                                  struct timing (*time)(const struct result *, const cJSON *))
{
    const struct sources *s = call->sources;
    return s->point ? value_of_timing(time(s->result, s->point)) : value_missing("no point", "");
}

FORMULA_FUNCTION(point_run, time_of_point(call, run_time))
FORMULA_FUNCTION(point_operation, time_of_point(call, operation_time))
static struct value point_member(const struct call *call)
{
    const cJSON *point = call->sources->point, *item = member_of(point, call->argument[0]);
    double number = cJSON_IsBool(item) ? cJSON_IsTrue(item) : number_of(point, call->argument[0]);
    return isnan(number) ? value_missing(call->argument[0], "the point") : value_exactly(number);
}

const struct formula_function formula_functions[] = {
    {"round", "FILE, VARIANT, BLOCKS", NULL, round_us,
     "the time of one operation, such as one round, in microseconds"},
    {"barrier", "FILE, VARIANT, BLOCKS", NULL, barrier_us,
     "the time of one barrier in microseconds: round(FILE, VARIANT, BLOCKS), less a round of `none` with as "
     "many blocks"},
    {"total", "FILE, VARIANT, BLOCKS", NULL, total_ms, "the time of a run in milliseconds"},
    {"of_size", "FILE, VARIANT, SIZE", NULL, of_size_us,
     "the time of a run of this size in microseconds, with the number of blocks that is best for it"},
    {"fastest", "FILE, VARIANT, FEWEST, MOST", NULL, fastest_ms,
     "the time of the fastest run with FEWEST to MOST blocks, in milliseconds"},
    {"reference", "FILE", "", reference_ms, "the time of the sequential reference in milliseconds"},
    {"field", "FILE, VARIANT, NAME", NULL, field, "the number NAME of the variant's first point"},
    {"field", "FILE, VARIANT, NAME, SIZE", NULL, field_of_size,
     "the number NAME of the variant's first point of this size; SIZE is a number or `largest`"},
    {"clock", "FILE", NULL, clock_ghz, "the clock rate in gigahertz"},
    {"constant", "FILE, NAME", NULL, constant_ns,
     "a constant of the machine that made the result, in nanoseconds (one without a unit is in cycles)"},
    {"sms", "FILE", NULL, multiprocessors, "the number of multiprocessors"},
    {"analysis", "FILE, NAME", NULL, analysis, "the number NAME of the result's analysis"},
    {"rate", "FILE, NAME", NULL, analysis_rate, "that number, if it is a rate, in billions a second"},
    {"ms10000", "FILE, NAME", NULL, analysis_ms10000,
     "10,000 times that number of the analysis, in milliseconds"},
    {"points", "FILE, VARIANT", NULL, points, "how many points the variant has"},
    {"wrong", "FILE", NULL, wrong, "the percentage of wrong answers among the points of unordered barriers"},
    {"wrong", "FILE, VARIANT", NULL, wrong_of_variant,
     "the percentage among the points of this unordered barrier"},
    {"cards", "FILE, FACTOR", "", cards, "by what factor two cards of the model differ (report/cards.h)"},
    {"paper", "PAPER, NAME", NULL, paper_number, "the number NAME in results/papers/PAPER.json"},
    {"listed", "PAPER, NAME, KEYS, KEY", NULL, paper_list,
     "an element of the list NAME in results/papers/PAPER.json: the one at the place of KEY in the list "
     "KEYS"},
    {"time", "", NULL, point_run,
     "in a row of a table: the time of a run of the row's point, in microseconds"},
    {"operation", "", NULL, point_operation,
     "in a row of a table: the time of one operation of the row's point"},
    {"member", "NAME", NULL, point_member,
     "in a row of a table: the number NAME of the row's point; 1 and 0 for true and false"},
};
const size_t formula_functions_count = sizeof formula_functions / sizeof *formula_functions;
