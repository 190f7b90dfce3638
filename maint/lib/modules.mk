# SPDX-License-Identifier: BSD-3-Clause
# One target of all modules that can be built alone, side by side:
#     make -f maint/lib/modules.mk -j2 unit-tests

common := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))/../../src/mpid/common)
modules := $(notdir $(patsubst %/Makefile,%,$(wildcard $(common)/*/Makefile)))
targets := unit-tests lists

.PHONY: $(targets)
$(targets): %: $(addprefix %/,$(modules))

.PHONY: $(foreach target,$(targets),$(addprefix $(target)/,$(modules)))
$(foreach target,$(targets),$(addprefix $(target)/,$(modules))):
	+$(MAKE) -C $(common)/$(@F) $(@D)
