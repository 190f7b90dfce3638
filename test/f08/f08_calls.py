#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes test/mpi/f08/misc/all_procedures.f90 from the interfaces of mpi_f08.

  test/f08/f08_calls.py            writes the program again, after a change of the interfaces
  test/f08/f08_calls.py --count    says how many procedures it calls, and which it only names

The interfaces are those that MPICH's generator makes for this machine. The program names each
procedure, so that the linker has to find it, and calls most of them once, with arguments of the
types that the interface asks for. f08_steps.py has the calls in an order in which they succeed;
arguments that it leaves out follow from their types.
"""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from f08_steps import STEPS  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
MPICH = ROOT / "mpich"
PROGRAM = ROOT / "test/mpi/f08/misc/all_procedures.f90"
FRAME = Path(__file__).with_name("f08_frame.f90")  # what stands before the program
F08 = "src/binding/fortran/use_mpi_f08"
SIZES = ["-fint-size=4", "-aint-size=8", "-count-size=8", "-cint-size=4"]

# What they are given, unless a step says another thing.
IN = {
    "TYPE(MPI_Comm)": "comm",
    "TYPE(MPI_Group)": "group",
    "TYPE(MPI_Datatype)": "MPI_INTEGER",
    "TYPE(MPI_Info)": "MPI_INFO_NULL",
    "TYPE(MPI_Op)": "MPI_SUM",
    "TYPE(MPI_Errhandler)": "MPI_ERRORS_RETURN",
    "TYPE(MPI_Request)": "request",
    "TYPE(MPI_Status)": "status",
    "TYPE(MPI_Win)": "win",
    "TYPE(MPI_File)": "file",
    "TYPE(MPI_Message)": "message",
    "TYPE(MPI_Session)": "session",
    "TYPE(*)": "send",
    "LOGICAL": ".false.",
    "CHARACTER": "'a name'",
}
OUT = {
    "TYPE(MPI_Comm)": "new_comm",
    "TYPE(MPI_Group)": "new_group",
    "TYPE(MPI_Datatype)": "new_type",
    "TYPE(MPI_Info)": "new_info",
    "TYPE(MPI_Op)": "new_op",
    "TYPE(MPI_Errhandler)": "new_handler",
    "TYPE(MPI_Request)": "request",
    "TYPE(MPI_Status)": "status",
    "TYPE(MPI_Win)": "new_win",
    "TYPE(MPI_File)": "new_file",
    "TYPE(MPI_Message)": "message",
    "TYPE(MPI_Session)": "new_session",
    "TYPE(C_PTR)": "pointer",
    "TYPE(*)": "receive",
    "LOGICAL": "flag",
    "CHARACTER": "text",
}
KINDS = {
    "INTEGER": "",
    "INTEGER(KIND=MPI_ADDRESS_KIND)": "MPI_ADDRESS_KIND",
    "INTEGER(KIND=MPI_COUNT_KIND)": "MPI_COUNT_KIND",
    "INTEGER(KIND=MPI_OFFSET_KIND)": "MPI_OFFSET_KIND",
}
SCRATCH = {"": "ints", "MPI_ADDRESS_KIND": "aints", "MPI_COUNT_KIND": "counts"}
SCRATCH["MPI_OFFSET_KIND"] = "offsets"
ZERO = re.compile(
    r"(dest|source|root|rank|target_rank|leader|color|key|disp|offset|displs|displacements|"
    r"extra_state|assert|starts|direction|position|partition)$|target_disp"
)
FREE = {  # a handle that a call makes goes again
    "new_comm": "MPI_Comm_free",
    "new_group": "MPI_Group_free",
    "new_info": "MPI_Info_free",
    "new_op": "MPI_Op_free",
    "new_handler": "MPI_Errhandler_free",
}


class Argument:
    def __init__(self, name, declaration):
        self.name = name
        self.intent = (re.search(r"INTENT\((\w+)\)", declaration) or [0, "in"])[1]
        self.is_array = bool(re.search(r":: \w+\(", declaration))
        self.type = re.match(r"[A-Z ]+(\([^)]*\)+)?", declaration)[0].strip()
        if self.type.startswith("CHARACTER"):
            self.type = "CHARACTER"
        if self.type == "TYPE(*)" and "INTENT" not in declaration:
            self.intent = "out"


class Procedure:
    """One of those that a generic name stands for."""

    def __init__(self, name, is_function, arguments):
        self.name, self.is_function, self.arguments = name, is_function, arguments

    def types(self):
        return [(a.type, a.is_array) for a in self.arguments]


def interfaces():
    """generic name -> [Procedure]"""
    with tempfile.TemporaryDirectory() as tmp:
        for folder in ("wrappers_f", "wrappers_c"):
            (Path(tmp) / F08 / folder).mkdir(parents=True)
        command = [sys.executable, "-B", MPICH / "maint/gen_binding_f08.py"] + SIZES
        subprocess.run(command, cwd=tmp, check=True, stdout=subprocess.DEVNULL)
        text = (Path(tmp) / F08 / "mpi_f08.f90").read_text()
    text = re.sub(r" ?&\n *", " ", text)
    found = {}
    for block in re.finditer(r"(?ms)^ *INTERFACE (\w+)\n(.*?)END INTERFACE", text):
        found[block[1]] = [
            procedure(*m.groups())
            for m in re.finditer(
                r"(?ms)^ *(SUBROUTINE|FUNCTION) (\w+)\((.*?)\).*?\n(.*?)END \1", block[2]
            )
        ]
    return found


def procedure(kind, name, names, body):
    lines = {m[2]: m[0].strip() for m in re.finditer(r"(?m)^ *(.*) :: (\w+).*$", body)}
    arguments = [Argument(n, lines[n]) for n in re.split(r", *", names) if n]
    return Procedure(name, kind == "FUNCTION", arguments)


# ---- arguments ----


def integer(a, place, given):
    kind = KINDS[a.type]
    if a.intent == "in":
        value = given if given is not None else "0" if ZERO.search(a.name) else "1"
        if given is None and a.is_array:
            value = "zeros" if ZERO.search(a.name) else "ones"
        return f"int({value}, {kind})" if kind else value
    if given is not None:
        return given
    scratch = SCRATCH[kind]
    if a.is_array:
        return f"{scratch}(:, {place})"
    return f"{scratch}(1, {place})"


def value_of(a, place, given):
    if a.type in KINDS:
        return integer(a, place, given)
    if given is not None:
        return given
    if a.is_array:
        plural = {"TYPE(MPI_Request)": "requests", "TYPE(MPI_Status)": "statuses"}
        plural.update({"TYPE(MPI_Datatype)": "types", "LOGICAL": "flags"})
        return plural[a.type]
    return (OUT if a.intent == "out" else IN)[a.type]


def call(procedure, generic, given):
    """The lines of a call, and of what frees its results."""
    values = []
    for place, a in enumerate((a for a in procedure.arguments if a.name != "ierror"), 1):
        values.append(value_of(a, place, given.get(a.name)))
    if procedure.is_function:
        return [f"call result_of(real({generic}({', '.join(values)})))"]
    lines = [f"call {generic}({', '.join(values + ['ierr'])})", f"call ok('{generic}')"]
    for value in values:
        if value in FREE and generic != FREE[value] and not given.get("keep"):
            lines += [f"call {FREE[value]}({value})"]
    return lines


# ---- the program ----


def lines_of(step, found):
    """The lines of a step."""
    lines, before = [], None
    for p in found[step.name]:
        # on this machine some generic names have one procedure in two guises
        if p.types() != before:
            lines += step.before.splitlines() + call(p, step.name, step.given)
            lines += step.after.splitlines()
        before = p.types()
    return lines


def wrapped(line, indent="        "):
    """Lines of at most 96 columns."""
    out = []
    while len(indent + line) > 96:
        cut = (indent + line).rfind(", ", 0, 92) + 2 - len(indent)
        out.append(indent + line[:cut] + "&")
        line = "    " + line[cut:]
    return out + [indent + line]


def subroutine(name, lines):
    body = [text for line in lines for text in wrapped(line)]
    return [f"    subroutine {name}()"] + body + [f"    end subroutine {name}", ""]


def named(found):
    """A reference to each procedure."""
    for procedures in found.values():
        for p in procedures:
            yield f"found = c_funloc({p.name})"
            profiled = re.sub(r"^(MPIX?)_", r"P\1R_", p.name)
            yield f"found = c_funloc({profiled})"


def program(found):
    lines = [FRAME.read_text(), "program main", "    use everything", "    implicit none", ""]
    lines += ["    call mtest_init(ierr)", "    call begin()"]
    lines += [f"    call call_{name}()" for name in STEPS]
    lines += ["    call finish()", "    call mtest_finalize(errs)"]
    lines += ["    if (total < 0) call names()", "", "contains", ""]
    for name, calls in STEPS.items():
        lines += subroutine(
            f"call_{name}", [line for step in calls for line in lines_of(step, found)]
        )
    lines += subroutine("names", named(found))
    return "\n".join(lines[:-1] + ["end program main", ""])


def report(found):
    called = {step.name for calls in STEPS.values() for step in calls}
    called |= {"MPI_Init", "MPI_Finalize"}
    procedures = sum(len(p) for p in found.values())
    print(f"{len(found)} names of {procedures} procedures, each also as PMPI: {len(called)} called")
    print("named only:", " ".join(sorted(set(found) - called)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", action="store_true", help="say what is called")
    options = parser.parse_args()
    found = interfaces()
    if options.count:
        report(found)
    else:
        PROGRAM.write_text(program(found))


main()
