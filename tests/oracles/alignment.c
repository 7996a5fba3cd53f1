/*
 * oracles/alignment local|global|scores blosum62|nucleotide OPEN EXTEND FASTA ANSWER checks whether each line
 * of the answer is an optimal alignment of this kind. Its score must be parasail's, and its CIGAR, followed
 * from its first positions to its last, must add up to this score. With `scores` the answer has scores of
 * local alignments, without positions and CIGARs.
 */
#include <ctype.h>
#include <limits.h>
#include <parasail.h>
#include <parasail/matrices/blosum62.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    char *name, *letters;
} sequences[1000];
static int count;
static const parasail_matrix_t *matrix;
static int gap_open, gap_extend;
static bool local, scores_only;

static void read_sequences(const char *path)
{
    static char line[1 << 16];
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        if (line[0] == '>') {
            line[strcspn(line, " \t\r\n")] = '\0';
            sequences[count].name = strdup(line + 1);
            sequences[count++].letters = calloc(1, 1);
            continue;
        }
        line[strcspn(line, "\r\n")] = '\0';
        const char *before = sequences[count - 1].letters;
        char *letters = malloc(strlen(before) + strlen(line) + 1);
        sprintf(letters, "%s%s", before, line);
        sequences[count - 1].letters = letters;
    }
    if (file)
        fclose(file);
}

static int substitution(char a, char b)
{
    return matrix->matrix[matrix->mapper[(unsigned char)a] * matrix->size + matrix->mapper[(unsigned char)b]];
}

/* Returns the score of an alignment, computed from its CIGAR, or LONG_MIN if the CIGAR does not end at the
 * alignment's last positions. */
static long rescore(const char *a, const char *b, long a1, long a2, long b1, long b2, const char *cigar)
{
    long i = a1 - 1, j = b1 - 1, score = 0;
    while (isdigit((unsigned char)*cigar)) {
        long run = strtol(cigar, (char **)&cigar, 10);
        char operation = *cigar++;
        if (operation == 'M')
            for (long k = 0; k < run; k++)
                score += substitution(a[i + k], b[j + k]);
        else
            score -= gap_open + (run - 1) * gap_extend;
        i += operation == 'D' ? 0 : run;
        j += operation == 'I' ? 0 : run;
    }
    return i == a2 && j == b2 ? score : LONG_MIN;
}

struct answer {
    char name_a[256], name_b[256], cigar[1 << 16];
    long score, a1, a2, b1, b2;
};

/* Reads a line of the answer of swat (local), of swat-scores, or of nw (global, from end to end). */
static bool read_answer(const char *line, int a, int b, struct answer *out)
{
    if (scores_only)
        return sscanf(line, "%255s %255s %ld", out->name_a, out->name_b, &out->score) == 3;
    if (local)
        return sscanf(line, "%255s %255s %ld %ld %ld %ld %ld %65535s", out->name_a, out->name_b, &out->score,
                      &out->a1, &out->a2, &out->b1, &out->b2, out->cigar) == 8;
    out->a1 = out->b1 = 1;
    out->a2 = (long)strlen(sequences[a].letters);
    out->b2 = (long)strlen(sequences[b].letters);
    return sscanf(line, "%255s %255s %ld %*s %*s %65535s", out->name_a, out->name_b, &out->score,
                  out->cigar) == 4;
}

static bool line_holds(const char *line, int a, int b)
{
    static struct answer answer;
    if (!read_answer(line, a, b, &answer))
        return false;
    const char *x = sequences[a].letters, *y = sequences[b].letters;
    /* uses parasail's plain functions: its striped ones missed optima on one computer if opening a gap
     * costs as much as extending it */
    parasail_result_t *r = (local ? parasail_sw : parasail_nw)(x, (int)strlen(x), y, (int)strlen(y), gap_open,
                                                               gap_extend, matrix);
    long expected = r->score;
    parasail_result_free(r);
    bool nothing = local && answer.score == 0;
    bool aligned =
        scores_only ? true
        : nothing   ? strcmp(answer.cigar, "*") == 0
                    : rescore(x, y, answer.a1, answer.a2, answer.b1, answer.b2, answer.cigar) == answer.score;
    if (answer.score == expected && aligned && !strcmp(answer.name_a, sequences[a].name) &&
        !strcmp(answer.name_b, sequences[b].name))
        return true;
    printf("%s %s: score %ld for %ld, %s\n", sequences[a].name, sequences[b].name, answer.score, expected,
           aligned ? "aligned" : "the alignment has another score");
    return false;
}

int main(int argc, char **argv)
{
    static char line[1 << 17];
    if (argc != 7)
        return 2;
    scores_only = strcmp(argv[1], "scores") == 0;
    local = scores_only || strcmp(argv[1], "local") == 0;
    matrix = strcmp(argv[2], "blosum62") == 0 ? &parasail_blosum62 : parasail_matrix_create("ACGT", 5, -4);
    gap_open = atoi(argv[3]);
    gap_extend = atoi(argv[4]);
    read_sequences(argv[5]);
    FILE *file = fopen(argv[6], "r");
    int pairs = 0;
    for (int a = 0; a < count; a++)
        for (int b = a + 1; b < count; b++, pairs++)
            if (!file || !fgets(line, sizeof line, file) || !line_holds(line, a, b))
                return 1;
    if (file && fgets(line, sizeof line, file))
        return printf("more lines than pairs\n"), 1;
    printf("%d pairs\n", pairs);
    return !pairs;
}
