/* A preprocessed CUDA program while it is rewritten as C++, and a function for each kind of code that must
 * be rewritten. */
#ifndef CHECK_REWRITING_H
#define CHECK_REWRITING_H

#include "check/rewrite/tokens.h"

struct rewriting {
    const struct token *tokens;
    size_t count;       /* number of tokens of the program */
    const char *copied; /* everything in the source before this place has been written or replaced */
    unsigned asm_number, shared_number, barrier_number;
    bool for_rules;                  /* does the machine check the rules of machine/engine/rules.h? */
    size_t *clusters, cluster_count; /* index of each token __cluster_dims__, and number of these tokens */
    bool *in_function;               /* for each token, whether it is within a function's braces */
};

/* ---- functions that write to standard output ---- */

/* Writes the source from the place where the last call stopped to the place `until`. */
void copy_until(struct rewriting *r, const char *until);

/* Writes the source text from token `first` to token `last`. */
void print_span(const struct token *first, const struct token *last);

/* Continues the output with the source after the token, on a new line. A line mark gives this line the
 * token's line number. */
void continue_after(struct rewriting *r, size_t token);

/* Returns a copy of the source in which CUDA's built-in variables are replaced by calls of the machine. The
 * caller frees it. */
char *replace_builtin_variables(const struct rewriting *r, const char *source);

/* Rewrites a preprocessed program, and writes it to standard output. With `for_rules`, the output contains
 * what the checks of machine/engine/rules.h need. Code that cannot be parsed ends the process with
 * EXIT_BAD_INPUT. */
void rewrite_program(const char *preprocessed, bool for_rules);

/* ---- rewrite_... takes the first token of the code that it rewrites, and returns the last ---- */

/* Returns whether the token begins the <<< of a launch (if `sign` is "<") or its >>> (if `sign` is ">"). */
bool is_triple(const struct rewriting *r, size_t token, const char *sign);

/* Rewrites the launch k<<<c>>>(a) as launch("k", N, M, c)(a), where N is the number of blocks in the
 * kernel's clusters, and M makes what each thread calls (check/include/gpusync/runtime.h). `open` is the
 * token <<<. */
size_t rewrite_launch(struct rewriting *r, size_t open);

/* Removes __cluster_dims__(x, y, z) before a kernel's name, and remembers it for the kernel's launches. */
size_t rewrite_cluster(struct rewriting *r, size_t token);

/* Removes the cast of the kernel in cudaLaunchCooperativeKernel((void *)kernel, ...), because the call
 * needs the kernel's type. */
size_t rewrite_launch_call(struct rewriting *r, size_t call);

/* Removes the cast in `parameters.func = (void *)kernel`, because the assignment needs the kernel's type.
 * `func` is the token of the member's name. */
size_t rewrite_node_kernel(struct rewriting *r, size_t func);

/* Rewrites the declaration that contains the __shared__ at token `shared`. */
size_t rewrite_shared(struct rewriting *r, size_t shared);

/* Rewrites inline PTX as C++. An asm statement without text, which is a barrier for the compiler, stays as
 * it is. */
size_t rewrite_asm(struct rewriting *r, size_t begin);

#endif
