# SPDX-License-Identifier: BSD-3-Clause
"""The formatters of our sources, with the versions that decide: another one breaks other lines."""
import re
import shutil

import tree as t

CPP = re.compile(r"\.(cpp|hpp)$")
C = re.compile(r"^(src|test|bench|examples)/.*(?<!/mpif-ext)\.[ch]$")  # that one is Fortran
THEIRS = "/buddy/"  # of another project, which has a style of its own
FORTRAN = "/mpif-"  # a header, but no C


def is_cpp(name):
    return bool(CPP.search(name)) and THEIRS not in name


def is_c(name):
    return bool(C.search(name)) and THEIRS not in name and FORTRAN not in name


def is_python(name):
    with (t.ROOT / name).open("rb") as file:
        return name.endswith(".py") or file.readline().startswith(b"#!/usr/bin/env python3")


class Formatter:
    def __init__(self, name, version, takes, write, check, would):
        self.name, self.version, self.takes = name, version, takes
        self.options_to_write, self.options_to_check, self.would_change = write, check, would

    def unfit(self):
        """Why it cannot be used here; "" if it can."""
        if not shutil.which(self.name):
            return f"{self.name} is not installed: apt-get install {self.name}"
        found = re.search(r"\d+(\.\d+)*", t.run([self.name, "--version"]).stdout)
        if found and found[0].split(".")[0] == self.version:
            return ""
        return (
            f"{self.name} {found[0] if found else 'of an unknown version'} is installed, and it breaks lines "
            f"differently from {self.name} {self.version} of Debian 12, which decides"
        )

    def run(self, options, files):
        return t.run([self.name, *options, *files], cwd=t.ROOT)

    def check(self, files):
        """What is wrong with the files that it takes."""
        done = self.run(self.options_to_check, [f for f in files if self.takes(f)])
        found = sorted(set(re.findall(self.would_change, done.stdout)))
        yield from (f"{name} is not as {self.name} writes it: run maint/format" for name in found)
        if done.returncode and not found:
            yield done.stdout


def clang_format(takes, style):
    return Formatter(
        "clang-format",
        "14",
        takes,
        [f"--style=file:{style}", "-i"],
        [f"--style=file:{style}", "--dry-run", "-Werror"],
        r"(?m)^(\S+?):\d+:\d+: error: code should be clang-formatted",
    )


FORMATTERS = (
    clang_format(is_cpp, ".clang-format"),
    clang_format(is_c, ".clang-format-c"),
    Formatter(
        "black",
        "23",
        is_python,
        ["--config", "pyproject.toml"],
        ["--config", "pyproject.toml", "--check"],
        r"(?m)^would reformat (.*)$",
    ),
)
