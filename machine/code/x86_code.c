#include "machine/code/x86_code.h"
#include "base/failure.h"

#include <capstone/capstone.h>

#define MOST_BYTES 15 /* largest length of an x86-64 instruction */

static csh reader(void)
{
    static csh handle;
    if (!handle && (cs_open(CS_ARCH_X86, CS_MODE_64, &handle) != CS_ERR_OK ||
                    cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON) != CS_ERR_OK))
        fail(EXIT_CANNOT, "machine: capstone cannot read x86-64 code");
    return handle;
}

/* Returns the number of the general register that contains this register, or 16 if none does. */
static unsigned general_of(x86_reg reg)
{
    static const x86_reg names[16][4] = {{X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL},
                                         {X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL},
                                         {X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL},
                                         {X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL},
                                         {X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL},
                                         {X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL},
                                         {X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL},
                                         {X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL},
                                         {X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B},
                                         {X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B},
                                         {X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B},
                                         {X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B},
                                         {X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B},
                                         {X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B},
                                         {X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B},
                                         {X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B}};
    static const x86_reg high[4] = {X86_REG_AH, X86_REG_CH, X86_REG_DH, X86_REG_BH};
    unsigned number = 0;
    while (number < 16) {
        for (unsigned width = 0; width < 4; width++)
            if (names[number][width] == reg)
                return number;
        if (number < 4 && high[number] == reg)
            return number;
        number++;
    }
    return number;
}

/* Returns the number of a register in x86_code.h, or X86_REGISTERS if the register cannot hold a kernel's
 * values. */
static unsigned place_of(x86_reg reg)
{
    if (reg == X86_REG_EFLAGS)
        return X86_FLAGS;
    if (reg >= X86_REG_XMM0 && reg <= X86_REG_XMM15)
        return X86_VECTOR + (unsigned)(reg - X86_REG_XMM0);
    unsigned general = general_of(reg);
    return general < 16 ? X86_GENERAL + general : X86_REGISTERS;
}

static uint64_t bit_of(x86_reg reg)
{
    unsigned place = place_of(reg);
    return place < X86_REGISTERS ? X86_BIT(place) : 0;
}

/* Returns the memory access that the operand makes. `end` is the address after the operand's instruction. */
static struct x86_access access_of(const cs_x86_op *operand, const unsigned char *end)
{
    bool is_fixed = operand->mem.base == X86_REG_RIP;
    return (struct x86_access){.there = true,
                               .on_stack = operand->mem.base == X86_REG_RSP,
                               .fixed = is_fixed ? end + operand->mem.disp : NULL,
                               .is_indexed = operand->mem.index != X86_REG_INVALID,
                               .offset = (int32_t)operand->mem.disp,
                               .bytes = operand->size};
}

/* Does the instruction combine a register with itself so that its result is a constant (xor, for example)? */
static bool clears(const cs_insn *insn)
{
    const cs_x86 *x86 = &insn->detail->x86;
    bool cancels = insn->id == X86_INS_XOR || insn->id == X86_INS_PXOR || insn->id == X86_INS_XORPS ||
                   insn->id == X86_INS_XORPD || insn->id == X86_INS_SUB;
    return cancels && x86->op_count == 2 && x86->operands[0].type == X86_OP_REG &&
           x86->operands[1].type == X86_OP_REG && x86->operands[0].reg == x86->operands[1].reg;
}

static bool moves(const cs_insn *insn)
{
    switch (insn->id) {
    case X86_INS_MOV:
    case X86_INS_MOVABS:
    case X86_INS_MOVZX:
    case X86_INS_MOVSX:
    case X86_INS_MOVSXD:
    case X86_INS_PUSH:
    case X86_INS_POP:
    case X86_INS_XCHG:
    case X86_INS_LEAVE:
    case X86_INS_CBW:
    case X86_INS_CWDE:
    case X86_INS_CDQE:
    case X86_INS_CWD:
    case X86_INS_CDQ:
    case X86_INS_CQO:
    case X86_INS_MOVSS:
    case X86_INS_MOVSD:
    case X86_INS_MOVAPS:
    case X86_INS_MOVAPD:
    case X86_INS_MOVUPS:
    case X86_INS_MOVUPD:
    case X86_INS_MOVDQA:
    case X86_INS_MOVDQU:
    case X86_INS_MOVD:
    case X86_INS_MOVQ:
    case X86_INS_MOVLPS:
    case X86_INS_MOVHPS:
    case X86_INS_MOVLHPS:
    case X86_INS_MOVHLPS:
    case X86_INS_MOVLPD:
    case X86_INS_MOVHPD:
    case X86_INS_UNPCKLPS:
    case X86_INS_UNPCKLPD:
    case X86_INS_UNPCKHPS:
    case X86_INS_UNPCKHPD:
    case X86_INS_SETA:
    case X86_INS_SETAE:
    case X86_INS_SETB:
    case X86_INS_SETBE:
    case X86_INS_SETE:
    case X86_INS_SETG:
    case X86_INS_SETGE:
    case X86_INS_SETL:
    case X86_INS_SETLE:
    case X86_INS_SETNE:
    case X86_INS_SETNO:
    case X86_INS_SETNP:
    case X86_INS_SETNS:
    case X86_INS_SETO:
    case X86_INS_SETP:
    case X86_INS_SETS:
    case X86_INS_NOP:
    case X86_INS_ENDBR64:
    case X86_INS_UD2:
    case X86_INS_INT3:
        return true;
    default:
        return false;
    }
}

/* Writes x86_instruction.order. */
static void read_order(const cs_insn *insn, struct x86_instruction *read)
{
    const cs_x86_op *operands = insn->detail->x86.operands;
    switch (insn->id) {
    case X86_INS_MOV:
        read->order = operands[0].size >= 4 ? X86_ORDERED : X86_NO_ORDER;
        break;
    case X86_INS_MOVABS:
    case X86_INS_MOVSXD:
    case X86_INS_CDQE:
    case X86_INS_MOVSD:
    case X86_INS_MOVAPS:
    case X86_INS_MOVAPD:
    case X86_INS_LEA:
    case X86_INS_ADD:
    case X86_INS_SUB:
    case X86_INS_CMP:
    case X86_INS_INC:
    case X86_INS_DEC:
    case X86_INS_NEG:
    case X86_INS_CVTSI2SD:
    case X86_INS_ADDSD:
    case X86_INS_SUBSD:
    case X86_INS_MULSD:
    case X86_INS_DIVSD:
    case X86_INS_COMISD:
    case X86_INS_JMP:
    case X86_INS_JA:
    case X86_INS_JAE:
    case X86_INS_JB:
    case X86_INS_JBE:
    case X86_INS_JG:
    case X86_INS_JGE:
    case X86_INS_JL:
    case X86_INS_JLE:
    case X86_INS_JS:
    case X86_INS_JNS:
    case X86_INS_NOP:
    case X86_INS_ENDBR64:
        read->order = X86_ORDERED;
        break;
    case X86_INS_SETA:
    case X86_INS_SETAE:
    case X86_INS_SETB:
    case X86_INS_SETBE:
    case X86_INS_SETG:
    case X86_INS_SETGE:
    case X86_INS_SETL:
    case X86_INS_SETLE:
    case X86_INS_SETS:
    case X86_INS_SETNS:
        read->order = X86_TRUTH;
        break;
    case X86_INS_JE:
    case X86_INS_JNE:
        read->order = X86_ON_ZERO;
        break;
    case X86_INS_XOR:
    case X86_INS_PXOR:
        read->order = clears(insn) ? X86_ORDERED : X86_NO_ORDER;
        break;
    case X86_INS_TEST:
        if (operands[0].type == X86_OP_REG && operands[0].reg == operands[1].reg)
            read->order = operands[0].size == 1   ? X86_TEST_BYTE
                          : operands[0].size >= 4 ? X86_TEST
                                                  : X86_NO_ORDER;
        break;
    case X86_INS_SHR:
    case X86_INS_SAR:
        read->order = operands[1].type == X86_OP_IMM ? X86_ORDERED : X86_NO_ORDER;
        break;
    default:
        break;
    }
}

static void read_operands(const cs_insn *insn, struct x86_instruction *read)
{
    const cs_x86 *x86 = &insn->detail->x86;
    for (unsigned i = 0; i < insn->detail->regs_read_count; i++)
        read->reads |= bit_of(insn->detail->regs_read[i]);
    for (unsigned i = 0; i < insn->detail->regs_write_count; i++)
        read->writes |= bit_of(insn->detail->regs_write[i]);
    for (unsigned i = 0; i < x86->op_count; i++) {
        const cs_x86_op *operand = &x86->operands[i];
        if (operand->type == X86_OP_REG) {
            read->reads |= operand->access & CS_AC_READ ? bit_of(operand->reg) : 0;
            read->writes |= operand->access & CS_AC_WRITE ? bit_of(operand->reg) : 0;
        } else if (operand->type == X86_OP_MEM && insn->id == X86_INS_LEA)
            read->reads |= bit_of(operand->mem.base) | bit_of(operand->mem.index);
        else if (operand->type == X86_OP_MEM && insn->id != X86_INS_NOP) {
            bool is_target =
                /* capstone 4 reports the destination of some vector moves as a source */
                i == 0 && moves(insn);
            if (operand->access & CS_AC_READ && !is_target)
                read->load =
                    access_of(operand, (const unsigned char *)(uintptr_t)(insn->address + insn->size));
            if (operand->access & CS_AC_WRITE || is_target)
                read->store =
                    access_of(operand, (const unsigned char *)(uintptr_t)(insn->address + insn->size));
        }
    }
    if (clears(insn))
        read->reads = 0;
    read->reads &= ~X86_BIT(X86_RSP);
}

static bool is_constant_distance(const cs_insn *insn)
{
    const cs_x86_op *operands = insn->detail->x86.operands;
    return insn->id == X86_INS_LEA && operands[0].size == 8 && operands[1].mem.index == X86_REG_INVALID;
}

static void read_flow(const cs_insn *insn, struct x86_instruction *read)
{
    const cs_x86_op *operand = insn->detail->x86.operands;
    bool jumps = cs_insn_group(reader(), insn, X86_GRP_JUMP);
    read->calls = insn->id == X86_INS_CALL;
    read->compares = insn->id == X86_INS_CMP;
    read->selects = insn->id >= X86_INS_CMOVA && insn->id <= X86_INS_CMOVS;
    read->divides = insn->id == X86_INS_DIV || insn->id == X86_INS_IDIV;
    read->sets_one = insn->id == X86_INS_MOV && operand[0].type == X86_OP_REG &&
                     operand[1].type == X86_OP_IMM && operand[1].imm == 1;
    read->leaves = insn->id == X86_INS_JMP || insn->id == X86_INS_RET || insn->id == X86_INS_UD2;
    read->branches = jumps && insn->id != X86_INS_JMP;
    if ((jumps || read->calls) && operand->type == X86_OP_IMM)
        read->target = (const unsigned char *)(uintptr_t)operand->imm;
    read->computes = !moves(insn) && !is_constant_distance(insn) && !read->calls && !read->leaves;
}

static void read_vector(const cs_insn *insn, struct x86_instruction *read)
{
    const cs_x86_op *operands = insn->detail->x86.operands;
    if (!(read->writes >> X86_VECTOR & 0xffff))
        return;
    read->to = place_of(operands[0].reg);
    read->from = operands[1].type == X86_OP_REG ? place_of(operands[1].reg) : X86_REGISTERS;
    switch (insn->id) {
    case X86_INS_MULSS:
    case X86_INS_MULSD:
    case X86_INS_MULPS:
    case X86_INS_MULPD:
        read->vector = X86_PRODUCT;
        break;
    case X86_INS_ADDSS:
    case X86_INS_ADDSD:
    case X86_INS_ADDPS:
    case X86_INS_ADDPD:
    case X86_INS_SUBSS:
    case X86_INS_SUBSD:
    case X86_INS_SUBPS:
    case X86_INS_SUBPD:
        read->vector = X86_SUM;
        break;
    case X86_INS_MOVAPS:
    case X86_INS_MOVAPD:
        read->vector = X86_COPY;
        break;
    default:
        read->vector = X86_OTHER_VECTOR;
    }
}

struct x86_instruction x86_read(const unsigned char *at)
{
    struct x86_instruction read = {0};
    static cs_insn *insn;
    if (!insn && !(insn = cs_malloc(reader())))
        fail(EXIT_CANNOT, "out of memory");
    uint64_t address = (uintptr_t)at;
    size_t left = MOST_BYTES;
    if (!cs_disasm_iter(reader(), &at, &left, &address, insn))
        return read;
    read.bytes = insn->size;
    read_operands(insn, &read);
    read_flow(insn, &read);
    read_vector(insn, &read);
    read_order(insn, &read);
    return read;
}
