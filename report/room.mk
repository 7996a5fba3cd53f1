# build/report reads results. It is host code with cJSON.
REPORT_SOURCES := $(wildcard $(HERE)*.c $(HERE)papers/*.c) $(BASE) harness/methods.c machine/description.c
$(BUILD)/report: $(REPORT_SOURCES:%.c=$(BUILD)/host/obj/%.o); $(link_for_host)
$(BUILD)/host/obj/$(HERE)main.o: $(BUILD)/revision.h
$(patsubst %,$(BUILD)/host/%/$(HERE)rows.o,obj sanitized): $(BUILD)/table_rows.h
$(patsubst %,$(BUILD)/host/%/$(HERE)gnuplot.o,obj sanitized): $(BUILD)/style_rows.h
$(BUILD)/style_rows.h: $(wildcard */tables.txt */*/tables.txt)
	@mkdir -p $(@D)
	$(Q)awk '$$1 == "style" { printf "{\"%s\", {\"%s\", %s}},\n", $$2, $$3, $$4 }' $^ >$@
$(BUILD)/table_rows.h: $(wildcard */tables.txt */*/tables.txt)
	@mkdir -p $(@D)
	$(Q)grep -hvE '^(#|style )' $^ | sed 's/[\\"]/\\&/g; s/.*/"&",/' >$@

TESTED_report := $(filter-out $(HERE)main.c,$(REPORT_SOURCES)) harness/result.c
TESTED_verdicts := $(TESTED_report)
TESTS += $(BUILD)/host/report $(BUILD)/host/verdicts tests/published tests/robustness tests/report_cli
SLOW_TESTS += tests/figures
QUICK_TESTS += "tests/regressions tables"
NEEDS += $(BUILD)/report $(addprefix $(BUILD)/machine/,bitonic micro-barrier sum)
