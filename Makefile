# obstream: build, test, demo. `make help` lists the targets.
# Variables: CC, CFLAGS, prefix, DESTDIR, BUILD (build folder), SAN=address,undefined or thread.

prefix     ?= /usr/local
sysconfdir ?= /etc
BUILD      ?= build$(if $(SAN),/$(subst $(comma),-,$(SAN)))
VERSION    := 0.1.0
comma      := ,

CC      ?= cc
WARN    := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2
CFLAGS  ?= -O2 -g
PKGS    := libpq libmicrohttpd jansson zlib inih glib-2.0
HAVE_ISAL := $(shell pkg-config --exists libisal && echo 1)
PKGS    += $(if $(HAVE_ISAL),libisal)
SANFLAG := $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer -O1)
ALL_CFLAGS = -std=c11 -D_GNU_SOURCE $(WARN) $(CFLAGS) $(SANFLAG) -pthread -Iinclude \
             -DOBSTREAM_VERSION='"$(VERSION)"' -DOBSTREAM_SYSCONFDIR='"$(sysconfdir)"' \
             -DOBSTREAM_DATADIR='"$(prefix)/share/obstream"' \
             $(if $(HAVE_ISAL),-DHAVE_ISAL=1) $(shell pkg-config --cflags $(PKGS))
LDLIBS   = $(shell pkg-config --libs $(PKGS)) -lcsv -lm -pthread

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

# Rebuild when the flags change.
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(ALL_CFLAGS)' | cmp -s - $@ || echo '$(CC) $(ALL_CFLAGS)' > $@

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

##@ Testing
UNIT_SRC := $(wildcard tests/unit/test_*.c)
UNIT_BIN := $(UNIT_SRC:tests/unit/%.c=$(BUILD)/tests/unit/%)
$(UNIT_BIN): $(BUILD)/tests/unit/%: $(BUILD)/tests/unit/%.o $(LIB)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS) -lcmocka
unit-binaries: $(UNIT_BIN)

clean: ## Remove what was built
	rm -rf build

help: ## Show this list
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {print "\n" substr($$0, 5)} \
	  /^[a-z-]+:.*## / {printf "  %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

FORCE:
.PHONY: all clean help unit-binaries FORCE
.SECONDARY:
