#include "check/rewrite/rewriting.h"

#include <stdio.h>

void copy_until(struct rewriting *r, const char *until)
{
    if (until < r->copied) {
        size_t at = 0;
        while (at + 1 < r->count && r->tokens[at].text < until)
            at++;
        token_fail(&r->tokens[at], "gpusync-check cannot read this code together with the code after it");
    }
    fwrite(r->copied, 1, (size_t)(until - r->copied), stdout);
    r->copied = until;
}

void print_span(const struct token *first, const struct token *last)
{
    if (last >= first)
        fwrite(first->text, 1, (size_t)(last->text + last->length - first->text), stdout);
}

void continue_after(struct rewriting *r, size_t token)
{
    const struct token *last = &r->tokens[token];
    if (token >= r->count)
        token_fail(last, "a bracket is not closed at the end of the file");
    r->copied = last->text + last->length;
    printf("\n# %u \"%.*s\"\n", last->line, (int)last->file_length, last->file);
}
