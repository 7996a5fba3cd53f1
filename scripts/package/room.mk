# make install, make dist and make wheel.
VERSION := $(shell cat VERSION)
PREFIX ?= /usr/local
TO = $$DESTDIR$$PREFIX
# The folder SUITE has what `gpusync` needs, arranged as in the tree: scripts, built programs, headers that a checked
# program is compiled with, presets, committed results. Programs are also found in bin/, where their names begin
# with gpusync-, since every system already has a program named sum. sync/ becomes a folder of include/gpusync, so
# that its headers are included as in the tree; include/gpusync/counter.cuh includes sync/counter.cuh.
SUITE := lib/gpusync
IN_SUITE := $(wildcard base/*.h machine/*.h machine/*.def machine/*/*.h machine/presets/*.json sync/*.cuh sync/*.h tools/check/*.h plots/*.gp \
  scripts/deps scripts/find-nvcc scripts/options scripts/alone scripts/run scripts/sql scripts/gpusync scripts/gpusync-check \
  scripts/gpusync-predict tools/check/program.bash tools/check/libraries.txt examples/check-my-barrier.cu VERSION)
TOOLS_IN_SUITE := report host/progress machine/check.o machine/predict.o machine/barrier.o machine/launches/check machine/launches/predict
BUILT_IN_SUITE = $(TOOLS_IN_SUITE) $(PROGRAMS:%=gpu/%) $(PROGRAMS:%=machine/%)
install:
	@for built in $(TOOLS_IN_SUITE); do \
	  [ -f $(BUILD)/$$built ] || { echo "install: $(BUILD)/$$built is not built; first make all check-tool" >&2; exit 2; }; done
	@mkdir -p "$(TO)/bin" "$(TO)/include/gpusync/sync" "$(TO)/lib/pkgconfig" "$(TO)/lib/cmake/gpusync" "$(TO)/$(SUITE)/results" \
	  "$(TO)/share/doc/gpusync" "$(TO)/share/man/man1" "$(TO)/share/bash-completion/completions"
	@for file in $(IN_SUITE); do mode=644; [ ! -x "$$file" ] || mode=755; \
	  install -D -m $$mode "$$file" "$(TO)/$(SUITE)/$$file" || exit; done
	@cp -R results/papers results/reference "$(TO)/$(SUITE)/results"
	@for built in $(BUILT_IN_SUITE); do [ ! -f "$(BUILD)/$$built" ] || \
	  install -D "$(BUILD)/$$built" "$(TO)/$(SUITE)/build/$$built" || exit; done
	@ln -sf ../$(SUITE)/scripts/gpusync "$(TO)/bin/gpusync"
	@for name in report $(PROGRAMS:%=gpu/%) $(PROGRAMS:%=machine/%); do linked=$${name#gpu/}; \
	  [ ! -f "$(BUILD)/$$name" ] || \
	  ln -sf "../$(SUITE)/build/$$name" "$(TO)/bin/gpusync-$$(echo "$$linked" | tr / -)" || exit; done
	@ln -sf ../$(SUITE)/scripts/gpusync-check ../$(SUITE)/scripts/gpusync-predict "$(TO)/bin"
	@install -m 644 sync/*.cuh sync/*.h "$(TO)/include/gpusync/sync"
	@for header in $(notdir $(wildcard sync/*.cuh)); do \
	  printf '#include "sync/%s"\n' "$$header" >"$(TO)/include/gpusync/$$header" || exit; done
	@sed 's/@VERSION@/$(VERSION)/' scripts/package/gpusync.pc >"$(TO)/lib/pkgconfig/gpusync.pc"
	@for file in gpusyncConfig gpusyncConfigVersion; do \
	  sed 's/@VERSION@/$(VERSION)/' scripts/package/$$file.cmake \
	    >"$(TO)/lib/cmake/gpusync/$$file.cmake" || exit; done
	@scripts/package/man '$(VERSION)' >"$(TO)/share/man/man1/gpusync.1"
	@install -m 644 scripts/package/gpusync.bash-completion "$(TO)/share/bash-completion/completions/gpusync"
	@cp -R LICENSE README.md CHANGELOG.md docs "$(TO)/share/doc/gpusync" && rm -rf "$(TO)/share/doc/gpusync/docs/templates"
	@echo "installed in $(TO)"

# The tarball contains a file with its revision, so that programs built from the tarball can print it.
DIST := gpusync-$(VERSION)
dist:
	@mkdir -p $(BUILD)
	@git rev-parse --short=12 HEAD >$(BUILD)/REVISION
	@git archive --prefix=$(DIST)/ --add-file=$(BUILD)/REVISION HEAD | gzip -n -9 >$(BUILD)/dist.temporary
	@mv $(BUILD)/dist.temporary $(DIST).tar.gz
	@echo '$(DIST).tar.gz, of revision '"$$(cat $(BUILD)/REVISION)"

# The wheel brings the models' programs, the checks, the predictions and the committed results to people who have
# Python. It has no programs for GPUs: the programs that happen to be built are for few architectures, and may be
# built for tests.
STAGE := $(BUILD)/wheel
WHEELS := $(BUILD)
wheel: report check-tool machine
	@rm -rf '$(STAGE)' "$$WHEELS"/gpusync-*.whl
	@$(MAKE) --no-print-directory -s install BUILT_IN_SUITE='$(TOOLS_IN_SUITE) $(PROGRAMS:%=machine/%)' PREFIX= DESTDIR='$(STAGE)' >/dev/null
	@CXX='$(CXX)' scripts/package/wheel '$(STAGE)' "$$WHEELS" '$(VERSION)' $(MACHINE_LIBS)

TESTS += tests/install
SLOW_TESTS += tests/wheel
NEEDS += $(BUILD)/report check-tool machine
