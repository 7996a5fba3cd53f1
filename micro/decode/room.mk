PROGRAMS += micro-decode
SOURCES_micro-decode := $(addprefix $(ROOM),decode.cu analysis.c reference.c) micro/gpus/gpus.c
LONG_TO_COMPILE += $(ROOM)decode
