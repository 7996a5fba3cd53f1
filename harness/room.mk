TESTED_result := $(HERE)result.c
TESTS += $(BUILD)/host/result tests/algorithms/refusals tests/skips
SLOW_TESTS += tests/cli tests/strangers
NEEDS += $(addprefix $(BUILD)/machine/,bitonic fft micro-multi-gpu micro-producer-consumer micro-residency nw pairhmm sum \
  swat swat-batch swat-sample swat-scores)
