PROGRAMS += micro-dependency micro-hop-pairs micro-megakernel
SOURCES_micro-dependency := $(ROOM)dependency.cu
SOURCES_micro-hop-pairs := $(ROOM)hop-pairs.cu
SOURCES_micro-megakernel := $(ROOM)megakernel.cu $(ROOM)layers.c
LONG_TO_COMPILE += $(ROOM)dependency $(ROOM)megakernel
