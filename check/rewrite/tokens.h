/* Preprocessed C++ as tokens, so far as a rewriting needs them: what is a name, a literal, or a sign, and
 * where it is. */
#ifndef CHECK_TOKENS_H
#define CHECK_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

enum token_kind { TOKEN_NAME, TOKEN_NUMBER, TOKEN_STRING, TOKEN_SIGN };

struct token {
    const char *text; /* in the source; white space, comments and lines of the preprocessor are no tokens */
    size_t length;
    enum token_kind kind;
    unsigned line; /* of the file that the preprocessor names */
    const char *file;
    size_t file_length;
    bool of_system; /* a header of the system: not to be changed */
};

/* Those of the text, which must outlive them. */
struct token *tokens_of(const char *source, size_t *count);

bool token_is(const struct token *token, const char *text);

/* The token that closes the bracket at `open`; `count` if there is none. */
size_t token_closing(const struct token *tokens, size_t count, size_t open);

/* Ends the program with EXIT_BAD_INPUT and a message that begins with the token's file and line. */
void token_fail(const struct token *token, const char *format, ...)
    __attribute__((noreturn, format(printf, 2, 3)));

#endif
