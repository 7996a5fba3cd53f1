/* Prints the claims on a device's page: what the verdicts mean, and a row for each claim, to which links can
 * point. */
#include "base/memory.h"
#include "report/claim_value.h"
#include "report/claims.h"
#include "report/page_claims.h"
#include "report/robustness.h"
#include "report/table.h"
#include "report/totals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the figure to which a claim of the page links ---- */

static const char *claim_source(const cJSON *claim, char *text, size_t bytes)
{
    return formula_source(text_of(claim, "formula"), text, bytes);
}

/* Returns whether the figure shows the result `source` that the claim's formula reads: its main sweep, or one
 * of the sweeps that the formula names. */
static bool is_drawn_from(const struct drawn *drawn, const char *source)
{
    char of[128];
    size_t length = strcspn(source, "@");
    drawn_source(drawn, of, sizeof of);
    const char *sweep = of + length;
    return strncmp(of, source, length) == 0 && (!*sweep || (*sweep == '@' && strstr(source, sweep + 1)));
}

/* Returns whether the figure reproduces the paper's figure or table that is the claim's `place`. */
static bool is_of_place(const struct drawn *drawn, const char *place)
{
    const char *in = strstr(drawn->figure->place, "Figure");
    if (!in)
        in = strstr(drawn->figure->place, "Table");
    const char *found = in ? strstr(place, in) : NULL;
    return found && !strchr("0123456789", found[strlen(in)] ? found[strlen(in)] : 'x');
}

static const struct drawn *figure_of(const struct page *page, const cJSON *claim)
{
    char source[128];
    const struct drawn *first = NULL;
    claim_source(claim, source, sizeof source);
    for (size_t i = 0; i < page->count; i++) {
        const struct drawn *drawn = &page->drawn[i];
        if (!is_drawn_from(drawn, source))
            continue;
        if (is_of_place(drawn, text_of(claim, "place")))
            return drawn;
        first = first ? first : drawn;
    }
    return first;
}

/* ---- rows ---- */

struct judged {
    const cJSON *claim;
    struct value value;
    enum claim_verdict verdict;
    bool without; /* the claim cannot be judged because the folder has no result of its experiment */
};

/* Returns whether the claim cannot be judged because the folder has no result of its experiment. */
static bool is_without_results(const struct page *page, const struct judged *j)
{
    char source[128];
    claim_source(j->claim, source, sizeof source);
    return *j->value.missing &&
           (!has_file(page->folder, source) || strncmp(j->value.missing, "no result", 9) == 0);
}

static void print_cells(FILE *file, const struct page *page, const struct judged *j, struct sources *sources,
                        const struct robustness *robustness)
{
    static const char *const classes[CLAIM_VERDICTS] = {
        [CLAIM_HOLDS] = "holds",        [CLAIM_WITHIN_10] = "holds", [CLAIM_WITHIN_25] = "holds",
        [CLAIM_WITHIN_2] = "part",      [CLAIM_DIRECTION] = "part",  [CLAIM_OTHER_SIZE] = "part",
        [CLAIM_REVERSED] = "reversed",  [CLAIM_TIE] = "part",        [CLAIM_FITTED] = "none",
        [CLAIM_BY_DEFINITION] = "none", [CLAIM_DEPENDS] = "none",    [CLAIM_NOT_MEASURABLE] = "none"};
    struct table t = {NULL, 0};
    const struct drawn *drawn = figure_of(page, j->claim);
    table_row(&t);
    struct value v = claim_value(j->claim, text_of(j->claim, "formula"), sources);
    claim_add_row(&t, j->claim, &v, sources, robustness);
    for (size_t c = 0; c < t.rows->count; c++) {
        if (c == CLAIM_VERDICT)
            fprintf(file, "<td class=\"%s\">", classes[j->verdict]);
        else
            fputs("<td>", file);
        print_html(file, t.rows->cells[c]);
        if (c == CLAIM_SAYS && drawn)
            fprintf(file, " (<a href=\"#figure-%s\">figure</a>)", drawn->name);
        fputs("</td>", file);
    }
    table_free(&t);
}

static void print_rows(const struct page *page, const struct judged *judged, size_t count, bool without)
{
    struct robustness robustness = robustness_open(page->folder);
    struct sources sources = {.folder = page->folder};
    fputs("<div class=\"wide claims\" tabindex=\"0\">\n<table>\n<thead>\n<tr>", page->file);
    for (int c = 0; c < CLAIM_COLUMNS; c++)
        fprintf(page->file, "<th scope=\"col\">%s</th>", claim_head[c]);
    fputs("</tr>\n</thead>\n<tbody>\n", page->file);
    for (size_t i = 0; i < count; i++) {
        if (judged[i].without != without)
            continue;
        fputs("<tr id=\"claim-", page->file);
        print_html(page->file, text_of(judged[i].claim, "id"));
        fputs("\">", page->file);
        print_cells(page->file, page, &judged[i], &sources, &robustness);
        fputs("</tr>\n", page->file);
    }
    fputs("</tbody>\n</table>\n</div>\n", page->file);
    sources_close(&sources);
    robustness_close(&robustness);
}

/* ---- the part ---- */

static void print_meaning(FILE *file)
{
    fputs(
        "<dl>\n<dt class=\"holds\">holds</dt><dd>The value lies on the side that the paper names "
        "(\"&gt; 1x\"), or is none where the paper has none.</dd>\n"
        "<dt class=\"holds\">within 10 %, within 25 %</dt><dd>This device's value is so near to the "
        "paper's; the number in brackets is this device's value over the paper's.</dd>\n"
        "<dt class=\"part\">direction only</dt><dd>What the paper found faster is faster, by another "
        "factor.</dd>\n"
        "<dt class=\"part\">within a factor of 2, another size</dt><dd>The same for a number that has no "
        "direction, such as a time or a share: it is half to twice the paper's, or lies beyond.</dd>\n"
        "<dt class=\"reversed\">reversed</dt><dd>The value has the other direction, or what the paper saw "
        "never happens.</dd>\n"
        "<dt class=\"part\">a tie</dt><dd>The two times differ by less than 1 %, or the value's interval has "
        "both directions in it.</dd>\n"
        "<dt class=\"none\">fitted, by definition</dt><dd>On a model: a constant of the model was chosen "
        "from this very number, or the model cannot but have it. Such a claim tests nothing, and is not "
        "judged.</dd>\n"
        "<dt class=\"none\">depends on ...</dt><dd>The number rests on something beside the device, or that "
        "the paper does not print. It is shown, and not judged.</dd>\n"
        "<dt class=\"none\">not measurable here</dt><dd>The device lacks what it takes, or was not asked, "
        "or was asked at a smaller size than the paper's, or the number is a time or rate of the paper's own "
        "GPU.</dd>\n</dl>\n"
        "<p>In brackets behind a value: the interval that the medians' 95 % intervals bound. The last column "
        "of a model: its constants, inputs and schedules were drawn at random, each constant from within "
        "what is known of it; in how many draws the claim has the same verdict, and which constant decides "
        "it. Of a GPU: whether another card has another verdict.</p>\n",
        file);
}

/* Prints for each paper how many claims have which verdict. */
static void print_counts(const struct page *page, const struct judged *judged, size_t count, size_t without)
{
    struct totals totals = {NULL, 0, ""};
    size_t other = 0;
    for (size_t i = 0; i < count; i++) {
        if (judged[i].without)
            continue;
        totals_count(&totals, judged[i].claim, &judged[i].value, page->folder);
        other += judged[i].verdict == CLAIM_NOT_MEASURABLE;
    }
    fputs("<div class=\"wide totals\" tabindex=\"0\">\n", page->file);
    totals_print(&totals, 1, FORM_HTML, page->file);
    fprintf(page->file,
            "</div>\n<p>The claims counted \"by wrong answers\" agree with the paper, by a barrier whose "
            "answers were wrong here; the other columns leave them out. %zu more claims cannot be judged "
            "here.</p>\n",
            other + without);
    totals_free(&totals);
}

static struct judged *judge(const struct page *page, const cJSON *claims, size_t *count)
{
    struct sources sources = {.folder = page->folder};
    struct judged *judged = NULL;
    const cJSON *claim;
    cJSON_ArrayForEach(claim, claims)
    {
        judged = with_room(judged, sizeof *judged, *count, 1);
        struct value v = claim_value(claim, text_of(claim, "formula"), &sources);
        struct judged j = {claim, v, claim_verdict_on(claim, &v, page->folder), false};
        j.without = is_without_results(page, &j);
        judged[(*count)++] = j;
    }
    sources_close(&sources);
    return judged;
}

void print_claims_part(const struct page *page)
{
    cJSON *json = claims_read();
    size_t count = 0, without = 0;
    struct judged *judged = judge(page, cJSON_GetObjectItem(json, "claims"), &count);
    for (size_t i = 0; i < count; i++)
        without += judged[i].without;
    fputs("<h2 id=\"claims\"><a href=\"#claims\">What the papers claim, and what holds here</a></h2>\n",
          page->file);
    print_counts(page, judged, count, without);
    if (without < count) {
        print_meaning(page->file);
        print_rows(page, judged, count, false);
    }
    if (without) {
        fprintf(page->file,
                "<details id=\"claims-without\"><summary>%zu%s claims are of experiments that this device "
                "has no results of</summary>\n",
                without, without < count ? " further" : "");
        print_rows(page, judged, count, true);
        fputs("</details>\n", page->file);
    }
    free(judged);
    cJSON_Delete(json);
}
