PROGRAMS += micro-components micro-latency micro-throughput
SOURCES_micro-components := $(ROOM)components.cu micro/gpus/gpus.c
SOURCES_micro-latency := $(ROOM)latency.cu $(ROOM)point_line.c
SOURCES_micro-throughput := $(ROOM)throughput.cu
