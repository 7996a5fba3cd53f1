/* Tests the inputs and outputs of alignments (align/): scoring matrices, sequences and CIGAR strings; and the
 * choice among equal cells when a matrix is filled. */
#include "align/alignment.h"
#include "align/scoring.h"
#include "align/sequences.h"
#include "base/memory.h"
#include "tests/check.h"
#include "tests/refusal.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/gpusync-align-XXXXXX", path[64];

static void put(const char *text)
{
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
}

/* Returns whether reading `text` ends the program with EXIT_BAD_INPUT and a message that contains `said`. */
static bool refuses(void (*read_it)(void), const char *text, const char *said)
{
    put(text);
    return strstr(refusal(read_it), said);
}

/* ---- CIGAR strings ---- */

static void check_cigar(void)
{
    struct cigar c = {NULL, 0};
    cigar_prepend(&c, 'S', 3);
    cigar_prepend(&c, 'M', 4);
    cigar_prepend(&c, 'M', 1);
    cigar_prepend(&c, 'D', 0);
    cigar_prepend(&c, 'M', 2);
    cigar_prepend(&c, 'I', 12345678901);
    cigar_prepend(&c, 'M', 1);
    char *text = cigar_finish(&c);
    check(strcmp(text, "1M12345678901I7M3S") == 0 && !c.runs && !c.count,
          "runs of one letter are joined, empty ones left out: %s", text);
    free(text);
    for (size_t i = 0; i < 100; i++)
        cigar_prepend(&c, i % 2 ? 'M' : 'D', SIZE_MAX);
    text = cigar_finish(&c);
    check(strlen(text) == 100 * 21, "the longest numbers have room");
    free(text);
    text = cigar_finish(&c);
    check(strcmp(text, "*") == 0, "nothing is a star");
    free(text);
}

/* ---- matrices ---- */

static int score_of(const struct scoring *s, char a, char b)
{
    return s->score[letter_code(s, a) * SCORING_LETTERS + letter_code(s, b)];
}

static void read_it_as_matrix(void)
{
    struct scoring s;
    read_matrix(path, &s);
}

static void check_known_matrices(void)
{
    struct scoring s;
    uint64_t hash = 0;
    long sum = 0;
    read_matrix("blosum62", &s);
    for (int a = 0; a < 24; a++)
        for (int b = 0; b < 24; b++) {
            int score = s.score[a * SCORING_LETTERS + b];
            hash = hash * 1000003 + (uint64_t)score;
            sum += score;
        }
    check(s.count == 24 && s.common == 20 && strcmp(s.letters, "ARNDCQEGHILKMFPSTWYVBZX*") == 0 &&
              sum == -726 && hash == UINT64_C(0x9d5ea34dd319206c),
          "BLOSUM62 is that of parasail, whose sum and hash these are");
    check(letter_code(&s, 'a') == 0 && letter_code(&s, 'W') == 17 && letter_code(&s, 'w') == 17 &&
              letter_code(&s, '*') == 23 && letter_code(&s, 'J') == -1 && letter_code(&s, '\0') == -1,
          "letters of either case have a code, others none");
    read_matrix("nucleotide", &s);
    int wrong = 0;
    for (const char *a = "ACGTN"; *a; a++)
        for (const char *b = "ACGTN"; *b; b++)
            wrong += score_of(&s, *a, *b) != (*a == 'N' && *b == 'N'   ? -1
                                              : *a == 'N' || *b == 'N' ? -2
                                              : *a == *b               ? 5
                                                                       : -4);
    check(wrong == 0 && s.count == 5 && s.common == 4, "nucleotides score as header and documents say");
}

static void check_matrix_files(void)
{
    struct scoring s;
    put("# a comment\n\n  \t\n  a C *\nC -1 10000 2\n# another\na\t3 -10000 1\r\n* 7 8 9\n");
    read_matrix(path, &s);
    check(s.count == 3 && s.common == 3 && strcmp(s.letters, "AC*") == 0 && score_of(&s, 'A', 'A') == 3 &&
              score_of(&s, 'A', 'C') == -10000 && score_of(&s, 'C', 'A') == -1 &&
              score_of(&s, 'C', 'C') == 10000 && score_of(&s, '*', 'C') == 8 && score_of(&s, 'A', '*') == 1 &&
              score_of(&s, '*', '*') == 9,
          "a matrix in NCBI's format is read, its rows in any order");
    static const struct {
        const char *text, *said;
    } wrong[] = {{"A C\nA 1 2\nA 3 4\n", ":3: a second row of A"},
                 {"A C\nA 1 2\nG 3 4\n", ":3: \"G\" is no letter of the first line"},
                 {"A C\nA 1 2\nCC 3 4\n", ":3: \"CC\" is no letter of the first line"},
                 {"A C\nA 1 2 3\nC 3 4\n", ":2: more scores than letters"},
                 {"A C\nA 1\nC 3 4\n", ":2: 1 scores for 2 letters"},
                 {"A C\nA 1 x\nC 3 4\n", ":2: a score is no whole number within 10000"},
                 {"A C\nA 1 10001\nC 3 4\n", ":2: a score is no whole number within 10000"},
                 {"A C\nA 1 -10001\nC 3 4\n", ":2: a score is no whole number within 10000"},
                 {"A C\nA 1 2\n", "1 rows for 2 letters"},
                 {"A a\nA 1 2\n", ":1: the first line must name up to 32 different letters"},
                 {"A CC\nA 1 2\n", ":1: the first line must name up to 32 different letters"},
                 {"# no line\n", "0 rows for 0 letters"},
                 {"A\n", "0 rows for 1 letters"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        check(refuses(read_it_as_matrix, wrong[i].text, wrong[i].said), "it is refused: %s", wrong[i].said);
    const char *letters = "A B C D E F G H I J K L M N O P Q R S T U V W X Y Z 1 2 3 4 5 6";
    char more[128];
    snprintf(more, sizeof more, "%s\n", letters);
    check(refuses(read_it_as_matrix, more, "0 rows for 32 letters"), "32 letters have room");
    snprintf(more, sizeof more, "%s 7\n", letters);
    check(refuses(read_it_as_matrix, more, ":1: the first line must name"), "33 have none");
}

/* ---- sequences ---- */

static bool sequence_is(const struct sequence *s, const struct scoring *scoring, const char *name,
                        const char *letters)
{
    bool same = strcmp(s->name, name) == 0 && s->length == strlen(letters);
    for (size_t i = 0; same && i < s->length; i++)
        same = scoring->letters[s->codes[i]] == letters[i];
    return same;
}

static void read_it_as_fasta(void)
{
    struct scoring s;
    struct sequences list;
    read_matrix("nucleotide", &s);
    read_fasta(path, &s, &list);
}

static void check_fasta(void)
{
    struct scoring s;
    struct sequences list;
    read_matrix("blosum62", &s);
    put(">one of them\nARND\n\nc q\tE\r\n>two\nU\nu\n>\nW");
    read_fasta(path, &s, &list);
    check(list.count == 3 && sequence_is(&list.items[0], &s, "one", "ARNDCQE") &&
              sequence_is(&list.items[1], &s, "two", "CC") && sequence_is(&list.items[2], &s, "", "W"),
          "sequences are read over their lines, selenocysteine as cysteine");
    unsigned char *codes = padded_codes(&list.items[0]);
    int others = 0;
    for (size_t i = 0; i < 7 + 2 * PADDING; i++)
        others +=
            codes[i] != (i >= PADDING && i < PADDING + 7 ? list.items[0].codes[i - PADDING] : NO_LETTER);
    check(others == 0, "padding is no letter's, on both sides");
    free(codes);
    free_sequences(&list);
    check(!list.items && !list.count, "freed ones are gone");
    put("U C\nU 1 2\nC 3 4\n");
    read_matrix(path, &s);
    put(">a\nU\n>b\nu\n");
    read_fasta(path, &s, &list);
    check(sequence_is(&list.items[0], &s, "a", "U") && sequence_is(&list.items[1], &s, "b", "U"),
          "a matrix that has selenocysteine keeps it");
    free_sequences(&list);
    check(
        refuses(read_it_as_fasta, "ACGT\n>a\nA\n>b\nA\n", ":1: not FASTA: a name line (>) must come first") &&
            refuses(read_it_as_fasta, ">a\nACGJ\n>b\nA\n", ":2: the matrix has no letter 'J'") &&
            refuses(read_it_as_fasta, ">a\nACG\n", "two or more sequences are needed, and there is 1") &&
            refuses(read_it_as_fasta, "\n", "two or more sequences are needed, and there are 0") &&
            refuses(read_it_as_fasta, ">a\n>b\nA\n", ":2: the sequence a has no letters") &&
            refuses(read_it_as_fasta, ">a\nA\n>b\n\n", ":4: the sequence b has no letters"),
        "anything else is refused, with its line");
}

static void check_generated(void)
{
    struct scoring s;
    struct sequences a, b, other;
    read_matrix("nucleotide", &s);
    generate_sequences(20000, 5, &s, &a);
    generate_sequences(20000, 5, &s, &b);
    generate_sequences(20000, 6, &s, &other);
    const struct sequence *first = &a.items[0], *second = &a.items[1];
    check(a.count == 2 && first->length == 20000 && second->length == 20000 &&
              strcmp(first->name, "first") == 0 && strcmp(second->name, "second") == 0,
          "two sequences are made");
    check(memcmp(first->codes, b.items[0].codes, 20000) == 0 &&
              memcmp(second->codes, b.items[1].codes, 20000) == 0 &&
              memcmp(first->codes, other.items[0].codes, 20000) != 0,
          "by their seed");
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* the start value of an FNV-1a hash */
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < 20000; k++)
            hash = (hash ^ a.items[i].codes[k]) * UINT64_C(0x100000001b3);
    check(hash == UINT64_C(0x67e273b7d421ccde), "a seed gives the sequences that it gave (%llx)",
          (unsigned long long)hash);
    free_sequences(&a);
    free_sequences(&b);
    free_sequences(&other);

    generate_database(1000000, 300, 9, &s, &a);
    generate_database(1000000, 300, 9, &s, &b);
    size_t all = 0, below = 0, differ = 0;
    double mean = 0, square = 0;
    for (size_t i = 0; i < a.count; i++) {
        double log_length = log((double)a.items[i].length);
        char name[32];
        snprintf(name, sizeof name, "s%zu", i + 1);
        all += a.items[i].length;
        below += a.items[i].length < 300;
        mean += log_length / (double)a.count;
        square += log_length * log_length / (double)a.count;
        differ += a.items[i].length != b.items[i].length || strcmp(a.items[i].name, name) != 0;
    }
    check(all == 1000000 && a.count == b.count && !differ,
          "a database has as many letters as it should, by its seed");
    check(fabs((double)below / (double)a.count - 0.5) < 0.03 && fabs(mean - log(300)) < 0.03 &&
              fabs(sqrt(square - mean * mean) - 0.6) < 0.03,
          "the logarithms of its lengths are normal, with a deviation of 0.6 (%.3f, %.3f)", mean - log(300),
          sqrt(square - mean * mean));
    free_sequences(&a);
    free_sequences(&b);
    int good = 0;
    for (size_t letters = 2; letters < 40; letters++) {
        size_t sum = 0, empty = 0;
        generate_database(letters, 500, letters, &s, &a);
        for (size_t i = 0; i < a.count; i++)
            sum += a.items[i].length, empty += !a.items[i].length;
        good += a.count >= 2 && sum == letters && !empty;
        free_sequences(&a);
    }
    check(good == 38, "few letters make two sequences or more, none of them empty");
}

/* ---- the choice among equal cells ---- */

/* Fills in the matrix for the two sequences of a FASTA text, and returns the text that is printed for it. */
static const char *printed(const char *fasta)
{
    static char line[128];
    struct scoring s;
    struct sequences list;
    read_matrix("nucleotide", &s);
    s.open = 3, s.extend = 1;
    put(fasta);
    read_fasta(path, &s, &list);
    const struct sequence *a = &list.items[0], *b = &list.items[1];
    struct row_best *rows = allocate(a->length * sizeof *rows);
    unsigned char *directions = allocate(direction_bytes(a->length, b->length));
    fill_sequential(a, b, &s, rows, directions);
    FILE *file = fmemopen(line, sizeof line, "w");
    print_alignment(file, a, b, rows, directions);
    fclose(file);
    free(rows);
    free(directions);
    free_sequences(&list);
    return line;
}

static void check_equal_cells(void)
{
    check(direction_bytes(8, 5) == 96 && direction_bytes(9, 1) == 144 &&
              direction_place(8, 5, 8) < direction_bytes(8, 5),
          "directions have a byte for each place of each anti-diagonal");
    check(strcmp(printed(">a\nG\n>b\nAGTG\n"), "a\tb\t5\t1\t1\t2\t2\t1M\n") == 0,
          "of equal cells of a row the first is the best");
    check(strcmp(printed(">a\nAGTG\n>b\nG\n"), "a\tb\t5\t2\t2\t1\t1\t1M\n") == 0,
          "of equal rows the first is the best");
    check(strcmp(printed(">a\nACGTTACGT\n>b\nACGTACGT\n"), "a\tb\t37\t1\t9\t1\t8\t3M1I5M\n") == 0,
          "a gap is as far to the left as it can be");
    check(strcmp(printed(">a\nA\n>b\nC\n"), "a\tb\t0\t0\t0\t0\t0\t*\n") == 0, "nothing alike is a star");
}

int main(void)
{
    if (!mkdtemp(folder))
        return 1;
    snprintf(path, sizeof path, "%s/file", folder);
    check_cigar();
    check_known_matrices();
    check_matrix_files();
    check_fasta();
    check_generated();
    check_equal_cells();
    unlink(path);
    rmdir(folder);
    return checks_done();
}
