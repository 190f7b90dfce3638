# SPDX-License-Identifier: BSD-3-Clause
"""The patched tree as data: pinned upstream files, patches, overlay, and what maint/apply wrote
last."""
import configparser
import functools
import hashlib
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
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
MAN = "doc/man"  # manual pages; in MPICH's tree their folder is man
LEFTOVER = re.compile(r"(~|\.orig|\.rej|\.o|\.lo|\.pyc|\.swp)$|/\.|/__pycache__/")
# what autogen.sh writes into the tree: never an edit of ours
GENERATED = re.compile(
    r"(^|/)(Makefile\.in|configure|aclocal\.m4|config\.(h\.in|log|status)|\w*conf\.h\.in|\w+_config\.h\.in|ar-lib|compile"
    r"|config\.(guess|sub)|depcomp|install-sh|libtool\.m4|lt\w+\.m4|lt~obsolete\.m4|ltmain\.sh|missing"
    r"|test-driver|py-compile|mdate-sh|texinfo\.tex|ylwrap)$"
    r"|(^|/)autom4te\.cache/|^modules/|^src/binding/|^src/pm/hydra2?/(mpl|modules|tools/topo/hwloc)/"
    r"|^(README\.envvar|subsys_include\.m4|unusederr\.txt|test/mpi/errhan/errcode\.c)$"
    r"|^src/(include/(mpir_(cvars|identity|impl)|mpi_proto)\.h|mpi_t/qmpi_register\.h|util/mpir_cvars\.c|mpi/errhan/defmsg\.h|mpi/coll/mpir_coll\.c)$"
    r"|^src/mpid/ch4/netmod/(include/netmod(_impl)?\.h|src/netmod_impl\.c)$"
    r"|^src/mpid/ch4/netmod/\w+/(func_table\.c|netmod_inline\.h|\w+_noinline\.[ch])$"
    r"|^src/mpid/ch4/shm/(include/shm\.h|\w+/(shm_inline\.h|\w+_noinline\.[ch]))$"
    r"|^maint/(createcoverage|cvardirs|extractcvars|getcoverage|genstates|clmake|f77tof90|parse\.sub)$"
    r"|(^|/)\.cmap-|~$|\.orig$|\.rej$|\.o$|\.pyc$|/__pycache__/"
)


class Failure(Exception):
    """An error whose text is meant for the user."""


def sha(data):
    return None if data is None else hashlib.sha256(data).hexdigest()


def read(path):
    try:
        return Path(path).read_bytes()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None


def pin(package, key):
    ini = configparser.ConfigParser()
    ini.read(ROOT / "upstream.ini")
    return ini[package][key]


class Upstream:
    """The files of the pinned tarball.  Those asked for are kept under .cache/pristine, so that
    the tarball is read once."""

    def __init__(self):
        self.hash = pin("mpich", "sha256")
        self.dir = ROOT / ".cache" / "pristine" / self.hash[:12]
        self.index = None

    def tarball(self):
        out = subprocess.run(
            [ROOT / "maint" / "fetch", "--print", "mpich"], stdout=subprocess.PIPE, text=True
        )
        if out.returncode:
            raise Failure("the upstream source is not there; see the message above")
        return Path(out.stdout.strip())

    def members(self):
        """Yields (path, TarInfo, TarFile) of every regular file."""
        with tarfile.open(self.tarball()) as tar:
            for info in tar:
                if info.isfile():
                    yield info.name.split("/", 1)[-1], info, tar

    def manifest(self):
        """path -> [size, mtime, mode] of every upstream file."""
        if self.index is None:
            kept = self.dir / "manifest.json"
            if not kept.is_file():
                index = {path: [i.size, int(i.mtime), i.mode] for path, i, _ in self.members()}
                write(kept, json.dumps(index).encode())
            self.index = json.loads(kept.read_text())
        return self.index

    def files(self, paths):
        """path -> content, or None where upstream has no such file."""
        known = self.manifest()
        missing = {p for p in paths if p in known and not (self.dir / "files" / p).is_file()}
        if missing:
            for path, info, tar in self.members():
                if path in missing:
                    write(self.dir / "files" / path, tar.extractfile(info).read())
        return {p: read(self.dir / "files" / p) if p in known else None for p in paths}

    def mode(self, path):
        return self.manifest().get(path, [0, 0, 0o644])[2]


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


class Patch:
    """A patch file: header text, then one section of hunks for each path."""

    def __init__(self, name):
        self.name = name
        self.file = PATCHES / name
        self.header, self.sections = "", {}
        if self.file.is_file():
            self.parse(self.file.read_text("utf-8", "surrogateescape"))
        self.replaces = {}  # path -> functions that it takes out
        for e in replaced_entries():
            if e.patch == name:
                self.replaces.setdefault(e.path, []).append(e.function)
                self.sections.setdefault(e.path, "")

    def parse(self, text):
        lines = text.splitlines(keepends=True)
        i = 0
        path = None
        while i < len(lines):
            if (
                lines[i].startswith("--- ")
                and i + 1 < len(lines)
                and lines[i + 1].startswith("+++ ")
            ):
                path = section_path(self.name, lines[i], lines[i + 1])
                self.sections[path] = "".join(lines[i : i + 2])
                i += 2
                continue
            hunk = re.match(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@", lines[i])
            if path and hunk:
                end = hunk_end(lines, i + 1, int(hunk[1] or 1), int(hunk[2] or 1))
                self.sections[path] += "".join(lines[i:end])
                i = end
                continue
            if path is None:
                self.header += lines[i]
            i += 1

    def part(self, name):
        """What the header says after "name:", up to the next part."""
        found = re.search(rf"(?ms)^{name}:(.*?)(?=^(?:{'|'.join(PARTS)}):|\Z)", self.header)
        return found[1].strip() if found else ""

    def serves(self):
        """Files and directories of ours that need the patch, or that the patch needs."""
        return paths_in(self.part("Serves"))

    def text(self):
        return self.header + "".join(self.sections[p] for p in sorted(self.sections))

    def cut(self, path, data, by=replaced.cut, **how):
        """A file as the hunks of this patch find it."""
        try:
            return by(data, self.replaces.get(path, ()), **how)
        except LookupError as e:
            raise Failure(f"patches/{self.name}: {e} in {path} (patches/replaced.txt)")

    def save(self):
        write(self.file, self.text().encode("utf-8", "surrogateescape"))


@functools.cache
def replaced_entries():
    file = PATCHES / "replaced.txt"
    return replaced.parse(file.read_text()) if file.is_file() else []


def check_replaced(upstream):
    """Raises Failure where MPICH's text is not the one that ours replaces."""
    entries = replaced_entries()
    different = list(replaced.differences(entries, upstream.files({e.path for e in entries})))
    listed = {e.path for e in entries if e.function == replaced.WHOLE}
    different += [
        f"{path} replaces a file of MPICH: it needs a line in patches/replaced.txt"
        for path in sorted(set(overlay()) & set(upstream.manifest()) - listed)
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


def section_path(name, old, new):
    strip = [w.split("\t")[0].split(None, 1)[1].strip() for w in (old, new)]
    for side, prefix in ((strip[1], "b/"), (strip[0], "a/")):
        if side.startswith(prefix):
            return side[2:]
    raise Failure(f"patches/{name}: a/ and b/ prefixes wanted in: {old.strip()} / {new.strip()}")


def hunk_end(lines, i, old, new):
    while i < len(lines) and (old > 0 or new > 0 or lines[i].startswith("\\")):
        kind = lines[i][:1]
        old -= kind in " -\n"
        new -= kind in " +\n"
        i += 1
    if i < len(lines) and lines[i].startswith("\\"):
        i += 1
    return i


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


def apply_patch(patch, contents, only=None):
    """Applies the sections of `patch` (for the paths in `only`) to contents, in place."""
    paths = [p for p in sorted(patch.sections) if only is None or p in only]
    if not paths:
        return
    with tempfile.TemporaryDirectory() as tmp:
        for p in paths:
            if contents.get(p) is not None:
                write(Path(tmp, p), patch.cut(p, contents[p]))
        text = "".join(patch.sections[p] for p in paths).encode("utf-8", "surrogateescape")
        done = subprocess.run(
            ["patch", "-p1", "-F0", "-f", "--no-backup-if-mismatch", "-d", tmp],
            input=text,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        if done.returncode:
            raise Failure(
                f"patches/{patch.name} does not apply:\n"
                + done.stdout.decode("utf-8", "replace").rstrip()
            )
        for p in paths:
            contents[p] = read(Path(tmp, p))


def diff(path, old, new):
    """A section with three lines of context, '' when nothing differs."""
    if old == new:
        return ""
    with tempfile.TemporaryDirectory() as tmp:
        write(Path(tmp, "a"), old or b"")
        write(Path(tmp, "b"), new or b"")
        labels = [
            "/dev/null" if old is None else "a/" + path,
            "/dev/null" if new is None else "b/" + path,
        ]
        out = subprocess.run(
            ["diff", "-U3", "--label", labels[0], "--label", labels[1], tmp + "/a", tmp + "/b"],
            stdout=subprocess.PIPE,
        )
    return out.stdout.decode("utf-8", "surrogateescape")


# ---- overlay and the wanted tree -----------------------------------------------------------------


def buddy():
    """path in the MPICH tree -> file of BuDDy, which the maps include."""
    if subprocess.run([ROOT / "maint" / "lib" / "buddy.sh"], stdout=subprocess.DEVNULL).returncode:
        raise Failure("the source of BuDDy is not there; see the message above")
    return {
        f"src/mpid/common/cmap/buddy/{file.name}": file
        for file in sorted((ROOT / ".cache" / "buddy").iterdir())
    }


def overlay():
    """path in the MPICH tree -> file of ours, or of BuDDy's."""
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


def ingredients(variant):
    """(patches, overlay) of a variant."""
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
    needed, text, before = (
        {},
        "".join(section for p in chosen for section in p.sections.values()),
        None,
    )
    upstream = Upstream().manifest()
    while needed != before:
        before, keys = needed, error_keys(text)
        needed = {
            p: f
            for p, f in served.items()
            if (
                keys & error_keys(f.read_text())
                if f.name == "errnames.txt"
                else f.name in text or p in upstream
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


def generated(upstream):
    """path in the MPICH tree -> lines that our tests add to its end."""
    lines = {}
    for path, (file, programs, fortran) in our_tests().items():
        name = "testlist.in" if f"{path}/testlist.in" in upstream.manifest() else "testlist"
        lines[f"{path}/{name}"] = file.read_text()
        lines[f"{path}/Makefile.am"] = (make_lines(programs) if programs else "") + (
            f"noinst_PROGRAMS += {' '.join(fortran)}\n" if fortran else ""
        )
    return lines


def add_our_tests(upstream, contents):
    """Adds our tests to the Makefiles and testlists of the directories that they stand in."""
    lines = generated(upstream)
    both = sorted(set(lines) & set(contents))
    if both:
        raise Failure(f"{both[0]} is patched, but made from {OUR_LIST}: keep one of them")
    for path, text in upstream.files(lines).items():
        if text is None:
            raise Failure(f"MPICH has no {path}: {OUR_LIST} is for directories of its suite")
        contents[path] = text.rstrip(b"\n") + b"\n\n" + lines[path].encode()


def wanted(upstream, variant):
    """(path -> content of every file that differs from upstream's, path -> mode)."""
    patches, ours = ingredients(variant)
    check_replaced(upstream)
    contents = upstream.files({p for patch in patches for p in patch.sections})
    for patch in patches:
        both = sorted(set(patch.sections) & set(ours))
        if both:
            raise Failure(
                f"patches/{patch.name} and an overlay file both make {both[0]}: keep one of them"
            )
        apply_patch(patch, contents)
    if variant == "patched":
        add_our_tests(upstream, contents)
    modes = {p: upstream.mode(p) for p in contents}
    for path, file in ours.items():
        contents[path] = file.read_bytes()
        modes[path] = 0o755 if os.access(file, os.X_OK) else 0o644
    return contents, modes


class Tree:
    """An unpacked tree and the note of what apply wrote there last."""

    def __init__(self, variant):
        self.variant = variant
        self.dir = ROOT / TREES[variant]
        self.note = self.dir / ".cmap-stamp.json"

    def written(self):
        return json.loads(self.note.read_text())["files"] if self.note.is_file() else {}

    def check_version(self):
        if json.loads(self.note.read_text())["upstream"] != pin("mpich", "sha256"):
            raise Failure(
                f"{self.dir.name}/ was made from another upstream version: move it away, then run maint/apply"
            )

    def remember(self, files):
        write(
            self.note,
            json.dumps({"upstream": pin("mpich", "sha256"), "files": files}, indent=0).encode(),
        )

    def get(self, path):
        return read(self.dir / path)

    def require(self):
        if not self.note.is_file():
            raise Failure(f"there is no {self.dir.name}/ yet: run maint/apply first")


def unowned_edits(upstream, tree, touched):
    """Files changed or added by hand which belong to no patch and no overlay."""
    known = upstream.manifest()
    changed, seen = [], set()
    for top, dirs, files in os.walk(tree.dir):
        rel = os.path.relpath(top, tree.dir)
        dirs[:] = [d for d in dirs if not GENERATED.search(os.path.normpath(f"{rel}/{d}") + "/")]
        for f in files:
            path = os.path.normpath(os.path.join(rel, f))
            seen.add(path)
            if path in touched or GENERATED.search(path) or os.path.islink(os.path.join(top, f)):
                continue
            st = os.stat(os.path.join(top, f))
            if path not in known or [st.st_size, int(st.st_mtime)] != known[path][:2]:
                changed.append(path)
    pristine = upstream.files(changed)
    edits = [p for p in changed if tree.get(p) != pristine[p]]
    gone = [p for p in known if p not in seen and p not in touched and not GENERATED.search(p)]
    return sorted(edits + gone)


def main(run):
    """Runs a script's main function; a Failure becomes a message and status 1."""
    try:
        sys.exit(run())
    except (Failure, OSError) as e:
        sys.exit(f"{Path(sys.argv[0]).name}: {e}")
    except KeyboardInterrupt:
        sys.exit(130)
