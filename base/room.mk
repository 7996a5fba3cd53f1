TESTS += $(BUILD)/host/files $(BUILD)/host/statistics $(BUILD)/host/text
# The test fuzz-replay belongs to base/, since every parser of the suite reads its lines and numbers by
# base/text.h and base/list.h.
TESTS += $(BUILD)/host/fuzz-replay
