TESTED_alignments := $(addprefix $(HERE),cigar.c scoring.c sequences.c)
TESTS += $(BUILD)/host/alignments
QUICK_TESTS += $(BUILD)/host/fuzz-replay
