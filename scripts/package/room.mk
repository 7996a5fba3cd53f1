# make install and make dist.
VERSION := $(shell cat VERSION)
PREFIX ?= /usr/local
TO = $(DESTDIR)$(PREFIX)
# sync/ becomes a folder of include/gpusync, so that its headers are included as in the tree. The names of
# programs begin with gpusync-, since every system already has a program named sum.
install:
	@mkdir -p '$(TO)/bin' '$(TO)/include/gpusync/sync' '$(TO)/lib/pkgconfig' '$(TO)/lib/cmake/gpusync' \
	  '$(TO)/share/gpusync/plots' '$(TO)/share/gpusync/results' '$(TO)/share/doc/gpusync'
	@for built in $(BUILD)/report $(PROGRAMS:%=$(BUILD)/gpu/%); do \
	  [ ! -f "$$built" ] || install "$$built" "$(TO)/bin/gpusync-$${built##*/}" || exit; done
	@for built in $(PROGRAMS:%=$(BUILD)/machine/%); do \
	  [ ! -f "$$built" ] || install "$$built" "$(TO)/bin/gpusync-machine-$${built##*/}" || exit; done
	@install -m 644 sync/*.cuh sync/*.h '$(TO)/include/gpusync/sync'
	@sed 's/@VERSION@/$(VERSION)/' scripts/package/gpusync.pc >'$(TO)/lib/pkgconfig/gpusync.pc'
	@for file in gpusyncConfig gpusyncConfigVersion; do \
	  sed 's/@VERSION@/$(VERSION)/' scripts/package/$$file.cmake \
	    >"$(TO)/lib/cmake/gpusync/$$file.cmake" || exit; done
	@install -m 644 plots/*.gp '$(TO)/share/gpusync/plots'
	@cp -R results/papers results/reference '$(TO)/share/gpusync/results'
	@install -m 644 LICENSE README.md CHANGELOG.md '$(TO)/share/doc/gpusync'
	@echo 'installed in $(TO)'

# The tarball contains a file with its revision, so that programs built from the tarball can print it.
DIST := gpusync-$(VERSION)
dist:
	@mkdir -p $(BUILD)
	@git rev-parse --short=12 HEAD >$(BUILD)/REVISION
	@git archive --prefix=$(DIST)/ --add-file=$(BUILD)/REVISION HEAD | gzip -n -9 >$(BUILD)/dist.temporary
	@mv $(BUILD)/dist.temporary $(DIST).tar.gz
	@echo '$(DIST).tar.gz, of revision '"$$(cat $(BUILD)/REVISION)"


TESTS += tests/install
NEEDS += $(BUILD)/report
