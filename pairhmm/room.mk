PROGRAMS += pairhmm
SOURCES_pairhmm := $(addprefix $(ROOM),pairhmm.cu tasks.c reference.c blocked.c plan.c pools.c)
LONG_TO_COMPILE += $(ROOM)pairhmm
