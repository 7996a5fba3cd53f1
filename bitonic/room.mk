PROGRAMS += bitonic
SOURCES_bitonic := $(addprefix $(ROOM),bitonic.cu keys.c passes.c)
LONG_TO_COMPILE += $(ROOM)bitonic
