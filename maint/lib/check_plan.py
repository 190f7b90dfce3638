# SPDX-License-Identifier: BSD-3-Clause
"""Which units maint/check runs, and how long they take."""
import re
from fnmatch import filter as filter_names, fnmatchcase
from functools import partial

import check_sections
import our_files
import tree as t
from check_run import ROOT, Unit, die

ALWAYS = ("module", "validate", "build", "compilers", "names", "examples")
ALL = (*ALWAYS, "containers", "launchers", "apps", "doc", "package", "suite", "hosts", "forced")
LONG = ("fresh", "long", "arm")
ONE_FORCED = "wtr"  # reaches the most code (doc/contributing/writing_a_test.md)
DEFAULT = (
    "module/compile",
    "module/*/names",
    "module/*/unit",
    "validate/*",
    "build/tests",
    "compilers/syntax",
    "names/*",
    "examples/*",
    "short/*",
    f"forced/{ONE_FORCED}/*",
)
WITHOUT_BUILD = ("module", "validate", "build", "fresh")
SHARES = 10
TABLE = ROOT / "maint/check_times.txt"
LAST = ROOT / "build/check-times.txt"
ROWS = ROOT / "maint/check_for.txt"
UNKNOWN_SECONDS = 20


def rows_of(file):
    """The words of each line of a table."""
    lines = file.read_text().splitlines() if file.exists() else ()
    return [line.split() for line in lines if line.strip() and not line.startswith("#")]


class Times:
    """Seconds of each unit: of the last run on this machine, or of the table."""

    def __init__(self):
        self.table = {name: float(seconds) for name, seconds in rows_of(TABLE)}
        self.patterns = [name for name in self.table if "*" in name]
        self.last = {name: float(seconds) for name, seconds in rows_of(LAST)}

    def of(self, name):
        return self.last.get(name, self.of_table(name))

    def of_table(self, name):
        fitting = (pattern for pattern in self.patterns if fnmatchcase(name, pattern))
        return self.table.get(name) or self.table.get(next(fitting, None), UNKNOWN_SECONDS)

    def note(self, name, seconds):
        if " " in name:  # some programs of a unit
            return
        self.last[name] = seconds
        rows = sorted(self.last.items())
        text = "".join(f"{name} {seconds:.1f}\n" for name, seconds in rows)
        t.write(LAST, text.encode())


def all_units(check):
    """Of every section, in the order in which they run."""
    return [
        Unit(f"{section}/{name}", work)
        for section, units in check_sections.SECTIONS.items()
        for name, work in units(check)
    ]


# ---- by their names


def some_programs(check, name):
    """suite/DIRECTORY/PROGRAM: these tests of the suite alone."""
    folder, programs = name.removeprefix("suite/").rsplit("/", 1)
    return Unit(name, partial(check.suite, folder, env={"ONLY_THESE": programs}))


def program_names(pattern):
    """suite/DIRECTORY/PATTERNS with the programs that fit, between spaces; None if one does not."""
    folder, _, wanted = pattern.removeprefix("suite/").rpartition("/")
    names = set()
    for top in (ROOT / "test/mpi", ROOT / "mpich/test/mpi"):
        for file in (top / folder).glob("testlist*"):
            names.update(re.findall(r"(?m)^(\w+) ", file.read_text(errors="replace")))
    fitting = [filter_names(names, one) for one in wanted.split()]
    found = sorted({name for some in fitting for name in some})
    return f"suite/{folder}/{' '.join(found)}" if found and all(fitting) else None


def named(check, units, patterns):
    """Those that fit one of the patterns, and the build where they need it."""
    chosen, more = set(), []
    for pattern in patterns:
        fitting = {u.name for u in units if fits(u, pattern)}
        programs = pattern.startswith("suite/") and not fitting and program_names(pattern)
        if not fitting and not programs:
            die(f"no unit is called {pattern} (maint/check --list)")
        chosen |= fitting
        more += [some_programs(check, programs)] if programs else []
    sections = {name.partition("/")[0] for name in chosen} | {unit.section for unit in more}
    if sections - set(WITHOUT_BUILD):
        chosen.add("build/tests")
    return [u for u in units if u.name in chosen] + merged(check, more)


def merged(check, units):
    """Programs of one directory together."""
    folders = {}
    for unit in units:
        folder, programs = unit.name.rsplit("/", 1)
        folders.setdefault(folder, set()).update(programs.split())
    return [
        some_programs(check, f"{folder}/{' '.join(sorted(programs))}")
        for folder, programs in folders.items()
    ]


def fits(unit, pattern):
    return fnmatchcase(unit.name, pattern) or unit.section == pattern


# ---- by default, all, and shares


def of_sections(units, sections):
    return [u for u in units if u.section in sections]


def default(check, units):
    return named(check, units, DEFAULT)


def shares(units, times):
    """The units that only "all" has, in ten parts that take equally long on the table's machine."""
    rest = [u for u in of_sections(units, ALL) if not any(fits(u, p) for p in DEFAULT)]
    parts = [[] for _ in range(SHARES)]
    for unit in sorted(rest, key=lambda u: (-times.of_table(u.name), u.name)):
        min(parts, key=lambda part: sum(times.of_table(u.name) for u in part)).append(unit)
    return parts


def with_share(check, units, commit, times):
    """What runs by default, and the share that the hash of a commit picks."""
    mine = {u.name for u in shares(units, times)[int(commit[:8], 16) % SHARES]}
    first = default(check, units)
    return first + [u for u in units if u.name in mine]


# ---- for changed files


def tests_of_header(name):
    """What the header of a patch names as its tests."""
    text = t.Patch(name).part("Test")
    found = [f"{section}/*" for section in re.findall(r"\bmaint/check (\w+)", text)]
    for path in re.findall(r"\btest/[\w/]+\.\w+", text):
        found += tests_of(path)
    return found


def tests_of(path):
    """The tests of a file: those of the longest start that fits it."""
    rows = [(start, tests) for start, *tests in rows_of(ROWS) if path.startswith(start)]
    tests = list(max(rows, key=lambda row: len(row[0]))[1]) if rows else []
    if path.startswith("patches/") and path.endswith(".patch"):
        tests += tests_of_header(path.removeprefix("patches/"))
    program = re.fullmatch(r"test/mpi/(.*/\w+)\.(c|f90)", path)
    listed = re.fullmatch(r"test/mpi/(.*)/testlist\.ours", path)
    if program and program_names(f"suite/{program[1]}"):
        tests.append(f"suite/{program[1]}")
    return tests + ([f"suite/{listed[1]}/*"] if listed else [])


def files_below(path):
    """The files of ours below a folder, or the path itself; of a file that was removed, too."""
    if (ROOT / path).is_dir():
        folder = "" if path == "." else f"{path}/"
        return [file for file in our_files.listed() if file.startswith(folder)] or [path]
    if not (ROOT / path).exists() and not was_there(path):
        die(f"there is no {path}, and the last commit had none")
    return [path]


def was_there(path):
    """Whether the last commit has it"""
    return t.git("cat-file", "-e", f"HEAD:{path}") is not None


def for_paths(check, units, paths):
    """The tests of files, and of all files below a folder."""
    patterns = {"validate/all"}
    for file in (file for path in paths for file in files_below(path)):
        found = tests_of(file)
        if not found and file.startswith("mpich/"):
            die(f"{file} is made by maint/apply: name the files that maint/refresh wrote")
        if not found:
            die(f"no row of maint/check_for.txt fits {file}")
        patterns.update(found)
    return named(check, units, sorted(patterns))


def check_rows(files):
    """For maint/validate: what is wrong with the table."""
    for file in files:
        if not tests_of(file):
            yield f"no row of maint/check_for.txt fits {file}"
    starts = [start for start, *_ in rows_of(ROWS)]
    for start in starts:
        if not any(file.startswith(start) for file in files):
            yield f"maint/check_for.txt: no file begins with {start}"
        if starts.count(start) > 1:
            yield f"maint/check_for.txt has several rows for {start}"


def check_tests(check):
    """What the table names and nothing has."""
    units = all_units(check)
    for start, *tests in rows_of(ROWS):
        for test in tests:
            if not any(fits(u, test) for u in units) and not program_names(test):
                yield f"maint/check_for.txt: {start}: there is no {test}"
