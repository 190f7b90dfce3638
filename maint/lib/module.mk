# SPDX-License-Identifier: BSD-3-Clause
# A module alone, without MPICH: what the Makefiles of src/mpid/common/* have in common.  A module
# may set, before the include:
#
#   library_sources    the library is lib$(name).a; objects go to build/$(name)/<flavour> under the
#                      root
#   unit_sources, fuzz_sources (a program for each), bench_sources
#   libs, unit_libs    to link with; the unit tests alone
#   thread_sources     the unit sources with tests named Threads.*, and what these need: all of them
#                      when it is not set
#   unit_dirs          beside the module's own directory in the path of includes
#   optional           what can be left out, by the name of its library; for each
#   PART_sources       what is left out with it, of library_sources
#   PART_units         the same of unit_sources
#
# They may use root, here and name: the directories of the repository and of the module, and its
# name.
#
# FUZZ_RUNS=N for a longer run, BENCH_ARGS=... for the benchmark, WITHOUT='PART PART' to leave out.

here := $(patsubst %/,%,$(dir $(abspath $(firstword $(MAKEFILE_LIST)))))
root := $(abspath $(here)/../../../..)
name := $(notdir $(here))
library_sources ?= $(wildcard $(here)/*.c)
unit_dirs ?= $(root)/test/unit/$(name) $(root)/test/unit
unit_sources ?= $(wildcard $(root)/test/unit/$(name)/*.cpp $(root)/test/unit/$(name)/*.c)
fuzz_sources ?= $(wildcard $(root)/test/fuzz/$(name)/*.cpp)

space := $(subst ,, )
out := $(root)/build/$(name)$(if $(WITHOUT),-without-$(subst $(space),-,$(sort $(WITHOUT))))
$(if $(filter-out $(optional),$(WITHOUT)),$(error WITHOUT=$(WITHOUT): $(or $(optional),nothing) can be left out))
all_sources := $(library_sources)
library_sources := $(filter-out $(foreach part,$(WITHOUT),$($(part)_sources)),$(library_sources))
unit_sources := $(filter-out $(foreach part,$(WITHOUT),$($(part)_units)),$(unit_sources))

CXX ?= g++
CC ?= gcc
FUZZ_CXX ?= clang++
FUZZ_RUNS ?= 5000
thread_tests := Threads.*
thread_sources ?= $(unit_sources)
thread_sources := $(filter $(unit_sources),$(thread_sources))
upper = $(shell echo $(1) | tr a-z A-Z)
defines := $(foreach part,$(WITHOUT),-D$(call upper,$(name)_without_$(part)))

warnings := -Wall -Wextra -Werror
includes := -I$(here) $(patsubst %,-I%,$(unit_dirs))
flags_release := -O2 -g
# Tests are compiled fast; what they call runs fast.
unit_flags_release := -Og -g1
flags_asan := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
flags_tsan := -O1 -g -fsanitize=thread
# It does not see the copies that the compiler writes out.  (C++ reads bits by them all the time.)
# gcc says of each fence that the sanitizer does not know it; clang does not know this warning.
c_flags_tsan := $(addprefix -fno-builtin-,memcpy memset memcmp) -Wno-tsan \
                -Wno-unknown-warning-option
flags_fuzz := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all

# objects FLAVOUR,SOURCES
objects = $(patsubst $(root)/%,$(out)/$(1)/%.o,$(2))

.PHONY: all check unit-check asan-check tsan-check fuzz-check lists names-check bench clean
.DELETE_ON_ERROR:

all: $(out)/release/lib$(name).a

# GoogleTest's headers are parsed once for all unit tests of a flavour.
# unit_rules FLAVOUR,SOURCES
define unit_rules
$(out)/$(1)/tests.hpp.gch: $(root)/test/unit/tests.hpp
	@mkdir -p $$(@D)
	$(CXX) -std=c++17 $$(warnings) $$(flags_$(1)) $$(unit_flags_$(1)) -x c++-header $$< -o $$@
$(call objects,$(1),$(filter $(root)/test/%.cpp,$(2))): own_flags = $$(unit_flags_$(1)) -Winvalid-pch -include $(out)/$(1)/tests.hpp
$(call objects,$(1),$(filter $(root)/test/%.cpp,$(2))): $(out)/$(1)/tests.hpp.gch
$(out)/$(1)/unit: $(call objects,$(1),$(2)) $(out)/$(1)/lib$(name).a
	$(CXX) $$(flags_$(1)) $$(filter-out %.gch,$$^) -o $$@ -lgtest -lgtest_main $$(libs) $$(unit_libs) -lpthread
endef

# rules FLAVOUR,COMPILER.  -MT: ccache would write a path that is relative, which is no target here.
define rules
$(out)/$(1)/%.cpp.o: $(root)/%.cpp $(root)/maint/lib/module.mk
	@mkdir -p $$(@D)
	$(2) -std=c++17 $$(warnings) $$(flags_$(1)) $$(own_flags) $$(defines) $$(includes) -MMD -MP -MT $$@ -c $$< -o $$@
$(out)/$(1)/%.c.o: $(root)/%.c $(root)/maint/lib/module.mk
	@mkdir -p $$(@D)
	$(CC) -std=c99 $$(warnings) $(if $(filter fuzz,$(1)),,$$(flags_$(1)) $$(c_flags_$(1))) $$(defines) $$(includes) -MMD -MP -MT $$@ -c $$< -o $$@
$(out)/$(1)/lib$(name).a: $(call objects,$(1),$(library_sources))
	@rm -f $$@
	$(AR) rcs $$@ $$^
endef
$(eval $(call rules,release,$(CXX)))
$(eval $(call rules,asan,$(CXX)))
$(eval $(call rules,tsan,$(CXX)))
$(eval $(call rules,fuzz,$(FUZZ_CXX)))
$(eval $(call unit_rules,release,$(unit_sources)))
$(eval $(call unit_rules,asan,$(unit_sources)))
$(eval $(call unit_rules,tsan,$(thread_sources)))

# fuzz_rule SOURCE
fuzz_program = $(out)/fuzz/$(notdir $(basename $(1)))
define fuzz_rule
$(call fuzz_program,$(1)): $(call objects,fuzz,$(1)) $(out)/fuzz/lib$(name).a
	$(FUZZ_CXX) $$(flags_fuzz) -fsanitize=fuzzer $$^ -o $$@ $$(libs)
endef
$(foreach source,$(fuzz_sources),$(eval $(call fuzz_rule,$(source))))
fuzz_programs := $(foreach source,$(fuzz_sources),$(call fuzz_program,$(source)))

$(out)/release/$(name)_bench: $(call objects,release,$(bench_sources)) $(out)/release/lib$(name).a
	$(CXX) $(flags_release) $^ -o $@ -lbenchmark $(libs) -lpthread

# Side by side under make -j.  GTEST_OUTPUT names a directory, as in xml:DIR/, and each part writes
# its own file there.
parts := 0 1 2 3
run_part = GTEST_TOTAL_SHARDS=$(words $(parts)) GTEST_SHARD_INDEX=$* GTEST_OUTPUT=$${GTEST_OUTPUT:+$${GTEST_OUTPUT}$*.xml} $< --gtest_brief=1

# Compiles and runs nothing.
.PHONY: unit-tests
unit-tests: $(out)/release/unit

.PHONY: $(addprefix unit-part-,$(parts)) $(addprefix asan-part-,$(parts))
unit-check: $(addprefix unit-part-,$(parts))
$(addprefix unit-part-,$(parts)): unit-part-%: $(out)/release/unit
	$(run_part)

asan-check: $(addprefix asan-part-,$(parts))
$(addprefix asan-part-,$(parts)): asan-part-%: $(out)/asan/unit
	UBSAN_OPTIONS=print_stacktrace=1 $(run_part)

tsan-check: $(out)/tsan/unit
	GTEST_OUTPUT= $< --gtest_list_tests --gtest_filter='$(thread_tests)' | grep -q '^  '
	$< --gtest_brief=1 --gtest_filter='$(thread_tests)'

fuzz-check: $(fuzz_programs)
	for program in $^; do $$program -seed=1 -runs=$(FUZZ_RUNS) -len_control=0 -max_len=4096 -print_final_stats=0 || exit 1; done

# Automake knows no wildcards: its fragment, which maint/apply writes by this, names every file.
list = printf 'mpi_core_sources +='; printf ' \\\n    %s' $(patsubst $(root)/%,%,$(sort $(1))); echo
always := $(filter-out $(foreach part,$(optional),$($(part)_sources)),$(all_sources))
choice = ; printf 'if %s\n' $(call upper,$(name)_$(1)); $(call list,$($(1)_sources)); \
	printf 'else\nAM_CPPFLAGS += -D%s\nendif\n' $(call upper,$(name)_without_$(1))
lists:
	@{ echo 'AM_CPPFLAGS += -I$$(top_srcdir)/src/mpid/common/$(name)'; \
	    $(call list,$(always)) $(foreach part,$(optional),$(call choice,$(part))); } >$(here)/Makefile.mk.new
	@mv $(here)/Makefile.mk.new $(here)/Makefile.mk

# Every name that is defined for the linker has MPICH's prefix, is in the namespace, or is an instance
# of a template: a program linked with libmpi.a may have names like ours.
names-check: $(out)/release/lib$(name).a
	@! find $(dir $(firstword $(call objects,release,$(library_sources)))) -name '*.d' -exec head -qn 1 {} + | grep -v '^$(out)/' || { echo "these are no targets: what they depend on is not seen"; exit 1; }
	@! nm -C -g --defined-only $< | awk 'NF > 2 && $$2 !~ /[VWu]/' | grep -vE ' (MPIR_$(name)_|(non-virtual thunk to |(vtable|typeinfo|typeinfo name) for )?$(name)::)' || \
	    { echo "names without the prefix MPIR_"; exit 1; }

check: names-check unit-check asan-check tsan-check fuzz-check

bench: $(out)/release/$(name)_bench
	$< $(BENCH_ARGS)

clean:
	rm -rf $(out)

ifneq ($(MAKECMDGOALS),lists)
-include $(shell find $(out) -name '*.d' 2>/dev/null)
endif
