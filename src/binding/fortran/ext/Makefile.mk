# SPDX-License-Identifier: BSD-3-Clause
# Read by src/binding/fortran/use_mpi/Makefile.mk, where there is a compiler of modules.

mpi_fc_sources += src/binding/fortran/ext/mpi_ext.f90
include_HEADERS += src/binding/fortran/ext/mpif-ext.h

extension_modules = \
    src/binding/fortran/ext/mpi_ext.$(MOD) \
    src/binding/fortran/ext/mpi_f08_ext.$(MOD)

mpi_fc_modules += $(extension_modules)
CLEANFILES += $(extension_modules)

src/binding/fortran/ext/mpi_ext.lo: src/binding/fortran/ext/mpi_ext.f90 src/binding/fortran/ext/mpif-ext.h
	@$(MKDIR_P) src/binding/fortran/ext
	$(mod_verbose)$(LTFCCOMPILE) $(FCMODOUTFLAG)src/binding/fortran/ext -c $< -o $@

$(extension_modules): src/binding/fortran/ext/mpi_ext.lo
