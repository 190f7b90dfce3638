#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Run the commands that stand on the pages, and compare what they print.  Prints TAP.

usage: pages.py PREFIX [PAGE...]

PREFIX is the installation.  Without PAGE: README.md and all pages below doc/ that have commands.

A command is a line of a code block that begins with "$ ".  It goes on after a backslash at the end
of a line, and to the end of a here-document.  The lines up to the next command, or to the end of
the block, are its output: it prints each of them, in any order, and no others.  A line "..." stands
for any lines, and "..." in a line for any text.  Times, the numbers of lines in error stacks and
hashes of commits may differ.

Each page has a folder of its own.  It holds install/, examples/, maint/, and first.c, the program
of README.md.  A block of C becomes the file that the next command after it compiles.  If a block
needs a program that is not installed, or another MPI library, the block is skipped from there on.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "maint/lib"))
import tree as t  # noqa: E402

SECONDS = 120
# Programs of packages that nothing else here needs.
OTHERS = {"srun": "sinfo", "nwchem.mpich": "command -v nwchem.mpich"}
OTHER_LIBRARIES = r"\bmpiexec\.mpich\b"
NEEDS_ROOT = r"^(sudo|unshare)\b"


def blocks(text):
    """(language, lines) of the code blocks, fenced or indented, without their indentation."""
    lines, before = iter(text.splitlines() + ["end"]), ""
    for line in lines:
        margin = re.match(r" *", line)[0]
        if line.startswith(margin + "```"):
            inside = iter(lambda: next(lines), margin + "```")
            yield line.strip(" `"), [one.removeprefix(margin) for one in inside]
            line = ""
        elif len(margin) >= 4 and line.strip() and not before.strip():
            block = []
            while not line.strip() or line.startswith(margin):
                block.append(line.removeprefix(margin))
                line = next(lines)
            yield "", block
        before = line


def commands(block):
    """(command, lines of output) of a block."""
    found, lines = [], iter(block)
    for line in lines:
        if line.startswith("$ "):
            words, here = [line[2:]], re.search(r"<<(\w+)", line)
            while words[-1].endswith("\\") or (here and words[-1] != here[1]):
                words.append(next(lines))
            found.append(("\n".join(words), []))
        elif found and line.strip():
            found[-1][1].append(line)
    return found


def pattern(line):
    text = re.escape(line.strip()).replace("\\ ", " ").replace(r"\.\.\.", ".*")
    text = re.sub(r"(\w)\\\(\d+\\\)(\.\*|\\\.)*:", r"\1\\(\\d+\\)\\.*:", text)
    text = re.sub(r"[\d\\.]+ (us|ms|s)\b", r"[\\d.]+ \1", text)
    text = re.sub(r"rank \d+ came", r"rank \\d+ came", text)
    return re.sub(r"commit [0-9a-f]{12}", r"commit [0-9a-f]+\\+?", text)


def difference(wanted, said):
    """What the page says and the command does not print, or the other way round."""
    left, missing = [line.strip() for line in said.splitlines() if line.strip()], []
    for line in wanted:
        fits = [one for one in left if re.fullmatch(pattern(line), one)]
        if line.strip() == "...":
            continue
        if fits:
            left.remove(fits[0])
        else:
            missing.append("- " + line.strip())
    more = [] if any(line.strip() == "..." for line in wanted) else ["+ " + one for one in left]
    return "\n".join(missing + (more or (["printed:"] + left if missing else [])))


class Page:
    def __init__(self, name, prefix, top):
        self.name, self.text = name, (t.ROOT / name).read_text("utf-8")
        self.dir = Path(tempfile.mkdtemp(dir=top))
        for link, target in (("install", prefix), ("examples", "examples"), ("maint", "maint")):
            (self.dir / link).symlink_to(t.ROOT / target)
        self.source = None  # a block of C that no command has compiled yet
        self.prefix = prefix

    def prepare(self):
        """first.c, and its program."""
        program = re.search(r"(?ms)^```c\n(.*?)^```", (t.ROOT / "README.md").read_text())[1]
        (self.dir / "first.c").write_text(program)
        self.run("install/bin/mpicc -o first first.c")

    def run(self, command):
        env = {**os.environ, "MPIEXEC_TIMEOUT": str(SECONDS), "LC_ALL": "C.UTF-8"}
        env["PATH"] = f"{self.prefix}/bin:{env['PATH']}"
        try:
            done = subprocess.run(
                ["bash", "-c", command],
                cwd=self.dir,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=2 * SECONDS,
                check=False,
            )
            return done.stdout.decode("utf-8", "replace")
        except subprocess.TimeoutExpired:
            return f"it took more than {2 * SECONDS} s"

    def keep_source(self, command):
        name = re.search(r"\b(?:mpicc|mpicxx|cc)\b.*?(\w+\.c)\b", command)
        if name and self.source is not None and "/" not in name[0].split()[-1]:
            (self.dir / name[1]).write_text(self.source)
            self.source = None

    def missing(self, command):
        """What the machine lacks for it."""
        for name, shows in OTHERS.items():
            if re.search(rf"(^|[ (]){re.escape(name)}\b", command):
                if subprocess.run(shows, shell=True, capture_output=True, check=False).returncode:
                    return f"no {name}"
        if re.search(OTHER_LIBRARIES, command):
            return "another library"
        return "not root" if re.search(NEEDS_ROOT, command) and os.geteuid() else ""

    def results(self):
        """(command, what is wrong or "", why it is skipped or "")"""
        for language, block in blocks(self.text):
            if language == "c":
                self.source = "\n".join(block) + "\n"
            without = ""
            for command, lines in commands(block):
                without = without or self.missing(command)
                if not without:
                    self.keep_source(command)
                yield command, "" if without else difference(lines, self.run(command)), without


def pages():
    names = ["README.md"] + sorted(
        p.relative_to(t.ROOT).as_posix() for p in (t.ROOT / "doc").rglob("*.md")
    )
    return [n for n in names if re.search(r"(?m)^ *\$ ", (t.ROOT / n).read_text("utf-8"))]


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 2
    prefix, number, failed = Path(sys.argv[1]).resolve(), 0, 0
    with tempfile.TemporaryDirectory() as top:
        for name in sys.argv[2:] or pages():
            page = Page(name, prefix, top)
            page.prepare()
            for command, wrong, why in page.results():
                number += 1
                failed += bool(wrong)
                title = f"{name}: {command.splitlines()[0]}"
                print(
                    f"{'not ok' if wrong else 'ok'} {number} - {title}"
                    + (f" # skip {why}" if why else "")
                )
                print("".join(f"  {line}\n" for line in wrong.splitlines()), end="", flush=True)
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    t.main(main)
