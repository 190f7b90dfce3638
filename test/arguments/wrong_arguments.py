#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes wrong_calls.h, the calls of the test of wrong arguments, from MPICH's list of functions.

  test/arguments/wrong_arguments.py MPI_H FILE    writes FILE, of the functions that MPI_H declares
  test/arguments/wrong_arguments.py MPI_H         says which functions and arguments it leaves out

Each function is called with right arguments, and with each argument wrong in turn. Which values are
wrong follows from the kind of an argument in mpich/src/binding; wrong_values.py has the values.
wrong_arguments.c has the rest of the program.
"""
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from wrong_values import (  # noqa: E402
    LEFT_OUT,
    NO_RIGHT_CALL,
    RIGHT_MAY_FAIL,
    right_value,
    wanted,
    wrong_values,
)

ROOT = Path(__file__).resolve().parents[2]
MPICH = ROOT / "mpich"


def functions_of_mpich():
    """lower name -> function of MPICH's generator"""
    sys.path.insert(0, str(MPICH / "maint"))
    from local_python.mpi_api import load_C_func_list, G

    load_C_func_list(str(MPICH / "src/binding"), True)
    return G.FUNCS


def prototypes(header):
    """name -> C types of its parameters, from mpi.h and what it includes"""
    text = header.read_text()
    for include in re.findall(r'#include [<"](mpi\w+\.h)[>"]', text):
        text += (header.parent / include).read_text()
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    found = {}
    for name, parameters in re.findall(
        r"(?m)^\s*int\s+(MPIX?_\w+)\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)", text
    ):
        found[name] = [" ".join(p.split()) for p in parameters.split(",") if p.strip() != "void"]
    return found


class Parameter:
    def __init__(self, function, p, c_type):
        self.function, self.c_type = function, c_type
        self.name, self.kind = p["name"], p["kind"]
        self.direction = p["param_direction"]
        self.is_array = bool(p["length"])
        self.is_pointer = "*" in c_type or "[" in c_type


def parameters_of(name, is_large, function, types):
    """Those of the C function, or None if the list and mpi.h differ."""
    listed = [p for p in function["parameters"] if "c_parameter" not in p["suppress"]]
    if not is_large:
        listed = [p for p in listed if not p["large_only"]]
    if len(listed) != len(types):
        return None
    return [Parameter(name, p, t) for p, t in zip(listed, types)]


def argument(number, right, wrong):
    """The expression of an argument, and the number of the case after it."""
    for i, (_, value) in enumerate(wrong):
        right = f"wrong == {number + i} ? {value} : {right}"
    return f"        {right}", number + len(wrong)


def right(name):
    """What a call with right arguments does; FAILS if there is none."""
    if name in NO_RIGHT_CALL:
        return "FAILS"
    return "EITHER" if RIGHT_MAY_FAIL.fullmatch(name) else "SUCCEEDS"


def calls(header):
    """The text of wrong_calls.h, its functions, and what it leaves out."""
    listed, lines, table, left = functions_of_mpich(), [], [], []
    for name, types in sorted(prototypes(header).items()):
        is_large = name.endswith("_c") and name.lower() not in listed
        base = (name[:-2] if is_large else name).lower()
        function = listed.get(base) or listed.get(base.replace("mpix_", "mpi_"))
        parameters = function and parameters_of(name, is_large, function, types)
        if name in LEFT_OUT or parameters is None:
            left.append(name)
            continue
        arguments, cases, number = [], [], 1
        for p in parameters:
            wrong = wrong_values(p)
            for what, _ in wrong:
                cases.append(f'    {{"{p.name} is {what}", {wanted(p, what)}}},')
            text, number = argument(number, right_value(p), wrong)
            arguments.append(text)
        lines += [f"static int call_{name}(int wrong)", "{"]
        lines += [] if arguments else ["    (void) wrong;"]
        lines += [f"    return {name}(\n" + ",\n".join(arguments) + ");"]
        lines += ["}", "", f"static const struct wrong wrong_{name}[] = {{", *cases]
        lines += ['    {"", EITHER}', "};", ""]
        table.append(f'    {{"{name}", {right(name)}, call_{name}, {number - 1}, wrong_{name}}},')
    lines += ["static const struct function functions[] = {", *table, "};"]
    return "\n".join(lines) + "\n", len(table), left


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    text, n, left = calls(Path(sys.argv[1]))
    if len(sys.argv) == 3:
        Path(sys.argv[2]).write_text(text)
    else:
        print(n, "functions; left out:", *left)


if __name__ == "__main__":
    main()
