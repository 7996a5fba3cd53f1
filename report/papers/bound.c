#include "report/papers/bound.h"
#include "base/failure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Splits a term into its factor and the rest, which it returns. The factor is 1 if the term does not begin
 * with one. */
static const char *without_factor(const char *term, double *factor)
{
    char *end;
    double number = strtod(term, &end);
    *factor = end == term ? 1 : number;
    return end + strspn(end, " ");
}

bool bound_of_n(const char *term)
{
    double factor;
    return *without_factor(term, &factor) == 'n';
}

double bound_term(const char *with_factor, struct bound_setting s)
{
    double factor;
    const char *term = without_factor(with_factor, &factor);
    const struct {
        const char *term;
        double value;
    } terms[] = {
        {"n/w", s.n / s.w},
        {"n/w log w", s.n / s.w * log2(s.w)},
        {"n l/p", s.n * s.l / s.p},
        {"n/(w-1)", s.n / (s.w - 1)},
        {"n/(w-1) log w", s.n / (s.w - 1) * log2(s.w)},
        {"l", s.l},
        {"l log n", s.l * log2(s.n)},
        {"l ceil(log n / log w)", s.l * ceil(log2(s.n) / log2(s.w))},
        {"log (n/w)", log2(s.n / s.w)},
        {"log n / log w", log2(s.n) / log2(s.w)},
        {"log l / log w", log2(s.l) / log2(s.w)},
        {"log log w", log2(log2(s.w))},
        {"n", s.n},
        {"n/2", s.n / 2},
        {"w", s.w},
        {"w l", s.w * s.l},
        {"p", s.p},
    };
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
        if (strcmp(terms[i].term, term) == 0)
            return factor * terms[i].value;
    fail(EXIT_BAD_INPUT, "a bound has the term \"%s\", which is not known", with_factor);
}

double bound_value(const cJSON *terms, struct bound_setting setting)
{
    double sum = 0;
    const cJSON *term;
    cJSON_ArrayForEach(term, terms) sum += bound_term(cJSON_IsString(term) ? term->valuestring : "", setting);
    return sum;
}

const char *bound_text(const cJSON *terms, char *text, size_t bytes)
{
    size_t length = 0;
    const cJSON *term;
    snprintf(text, bytes, "0");
    cJSON_ArrayForEach(term, terms) if (cJSON_IsString(term) && length < bytes) length +=
        (size_t)snprintf(text + length, bytes - length, "%s%s", length ? " + " : "", term->valuestring);
    return text;
}
