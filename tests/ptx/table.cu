/*
 * The answers of PTX's instructions at the edges of their operands, which the PTX ISA manual defines, for
 * the rows of the file ROWS (-DROWS='"memory.def"'). Prints the rows whose answer is wrong, with the
 * argument "all" every row, and ends with status 1 if an answer is wrong. The program also runs on a GPU
 * (tests/ptx_answers).
 *
 * A row has a kind, a text, the answer, and operands. The kinds are
 *
 *     W1          an instruction with an operand of 32 bits
 *     T3, X       a text with the operands %1 to %3, of 32 bits and of 64 bits
 *     M, S        a text with an address %1 in global and in shared memory, and operands %2 and %3
 *     WARP, SOME  a text with an operand %1 that all lanes, or the lanes 0xeaaaaaaa, of a warp execute
 */
#include <cstdint>
#include <cstdio>
#include <cstring>

enum { MOST_ROWS = 400, WARP_LANES = 32 };
static const uint32_t some = 0xeaaaaaaa;

/* The answer to a row: a value for each lane, and the word in memory for the kinds of rows that have one. */
struct answer {
    uint64_t of_lane[WARP_LANES], word;
};

/* The kernel reads `zero` from memory, so that no compiler knows the operands and computes the answer. */
#define NARROW(x) "r"((uint32_t)(x) ^ (uint32_t)zero)
#define LONG(x) "l"((uint64_t)(x) ^ zero)
#define RUN(type, text, result, ...)                                                                         \
    {                                                                                                        \
        type r;                                                                                              \
        asm volatile(text : result(r) : __VA_ARGS__ : "memory");                                             \
        answers->of_lane[lane] = r;                                                                          \
    }
#define ALONE(...)                                                                                           \
    if (lane == 0)                                                                                           \
    RUN(__VA_ARGS__)

#define W1(op, answer, a) ALONE(uint32_t, op " %0, %1;", "=r", NARROW(a))
#define T3(text, answer, a, b, c) ALONE(uint32_t, text, "=r", NARROW(a), NARROW(b), NARROW(c))
#define X(text, answer, a, b, c) ALONE(uint64_t, text, "=l", LONG(a), LONG(b), LONG(c))
#define M(text, answer, after, before, a, b) IN_MEMORY(global, "l"(global + 1), text, before, a, b)
#define S(text, answer, after, before, a, b) IN_MEMORY(shared, "r"(address), text, before, a, b)
#define IN_MEMORY(area, place, text, before, a, b)                                                           \
    if (lane == 0) {                                                                                         \
        area[0] = 0x8182838485868788, area[1] = before, area[2] = 0x9192939495969798;                        \
        RUN(uint64_t, text, "=l", place, LONG(a), LONG(b))                                                   \
        answers->word = area[1];                                                                             \
    }
#define WARP(text, answer, operand) RUN(uint32_t, text, "=r", NARROW(operand))
#define SOME(text, answer, operand)                                                                          \
    if (some >> lane & 1)                                                                                    \
        RUN(uint32_t, text, "=r", NARROW(operand))                                                           \
    __syncwarp();

__global__ void run_rows(answer *answers, volatile uint64_t *global, const volatile uint64_t *nothing)
{
    __shared__ volatile uint64_t shared[3];
    const uint64_t zero = *nothing;
    const uint32_t lane = threadIdx.x, address = (uint32_t)__cvta_generic_to_shared((void *)(shared + 1));
#define ROW(kind, ...) kind(__VA_ARGS__) answers++;
#include ROWS
#undef ROW
}

/* Prints the answer to a row if it is wrong, or if `all` is set, and returns whether it is right:
 * wanted(lane, false) is the answer of a lane, and wanted(0, true) the word in memory. */
template <class Wanted>
static bool judge(const char *kind, const char *text, const answer &given, bool all, Wanted wanted)
{
    const bool of_memory = strlen(kind) == 1 && *kind != 'X';
    const uint32_t lanes = strcmp(kind, "WARP") == 0 ? ~0u : strcmp(kind, "SOME") == 0 ? some : 1;
    bool right = !of_memory || given.word == wanted(0, true);
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        right = right && (!(lanes >> lane & 1) || given.of_lane[lane] == wanted(lane, false));
    if (right && !all)
        return true;
    printf("%s%s %s:", right ? "" : "FAILED  ", kind, text);
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        if (lanes >> lane & 1)
            printf(" %llx", (unsigned long long)given.of_lane[lane]);
    printf(of_memory ? ", memory %llx\n" : "\n", (unsigned long long)given.word);
    return right;
}

int main(int argc, char **argv)
{
    static answer host[MOST_ROWS];
    answer *answers;
    uint64_t *words;
    bool all = argc > 1 && strcmp(argv[1], "all") == 0;
    int wrong = 0;
    if (cudaMalloc(&answers, sizeof host) || cudaMemset(answers, 0, sizeof host) ||
        cudaMalloc(&words, 4 * sizeof *words) || cudaMemset(words, 0, 4 * sizeof *words))
        return 3;
    run_rows<<<1, WARP_LANES>>>(answers, words, words + 3);
    if (cudaMemcpy(host, answers, sizeof host, cudaMemcpyDeviceToHost))
        return 3;
    const answer *given = host;
#define ROW(kind, text, answer, second, ...)                                                                 \
    wrong += !judge(#kind, text " = " #answer ", " #second " " #__VA_ARGS__, *given++, all,                  \
                    [](uint32_t lane, bool of_memory) {                                                      \
                        (void)lane;                                                                          \
                        return of_memory ? (uint64_t)(second) : (uint64_t)(answer);                          \
                    });
#include ROWS
    return wrong > 0;
}
