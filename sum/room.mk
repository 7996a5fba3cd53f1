PROGRAMS += sum
SOURCES_sum := $(addprefix $(ROOM),sum.cu phases.c numbers.c)
LONG_TO_COMPILE += $(ROOM)sum
