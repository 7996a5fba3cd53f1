/* Tests what x86_read() finds out about machine instructions: what they read, write and do. The instructions'
 * encodings are those of Intel's manual. */
#include "machine/code/x86_code.h"
#include "tests/check.h"

#include <stdint.h>

#define GENERAL(register) X86_BIT(X86_GENERAL + (register))
#define VECTOR(register) X86_BIT(X86_VECTOR + (register))
#define FLAGS X86_BIT(X86_FLAGS)
#define AT(...)                                                                                              \
    (const unsigned char[16])                                                                                \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }

static bool moves_values(const unsigned char *code, unsigned bytes, uint64_t reads, uint64_t writes)
{
    struct x86_instruction read = x86_read(code);
    return read.bytes == bytes && read.reads == reads && read.writes == writes;
}

static void check_registers(void)
{
    check(moves_values(AT(0x89, 0xc3), 2, GENERAL(X86_RAX), GENERAL(X86_RBX)), "mov %%eax,%%ebx copies");
    check(moves_values(AT(0x01, 0xc3), 2, GENERAL(X86_RAX) | GENERAL(X86_RBX), GENERAL(X86_RBX) | FLAGS),
          "add %%eax,%%ebx reads both");
    check(moves_values(AT(0x31, 0xd2), 2, 0, GENERAL(X86_RDX) | FLAGS), "xor %%edx,%%edx reads nothing");
    check(
        moves_values(AT(0x0f, 0x4c, 0xd8), 3, GENERAL(X86_RAX) | GENERAL(X86_RBX) | FLAGS, GENERAL(X86_RBX)),
        "cmovl %%eax,%%ebx reads both and the flags");
    check(moves_values(AT(0x48, 0x8d, 0x04, 0x8b), 4, GENERAL(X86_RBX) | GENERAL(X86_RCX), GENERAL(X86_RAX)),
          "lea (%%rbx,%%rcx,4),%%rax computes of its registers");
    check(moves_values(AT(0xf3, 0x0f, 0x58, 0xc1), 4, VECTOR(0) | VECTOR(1), VECTOR(0)),
          "addss %%xmm1,%%xmm0 reads both");
    check(moves_values(AT(0x99), 1, GENERAL(X86_RAX), GENERAL(X86_RAX) | GENERAL(X86_RDX)),
          "cltd writes a register that it does not name");
    check(moves_values(AT(0x8c, 0xd8), 2, 0, GENERAL(X86_RAX)),
          "mov %%ds,%%eax reads none that holds values");
}

static void check_memory(void)
{
    struct x86_instruction load = x86_read(AT(0x8b, 0x74, 0x24, 0x0c)), store = x86_read(AT(0x89, 0x03)),
                           both = x86_read(AT(0x83, 0x03, 0x01)), vectors = x86_read(AT(0x0f, 0x11, 0x03)),
                           array = x86_read(AT(0x89, 0x44, 0x8c, 0x08));
    check(load.load.there && load.load.on_stack && load.load.offset == 12 && load.load.bytes == 4 &&
              !load.store.there && load.reads == 0 && load.writes == GENERAL(X86_RSI),
          "mov 0xc(%%rsp),%%esi loads a word of the stack");
    check(store.store.there && !store.store.on_stack && !store.load.there && store.reads == GENERAL(X86_RAX),
          "mov %%eax,(%%rbx) stores, and its address is no value");
    check(both.store.there && both.load.there, "addl $1,(%%rbx) loads and stores");
    check(vectors.store.there && !vectors.load.there && vectors.store.bytes == 16,
          "movups %%xmm0,(%%rbx) only stores");
    check(array.store.on_stack && array.store.is_indexed,
          "mov %%eax,0x8(%%rsp,%%rcx,4) stores somewhere there");
}

static void check_kinds(void)
{
    const unsigned char branch[32] = {0x75, 0x10}, call[32] = {0xe8, 0x10, 0x00, 0x00, 0x00};
    check(x86_read(branch).branches && x86_read(branch).target == branch + 0x12 && !x86_read(branch).leaves,
          "jne goes on, or 16 bytes behind its end");
    check(x86_read(call).calls && x86_read(call).target == call + 0x15 && !x86_read(call).computes,
          "call is no instruction of its own");
    check(x86_read(AT(0xc3)).leaves && x86_read(AT(0xeb, 0x00)).leaves, "ret and jmp leave");
    check(!x86_read(AT(0x0f, 0xb6, 0xc0)).computes && !x86_read(AT(0x48, 0x8d, 0x43, 0x08)).computes &&
              x86_read(AT(0x48, 0x8d, 0x04, 0x8b)).computes,
          "moves and addresses at a constant distance do not count, others do");
    check(x86_read(AT(0x39, 0xc3)).compares && x86_read(AT(0x0f, 0x4c, 0xd8)).selects,
          "cmp compares and cmovl selects");
    check(x86_read(AT(0xf3, 0x0f, 0x59, 0xc1)).vector == X86_PRODUCT &&
              x86_read(AT(0xf3, 0x0f, 0x5c, 0xc1)).vector == X86_SUM &&
              x86_read(AT(0x0f, 0x28, 0xc1)).vector == X86_COPY,
          "products, sums and copies of vectors are told apart");
    check(x86_read(AT(0xf7, 0xf1)).divides && x86_read(AT(0x48, 0xf7, 0xf9)).divides &&
              !x86_read(AT(0xf7, 0xe1)).divides && !x86_read(AT(0xf3, 0x0f, 0x5e, 0xc1)).divides,
          "div and idiv divide integers, mul and divss do not");
    check(x86_read(AT(0x06)).bytes == 0, "what is no instruction has no bytes");
}

int main(void)
{
    check_registers();
    check_memory();
    check_kinds();
    return checks_done();
}
