# SPDX-License-Identifier: BSD-3-Clause
# One target of all modules that can be built alone, side by side:
#     make -f maint/lib/modules.mk -j2 unit-tests

common := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))/../../src/mpid/common)
modules := $(notdir $(patsubst %/Makefile,%,$(wildcard $(common)/*/Makefile)))

.PHONY: unit-tests
unit-tests: $(addprefix unit-tests-,$(modules))

.PHONY: $(addprefix unit-tests-,$(modules))
$(addprefix unit-tests-,$(modules)): unit-tests-%:
	+$(MAKE) -C $(common)/$* unit-tests
