#include "report/formula.h"
#include "base/failure.h"
#include "report/cards.h"
#include "report/listing.h"
#include "report/results.h"
#include "report/shares.h"
#include "report/shuffle.h"
#include "report/suite_path.h"
#include "report/study.h"
#include "report/timing.h"
#include "report/tables.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is read of the text, and of what folder it speaks. */
struct reader {
    const char *text, *at;
    struct sources *sources;
};

static void __attribute__((noreturn)) refuse(const struct reader *r)
{
    fail(EXIT_BAD_INPUT, "cannot read the formula \"%s\" at \"%s\"", r->text, r->at);
}

static void skip_blanks(struct reader *r)
{
    r->at += strspn(r->at, " ");
}

static bool take(struct reader *r, char c)
{
    skip_blanks(r);
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

static void need(struct reader *r, char c)
{
    if (!take(r, c))
        refuse(r);
}

/* ---- arithmetic ---- */

static struct value exactly(double number)
{
    return (struct value){number, number, number, ""};
}

/* `where`: a result; of one whose sweeps are a choice, the name of the file alone. */
static struct value missing(const char *what, const char *where)
{
    struct value v = exactly(NAN);
    int length = (int)(strchr(where, ',') ? strcspn(where, "@") : strlen(where));
    snprintf(v.missing, sizeof v.missing, "%.70s%s%.*s", what, *where ? " in " : "",
             length < 70 ? length : 70, where);
    return v;
}

static double calculate(char operation, double a, double b)
{
    switch (operation) {
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    case '/':
        return a / b;
    case 'm':
        return fmin(a, b);
    default:
        return fmax(a, b);
    }
}

/* The least and the most of all ends. */
static struct value combine(char operation, struct value a, struct value b)
{
    if (*a.missing || *b.missing)
        return *a.missing ? a : b;
    const double ends[2][2] = {{a.low, a.high}, {b.low, b.high}};
    struct value v = {calculate(operation, a.is, b.is), INFINITY, -INFINITY, ""};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            double end = calculate(operation, ends[0][i], ends[1][j]);
            v.low = fmin(v.low, end);
            v.high = fmax(v.high, end);
        }
    return v;
}

static struct value scaled(struct value v, double factor)
{
    return combine('*', v, exactly(factor));
}

/* ---- results ---- */

static struct result *open_file(const struct reader *r, const char *file)
{
    struct sources *s = r->sources;
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->of[i].name, file) == 0)
            return s->of[i].result;
    if (s->count == MOST_SOURCES)
        fail(EXIT_BAD_INPUT, "formulas of more than %d results", MOST_SOURCES);
    struct source *source = &s->of[s->count++];
    snprintf(source->name, sizeof source->name, "%s", file);
    return source->result = result_open(s->folder, file);
}

void sources_close(struct sources *s)
{
    for (size_t i = 0; i < s->count; i++)
        result_close(s->of[i].result);
    s->count = 0;
}

static struct value value_of(struct timing time)
{
    return (struct value){time.us, time.low, time.high, ""};
}

enum { BLOCKS_ANY = -1, BLOCKS_ALL = -2, BLOCKS_BEST = -3, OF_LARGEST = -4 };

static const cJSON *find(const struct result *result, const char *variant, double blocks, double threads,
                         double size)
{
    const cJSON *largest = NULL;
    if (blocks == BLOCKS_BEST)
        return fastest_of(result, variant, size);
    if (blocks == OF_LARGEST) {
        FOR_EACH_POINT(p, result)
        if (point_is(p, variant) && (!largest || number_of(p, "size") > number_of(largest, "size")))
            largest = p;
        return largest;
    }
    return result_point(result, variant, blocks == BLOCKS_ALL ? result->sms : blocks, threads, size);
}

/* The blocks at which another variant is fastest, of "best:OTHER". */
static double blocks_of_best(const struct result *result, const char *blocks)
{
    const cJSON *best = fastest_of(result, blocks + strlen("best:"), -1);
    return number_of(best, "blocks");
}

static double read_blocks(struct reader *r, const char *text);

/* The median of a point in microseconds; of an operation, if `each`. */
static struct value time_of(struct reader *r, const char *file, const char *variant, const char *at,
                            double size, bool each)
{
    struct result *result = open_file(r, file);
    if (!result)
        return missing("no result", file);
    double blocks = strncmp(at, "best:", 5) == 0 ? blocks_of_best(result, at) : read_blocks(r, at);
    const cJSON *point = find(result, variant, blocks, -1, size);
    return point ? value_of(each ? operation_time(result, point) : run_time(result, point))
                 : missing(result_has(result, variant) ? "not so many blocks" : variant, file);
}

static struct value chain(const struct reader *r, const char *variant, double warps)
{
    struct result *result = open_file(r, "micro-producer-consumer");
    const cJSON *point = result ? result_point(result, variant, -1, 32 * warps, -1) : NULL;
    return !result ? missing("no result", "micro-producer-consumer")
           : point ? scaled(value_of(run_time(result, point)), 1e-6 * result->clock_hz)
                   : missing(variant, "micro-producer-consumer");
}

static struct value number_in(const struct reader *r, const char *file, const char *path, bool ms10000)
{
    struct result *result = open_file(r, file);
    if (!result)
        return missing("no result", file);
    char whole[160];
    snprintf(whole, sizeof whole, "analysis.%s", path);
    double number = number_of(result->json, whole) * (ms10000 ? 10 * result->us : 1);
    return isnan(number) ? missing(path, file) : exactly(number);
}

/* `size`: BLOCKS_ANY, OF_LARGEST or a number. */
static struct value field(const struct reader *r, const char *file, const char *variant, const char *name,
                          double size)
{
    struct result *result = open_file(r, file);
    const cJSON *point = !result              ? NULL
                         : size == OF_LARGEST ? find(result, variant, size, -1, -1)
                                              : result_point(result, variant, -1, -1, size);
    double number = number_of(point, name);
    /* rates are of cells in a time unit */
    number *= result && result->machine && strncmp(name, "rate", 4) == 0 ? result->clock_hz * 1e-9 : 1;
    struct value v = !result         ? missing("no result", file)
                     : isnan(number) ? missing(point ? name : variant, file)
                                     : exactly(number);
    return v;
}

/* Of the variant's points with so many blocks, the fastest run. */
static struct value fastest(const struct reader *r, const char *file, const char *variant, double fewest,
                            double most)
{
    struct result *result = open_file(r, file);
    const cJSON *best = NULL;
    if (!result)
        return missing("no result", file);
    FOR_EACH_POINT(p, result)
    if (point_is(p, variant) && number_of(p, "blocks") >= fewest && number_of(p, "blocks") <= most &&
        (!best || run_time(result, p).us < run_time(result, best).us))
        best = p;
    return best ? scaled(value_of(run_time(result, best)), 1e-3)
                : missing(result_has(result, variant) ? "no such number of blocks" : variant, file);
}

/* A number of the chain of so many warps. */
static struct value of_warps(const struct reader *r, const char *variant, double warps, const char *name)
{
    struct result *result = open_file(r, "micro-producer-consumer");
    const cJSON *point = result ? result_point(result, variant, -1, 32 * warps, -1) : NULL;
    double number = number_of(point, name);
    return !result         ? missing("no result", "micro-producer-consumer")
           : isnan(number) ? missing(point ? name : variant, "micro-producer-consumer")
                           : exactly(number);
}

/* Wang's model of a kernel, on a device that has what its table needs. */
static struct value model(const struct reader *r, const char *kernel, const char *member)
{
    if (!table_is_possible(table_of_name("shuffle"), r->sources->folder))
        return missing("no shuffles beside shared memory", "");
    double number = shuffle_number(r->sources->folder, kernel, member);
    return isfinite(number) ? exactly(number) : missing(member, kernel);
}

static struct value clock_of(const struct reader *r, const char *file)
{
    struct result *result = open_file(r, file);
    return result ? exactly(1e-9 * result->clock_hz) : missing("no result", file);
}

static struct value reference(const struct reader *r, const char *file)
{
    struct result *result = open_file(r, file);
    double ns = result ? number_of(result->json, "reference.median") : NAN;
    return isnan(ns) ? missing("a sequential reference on a host", file) : exactly(1e-6 * ns);
}

static struct value crossing(const struct reader *r, const char *file, const char *a, const char *b)
{
    struct result *result = open_file(r, file);
    if (!result)
        return missing("no result", file);
    if (!result_has(result, a) || !result_has(result, b))
        return missing(result_has(result, a) ? b : a, file);
    return exactly(crossing_at(result, a, b));
}

/* By how much two cards of the model differ. */
static struct value cards(const struct reader *r, const char *file, const char *which)
{
    cJSON *json = cards_of_either(r->sources->folder, r->sources->folder);
    double factor = cards_factor(json, file, which);
    cJSON_Delete(json);
    return isnan(factor) ? missing("no two cards", file) : exactly(factor);
}

enum question { FROM, HOW_OFTEN };

/* Numbers of blocks, from the first to the last. */
struct range {
    double fewest, most;
};

/* Holds every point of `a` in the range against that of `b` with as many blocks and of the same size. */
static struct value slower(const struct reader *r, const char *file, const char *a, const char *b,
                           struct range range, enum question what)
{
    struct result *result = open_file(r, file);
    if (!result)
        return missing("no result", file);
    double times = 0, last_not = 0, first = INFINITY;
    bool compared = false;
    for (int pass = 0; pass < 2; pass++)
        FOR_EACH_POINT(x, result)
        {
            double blocks = number_of(x, "blocks");
            const cJSON *y =
                point_is(x, a) ? result_point(result, b, blocks, -1, number_of(x, "size")) : NULL;
            if (!y || blocks < range.fewest || blocks > range.most)
                continue;
            compared = true;
            if (compared_time(result, x).us <= compared_time(result, y).us)
                last_not = fmax(last_not, blocks);
            else if (pass == 0)
                times++;
            else if (blocks > last_not)
                first = fmin(first, blocks);
        }
    return !compared           ? missing(result_has(result, a) ? b : a, file)
           : what == HOW_OFTEN ? exactly(times)
                               : exactly(first);
}

static struct value points(const struct reader *r, const char *file, const char *variant)
{
    struct result *result = open_file(r, file);
    double count = 0;
    if (!result)
        return missing("no result", file);
    FOR_EACH_POINT(p, result)
    count += point_is(p, variant);
    return count ? exactly(count) : missing(variant, file);
}

static struct value spread(const struct reader *r, const char *file, const char *variant, double least,
                           double most)
{
    struct result *result = open_file(r, file);
    if (!result)
        return missing("no result", file);
    double low = INFINITY, high = 0;
    FOR_EACH_POINT(p, result)
    if (point_is(p, variant) && number_of(p, "blocks") >= least && number_of(p, "blocks") <= most) {
        low = fmin(low, compared_time(result, p).us);
        high = fmax(high, compared_time(result, p).us);
    }
    return high ? exactly(high / low) : missing(variant, file);
}

static bool is_unordered_barrier(const cJSON *p)
{
    return is_false(p, "ordered") && !is_baseline(text_of(p, "variant")) &&
           cJSON_IsBool(cJSON_GetObjectItem(p, "verified"));
}

/* `variant`: NULL: of all. */
static struct value wrong(const struct reader *r, const char *file, const char *variant)
{
    struct result *result = open_file(r, file);
    double all = 0, bad = 0;
    if (!result)
        return missing("no result", file);
    FOR_EACH_POINT(p, result)
    if (is_unordered_barrier(p) && number_of(p, "blocks") > 1 && (!variant || point_is(p, variant))) {
        all++;
        bad += is_false(p, "verified");
    }
    return all ? exactly(100 * bad / all) : missing("no unordered barrier", file);
}

static struct value study(const struct reader *r, const char *what, const char *variant)
{
    if (!has_file(r->sources->folder, "study"))
        return missing("no study of the abstract machines", "");
    struct study s = study_read(r->sources->folder);
    double number = strcmp(what, "bound") == 0           ? study_most(&s, variant, STUDY_TIME)
                    : strcmp(what, "barriers") == 0      ? study_most(&s, variant, STUDY_OTHER_BARRIERS)
                    : strcmp(what, "threads") == 0       ? study_most(&s, variant, STUDY_OTHER_THREADS)
                    : strcmp(what, "barriers_by_n") == 0 ? study_barriers_by_n(&s, variant)
                    : strcmp(what, "least") == 0         ? study_least(&s, variant)
                    : strcmp(what, "complete") == 0      ? study_complete(&s, variant)
                                                         : study_schedules(&s, variant);
    study_close(&s);
    return isfinite(number) ? exactly(number) : missing(variant, "study");
}

static struct value share(const struct reader *r, const char *file, const char *variant, const char *what)
{
    struct result *result = open_file(r, file), *micro = open_file(r, "micro-barrier");
    if (!result || !result_has(result, variant))
        return missing(result ? variant : "no result", file);
    struct shares s = shares_of(result, micro, variant);
    return exactly(strcmp(what, "computation") == 0 ? s.computation
                   : strcmp(what, "refill") == 0    ? s.refill
                                                    : s.rest);
}

/* ---- the papers, and a table's point ---- */

/* What a paper says, read once. */
static const cJSON *paper_json(const char *paper)
{
    static struct {
        char name[32];
        cJSON *json;
    } papers[8];
    size_t i = 0;
    while (i < 7 && papers[i].json && strcmp(papers[i].name, paper) != 0)
        i++;
    if (!papers[i].json) {
        char path[128];
        snprintf(path, sizeof path, "results/papers/%s.json", paper);
        snprintf(papers[i].name, sizeof papers[i].name, "%s", paper);
        papers[i].json = json_of_suite(path);
    }
    return papers[i].json;
}

static struct value of_paper(const char *paper, const char *name)
{
    double number = number_of(paper_json(paper), name);
    return isnan(number) ? missing(name, paper) : exactly(number);
}

static struct value listed(const char *paper, const char *name, const char *keys, double key)
{
    const cJSON *numbers = member_of(paper_json(paper), name), *places = member_of(paper_json(paper), keys);
    for (int i = 0; i < cJSON_GetArraySize(numbers); i++)
        if (cJSON_GetNumberValue(cJSON_GetArrayItem(places, i)) == key)
            return exactly(cJSON_GetNumberValue(cJSON_GetArrayItem(numbers, i)));
    return missing(name, paper);
}

static struct value time_of_point(const struct reader *r, bool each)
{
    const struct sources *s = r->sources;
    return !s->point ? missing("no point", "")
                     : value_of(each ? operation_time(s->result, s->point) : run_time(s->result, s->point));
}

static struct value member_of_point(const struct reader *r, const char *name)
{
    const cJSON *item = member_of(r->sources->point, name);
    double number = cJSON_IsBool(item) ? cJSON_IsTrue(item) : number_of(r->sources->point, name);
    return isnan(number) ? missing(name, "the point") : exactly(number);
}

static struct value multiprocessors(const struct reader *r, const char *file)
{
    struct result *result = open_file(r, file);
    return result ? exactly(result->sms) : missing("no result", file);
}

/* ---- reading ---- */

#define MOST_ARGUMENTS 5

static struct value read_sum(struct reader *r);

static double read_blocks(struct reader *r, const char *text)
{
    static const char *const words[] = {"any", "all", "best", "largest"};
    for (int i = 0; i < 4; i++)
        if (strcmp(text, words[i]) == 0)
            return -1 - i;
    char *end;
    double number = strtod(text, &end);
    if (*end || end == text)
        refuse(r);
    return number;
}

/* Names in quotes, numbers and words as texts; returns how many. */
static int read_arguments(struct reader *r, char arguments[MOST_ARGUMENTS][64])
{
    int count = 0;
    need(r, '(');
    if (take(r, ')'))
        return 0;
    do {
        bool quoted = take(r, '\'');
        size_t length = strcspn(r->at, quoted ? "'" : ",) ");
        if (!length || length >= 64 || count == MOST_ARGUMENTS)
            refuse(r);
        snprintf(arguments[count++], 64, "%.*s", (int)length, r->at);
        r->at += length;
        if (quoted)
            need(r, '\'');
    } while (take(r, ','));
    need(r, ')');
    return count;
}

static struct value call(struct reader *r, const char *name)
{
    char a[MOST_ARGUMENTS][64];
    const char *began = r->at;
    int count = read_arguments(r, a);
    if (strcmp(name, "round") == 0 && count == 3)
        return time_of(r, a[0], a[1], a[2], -1, true);
    if (strcmp(name, "total") == 0 && count == 3)
        return scaled(time_of(r, a[0], a[1], a[2], -1, false), 1e-3);
    if (strcmp(name, "of_size") == 0 && count == 3)
        return time_of(r, a[0], a[1], "best", read_blocks(r, a[2]), false);
    if (strcmp(name, "chain") == 0 && count == 2)
        return chain(r, a[0], read_blocks(r, a[1]));
    if (strcmp(name, "time") == 0 && count == 0)
        return time_of_point(r, false);
    if (strcmp(name, "operation") == 0 && count == 0)
        return time_of_point(r, true);
    if (strcmp(name, "member") == 0 && count == 1)
        return member_of_point(r, a[0]);
    if (strcmp(name, "paper") == 0 && count == 2)
        return of_paper(a[0], a[1]);
    if (strcmp(name, "listed") == 0 && count == 4)
        return listed(a[0], a[1], a[2], read_blocks(r, a[3]));
    if (strcmp(name, "share") == 0 && count == 3)
        return share(r, a[0], a[1], a[2]);
    if (strcmp(name, "sms") == 0 && count == 1)
        return multiprocessors(r, a[0]);
    if (strcmp(name, "reference") == 0 && count == 1)
        return reference(r, a[0]);
    if (strcmp(name, "field") == 0 && (count == 3 || count == 4))
        return field(r, a[0], a[1], a[2], read_blocks(r, count == 4 ? a[3] : "any"));
    if (strcmp(name, "fastest") == 0 && count == 4)
        return fastest(r, a[0], a[1], read_blocks(r, a[2]), read_blocks(r, a[3]));
    if (strcmp(name, "of_warps") == 0 && count == 3)
        return of_warps(r, a[0], read_blocks(r, a[1]), a[2]);
    if (strcmp(name, "model") == 0 && count == 2)
        return model(r, a[0], a[1]);
    if (strcmp(name, "clock") == 0 && count == 1)
        return clock_of(r, a[0]);
    if (strcmp(name, "cards") == 0 && count == 2)
        return cards(r, a[0], a[1]);
    if (strcmp(name, "analysis") == 0 && count == 2)
        return number_in(r, a[0], a[1], false);
    if (strcmp(name, "ms10000") == 0 && count == 2)
        return number_in(r, a[0], a[1], true);
    if (strcmp(name, "crossing") == 0 && count == 3)
        return crossing(r, a[0], a[1], a[2]);
    if (strcmp(name, "from") == 0 && count == 3)
        return slower(r, a[0], a[1], a[2], (struct range){0, INFINITY}, FROM);
    if (strcmp(name, "slower") == 0 && count == 3)
        return slower(r, a[0], a[1], a[2], (struct range){0, INFINITY}, HOW_OFTEN);
    if (strcmp(name, "slower") == 0 && count == 5)
        return slower(r, a[0], a[1], a[2], (struct range){read_blocks(r, a[3]), read_blocks(r, a[4])},
                      HOW_OFTEN);
    if (strcmp(name, "points") == 0 && count == 2)
        return points(r, a[0], a[1]);
    if (strcmp(name, "flat") == 0 && count == 2)
        return spread(r, a[0], a[1], 9, 30);
    if (strcmp(name, "scatter") == 0 && count == 2)
        return spread(r, a[0], a[1], 0, INFINITY);
    if (strcmp(name, "wrong") == 0 && (count == 1 || count == 2))
        return wrong(r, a[0], count == 2 ? a[1] : NULL);
    if (strcmp(name, "barriers") == 0 && count == 4)
        return exactly(expected_barriers(a[0], (unsigned)read_blocks(r, a[1]), (unsigned)read_blocks(r, a[2]),
                                         (unsigned)read_blocks(r, a[3])));
    if (count == 1 &&
        (strcmp(name, "bound") == 0 || strcmp(name, "barriers") == 0 || strcmp(name, "threads") == 0 ||
         strcmp(name, "barriers_by_n") == 0 || strcmp(name, "least") == 0 || strcmp(name, "schedules") == 0 ||
         strcmp(name, "complete") == 0))
        return study(r, name, a[0]);
    r->at = began;
    refuse(r);
}

static struct value read_extreme(struct reader *r, char operation)
{
    need(r, '(');
    struct value v = read_sum(r);
    while (take(r, ','))
        v = combine(operation, v, read_sum(r));
    need(r, ')');
    return v;
}

static struct value read_factor(struct reader *r)
{
    if (take(r, '(')) {
        struct value v = read_sum(r);
        need(r, ')');
        return v;
    }
    if (isdigit((unsigned char)*r->at)) {
        char *end;
        double number = strtod(r->at, &end);
        r->at = end;
        return exactly(number);
    }
    char name[32];
    size_t length = strspn(r->at, "abcdefghijklmnopqrstuvwxyz_0123456789");
    if (!length || length >= sizeof name)
        refuse(r);
    snprintf(name, sizeof name, "%.*s", (int)length, r->at);
    r->at += length;
    if (strcmp(name, "min") == 0 || strcmp(name, "max") == 0)
        return read_extreme(r, strcmp(name, "min") == 0 ? 'm' : 'M');
    return call(r, name);
}

static struct value read_product(struct reader *r)
{
    struct value v = read_factor(r);
    for (;;)
        if (take(r, '*'))
            v = combine('*', v, read_factor(r));
        else if (take(r, '/'))
            v = combine('/', v, read_factor(r));
        else
            return v;
}

static struct value read_sum(struct reader *r)
{
    struct value v = read_product(r);
    for (;;)
        if (take(r, '+'))
            v = combine('+', v, read_product(r));
        else if (take(r, '-'))
            v = combine('-', v, read_product(r));
        else
            return v;
}

struct value formula_value(const char *formula, struct sources *sources)
{
    struct reader r = {formula, formula, sources};
    struct value v = read_sum(&r);
    skip_blanks(&r);
    if (*r.at)
        refuse(&r);
    /* registers of a machine, say, which has none */
    return isnan(v.is) && !*v.missing ? missing("0 / 0", "") : v;
}
