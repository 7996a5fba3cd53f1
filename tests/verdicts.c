/* Tests the verdicts on the papers' claims: ties, bounds, and sizes. tests/golden/tables.sums has the
 * verdicts on all claims, with their bands and models. */
#include "report/results.h"
#include "report/claims.h"
#include "tests/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum claim_verdict verdict_of(const char *claim, double low, double is, double high)
{
    cJSON *json = cJSON_Parse(claim);
    struct value v = {is, low, high, ""};
    enum claim_verdict verdict = claim_verdict(json, &v);
    cJSON_Delete(json);
    return verdict;
}

/* A claim, a device's value with its interval, and the expected verdict. */
struct judged_value {
    const char *claim;
    double low, is, high;
    enum claim_verdict verdict;
};

static void check_each_verdict(const struct judged_value *rows, size_t count)
{
    for (const struct judged_value *row = rows; row < rows + count; row++) {
        enum claim_verdict verdict = verdict_of(row->claim, row->low, row->is, row->high);
        check(verdict == row->verdict, "%s: the verdict on %g [%g, %g] is \"%s\" (\"%s\")", row->claim,
              row->is, row->low, row->high, verdict_texts[row->verdict], verdict_texts[verdict]);
    }
}

/* Checks ties, orderings, which have ties, and bounds, which have none. */
static void check_ties(void)
{
    const char *ratio = "{\"value\": 1.1, \"neutral\": 1}",
               *gain = "{\"value\": 20, \"neutral\": 0, \"unit\": \"%\"}",
               *slope = "{\"value\": 0.2, \"neutral\": 0, \"unit\": \"us\"}",
               *above = "{\"neutral\": 1, \"side\": \">\"}", *below = "{\"neutral\": 1, \"side\": \"<\"}",
               *at_least = "{\"neutral\": 1, \"side\": \">=\"}",
               *at_most = "{\"neutral\": 1, \"side\": \"<=\"}";
    const struct judged_value rows[] = {
        {ratio, 1.009, 1.009, 1.009, CLAIM_TIE},
        {ratio, 0.991, 0.991, 0.991, CLAIM_TIE},
        {ratio, 1.011, 1.011, 1.011, CLAIM_WITHIN_10},
        {ratio, 0.95, 1.05, 1.15, CLAIM_TIE},
        {ratio, 0.9, 4, 9, CLAIM_TIE},
        {gain, 0.9, 0.9, 0.9, CLAIM_TIE},
        {gain, -0.9, -0.9, -0.9, CLAIM_TIE},
        {gain, -2, 15, 30, CLAIM_TIE},
        {slope, 0.1, 0.2, 0.3, CLAIM_WITHIN_10},
        {slope, -0.1, 0.2, 0.3, CLAIM_TIE},
        {above, 1.1, 1.2, 1.3, CLAIM_HOLDS},
        {above, 0.7, 0.8, 0.9, CLAIM_REVERSED},
        {above, 1.0017, 1.0017, 1.0017, CLAIM_TIE},
        {above, 0.995, 0.995, 0.995, CLAIM_TIE},
        {above, 1, 1.1, 1.2, CLAIM_TIE},
        {above, 0.9, 1.05, 1.1, CLAIM_TIE},
        {below, 0.7, 0.8, 0.9, CLAIM_HOLDS},
        {below, 1.1, 1.2, 1.3, CLAIM_REVERSED},
        {below, 0.8, 0.9, 1, CLAIM_TIE},
        {at_least, 1, 1, 1, CLAIM_HOLDS},
        {at_least, 1.001, 1.001, 1.001, CLAIM_HOLDS},
        {at_least, 0.999, 0.999, 0.999, CLAIM_REVERSED},
        {at_most, 1, 1, 1, CLAIM_HOLDS},
        {at_most, 0.999, 0.999, 0.999, CLAIM_HOLDS},
        {at_most, 1.001, 1.001, 1.001, CLAIM_REVERSED},
    };
    check_each_verdict(rows, sizeof rows / sizeof *rows);
}

/* Checks that a claim with a member "size" is judged only by results of at least this size, and not by the
 * results of a quick run. */
static void check_sizes(void)
{
    static const struct {
        const char *folder, *size, *missing;
    } rows[] = {
        {"nvidia-h200", "262144", ""},
        {"nvidia-h200", "262145", "fft measured at 262,144 only, the claim needs 262,145"},
        {"machine-gtx280", "1000", ""},
        {"machine-gtx280", "1048576", "fft measured at 262,144 only, the claim needs 1,048,576"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char folder[100], text[100];
        snprintf(folder, sizeof folder, "results/reference/%s", rows[i].folder);
        snprintf(text, sizeof text, "{\"size\": {\"fft\": %s}, \"unit\": \"ms\"}", rows[i].size);
        cJSON *claim = cJSON_Parse(text);
        struct sources sources = {.folder = folder};
        struct value v = claim_value(claim, "total('fft@paper,main', 'none', 30)", &sources);
        check(strcmp(v.missing, rows[i].missing) == 0, "%s on %s: \"%s\" (\"%s\")", text, rows[i].folder,
              rows[i].missing, v.missing);
        const char *read = claim_notes(claim, &v, &sources);
        check(*v.missing || strcmp(read, "; fft 262,144, 30 blocks") == 0, "it says what it read%s", read);
        sources_close(&sources);
        cJSON_Delete(claim);
    }
    const cJSON *claim;
    cJSON_ArrayForEach(claim, all_claims())
    {
        if (strstr(text_of(claim, "formula"), "'fft@paper"))
            check(number_of(claim, "size.fft") == 262144, "%s rests on its paper's size",
                  text_of(claim, "id"));
    }
}

/* Checks that results measured with --extent quick do not judge claims that have a member "size". */
static void check_quick(void)
{
    static const char *const extents[] = {"quick", "full"};
    char folder[] = "/tmp/gpusync-verdicts-XXXXXX", path[128];
    if (!mkdtemp(folder)) {
        check(false, "a folder for results can be made");
        return;
    }
    snprintf(path, sizeof path, "%s/fft.json", folder);
    for (size_t i = 0; i < 2; i++) {
        FILE *file = fopen(path, "w");
        fprintf(file,
                "{\"schema\": \"gpusync-result/1\", \"experiment\": \"fft\", \"parameters\": {}, "
                "\"command\": [\"fft\", "
                "\"--extent\", \"%s\"], \"device\": {\"kind\": \"gpu\", \"name\": \"made\", \"sm_count\": 8, "
                "\"clock_hz\": 1e9}, \"points\": [{\"variant\": \"none\", \"blocks\": 30, \"threads\": 64, "
                "\"size\": 262144, \"operations\": 1, "
                "\"median\": 1e6, \"per_operation\": 1e6, \"ci95\": [1e6, 1e6]}]}",
                extents[i]);
        fclose(file);
        cJSON *claim = cJSON_Parse("{\"size\": {\"fft\": 262144}}"), *without = cJSON_Parse("{}");
        struct sources sources = {.folder = folder};
        struct value v = claim_value(claim, "total('fft', 'none', 30)", &sources);
        check(strcmp(v.missing, i ? "" : "fft measured with QUICK=1 only") == 0, "a %s run judges %s: \"%s\"",
              extents[i], i ? "a claim that rests on a size" : "none", v.missing);
        check(claim_value(without, "total('fft', 'none', 30)", &sources).is == 1,
              "a %s run judges a claim that does not", extents[i]);
        sources_close(&sources);
        results_forget();
        cJSON_Delete(claim);
        cJSON_Delete(without);
        unlink(path);
    }
    rmdir(folder);
}

int main(void)
{
    check_ties();
    check_sizes();
    struct value absent = {NAN, NAN, NAN, "no result"};
    cJSON *json = cJSON_Parse("{\"neutral\": 1, \"side\": \">\"}");
    check(claim_verdict(json, &absent) == CLAIM_NOT_MEASURABLE, "what is missing is not measurable");
    cJSON_Delete(json);
    check_quick();
    return checks_done();
}
