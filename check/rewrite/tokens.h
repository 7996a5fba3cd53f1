/* Preprocessed C++ as tokens: names, literals and signs, with their places. White space, comments and lines
 * of the preprocessor are no tokens. */
#ifndef CHECK_TOKENS_H
#define CHECK_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

enum token_kind { TOKEN_NAME, TOKEN_NUMBER, TOKEN_STRING, TOKEN_SIGN };

struct token {
    const char *text; /* where the token's text begins in the source */
    size_t length;
    enum token_kind kind;
    unsigned line; /* number of the token's line in `file`, by the preprocessor's line marks */
    const char *file;
    size_t file_length;
    bool of_system;  /* whether the token is in a header of the compiler, which must not be changed */
    bool of_library; /* whether the token is in a header that is not the program's own, such as CUDA's */
};

/* Returns the tokens of a text, followed by an empty token, which `count` does not include. The tokens point
 * into the text, which must live as long as they do. The caller frees the list. */
struct token *tokens_of(const char *source, size_t *count);

bool token_is(const struct token *token, const char *text);

/* Returns the index of the token that closes the bracket at token `open`, or `count` if there is none. */
size_t token_closing(const struct token *tokens, size_t count, size_t open);

/* Ends the program with EXIT_BAD_INPUT and a message that begins with the token's file and line. */
void token_fail(const struct token *token, const char *format, ...)
    __attribute__((noreturn, format(printf, 2, 3)));

#endif
