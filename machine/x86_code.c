#include "machine/x86_code.h"

#include <stdint.h>
#include <string.h>

/* The fields of an instruction in their order: prefixes, opcode, ModRM with what belongs to it, immediate (Intel 64
 * and IA-32 Architectures Software Developer's Manual, volume 2, section 2.1 and appendix A). */
struct reader {
    const unsigned char *at;
    bool short_operands, long_operands;      /* prefix 66, REX.W */
    unsigned high_to, high_index, high_from; /* REX.R, REX.X, REX.B: 8 */
    unsigned map;                            /* 1: one byte, 2: behind 0F, 3: behind 0F 38, 4: behind 0F 3A */
    unsigned opcode;
    unsigned to, from; /* registers in ModRM; from: X86_MEMORY if it is none */
    bool is_indexed;
};

static void read_prefixes(struct reader *r)
{
    for (;; r->at++)
        switch (*r->at) {
        case 0x66:
            r->short_operands = true;
            break;
        case 0x26:
        case 0x2e:
        case 0x36:
        case 0x3e:
        case 0x64:
        case 0x65:
        case 0xf0:
        case 0xf2:
        case 0xf3:
            break;
        default:
            if (*r->at >> 4 != 4)
                return;
            r->long_operands = *r->at & 8;
            r->high_to = *r->at & 4 ? 8 : 0;
            r->high_index = *r->at & 2 ? 8 : 0;
            r->high_from = *r->at & 1 ? 8 : 0;
            break;
        }
}

static void read_opcode(struct reader *r)
{
    r->map = 1;
    if (*r->at == 0x0f) {
        r->at++;
        r->map = *r->at == 0x38 ? 3 : *r->at == 0x3a ? 4 : 2;
        r->at += r->map > 2;
    }
    r->opcode = *r->at++;
}

static bool is_between(unsigned value, unsigned least, unsigned most)
{
    return value >= least && value <= most;
}

static bool has_modrm(const struct reader *r)
{
    unsigned op = r->opcode;
    if (r->map > 2)
        return true;
    if (r->map == 2)
        return !(is_between(op, 0x80, 0x8f) || is_between(op, 0xc8, 0xcf) || op == 0x05 || op == 0x0b ||
                 op == 0x31 || op == 0x77 || op == 0xa2);
    if (op < 0x40)
        return (op & 7) < 4;
    return op == 0x63 || op == 0x69 || op == 0x6b || is_between(op, 0x80, 0x8f) || op == 0xc0 || op == 0xc1 ||
           op == 0xc6 || op == 0xc7 || is_between(op, 0xd0, 0xd3) || is_between(op, 0xd8, 0xdf) ||
           op == 0xf6 || op == 0xf7 || op == 0xfe || op == 0xff;
}

/* ModRM, SIB and displacement. Returns ModRM's middle field. */
static unsigned read_modrm(struct reader *r)
{
    unsigned modrm = *r->at++, mode = modrm >> 6, base = modrm & 7, middle = modrm >> 3 & 7;
    r->to = middle | r->high_to;
    r->from = mode == 3 ? base | r->high_from : X86_MEMORY;
    if (mode == 3)
        return middle;
    if (base == 4) {
        r->is_indexed = ((*r->at >> 3 & 7) | r->high_index) != 4;
        base = *r->at++ & 7;
    }
    if (mode == 1)
        r->at++;
    else if (mode == 2 || base == 5)
        r->at += 4;
    return middle;
}

static size_t immediate_bytes(const struct reader *r, unsigned middle)
{
    unsigned op = r->opcode;
    size_t word = r->short_operands ? 2 : 4;
    if (r->map == 4)
        return 1;
    if (r->map == 3)
        return 0;
    if (r->map == 2)
        return is_between(op, 0x80, 0x8f) ? 4
               : is_between(op, 0x70, 0x73) || op == 0xa4 || op == 0xac || op == 0xba || op == 0xc2 ||
                       is_between(op, 0xc4, 0xc6)
                   ? 1
                   : 0;
    if (op < 0x40)
        return (op & 7) == 4 ? 1 : (op & 7) == 5 ? word : 0;
    if (is_between(op, 0x70, 0x7f) || is_between(op, 0xb0, 0xb7) || is_between(op, 0xe0, 0xe3))
        return 1;
    switch (op) {
    case 0xb8:
    case 0xb9:
    case 0xba:
    case 0xbb:
    case 0xbc:
    case 0xbd:
    case 0xbe:
    case 0xbf:
        return r->long_operands ? 8 : word;
    case 0x68:
    case 0x69:
    case 0x81:
    case 0xa9:
    case 0xc7:
        return word;
    case 0x6a:
    case 0x6b:
    case 0x80:
    case 0x83:
    case 0xa8:
    case 0xc0:
    case 0xc1:
    case 0xc6:
    case 0xeb:
        return 1;
    case 0xe8:
    case 0xe9:
        return 4;
    case 0xc2:
        return 2;
    case 0xf6:
        return middle < 2 ? 1 : 0;
    case 0xf7:
        return middle < 2 ? word : 0;
    default:
        return 0;
    }
}

static bool computes(const struct reader *r, unsigned middle)
{
    unsigned op = r->opcode;
    if (r->map > 2)
        return true;
    if (r->map == 2) /* moves of vectors, padding, sign and zero extensions, conditions as numbers */
        return !(is_between(op, 0x10, 0x17) || is_between(op, 0x18, 0x1f) || op == 0x28 || op == 0x29 ||
                 op == 0x6e || op == 0x6f || op == 0x7e || op == 0x7f || op == 0xd6 || op == 0x0b ||
                 is_between(op, 0x90, 0x9f) || is_between(op, 0xb6, 0xb7) || is_between(op, 0xbe, 0xbf));
    if (is_between(op, 0x50, 0x63) || is_between(op, 0x88, 0x8b) || is_between(op, 0x90, 0x9f) ||
        is_between(op, 0xb0, 0xbf))
        return false;
    if (op == 0x8d && r->long_operands && !r->is_indexed)
        return false;
    switch (op) {
    case 0x68:
    case 0x6a:
    case 0x8f:
    case 0xc2:
    case 0xc3:
    case 0xc6:
    case 0xc7:
    case 0xc9:
    case 0xcc:
    case 0xe8:
    case 0xe9:
    case 0xeb:
        return false;
    case 0xff: /* increment and decrement, and else calls, jumps, pushes */
        return middle < 2;
    default:
        return true;
    }
}

/* Of those that write a vector register: not stores, compares, conversions to numbers of other registers. */
static bool writes_vector(const struct reader *r)
{
    unsigned op = r->opcode;
    if (r->map != 2)
        return r->map > 2;
    return op == 0x10 || op == 0x12 || op == 0x14 || op == 0x15 || op == 0x16 || op == 0x28 || op == 0x2a ||
           is_between(op, 0x51, 0x7d) || op == 0x6e || op == 0x6f || op == 0xc2 || op == 0xc4 || op == 0xc6 ||
           is_between(op, 0xd0, 0xd5) || is_between(op, 0xd8, 0xe6) || is_between(op, 0xe8, 0xfe);
}

static void read_vector(const struct reader *r, struct x86_instruction *instruction)
{
    unsigned op = r->opcode;
    if (!writes_vector(r))
        return;
    instruction->to = r->to;
    instruction->from = r->from;
    instruction->vector = r->map != 2                ? X86_OTHER_VECTOR
                          : op == 0x59               ? X86_PRODUCT
                          : op == 0x58 || op == 0x5c ? X86_SUM
                          : op == 0x28               ? X86_COPY
                                                     : X86_OTHER_VECTOR;
}

struct x86_instruction x86_read(const unsigned char *at)
{
    struct reader r = {.at = at};
    read_prefixes(&r);
    read_opcode(&r);
    unsigned middle = has_modrm(&r) ? read_modrm(&r) : 0;
    struct x86_instruction instruction = {.computes = computes(&r, middle)};
    read_vector(&r, &instruction);
    instruction.leaves = r.map == 1 && (r.opcode == 0xc3 || r.opcode == 0xe9 || r.opcode == 0xeb ||
                                        (r.opcode == 0xff && (middle == 4 || middle == 5)));
    if (r.map == 1 && r.opcode == 0xe8) {
        int32_t distance;
        memcpy(&distance, r.at, sizeof distance);
        instruction.is_call = true;
        instruction.distance = distance;
    }
    instruction.bytes = (size_t)(r.at - at) + immediate_bytes(&r, middle);
    return instruction;
}
