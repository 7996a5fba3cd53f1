/* Tests the readers of lines and numbers (base/text.h): every length of line, every end of line, and texts
 * that are not numbers; the names that are proposed for an unknown name; and the reader of lists of numbers
 * on the command line, such as 1,2,9-30:3 (base/list.h). */
#include "base/list.h"
#include "base/text.h"
#include "tests/check.h"
#include "tests/refusal.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static char folder[] = "/tmp/gpusync-text-XXXXXX", path[64];

static void put(const char *text, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    fwrite(text, 1, bytes, file);
    fclose(file);
}

static void read_all_lines(void)
{
    struct lines lines = lines_open(path);
    while (lines_next(&lines)) {
    }
}

/* Returns whether reading all lines ends the program with EXIT_BAD_INPUT and a message that contains
 * `said`. */
static bool refuses(const char *said)
{
    return strstr(refusal(read_all_lines), said);
}

/* Returns whether lines of every length from 0 to `most` are read correctly. Each line ends with `end`;
 * the last one does only if `last_ends` is set. */
static bool reads_lengths(size_t most, const char *end, bool last_ends, bool compressed)
{
    size_t bytes = 0;
    char *text = malloc((most + 1) * (most + strlen(end) + 1));
    for (size_t length = 0; length <= most; length++) {
        memset(text + bytes, 'a' + (int)(length % 26), length);
        bytes += length;
        if (length < most || last_ends) {
            memcpy(text + bytes, end, strlen(end));
            bytes += strlen(end);
        }
    }
    put(text, bytes);
    if (compressed) {
        gzFile file = gzopen(path, "wb");
        gzwrite(file, text, (unsigned)bytes);
        gzclose(file);
    }
    free(text);
    struct lines lines = lines_open(path);
    size_t wrong = 0, length = 0;
    for (; lines_next(&lines); length++) {
        char letter = (char)('a' + (int)(length % 26));
        wrong += lines.length != length || strlen(lines.text) != length || lines.number != length + 1;
        for (size_t i = 0; i < lines.length; i++)
            wrong += lines.text[i] != letter;
    }
    lines_close(&lines);
    return !wrong && length == most + 1;
}

static void check_lines(void)
{
    check(reads_lengths(1100, "\n", true, false), "lines of every length to 1100 are read");
    check(reads_lengths(600, "\n", false, false), "a last line without an end is read");
    check(reads_lengths(600, "\r\n", true, false),
          "a carriage return before the line feed belongs to the end of the line");
    check(reads_lengths(600, "\n", true, true), "a compressed file is read like a plain one");
    put("a\rb\r\n\r\nc", 8);
    struct lines lines = lines_open(path);
    bool first = lines_next(&lines) && strcmp(lines.text, "a\rb") == 0,
         second = lines_next(&lines) && !lines.length,
         third = lines_next(&lines) && strcmp(lines.text, "c") == 0, fourth = lines_next(&lines);
    lines_close(&lines);
    check(first && second && third && !fourth,
          "only one carriage return, and only at the end of a line, belongs to the end");
    put("", 0);
    lines = lines_open(path);
    check(!lines_next(&lines), "an empty file has no line");
    lines_close(&lines);

    put("one\ntw\0o\nthree\n", 15);
    check(refuses(":2: a zero byte in the line"), "a zero byte is refused, and the message names its line");
    put("one\n\0\n", 6);
    check(refuses(":2: a zero byte in the line"), "a line that is a zero byte is refused");
    put("one\ntwo\0", 8);
    check(refuses(":2: a zero byte in the line"), "a zero byte at the end of the file is refused");
    gzFile file = gzopen(path, "wb");
    for (int i = 0; i < 20000; i++)
        gzprintf(file, "%d\n", i * i);
    gzclose(file);
    char *whole = malloc(1 << 20);
    FILE *plain = fopen(path, "rb");
    size_t bytes = fread(whole, 1, 1 << 20, plain);
    fclose(plain);
    put(whole, bytes / 2);
    free(whole);
    check(refuses("the file is damaged or cut off"), "a compressed file that is cut off is refused");
}

static bool whole_is(const char *text, long long expected)
{
    long long value;
    return parse_whole(text, LLONG_MIN, LLONG_MAX, &value) && value == expected;
}

static bool is_no_whole(const char *text, long long low, long long high)
{
    long long value;
    return !parse_whole(text, low, high, &value);
}

static bool double_is(const char *text, double expected)
{
    double value;
    return parse_double(text, &value) && value == expected;
}

static bool float_is(const char *text, float expected)
{
    float value;
    return parse_float(text, &value) && value == expected;
}

static bool is_no_real(const char *text)
{
    double value;
    float single;
    return !parse_double(text, &value) && !parse_float(text, &single);
}

static void check_numbers(void)
{
    check(whole_is("0", 0) && whole_is("-17", -17) && whole_is("+5", 5) && whole_is("010", 10) &&
              whole_is("9223372036854775807", LLONG_MAX) && whole_is("-9223372036854775808", LLONG_MIN),
          "whole numbers are decimal, to the ends of their type");
    check(is_no_whole("9223372036854775808", LLONG_MIN, LLONG_MAX) &&
              is_no_whole("-9223372036854775809", LLONG_MIN, LLONG_MAX),
          "whole numbers beyond their type are refused");
    long long value;
    check(parse_whole("3", 3, 5, &value) && parse_whole("5", 3, 5, &value) && is_no_whole("2", 3, 5) &&
              is_no_whole("6", 3, 5),
          "the limits of a whole number are allowed, and numbers beyond them are not");
    static const char *const wrong[] = {"", " 1", "1 ", "1x", "x", "\t1", "1,5", "0x"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        check(is_no_whole(wrong[i], LLONG_MIN, LLONG_MAX) && is_no_real(wrong[i]), "\"%s\" is no number",
              wrong[i]);
    check(is_no_whole("1.0", LLONG_MIN, LLONG_MAX) && is_no_whole("1e3", LLONG_MIN, LLONG_MAX),
          "a real number is no whole number");
    check(double_is("1.5e3", 1500) && float_is("1.5e3", 1500) && double_is("-0.25", -0.25) &&
              float_is("-0.25", -0.25f) && double_is("inf", (double)INFINITY) && float_is("-inf", -INFINITY),
          "real numbers and infinities are read");
    double real;
    float single;
    check(parse_double("nan", &real) && isnan(real) && parse_float("nan", &single) && isnan(single),
          "NaN is read");
    check(is_no_real("1e999") && is_no_real("-1e999"), "a real number beyond its type is refused");
    check(double_is("1e39", 1e39) && !parse_float("1e39", &single),
          "a number beyond float is read as a double");
    check(parse_double("1e-999", &real) && real == 0 && parse_float("1e-60", &single) && single == 0 &&
              parse_double("-1e-320", &real) && real < 0,
          "a number too small for its type is zero, or nearly zero");
}

static void check_nearest(void)
{
    static const char *const names[] = {"variant", "blocks", "unit", "h100", "h200", "list"};
    char text[NEAREST_BYTES];
#define MEANT(name) did_you_mean(text, "--", name, names, sizeof names / sizeof *names)
    check(strcmp(MEANT("varient"), "; did you mean --variant?") == 0, "a replaced letter is forgiven: %s",
          text);
    check(strcmp(MEANT("lsit"), "; did you mean --list?") == 0, "two exchanged letters are: %s", text);
    check(strcmp(MEANT("block"), "; did you mean --blocks?") == 0, "a missing letter is: %s", text);
    check(strcmp(MEANT("h300"), "; did you mean --h100 or --h200?") == 0,
          "all that are as near are named: %s", text);
    static const char *const many[] = {"a100", "b100", "c100", "d100", "100"};
    check(strcmp(did_you_mean(text, "", "e100", many, 5), "; did you mean a100, b100 or c100?") == 0,
          "three at most: %s", text);
    check(strcmp(MEANT("frobnicate"), "") == 0 && strcmp(MEANT(""), "") == 0 && strcmp(MEANT("x"), "") == 0,
          "nothing is like an unlike name");
}

static bool list_is(const char *text, const int *expected, size_t count)
{
    struct int_list list;
    if (parse_int_list(text, &list))
        return false;
    bool same = list.count == count;
    for (size_t i = 0; same && i < count; i++)
        same = list.values[i] == expected[i];
    free(list.values);
    return same;
}

static bool is_no_list(const char *text)
{
    struct int_list list;
    bool parsed = !parse_int_list(text, &list);
    free(list.values);
    return !parsed && !list.values && !list.count;
}

static void check_lists(void)
{
    const int pair[] = {3, 1}, range[] = {9, 10, 11}, stride[] = {9, 12, 15}, mixed[] = {1, 4, 5, 8, 11};
    check(list_is("3,1", pair, 2), "a list a,b keeps its order");
    check(list_is("9-11", range, 3), "a range has both ends");
    check(list_is("3-3", pair, 1), "a range may be one number");
    check(list_is("9-16:3", stride, 3), "a stride stops at or before the end");
    check(list_is("1,4-5,8-11:3", mixed, 5), "a list may mix numbers and ranges");
    static const char *const wrong[] = {"",    "0",     "-3", "1,",   ",1",          "5-3",     "1-",
                                        "1:2", "1-5:0", "a",  "1 ,2", "99999999999", "1-200001"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        check(is_no_list(wrong[i]), "\"%s\" is no list", wrong[i]);
    struct int_list most;
    check(!parse_int_list("1-100000", &most) && most.count == 100000 && most.values[99999] == 100000,
          "100,000 numbers are a list");
    free(most.values);
    check(is_no_list("1-100001") && is_no_list("1-99999,5,6"),
          "a list of more than 100,000 numbers is refused");
}

int main(void)
{
    if (!mkdtemp(folder))
        return 1;
    snprintf(path, sizeof path, "%s/text", folder);
    check_lines();
    check_numbers();
    check_nearest();
    check_lists();
    unlink(path);
    rmdir(folder);
    return checks_done();
}
