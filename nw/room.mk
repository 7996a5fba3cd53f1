PROGRAMS += nw
SOURCES_nw := $(addprefix $(ROOM),nw.cu compare.c reference.c) $(wildcard align/*.c)
LONG_TO_COMPILE += $(ROOM)nw
