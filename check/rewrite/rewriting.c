#include "check/rewrite/rewriting.h"

#include <stdio.h>

void copy_until(struct rewriting *r, const char *until)
{
    fwrite(r->copied, 1, (size_t)(until - r->copied), stdout);
    r->copied = until;
}

void print_span(const struct token *first, const struct token *last)
{
    fwrite(first->text, 1, (size_t)(last->text + last->length - first->text), stdout);
}

void continue_after(struct rewriting *r, size_t token)
{
    const struct token *last = &r->tokens[token];
    r->copied = last->text + last->length;
    printf("\n# %u \"%.*s\"\n", last->line, (int)last->file_length, last->file);
}
