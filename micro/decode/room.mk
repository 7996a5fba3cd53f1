PROGRAMS += micro-decode
SOURCES_micro-decode := $(ROOM)decode.cu $(ROOM)reference.c
LONG_TO_COMPILE += $(ROOM)decode
