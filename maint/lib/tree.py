# SPDX-License-Identifier: BSD-3-Clause
"""What the trees are made of: the pinned source, patches, and files of ours."""
import argparse
import configparser
import functools
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import replaced

ROOT = Path(__file__).resolve().parents[2]
PATCHES = ROOT / "patches"
TREES = {
    "patched": "mpich",
    "stock": "mpich-stock",
    "stock-yield": "mpich-stock-yield",
    "stock-fix": "mpich-stock-fix",
}
# can be built alone
MODULES = tuple(
    sorted(p.parent.relative_to(ROOT).as_posix() for p in ROOT.glob("src/mpid/common/*/Makefile"))
)
NOT_OVERLAY = {f"{module}/Makefile" for module in MODULES}
OUR_LIST = "testlist.ours"  # the tests of a directory of test/mpi, in the form of MPICH's testlist
UPSTREAM = "refs/tags/upstream"  # MPICH as released, in the repository of a tree
MAN = "doc/man"  # manual pages; in MPICH's tree their folder is man
LEFTOVER = re.compile(r"(~|\.orig|\.rej|\.o|\.lo|\.pyc|\.swp)$|/\.|/__pycache__/")


class Failure(Exception):
    """An error whose text is meant for the user."""


def read(path):
    try:
        return Path(path).read_bytes()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None


def pin(package, key):
    ini = configparser.ConfigParser()
    ini.read(ROOT / "upstream.ini")
    return ini[package][key]


def tarball():
    command = [ROOT / "maint" / "fetch", "--print", "mpich"]
    out = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if out.returncode:
        raise Failure("the upstream source is not there; see the message above")
    return Path(out.stdout.strip())


def write(path, data, mode=None):
    """Replaces a file in one step; None deletes it."""
    path = Path(path)
    if data is None:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part~")
    part.write_bytes(data)
    if mode is not None:
        part.chmod(mode & 0o777)
    os.replace(part, path)


# ---- patches -------------------------------------------------------------------------------------

# of a patch's header, in this order; Test only where there is one
PARTS = ("Subject", "What", "Why", "Upstream", "Serves", "Test")


def sections_of(text):
    """What stands before the first difference, and the difference of each file."""
    return re.split(r"(?m)^(?=--- \S+\n\+\+\+ \S+\n@@ )", text)


def path_of(section):
    """The file of a difference, which may be new or gone."""
    return next(w[2:] for w in section.split(maxsplit=4)[3:0:-2] if w.startswith(("a/", "b/")))


class Patch:
    """A patch file: a header, and the difference that maint/apply makes a commit of."""

    def __init__(self, name):
        self.name = name
        self.file = PATCHES / name
        text = (read(self.file) or b"").decode("utf-8", "surrogateescape")
        self.header, *sections = sections_of(text)
        self.body = "".join(sections)
        self.replaces = {}  # path -> functions that it takes out
        for e in replaced_entries():
            if e.patch == name:
                self.replaces.setdefault(e.path, []).append(e.function)
        self.paths = {*map(path_of, sections), *self.replaces}

    def part(self, name):
        """What the header says after "name:", up to the next part."""
        found = re.search(rf"(?ms)^{name}:(.*?)(?=^(?:{'|'.join(PARTS)}):|\Z)", self.header)
        return found[1].strip() if found else ""

    def serves(self):
        """Files and directories of ours that need the patch, or that the patch needs."""
        return paths_in(self.part("Serves"))

    def text(self):
        return self.header + self.body

    def cut(self, path, data):
        """A file as the hunks of this patch find it."""
        try:
            return replaced.cut(data, self.replaces[path])
        except LookupError as e:
            raise Failure(f"patches/{self.name}: {e} in {path} (patches/replaced.txt)")


@functools.cache
def replaced_entries():
    file = PATCHES / "replaced.txt"
    return replaced.parse(file.read_text()) if file.is_file() else []


def check_replaced(upstream):
    """Raises Failure where MPICH's text, in the repository of a tree, is not what ours replaces."""
    entries = replaced_entries()
    texts = upstream.files(UPSTREAM, {e.path for e in entries})
    different = list(replaced.differences(entries, texts))
    listed = {e.path for e in entries if e.function == replaced.WHOLE}
    different += [
        f"{path} replaces a file of MPICH: it needs a line in patches/replaced.txt"
        for path in sorted(set(overlay()) & set(upstream.upstream_names()) - listed)
    ]
    different += [
        f"patches/replaced.txt names {name}, which is not here"
        for e in entries
        for name in (f"patches/{e.patch}", e.ours)
        if not name.endswith("/-") and not (ROOT / name).is_file()
    ]
    if different:
        raise Failure("\n".join(different))


def paths_in(text):
    """The files and directories of ours that a text names."""
    return re.findall(r"\b(?:src|test|doc|bench)/[\w./+-]*\w", text)


def names_in(file):
    path = PATCHES / file
    if not path.is_file():
        return []
    return [w for w in (line.split("#")[0].strip() for line in path.read_text().splitlines()) if w]


def series():
    """The patches in order."""
    found = [Patch(n) for n in names_in("series")]
    for p in found:
        if not p.file.is_file():
            raise Failure(f"patches/series lists {p.name}, but there is no such file")
    return found


def alone(names):
    """The patches among names that are not in the series: a variant of stock needs them where the
    series replaces what they change."""
    return [Patch(n) for n in names if n not in names_in("series")]


# ---- files of ours -------------------------------------------------------------------------------


def buddy():
    """path in the MPICH tree -> file of BuDDy, which the maps include."""
    if subprocess.run([ROOT / "maint" / "lib" / "buddy.sh"], stdout=subprocess.DEVNULL).returncode:
        raise Failure("the source of BuDDy is not there; see the message above")
    return {
        f"src/mpid/common/cmap/buddy/{file.name}": file
        for file in sorted((ROOT / ".cache" / "buddy").iterdir())
    }


@functools.cache
def write_lists():
    """The Makefile.mk of the modules, which name their sources for Automake."""
    subprocess.run(["make", "-s", "-f", ROOT / "maint/lib/modules.mk", "lists"], check=True)


def overlay():
    """path in the MPICH tree -> file of ours, or of BuDDy's."""
    write_lists()
    found = buddy()
    for top in ("src", "test/mpi"):
        for file in sorted((ROOT / top).rglob("*")):
            path = file.relative_to(ROOT).as_posix()
            if (
                file.is_file()
                and path not in NOT_OVERLAY
                and file.name != OUR_LIST
                and not LEFTOVER.search("/" + path)
            ):
                found[path] = file
    for page in sorted((ROOT / MAN).glob("man[1-9]/*.[1-9]")):
        found[f"man/{page.relative_to(ROOT / MAN)}"] = page  # MPICH installs what is there
    return found


def error_keys(text):
    """Keys of error texts that are used, or said."""
    return set(re.findall(r"\*\*\w+", text))


def ingredients(upstream, variant):
    """(patches, files of ours) of a variant; `upstream` is the repository of a tree."""
    if variant == "patched":
        return series(), overlay()
    names = {
        "stock": [],
        "stock-yield": names_in("stock-yield"),
        "stock-fix": [n for n in names_in("series") if n.startswith("fix/")],
    }[variant]
    chosen = [p for p in series() if p.name in names] + alone(names)
    served = {p: f for p, f in overlay().items() if any(p in patch.serves() for patch in chosen)}
    # what they need they name, in a Makefile, an include, or by the keys of error texts, or it
    # replaces a file of upstream's; what needs them stays out
    needed, text, before = {}, "".join(p.body for p in chosen), None
    theirs = set(upstream.upstream_names())
    while needed != before:
        before, keys = needed, error_keys(text)
        needed = {
            p: f
            for p, f in served.items()
            if (
                keys & error_keys(f.read_text())
                if f.name == "errnames.txt"
                else f.name in text or p in theirs
            )
        }
        text += "".join(f.read_text() for p, f in needed.items() if p not in before)
    return chosen, needed


def make_lines(names):
    """What Makefile.am needs for C programs.  With glibc before 2.34 threads and dlsym are
    libraries of their own."""
    programs = " \\\n    ".join(names)
    return f"noinst_PROGRAMS += {programs}\n" + "".join(
        f"{name}_LDADD = $(LDADD) -lpthread -ldl\n" for name in names
    )


def our_tests():
    """path of a test directory -> (its testlist.ours, names of its C programs, names of its Fortran
    programs).  A source that is not in the list belongs to another program."""
    found = {}
    for file in sorted((ROOT / "test/mpi").rglob(OUR_LIST)):
        listed = set(re.findall(r"(?m)^(\w+) ", file.read_text()))
        sources = [
            sorted(s.stem for s in file.parent.glob(pattern) if s.stem in listed)
            for pattern in ("*.c", "*.f90")
        ]
        found[file.parent.relative_to(ROOT).as_posix()] = (file, *sources)
    return found


def list_of_tests(path, theirs):
    """The testlist of a directory of MPICH's suite"""
    return f"{path}/testlist.in" if f"{path}/testlist.in" in theirs else f"{path}/testlist"


def lists_with_ours(upstream):
    """path in the MPICH tree -> its text with our tests at its end: the Makefiles and testlists of
    the directories that they stand in."""
    theirs, added = set(upstream.upstream_names()), {}
    for path, (file, programs, fortran) in our_tests().items():
        added[list_of_tests(path, theirs)] = file.read_text()
        added[f"{path}/Makefile.am"] = (make_lines(programs) if programs else "") + (
            f"noinst_PROGRAMS += {' '.join(fortran)}\n" if fortran else ""
        )
    texts = upstream.files(UPSTREAM, added)
    for path, text in texts.items():
        if text is None:
            raise Failure(f"MPICH has no {path}: {OUR_LIST} is for directories of its suite")
        texts[path] = text.rstrip(b"\n") + b"\n\n" + added[path].encode()
    return texts


def run(command, **how):
    """Runs a command.  Both its streams are the text .stdout, unless `how` says otherwise."""
    how = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, **how}
    return subprocess.run(command, errors="replace", check=False, **how)


def git(*words):
    """What git says of this repository; None where there is no git or no history."""
    command = ["git", "-c", f"safe.directory={ROOT}", "-C", ROOT, *words]
    done = shutil.which("git") and run(command, stderr=subprocess.DEVNULL)
    return done.stdout if done and not done.returncode else None


def parser(prog, text, **more):
    how = argparse.RawDescriptionHelpFormatter
    return argparse.ArgumentParser(prog=prog, description=text, formatter_class=how, **more)


def main(run):
    """Runs a script's main function; a Failure becomes a message and status 1."""
    try:
        sys.exit(run())
    except (Failure, OSError) as e:
        sys.exit(f"{Path(sys.argv[0]).name}: {e}")
    except KeyboardInterrupt:
        sys.exit(130)
