#include "swat/matrix/lines.h"

#include <limits.h>

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static void fill_cell(const struct swat_lines *lines, int i, int j, int score, const struct scoring *scoring)
{
    const int infinity = INT_MAX / 2;
    int d = i + j, before = (d - 1) % 2;
    const int *h1 = lines->h[(d - 1) % 3], *h2 = lines->h[(d - 2) % 3];
    int e = j > 1 ? larger(h1[i] - scoring->open, lines->e[before][i] - scoring->extend)
                  : larger(-scoring->open, -infinity - scoring->extend);
    int f = i > 1 ? larger(h1[i - 1] - scoring->open, lines->f[before][i - 1] - scoring->extend)
                  : larger(-scoring->open, -infinity - scoring->extend);
    int h = larger(larger(0, (i > 1 && j > 1 ? h2[i - 1] : 0) + score), larger(e, f));
    lines->h[d % 3][i] = h;
    lines->e[d % 2][i] = e;
    lines->f[d % 2][i] = f;
    if (j == 1 || h > lines->best[i - 1].score)
        lines->best[i - 1] = (struct row_best){h, j};
}

void fill_lines(const struct swat_lines *lines, const struct sequence *a, const struct sequence *b,
                const struct scoring *scoring, int first, int last)
{
    int rows = (int)a->length, columns = (int)b->length;
    for (int d = first; d <= last; d++)
        for (int i = d - columns > 1 ? d - columns : 1; i <= rows && i < d; i++) {
            int j = d - i, score = scoring->score[a->codes[i - 1] * SCORING_LETTERS + b->codes[j - 1]];
            fill_cell(lines, i, j, score, scoring);
        }
}
