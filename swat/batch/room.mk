PROGRAMS += swat-batch
SOURCES_swat-batch := $(addprefix $(ROOM),batch.cu gatk.c gatk_tasks.c blocked.c plan.c pools.c) align/cigar.c
LONG_TO_COMPILE += $(ROOM)batch
