PROGRAMS += swat-scores
SOURCES_swat-scores := $(ROOM)scores.cu $(ROOM)ranking.c swat/matrix/alignment.c $(wildcard align/*.c)
LONG_TO_COMPILE += $(ROOM)scores
