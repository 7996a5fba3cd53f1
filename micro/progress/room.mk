PROGRAMS += micro-progress
SOURCES_micro-progress := $(HERE)progress.cu $(addprefix check/termination/,parse.c files.c graph.c decide.c)

TESTS += tests/algorithms/progress
