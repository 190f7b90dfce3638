# SPDX-License-Identifier: BSD-3-Clause
"""What the Makefiles of a build compile, and with which commands."""
import re

import tree as t

BUILD = t.ROOT / "build" / "mpich"
MPI_FLAGS = "$(DEFS) $(DEFAULT_INCLUDES) $(INCLUDES) $(lib_libmpi_la_CPPFLAGS) $(CPPFLAGS)"
SHOW_MPI = f"""
show:
	@printf '%s\\n' 'c $(CC) {MPI_FLAGS} $(AM_CFLAGS) $(CFLAGS)'
	@printf '%s\\n' 'cpp $(CXX) {MPI_FLAGS} $(AM_CXXFLAGS) $(CXXFLAGS)'
	@printf '%s\\n' 'sources $(lib_libmpi_la_SOURCES)' 'objects $(lib_libmpi_la_OBJECTS)'
	@printf '%s\\n' 'libraries $(lib_libmpi_la_LIBADD) $(LIBS)'
"""
SHOW_HYDRA = """
show:
	@printf '%s\\n' 'c $(CC) $(DEFS) $(DEFAULT_INCLUDES) $(INCLUDES) $(AM_CPPFLAGS) $(CPPFLAGS) $(CFLAGS)'
"""


def shown(folder, rule):
    """word -> the rest of its line, as make prints it by the rule "show"."""
    command = ["make", "-s", "-C", folder, "-f", "Makefile", "-f", "-", "show"]
    done = t.run(command, input=rule, stderr=None)
    if done.returncode:
        raise t.Failure("the build is not up to date: run maint/build first")
    return dict(line.split(" ", 1) for line in done.stdout.splitlines() if " " in line)


def of_libmpi(build=BUILD):
    """(commands and libraries, sources)."""
    said = shown(build, SHOW_MPI)
    wanted = {re.sub(r"lib_libmpi_la-|\.lo$", "", o) for o in said["objects"].split()}
    return said, [s for s in said["sources"].split() if re.sub(r"\.\w+$", "", s) in wanted]


def of_hydra(build=BUILD):
    """The command that compiles a source of mpiexec in its folder of the build."""
    return shown(build / "src/pm/hydra", SHOW_HYDRA)["c"]
