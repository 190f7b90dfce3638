# SPDX-License-Identifier: BSD-3-Clause
# The headers that 700 files of libmpi begin with, compiled once instead of with each of them:
#     make -C BUILD -f Makefile -f precompiled.mk precompiled
# In each directory gcc looks for HEADER.gch before HEADER, and takes it if it was made with the
# same flags; HEADER itself, a link, serves those who include it again.  Gcc never asks whether
# HEADER.gch is older than what it came from: who makes it takes it away when make is done.

.PHONY: precompiled
# precompile HEADER
define precompile
precompiled: src/include/$(notdir $(1)).gch
.PHONY: src/include/$(notdir $(1)).gch
src/include/$(notdir $(1)).gch: $$(BUILT_SOURCES) $$(CONFIG_HEADER)
	ln -sf ../../$$(top_srcdir)/$(1) src/include/
	$$(CC) $$(DEFS) $$(DEFAULT_INCLUDES) $$(INCLUDES) $$(lib_libmpi_la_CPPFLAGS) $$(CPPFLAGS) $$(AM_CFLAGS) $$(CFLAGS) \
	    -fPIC -DPIC -MD -MF /dev/null -x c-header src/include/$(notdir $(1)) -o $$@
endef
$(eval $(call precompile,src/include/mpiimpl.h))
$(eval $(call precompile,src/mpid/ch4/include/mpidimpl.h))
