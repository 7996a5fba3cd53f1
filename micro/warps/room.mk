PROGRAMS += micro-producer-consumer micro-hazards
SOURCES_micro-producer-consumer := $(HERE)producer-consumer.cu
SOURCES_micro-hazards := $(HERE)hazards.cu

QUICK_TESTS += "tests/regressions micro-producer-consumer micro-hazards" "tests/weak_memory --only channels" \
  "tests/stale --all $(addprefix results/reference/machine-,gtx280/micro-producer-consumer gtx570/micro-producer-consumer)"
TESTS += tests/deadlocks
NEEDS += $(addprefix $(BUILD)/machine/,micro-barrier micro-residency)
