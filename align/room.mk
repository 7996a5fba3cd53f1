TESTED_alignments := $(addprefix $(HERE),alignment.c scoring.c sequences.c)
TESTS += $(BUILD)/host/alignments
QUICK_TESTS += $(BUILD)/host/fuzz-replay
