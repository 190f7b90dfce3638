# SPDX-License-Identifier: BSD-3-Clause
"""calibrate_file.py TIMES_HPP MACHINE [--write]: puts measured times (standard input: a file of
cmap-calibrate) into the header of times.  Comments and functions stay; the head of the header says
where the figures come from."""
import re
import sys
import textwrap

WIDTH = 100


def measured(lines):
    """{name of the constant: its values in ns}; the first line is the head of the file."""
    times = [line.split("#")[0].split() for line in list(lines)[1:]]
    return {f"TIME_{w[0]}": [f"{int(ps) / 1000:.1f}" for ps in w[1:]] for w in times if w}


def head(machine):
    text = (
        "The calibrated times T of the strategies: ns of a dependent random select, without the loop around it. "
        f"Written by maint/bench calibrate, which keeps the comments; measured on: {machine}."
    )
    return "\n".join(
        textwrap.wrap(
            text, WIDTH, initial_indent="// ", subsequent_indent="// ", break_on_hyphens=False
        )
    )


def table(name, values):
    start = f"inline double {name}[] = {{"
    return textwrap.fill(
        start + ", ".join(values) + "};", WIDTH, subsequent_indent=" " * len(start)
    )


def replace(text, constants):
    """The new text, and the constants of the file that nobody measured."""
    missing = []

    def single(match):
        if match[1] not in constants:
            missing.append(match[1])
            return match[0]
        return f"inline double {match[1]} = {constants[match[1]][0]};"

    def several(match):
        if match[1] not in constants:
            missing.append(match[1])
            return match[0]
        return table(match[1], constants[match[1]])

    text = re.sub(r"inline double (\w+) = [^;]*;", single, text)
    text = re.sub(r"inline double (\w+)\[\] = \{[^}]*\};", several, text)
    return text, missing


def main():
    path, machine = sys.argv[1:3]
    constants = measured(sys.stdin)
    with open(path) as file:
        text = file.read()
    licence, rest = text.split("\n", 1)
    rest = re.sub(r"\A(//[^\n]*\n)+", "", rest)
    rest, missing = replace(rest, constants)
    text = f"{licence}\n{head(machine)}\n{rest}"
    for name in missing:
        print(f"not measured: {name} stays as it is", file=sys.stderr)
    for name in sorted(set(constants) - set(re.findall(r"TIME_\w+", text))):
        print(f"not used: {name} {' '.join(constants[name])}", file=sys.stderr)
    if "--write" in sys.argv:
        with open(path, "w") as file:
            file.write(text)
        print("wrote", path)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
