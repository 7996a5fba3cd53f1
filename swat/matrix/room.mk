PROGRAMS += swat swat-sample
SOURCES_swat := $(addprefix $(ROOM),swat.cu alignment.c) $(wildcard align/*.c)
SOURCES_swat-sample := $(addprefix $(ROOM),sample.cu alignment.c lines.c) $(wildcard align/*.c)
LONG_TO_COMPILE += $(ROOM)swat
