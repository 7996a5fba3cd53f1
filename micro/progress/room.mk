PROGRAMS += micro-progress
SOURCES_micro-progress := $(ROOM)progress.cu $(addprefix check/termination/,parse.c files.c graph.c parts.c decide.c)
