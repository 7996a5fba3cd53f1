#include "report/page_bars.h"
#include "report/judging.h"

#include <assert.h>

static const char *const classes[CLAIM_VERDICTS] = {
    [CLAIM_HOLDS] = "v-holds",        [CLAIM_WITHIN_10] = "v-holds", [CLAIM_WITHIN_25] = "v-near",
    [CLAIM_WITHIN_2] = "v-half",      [CLAIM_DIRECTION] = "v-part",  [CLAIM_OTHER_SIZE] = "v-off",
    [CLAIM_REVERSED] = "v-wrong",     [CLAIM_TIE] = "v-tie",         [CLAIM_FITTED] = "v-none",
    [CLAIM_BY_DEFINITION] = "v-none", [CLAIM_DEPENDS] = "v-none",    [CLAIM_NOT_MEASURABLE] = "v-none"};

const char *verdict_class(enum claim_verdict verdict)
{
    return classes[verdict];
}

/* The parts of a bar, from verdicts that confirm the paper to verdicts that contradict it. */
static const struct {
    const char *begins; /* what the legend says before this part and the parts after it */
    const char *class_name, *text;
    enum claim_verdict verdicts[2];
} parts[] = {{"agrees:", "v-holds", "holds, or within 10 %", {CLAIM_HOLDS, CLAIM_WITHIN_10}},
             {"", "v-near", "within 25 %", {CLAIM_WITHIN_25, CLAIM_WITHIN_25}},
             {"in part:", "v-part", "direction only", {CLAIM_DIRECTION, CLAIM_DIRECTION}},
             {"does not:", "v-half", "within a factor of 2", {CLAIM_WITHIN_2, CLAIM_WITHIN_2}},
             {"", "v-tie", "a tie", {CLAIM_TIE, CLAIM_TIE}},
             {"", "v-off", "beyond a factor of 2", {CLAIM_OTHER_SIZE, CLAIM_OTHER_SIZE}},
             {"", "v-wrong", "reversed", {CLAIM_REVERSED, CLAIM_REVERSED}}};
#define PARTS (sizeof parts / sizeof *parts)
#define BY_WRONG_ANSWERS "only by wrong answers"

static void print_part(FILE *file, size_t claims, const char *class_name, const char *text)
{
    if (claims)
        fprintf(file, "<span class=\"%s\" style=\"flex: %zu\" title=\"%zu: %s\">%zu</span>", class_name,
                claims, claims, text, claims);
}

void print_verdict_bar(FILE *file, const struct paper_totals *paper)
{
    size_t judged = paper->on_wrong_answers;
    fputs("<span class=\"bar\">", file);
    for (size_t i = 0; i < PARTS; i++) {
        const enum claim_verdict *of = parts[i].verdicts;
        size_t claims = paper->counts[of[0]] + (of[1] != of[0] ? paper->counts[of[1]] : 0);
        print_part(file, claims, parts[i].class_name, parts[i].text);
        judged += claims;
    }
    assert(judged == paper_judged(paper));
    print_part(file, paper->on_wrong_answers, "v-void", BY_WRONG_ANSWERS);
    fputs("</span>", file);
}

void print_bar_legend(FILE *file)
{
    fputs("<p class=\"legend\">", file);
    for (size_t i = 0; i < PARTS; i++)
        fprintf(file, "%s%s<span class=\"key\"><span class=\"swatch %s\"></span> %s</span> ", parts[i].begins,
                *parts[i].begins ? " " : "", parts[i].class_name, parts[i].text);
    fputs("apart: <span class=\"key\"><span class=\"swatch v-void\"></span> " BY_WRONG_ANSWERS
          "</span></p>\n",
          file);
}
