#include "machine/cuda/request.h"
#include "machine/cuda/bounds.h"

void request(enum request_kind kind, uintptr_t address, unsigned bytes, const void *instruction)
{
    if (bytes && __builtin_expect(bounds_are_checked, false))
        bounds_check(address, bytes, kind != REQUEST_LOAD, instruction);
    struct lane *lane = running_lane();
    note_next_word(lane, kind, false, address, instruction);
    lane->kind = (uint8_t)kind;
    lane->plain = false;
    lane->of_mbarrier = lane->next_of_mbarrier;
    lane->next_of_mbarrier = false;
    lane->address = address;
    lane->bytes = (uint16_t)bytes;
    lane->instruction = instruction;
    lane_wait(__builtin_frame_address(0));
}

void request_order(enum request_kind kind, enum machine_scope scope, enum machine_order order,
                   const void *instruction)
{
    enum machine_order needed = kind == REQUEST_FENCE_RELEASE ? ORDER_RELEASE : ORDER_ACQUIRE;
    running_lane()->of_system = scope == SCOPE_SYSTEM;
    if (scope > SCOPE_BLOCK && order & needed)
        request(kind, 0, 0, instruction);
}
