#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compile the files of ours, and those that we patch, as other compilers and standards would.

usage: compilers.py [--objects] [--build DIR] COMPILER...

COMPILER is gcc or clang, perhaps with a version, as in gcc-14.  Each compiles the C sources of
libmpi and of mpiexec as C23, which is gcc 15's default, and the C++ sources.  What newer compilers
reject is an error.  A warning of -Wall -Wextra is an error if it stands in a file of ours.  A
compiler that is missing is skipped.  The build has to be up to date.  Prints TAP.

  --objects    objects are made, with the warnings of the optimizer, and of the C sources also by
               the compiler's default standard; otherwise syntax alone
  --build DIR  of maint/build, not build/mpich
"""
import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "maint/lib"))
import compile_commands  # noqa: E402
import tree as t  # noqa: E402

TREE = t.ROOT / "mpich"
HYDRA = "src/pm/hydra"
# gcc 14 and clang 16 reject these; "return-mismatch" is what clang and older gcc call otherwise
REJECTED = (
    "incompatible-pointer-types",
    "int-conversion",
    "implicit-function-declaration",
    "implicit-int",
    "return-mismatch",
    "return-type",
)
DIAGNOSTIC = re.compile(r"(?m)^([^\s:][^:\n]*):\d+:(?:\d+:)? (fatal error|error|warning): .*")
ALONE = ("src/pm/alone/mpialone.c", "src/pm/rank1/mpirank1.c")


class Compiler:
    """gcc or clang by its name, and what it accepts."""

    def __init__(self, name):
        self.name = name
        self.cxx = re.sub("gcc", "g++", re.sub("clang", "clang++", name))
        self.version = subprocess.run(
            [name, "-dumpversion"], stdout=subprocess.PIPE, text=True, check=True
        ).stdout.strip()
        self.c23 = next(filter(self.accepts, ("-std=gnu23", "-std=gnu2x")), "")
        self.strict = [f for f in (f"-Werror={word}" for word in REJECTED) if self.accepts(f)]

    def accepts(self, flag):
        command = [self.name, "-Werror", flag, "-x", "c", "-fsyntax-only", os.devnull]
        return not subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode

    def command(self, words, language):
        """The build's command, by this compiler and without what only the build needs."""
        words = [w for w in shlex.split(words) if w != "-fpch-deps"][1:]
        strict = self.strict if language == "c" else []
        return [self.name if language == "c" else self.cxx, *words, "-Wall", "-Wextra", *strict]


def patched():
    return {path for patch in t.series() for path in patch.paths if path.endswith((".c", ".h"))}


def is_compiled(source):
    """Is there an object of the source?  Automake puts the name of a program before some."""
    return any(source.parent.glob(f"*{source.stem}.*o"))


class Sources:
    """What is compiled: (folder of the build, command, source) by language."""

    def __init__(self, build):
        self.ours = set(t.overlay())
        wanted = self.ours | patched()
        said, named = compile_commands.of_libmpi(build)
        self.rows = {"c": [], "cpp": []}
        for path in sorted(wanted & set(named)):
            language = path.rsplit(".", 1)[1]
            self.rows[language].append((build, said[language], TREE / path))
        for path in ALONE:
            words = f"{said['c']} -I{TREE}/src/mpi/solo"  # as Makefile.mk of mpirank1 has it
            self.rows["c"].append((build, words, TREE / path))
        hydra = compile_commands.of_hydra(build)
        for path in sorted(p for p in wanted if p.startswith(HYDRA) and p.endswith(".c")):
            if is_compiled(build / path):
                self.rows["c"].append((build / HYDRA, hydra, TREE / path))

    def is_ours(self, folder, file):
        path = os.path.realpath(os.path.join(folder, file))
        return os.path.relpath(path, TREE) in self.ours


def compile_one(row, compiler, language, standard, objects):
    """(the diagnostics that count, whether the compiler succeeded)"""
    folder, words, source = row
    with tempfile.TemporaryDirectory() as scratch:
        end = ["-c", "-o", f"{scratch}/object.o"] if objects else ["-fsyntax-only"]
        done = subprocess.run(
            [*compiler.command(words, language), *filter(None, [standard]), *end, source],
            cwd=folder,
            env={**os.environ, "LC_ALL": "C", "CCACHE_DISABLE": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
    return [(folder, found) for found in DIAGNOSTIC.finditer(done.stdout)], done


def compile_all(sources, compiler, language, standard, objects):
    """Yields what is wrong, each place once."""
    seen = set()
    with ThreadPoolExecutor(int(os.environ.get("JOBS") or os.cpu_count())) as pool:
        work = [
            pool.submit(compile_one, row, compiler, language, standard, objects)
            for row in sources.rows[language]
        ]
        for one in work:
            diagnostics, done = one.result()
            counted = 0
            for folder, found in diagnostics:
                if found[2] != "warning" or sources.is_ours(folder, found[1]):
                    counted += 1
                    if found[0] not in seen:
                        seen.add(found[0])
                        yield found[0]
            if done.returncode and not counted:
                yield f"{done.args[-1]}: status {done.returncode}: {done.stdout[-300:]}"


def main():
    ap = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ap.add_argument("--objects", action="store_true")
    ap.add_argument("--build", type=Path, default=compile_commands.BUILD)
    ap.add_argument("compilers", nargs="+", metavar="COMPILER")
    a = ap.parse_args()
    sources = Sources(a.build)
    failed = number = 0
    for name in a.compilers:
        compiler = Compiler(name) if shutil.which(name) else None
        if compiler is None:
            number += 1
            print(f"ok {number} - {name} # SKIP there is no {name}")
            continue
        default = [("c", "")] if a.objects else []
        for language, standard in [("c", compiler.c23), *default, ("cpp", "")]:
            number += 1
            wrong = list(compile_all(sources, compiler, language, standard, a.objects))
            failed += bool(wrong)
            how = " ".join(filter(None, [name, compiler.version, standard]))
            what = f"{how}: {len(sources.rows[language])} {language} files, {len(wrong)} complaints"
            print(f"{'not ok' if wrong else 'ok'} {number} - {what}", flush=True)
            for line in wrong:
                print(f"# {line}", flush=True)
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    t.main(main)
