/* A preprocessed CUDA program that is being rewritten as C++, and a function for each kind of place in it. */
#ifndef CHECK_REWRITING_H
#define CHECK_REWRITING_H

#include "check/rewrite/tokens.h"

struct rewriting {
    const struct token *tokens;
    size_t count;       /* number of tokens of the program */
    const char *copied; /* the source up to here has been written or replaced */
    unsigned asm_number, shared_number;
    size_t *clusters, cluster_count; /* index of the token of each __cluster_dims__, and how many there are */
    bool *in_function;               /* for each token, whether it is within a function's braces */
};

/* ---- the output, which is standard output ---- */

/* Writes the source from where the last call ended up to here. */
void copy_until(struct rewriting *r, const char *until);

/* Writes the source of these tokens and of all between them. */
void print_span(const struct token *first, const struct token *last);

/* Begins a new line, which a line mark gives the token's line number. Copying continues with the source
 * after the token. */
void continue_after(struct rewriting *r, size_t token);

/* ---- kinds of places: each rewrite_... takes the first token, and returns the last token it has rewritten
 * ---- */

/* Does a launch's <<< or >>> begin at the token? `sign` is "<" or ">". */
bool is_triple(const struct rewriting *r, size_t token, const char *sign);

/* Rewrites the launch k<<<c>>>(a) as launch("k", N, M, c)(a), where N is the size of the kernel's clusters,
 * and M makes what each thread calls (check/include/gpusync/runtime.h). `open` is the token of <<<. */
size_t rewrite_launch(struct rewriting *r, size_t open);

/* Removes __cluster_dims__(x, y, z), which stands before a kernel's name, and notes it for the launches. */
size_t rewrite_cluster(struct rewriting *r, size_t token);

/* Removes the cast in cudaLaunchCooperativeKernel((void *)kernel, ...), as the kernel's type is needed. */
size_t rewrite_launch_call(struct rewriting *r, size_t call);

/* Rewrites the declaration that contains the __shared__ at this token. */
size_t rewrite_shared(struct rewriting *r, size_t shared);

/* Rewrites inline PTX; an empty asm, which is a barrier for the compiler, stays. */
size_t rewrite_asm(struct rewriting *r, size_t begin);

#endif
