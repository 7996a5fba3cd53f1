#include "base/failure.h"
#include "base/memory.h"
#include "base/statistics.h"
#include "report/cards.h"
#include "report/claims.h"
#include "report/formula.h"
#include "report/results.h"
#include "report/table.h"
#include "report/value.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- varied ---- */

/* Decides whether the draws of a model (scripts/robustness) vary the quantity that a claim is about. */

/* The different numbers of blocks, or sizes, among which a formula has searched, in ascending order. */
struct numbers {
    double *of;
    size_t count;
};

static void add_once(struct numbers *numbers, double number)
{
    size_t at = 0;
    while (at < numbers->count && numbers->of[at] < number)
        at++;
    if (at < numbers->count && numbers->of[at] == number)
        return;
    numbers->of = with_room(numbers->of, sizeof *numbers->of, numbers->count, 1);
    memmove(numbers->of + at + 1, numbers->of + at, (numbers->count - at) * sizeof *numbers->of);
    numbers->of[at] = number;
    numbers->count++;
}

static struct numbers searched(const struct sources *sources, const char *axis)
{
    struct numbers numbers = {NULL, 0};
    for (const struct read *read = sources->reads; read < sources->reads + sources->read_count; read++)
        if (read->searched)
            add_once(&numbers, number_of(read->point, axis));
    return numbers;
}

/* Returns the member in which the points that the formula searched differ: "size", or else "blocks". If there
 * are several sizes, "size" is returned, because each of them may have its own number of blocks. Sizes of
 * different programs are not compared. */
static const char *axis_of(const struct sources *all)
{
    const struct read *end = all->reads + all->read_count;
    for (const struct read *a = all->reads; a < end; a++)
        for (const struct read *b = a + 1; b < end; b++)
            if (a->searched && b->searched && a->result == b->result &&
                number_of(a->point, "size") != number_of(b->point, "size"))
                return "size";
    return "blocks";
}

/* Returns whether a search among these numbers of blocks can return a number near `value`. */
static bool can_be(double value, const struct numbers *few)
{
    size_t at = 0;
    while (at < few->count && few->of[at] < value)
        at++;
    if (at == few->count)
        return isinf(value);
    double before = at ? few->of[at - 1] : value;
    return few->of[at] <= fmax(1.25 * before, before + 1);
}

static bool has_enough(const struct numbers *all, const struct numbers *few)
{
    return few->count > 1 && 4 * few->count >= all->count && few->of[0] <= 1.25 * all->of[0] &&
           1.25 * few->of[few->count - 1] >= all->of[all->count - 1];
}

/*
 * Returns whether the points of the draws can lead to a different verdict than the value `v`. `all` has noted
 * the points that the claim's formula reads for `v`, and `few` the points that it reads for a draw
 * (claim_value). Draws have fewer numbers of blocks and fewer sizes. A formula that searches for a number of
 * blocks needs draws with numbers on both sides, and near, of the device's value and of the paper's. A
 * formula that compares all numbers of blocks, or all sizes, needs at least a quarter of them, including both
 * ends.
 */
static bool is_varied(const cJSON *claim, const struct value *v, const struct sources *all,
                      const struct sources *few)
{
    const char *axis = axis_of(all);
    struct numbers of_all = searched(all, axis), of_few = searched(few, axis);
    double paper = number_of(claim, "value");
    bool looks_for_blocks = strcmp(text_of(claim, "unit"), "blocks") == 0;
    bool varied = of_all.count < 2 ||
                  (looks_for_blocks ? can_be(isinf(v->is) ? paper : v->is, &of_few) && can_be(paper, &of_few)
                                    : has_enough(&of_all, &of_few));
    free(of_all.of);
    free(of_few.of);
    return varied;
}

/* Adds to `json` that the claim is not varied, and the numbers of blocks or the sizes that the draws have. */
static void describe_not_varied(cJSON *json, const struct sources *all, const struct sources *few)
{
    const char *axis = axis_of(all);
    struct numbers numbers = searched(few, axis);
    cJSON_AddBoolToObject(json, "varied", false);
    cJSON_AddStringToObject(json, "axis", axis);
    cJSON_AddItemToObject(json, "draws_have", cJSON_CreateDoubleArray(numbers.of, (int)numbers.count));
    free(numbers.of);
}

#define SCHEMA "gpusync-robustness/1"
#define MOST_DRAWS 1024

struct draw {
    char *folder;
    cJSON *constants; /* the machine's description with the constants that were drawn */
    struct sources sources;
};

/* ---- describing ---- */

static size_t read_draws(struct draw *draws, const char *folder, const char *work)
{
    size_t count = 0;
    for (; count < MOST_DRAWS; count++) {
        const char *path = made("%s/%zu/preset.json", work, count);
        struct draw *draw = &draws[count];
        if (access(path, F_OK) != 0)
            break;
        draw->folder = copy_text(made("%s/%zu/%s", work, count, check_folder(folder)));
        draw->constants = json_need(path);
        draw->sources = (struct sources){.folder = draw->folder};
    }
    return count;
}

static double log_of(const struct draw *draw, const char *constant)
{
    return log(
        number_of(cJSON_GetObjectItem(cJSON_GetObjectItem(draw->constants, "constants"), constant), "value"));
}

/* Returns how strongly a constant differs between two groups of draws, those with same[d] = 1 and those with
 * same[d] = 0: the difference of the means of the constant's logarithm, in standard errors. */
static double distance(const struct draw *draws, const int *same, size_t count, const char *constant)
{
    double sum[2] = {0}, squares = 0, all = 0;
    size_t of[2] = {0};
    for (size_t d = 0; d < count; d++) {
        double value = log_of(&draws[d], constant);
        if (same[d] < 0 || !isfinite(value))
            continue;
        sum[same[d]] += value;
        of[same[d]]++;
        all += value;
        squares += value * value;
    }
    double n = (double)(of[0] + of[1]), variance = squares / n - all / n * (all / n);
    return of[0] && of[1] && variance > 1e-12 ? fabs(sum[0] / (double)of[0] - sum[1] / (double)of[1]) /
                                                    sqrt(variance * (1 / (double)of[0] + 1 / (double)of[1]))
                                              : 0;
}

/* A distance() above this number is significant: in 19 of 20 claims, none of fifty constants without
 * influence exceeds it by chance. */
#define BY_CHANCE 3.3

/* Returns the name of the constant that decides whether a draw has the verdict (same[d] = 1) or another one
 * (same[d] = 0), or "" if no constant differs significantly. */
static const char *decides(const struct draw *draws, const int *same, size_t count)
{
    const cJSON *constant;
    const char *found = "";
    double most = BY_CHANCE;
    cJSON_ArrayForEach(constant, cJSON_GetObjectItem(draws[0].constants, "constants"))
    {
        double apart = distance(draws, same, count, constant->string);
        if (apart > most) {
            most = apart;
            found = constant->string;
        }
    }
    return found;
}

static void describe_claim(cJSON *claims, const cJSON *claim, enum claim_verdict verdict, struct draw *draws,
                           size_t count)
{
    /* for each draw: 1 means that the claim has the given verdict, 0 that it has another one, -1 that it
     * cannot be judged */
    int same[MOST_DRAWS];
    size_t judged = 0, with_it = 0;
    for (size_t d = 0; d < count; d++) {
        enum claim_verdict drawn = judge_claim(claim, &draws[d].sources).verdict;
        same[d] = is_judged(drawn) ? drawn == verdict : -1;
        judged += same[d] >= 0;
        with_it += same[d] == 1;
    }
    if (!judged)
        return;
    cJSON *json = cJSON_AddObjectToObject(claims, text_of(claim, "id"));
    cJSON_AddStringToObject(json, "verdict", verdict_texts[verdict]);
    cJSON_AddNumberToObject(json, "judged", (double)judged);
    cJSON_AddNumberToObject(json, "same", (double)with_it);
    /* If no draw has the verdict, then the schedule decides, because the draws use random schedules and the
     * given verdict comes from another schedule. */
    const char *constant = !with_it ? "the schedule" : with_it < judged ? decides(draws, same, count) : "";
    if (*constant)
        cJSON_AddStringToObject(json, "decides", constant);
}

/* Describes a claim by the draws. `sources` are the results of the folder's device. `undrawn` are results of
 * the machine without drawn constants, at the draws' points only: if the claim's verdict differs there, the
 * draws have too few points, and the claim is left out. A claim whose formula searches among points that the
 * draws lack is described as not varied. */
static void describe(cJSON *claims, const cJSON *claim, struct sources *sources, struct sources *undrawn,
                     struct draw *draws, size_t count)
{
    struct judged all = judge_claim(claim, sources), few = judge_claim(claim, undrawn);
    if (!is_judged(all.verdict) || *few.value.missing)
        return;
    if (!is_varied(claim, &all.value, sources, undrawn))
        describe_not_varied(cJSON_AddObjectToObject(claims, text_of(claim, "id")), sources, undrawn);
    else if (few.verdict == all.verdict)
        describe_claim(claims, claim, all.verdict, draws, count);
}

cJSON *robustness_describe(const char *folder, const char *work)
{
    struct draw *draws = allocate(MOST_DRAWS * sizeof *draws);
    size_t count = read_draws(draws, folder, work);
    char *path = copy_text(made("%s/undrawn/%s", work, check_folder(folder)));
    struct sources sources = {.folder = folder}, undrawn = {.folder = path};
    cJSON *json = cJSON_CreateObject();
    const cJSON *claim;
    if (!count)
        fail(EXIT_BAD_INPUT, "%s has no draws", work);
    cJSON_AddStringToObject(json, "schema", SCHEMA);
    cJSON_AddNumberToObject(json, "draws", (double)count);
    cJSON *claims = cJSON_AddObjectToObject(json, "claims");
    cJSON_ArrayForEach(claim, all_claims()) describe(claims, claim, &sources, &undrawn, draws, count);
    for (size_t d = 0; d < count; d++) {
        sources_close(&draws[d].sources);
        free(draws[d].folder);
    }
    free(draws);
    sources_close(&sources);
    sources_close(&undrawn);
    free(path);
    return json;
}

/* ---- cards ---- */

cJSON *robustness_of_cards(char **folders, int count)
{
    cJSON *json = cJSON_CreateObject();
    struct sources *sources = allocate((size_t)count * sizeof *sources);
    const cJSON *claim;
    for (int i = 0; i < count; i++)
        sources[i] = (struct sources){.folder = folders[i]};
    cJSON_ArrayForEach(claim, all_claims())
    {
        cJSON *verdicts = cJSON_CreateArray();
        bool differ = false;
        for (int i = 0; i < count; i++) {
            enum claim_verdict verdict = judge_claim(claim, &sources[i]).verdict;
            const char *text = is_judged(verdict) ? verdict_texts[verdict] : NULL;
            const char *first = i ? cJSON_GetStringValue(cJSON_GetArrayItem(verdicts, 0)) : text;
            differ = differ || (text && first && strcmp(text, first) != 0);
            cJSON_AddItemToArray(verdicts, text ? cJSON_CreateString(text) : cJSON_CreateNull());
        }
        if (differ)
            cJSON_AddItemToObject(json, text_of(claim, "id"), verdicts);
        else
            cJSON_Delete(verdicts);
    }
    for (int i = 0; i < count; i++)
        sources_close(&sources[i]);
    free(sources);
    return json;
}

/* ---- cards of one model ---- */

struct factors {
    /* |log(ratio of the times)| for each pair of points that the first card and another card have in
     * common */
    double *logs;
    size_t count;
    double mean; /* the largest |mean of log(ratio)| among the compared cards */
};

static void add_factors(struct factors *f, const struct result *one, const struct result *other)
{
    double sum = 0;
    size_t before = f->count;
    FOR_EACH_POINT(x, one)
    {
        const cJSON *y = result_point(other, text_of(x, "variant"), number_of(x, "blocks"),
                                      number_of(x, "threads"), number_of(x, "size"));
        double off = log(time_ratio(compared_time(other, y), compared_time(one, x)).us);
        if (!isfinite(off))
            continue;
        sum += off;
        f->logs = with_room(f->logs, sizeof *f->logs, f->count, 1);
        f->logs[f->count++] = fabs(off);
    }
    if (f->count > before)
        f->mean = fmax(f->mean, fabs(sum / (double)(f->count - before)));
}

static void describe_experiment(cJSON *experiments, const char *name, char **folders, int count)
{
    struct factors f = {NULL, 0, 0};
    struct result *first = result_open(folders[0], name);
    for (int i = 1; i < count; i++) {
        struct result *other = result_is_one(folders[i], name) ? result_open(folders[i], name) : NULL;
        if (other && strcmp(other->device_name, first->device_name) != 0)
            fail(EXIT_BAD_INPUT, "%s is of another model than %s", other->path, first->path);
        if (other)
            add_factors(&f, first, other);
    }
    if (!f.count)
        return;
    cJSON *json = cJSON_AddObjectToObject(experiments, name);
    cJSON_AddNumberToObject(json, "ratios", (double)f.count);
    cJSON_AddNumberToObject(json, "median_factor", exp(quantile(f.logs, f.count, 0.5)));
    cJSON_AddNumberToObject(json, "factor", exp(quantile(f.logs, f.count, 0.95)));
    cJSON_AddNumberToObject(json, "mean_factor", exp(f.mean));
    free(f.logs);
}

/* Adds to the list of cards the description of a card, which is taken from the folder's first result. */
static void describe_card(cJSON *cards, const char *folder)
{
    const struct result *r = first_result(folder);
    if (!r)
        fail(EXIT_BAD_INPUT, "%s has no results", folder);
    cJSON *card = cJSON_CreateObject();
    cJSON_AddStringToObject(card, "name", r->device_name);
    cJSON_AddStringToObject(card, "uuid", text_of(r->device, "uuid"));
    cJSON_AddStringToObject(card, "created", text_of(r->json, "created"));
    cJSON_AddStringToObject(card, "revision", text_of(r->json, "revision"));
    cJSON_AddItemToArray(cards, card);
}

cJSON *cards_describe(char **folders, int count)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "schema", CARDS_SCHEMA);
    cJSON *cards = cJSON_AddArrayToObject(json, "cards");
    cJSON *experiments = cJSON_AddObjectToObject(json, "experiments");
    for (int f = 0; f < count; f++)
        describe_card(cards, folders[f]);
    struct texts names = result_names(folders[0]);
    for (size_t i = 0; i < names.count; i++)
        if (strcmp(names.items[i], "cards") != 0 && result_is_one(folders[0], names.items[i]))
            describe_experiment(experiments, names.items[i], folders, count);
    free(names.items);
    if (!experiments->child)
        fail(EXIT_BAD_INPUT, "%s has no point in common with the others", folders[0]);
    cJSON_AddItemToObject(json, "claims", robustness_of_cards(folders, count));
    return json;
}

/* ---- reading robustness.json ---- */

struct robustness robustness_of(const char *folder)
{
    return (struct robustness){json_beside(folder, "robustness"), json_beside(folder, "cards")};
}

static const cJSON *said_of(const cJSON *json, const cJSON *claim)
{
    return cJSON_GetObjectItem(cJSON_GetObjectItem(json, "claims"), text_of(claim, "id"));
}

/* Returns "not varied (draws have 9, 30 blocks)", with the numbers that the draws have. */
static const char *not_varied_text(const cJSON *of)
{
    const cJSON *number, *numbers = cJSON_GetObjectItem(of, "draws_have");
    const char *list = "";
    cJSON_ArrayForEach(number, numbers)
    {
        list = made("%s%s%g", list, *list ? ", " : "", cJSON_GetNumberValue(number));
    }
    return made("not varied (draws have %s%s)", list,
                strcmp(text_of(of, "axis"), "blocks") == 0 ? " blocks" : "");
}

static const char *draws_text(const cJSON *of, enum claim_verdict verdict)
{
    const char *constant = text_of(of, "decides");
    if (is_false(of, "varied"))
        return not_varied_text(of);
    if (strcmp(text_of(of, "verdict"), verdict_texts[verdict]) != 0)
        return "";
    return made("%g of %g draws%s%s%s", number_of(of, "same"), number_of(of, "judged"), *constant ? " (" : "",
                constant, *constant ? " decides)" : "");
}

/* Returns the last verdict on another card that differs from the first card's verdict. Returns "" if none
 * differs, or if the first card's verdict is no longer the present one. */
static const char *cards_text(const cJSON *verdicts, enum claim_verdict now)
{
    const char *own = cJSON_GetStringValue(cJSON_GetArrayItem(verdicts, 0)), *text = "";
    const cJSON *verdict;
    if (!own || strcmp(own, verdict_texts[now]) != 0)
        return "";
    cJSON_ArrayForEach(verdict, verdicts)
    {
        if (cJSON_IsString(verdict) && strcmp(verdict->valuestring, own) != 0)
            text = made("another card: %s", verdict->valuestring);
    }
    return text;
}

const char *robustness_text(const struct robustness *robustness, const cJSON *claim,
                            enum claim_verdict verdict)
{
    if (!is_judged(verdict))
        return "";
    const char *cards = cards_text(said_of(robustness->cards, claim), verdict);
    return *cards ? cards : draws_text(said_of(robustness->draws, claim), verdict);
}
