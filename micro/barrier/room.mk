PROGRAMS += micro-barrier micro-split micro-stencil micro-residency
SOURCES_micro-barrier := $(ROOM)barrier.cu $(ROOM)barrier_fits.c
SOURCES_micro-split := $(ROOM)split.cu
SOURCES_micro-stencil := $(ROOM)stencil.cu $(ROOM)plate.c
SOURCES_micro-residency := $(ROOM)residency.cu $(ROOM)part.c
LONG_TO_COMPILE += $(ROOM)barrier $(ROOM)split $(ROOM)stencil
