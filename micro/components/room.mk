PROGRAMS += micro-components micro-latency micro-throughput
SOURCES_micro-components := $(HERE)components.cu
SOURCES_micro-latency := $(HERE)latency.cu
SOURCES_micro-throughput := $(HERE)throughput.cu

QUICK_TESTS += "tests/regressions micro-components micro-latency micro-throughput" \
  "tests/stale --all $(addprefix results/reference/machine-,gtx280/micro-latency gtx280/micro-throughput k1200/micro-latency)"
