# SPDX-License-Identifier: Apache-2.0
# Builds one suite: included by the Makefile of every suites/NAME, and by its rewritten copy in Output/NAME. Knows
# compilers, the runtime's flags and the compile database; must not know any suite's sources or options.
#
#   make                  suites/NAME: plain, without any runtime (-DNUMAFY_OFF); Output/NAME: as UMF=1
#   make UMF=1            our pools: the header-only runtime on jemalloc
#   make UMF=0            the same program over libnuma's numa_alloc_onnode (NUMAFY_CACHE=onnode, fixed at build)
#   make LTO=1            with link-time optimisation
#   make ROOT_DIR=PATH    where runtime/ and suites/common/ are (default ../..)
#   make CHECK=1          -Werror, for the tests;  SANITIZE=undefined adds sanitizers
#   make -s compile_commands.json CDB=FILE      the compile database of the sources (UMF=1 unless UMF is given)
#   make clean
#
# The suite's Makefile sets PROGRAMS and, for each of them, SRCS_<program>: paths below its own folder, no spaces; a
# source may belong to several. LIBS: libraries that its programs need in every variant.

ROOT_DIR ?= ../..
CDB ?= compile_commands.json
comma := ,
# A rewritten copy has the rewriter's manifest beside it; built without our runtime it would be the plain suite again.
ifndef UMF
ifneq ($(wildcard .numafy)$(filter compile_commands.json,$(MAKECMDGOALS)),)
UMF := 1
endif
endif

OPT ?= -O2 -g
SUITE_CXXFLAGS := -std=c++17 -Wall -Wextra -pthread
# ROOT_DIR may hold spaces: it appears in recipes only, inside quotes, and never as a target or a prerequisite.
SUITE_INCLUDES := -Iinclude "-I$(ROOT_DIR)/suites/common" "-I$(ROOT_DIR)/runtime"
# A plug-in or library loaded later must find the program's copy of the runtime's state.
RUNTIME_LIBS := -Wl,--no-as-needed -ljemalloc -Wl,--as-needed -ldl '-Wl,--export-dynamic-symbol=numafy_*'

ifeq ($(UMF),1)
VARIANT := umf1
RUNTIME_CXXFLAGS := -DNUMAFY_INLINE
SUITE_LIBS := $(RUNTIME_LIBS)
else ifeq ($(UMF),0)
VARIANT := umf0
RUNTIME_CXXFLAGS := -DNUMAFY_CACHE_ONNODE
SUITE_LIBS := $(RUNTIME_LIBS) -lnuma
else ifeq ($(UMF),)
VARIANT := plain
RUNTIME_CXXFLAGS := -DNUMAFY_OFF
SUITE_LIBS :=
else
$(error UMF=$(UMF): write UMF=1 (our pools), UMF=0 (numa_alloc_onnode) or leave UMF out (plain))
endif
ifeq ($(LTO),1)
VARIANT := $(VARIANT)-lto
SUITE_CXXFLAGS += -flto=auto
endif
ifeq ($(CHECK),1)
VARIANT := $(VARIANT)-check
SUITE_CXXFLAGS += -Werror
endif
ifdef SANITIZE
VARIANT := $(VARIANT)-$(subst $(comma),-,$(SANITIZE))
SUITE_CXXFLAGS += -fsanitize=$(SANITIZE) -fno-sanitize-recover=all
endif

COMPILE := $(CXX) $(SUITE_CXXFLAGS) $(OPT) $(CXXFLAGS) $(RUNTIME_CXXFLAGS) $(SUITE_INCLUDES)
OBJDIR := obj/$(VARIANT)
SRCS := $(sort $(foreach program,$(PROGRAMS),$(SRCS_$(program))))
objects = $(patsubst %.cpp,$(OBJDIR)/%.o,$(1))

.PHONY: all clean compile_commands.json FORCE
.DELETE_ON_ERROR:
all: $(PROGRAMS:%=bin/%)

# A program has one name for all variants: linked again when the variant or a flag differs from its last link.
define link
bin/$(1): $(call objects,$(SRCS_$(1))) obj/linked
	@mkdir -p $$(@D)
	$$(COMPILE) $$(filter %.o,$$^) -o $$@ $$(LDFLAGS) $$(SUITE_LIBS) $$(LIBS)
endef
$(foreach program,$(PROGRAMS),$(eval $(call link,$(program))))

$(OBJDIR)/%.o: %.cpp $(OBJDIR)/flags
	@mkdir -p $(@D)
	$(COMPILE) -MMD -MP -c $< -o $@

define remember
	@mkdir -p $(@D)
	@printf '%s\n' $(call shell_word,$(1)) | cmp -s - $@ || printf '%s\n' $(call shell_word,$(1)) >$@
endef
shell_word = '$(subst ','\'',$(1))'

$(OBJDIR)/flags: FORCE
	$(call remember,$(COMPILE))
obj/linked: FORCE
	$(call remember,$(VARIANT) $(COMPILE) $(LDFLAGS) $(SUITE_LIBS) $(LIBS))

compile_commands.json:
	@python3 "$(ROOT_DIR)/suites/common/compile_commands.py" "$(CDB)" $(SRCS) -- $(COMPILE)

clean:
	rm -rf bin obj

-include $(patsubst %.o,%.d,$(call objects,$(SRCS)))
