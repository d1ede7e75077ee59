# obstream: build, test, demo. `make help` lists the targets.
# Variables: CC, CFLAGS, prefix, DESTDIR, BUILD (build folder), SAN=address,undefined or thread.

prefix     ?= /usr/local
sysconfdir ?= /etc
mandir     ?= $(prefix)/share/man
BUILD      ?= build$(if $(SAN),/$(subst $(comma),-,$(SAN)))
VERSION    := 0.1.0
comma      := ,

CC      ?= cc
WARN    := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2
CFLAGS  ?= -O2 -g
PKGS    := libpq libmicrohttpd jansson zlib inih glib-2.0 xlsxwriter minizip
HAVE_ISAL := $(shell pkg-config --exists libisal 2>/dev/null && echo 1)
PKGS    += $(if $(HAVE_ISAL),libisal)
SANFLAG := $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer -O1)
ALL_CFLAGS = -std=c11 -D_GNU_SOURCE $(WARN) $(CFLAGS) $(SANFLAG) -pthread -Iinclude \
             -DOBSTREAM_VERSION='"$(VERSION)"' -DOBSTREAM_SYSCONFDIR='"$(sysconfdir)"' \
             -DOBSTREAM_DATADIR='"$(prefix)/share/obstream"' \
             $(if $(HAVE_ISAL),-DHAVE_ISAL=1) $(shell pkg-config --cflags $(PKGS))
LDLIBS   = $(shell pkg-config --libs $(PKGS)) -lcsv -lm -pthread

MAN_SECTIONS := $(sort $(foreach p,$(wildcard man/*.[1-9]),$(patsubst .%,%,$(suffix $(p)))))
DATA_TABLES  := $(wildcard src/load/facts_*.c include/obstream/load/facts.h)

LIB_DIRS := core conf query db output stream api endpoints compat http obs load
LIB_SRC  := $(foreach d,$(LIB_DIRS),$(wildcard src/$(d)/*.c))
LIB_OBJ  := $(LIB_SRC:%.c=$(BUILD)/%.o)
LIB      := $(BUILD)/libobstream.a
PROGRAMS := $(BUILD)/obstreamd $(BUILD)/obstream

##@ Building
all: $(PROGRAMS) ## Build obstreamd and obstream

$(BUILD)/obstreamd: $(BUILD)/src/main/obstreamd.o $(LIB)
$(BUILD)/obstream: $(BUILD)/src/main/obstream.o $(LIB)
$(PROGRAMS):
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(LIB): $(LIB_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# The SQL files are part of the program.
$(BUILD)/src/load/migrations.o: $(wildcard sql/*.sql)

# So is the viewer that /docs serves, as far as npm can fetch it.
DOCS := build/docs
$(DOCS)/stamp: tools/docs.sh tools/docs/package-lock.json
	@tools/docs.sh $(DOCS)
$(BUILD)/src/endpoints/docs.o: $(DOCS)/stamp tools/docs/page.html tools/docs/start.js

# Rebuild when the flags change.
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(ALL_CFLAGS)' | cmp -s - $@ || echo '$(CC) $(ALL_CFLAGS)' > $@

-include $(shell find $(BUILD)/src $(BUILD)/tests -name '*.d' 2>/dev/null)

deps: ## Install the Debian packages that are missing
	@tools/deps.sh

install: all ## Install programs, manual pages, configuration, SQL (DESTDIR, prefix)
	install -d $(DESTDIR)$(prefix)/bin $(DESTDIR)$(prefix)/sbin $(DESTDIR)$(sysconfdir)/obstream \
	  $(DESTDIR)$(prefix)/share/obstream/sql $(MAN_SECTIONS:%=$(DESTDIR)$(mandir)/man%)
	install $(BUILD)/obstreamd $(DESTDIR)$(prefix)/sbin/obstreamd
	install $(BUILD)/obstream $(DESTDIR)$(prefix)/bin/obstream
	install -m 644 sql/*.sql $(DESTDIR)$(prefix)/share/obstream/sql
	install -m 644 $(DOCS)/LICENSE $(DESTDIR)$(prefix)/share/obstream/swagger-ui.LICENSE
	$(foreach s,$(MAN_SECTIONS),install -m 644 $(wildcard man/*.$(s)) $(DESTDIR)$(mandir)/man$(s);)
	test -e $(DESTDIR)$(sysconfdir)/obstream/obstream.conf || \
	  install -m 644 conf/obstream.conf $(DESTDIR)$(sysconfdir)/obstream/obstream.conf
	install -m 644 conf/obstream.conf $(DESTDIR)$(prefix)/share/obstream/obstream.conf

uninstall: ## Remove what install put there, but the configuration
	rm -f $(DESTDIR)$(prefix)/sbin/obstreamd $(DESTDIR)$(prefix)/bin/obstream
	rm -f $(foreach s,$(MAN_SECTIONS),\
	  $(patsubst man/%,$(DESTDIR)$(mandir)/man$(s)/%,$(wildcard man/*.$(s))))
	rm -rf $(DESTDIR)$(prefix)/share/obstream

##@ Running
demo: ## Install, build, load a made-up archive, serve it, print curl lines
	@tools/deps.sh build run
	@echo "building obstreamd and obstream ..."
	@$(MAKE) -s -j $$(nproc) all
	@BUILD=$(BUILD) tools/demo.sh start

demo-stop: ## End the demo's server and database; the archive stays
	@tools/demo.sh stop

##@ Testing
UNIT_SRC := $(wildcard tests/unit/test_*.c)
UNIT_BIN := $(UNIT_SRC:tests/unit/%.c=$(BUILD)/tests/unit/%)
$(UNIT_BIN): $(BUILD)/tests/unit/%: $(BUILD)/tests/unit/%.o $(LIB)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS) -lcmocka
unit-binaries: $(UNIT_BIN)

check: ## Install, build with sanitizers, run all tests
	@tests/run

check-thread: ## The HTTP tests under the thread sanitizer
	@tests/run --san thread http

FUZZ_SECONDS ?= 10
FUZZ_BIN := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/fuzz/fuzz_*.c))
$(FUZZ_BIN): $(BUILD)/%: $(BUILD)/%.o $(LIB)
	$(CC) $(ALL_CFLAGS) -fsanitize=fuzzer $(LDFLAGS) -o $@ $^ $(LDLIBS)
fuzz-binaries: $(FUZZ_BIN)

fuzz: ## Fuzz what reads text from outside, FUZZ_SECONDS (10) each
	@tools/deps.sh build fuzz
	@tests/fuzz/run $(FUZZ_SECONDS)

check-schema: ## schemathesis over /api/openapi.json; up to 15 minutes
	@tests/run schema

bench: ## Measure against the bars; about ten minutes
	@tools/deps.sh build run test
	@tests/bench/run

lint: ## Layers, lengths, warnings, clang-tidy, formatting, scripts, manuals
	@tools/deps.sh build test lint
	@tools/lint.sh

fmt: ## Format the C sources
	@tools/deps.sh lint
	clang-format -i $(filter-out $(DATA_TABLES),$(shell find src include tests -name '*.[ch]'))

compile-flags: # for tools that read the sources
	@echo '$(filter-out -DOBSTREAM_%,$(filter -D% -I%,$(ALL_CFLAGS)))'

clean: ## Remove what was built
	rm -rf build

help: ## Show this list
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {print "\n" substr($$0, 5)} \
	  /^[a-z-]+:.*## / {printf "  %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

FORCE:
.PHONY: all bench check check-schema check-thread clean compile-flags demo demo-stop deps fmt fuzz \
        fuzz-binaries help install lint unit-binaries uninstall FORCE
.SECONDARY:
