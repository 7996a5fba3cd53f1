TESTED_result := $(HERE)result.c
TESTED_measurement := $(HERE)measurement.c $(HERE)problem.c
TESTED_large_problems := fft/reference.c bitonic/keys.c sum/numbers.c
TESTS += $(BUILD)/host/result $(BUILD)/host/measurement $(BUILD)/machine/tests/large_problems tests/cli tests/algorithms/refusals tests/skips tests/misuse tests/every_option
QUICK_TESTS += $(BUILD)/host/fuzz-replay "tests/regressions micro-barrier fft swat pairhmm" \
  "tests/stale --all $(addprefix results/reference/machine-gtx280/,sum pairhmm micro-producer-consumer)"
NEEDS += machine $(BUILD)/report check-tool
