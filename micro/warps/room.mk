PROGRAMS += micro-producer-consumer micro-hazards
SOURCES_micro-producer-consumer := $(ROOM)producer-consumer.cu micro/components/point_line.c
SOURCES_micro-hazards := $(ROOM)hazards.cu
