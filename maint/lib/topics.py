#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compile libmpi's objects after each patch of hook/, in order.

usage: topics.py [--out DIR] [--jobs N] [--ends] [--only WORD,WORD...]

The tree of a state is mpich/ with the patches up to one of hook/, and with all overlay files. An
overlay file that replaces a file of upstream's is there once a patch that serves it is. What
MPICH generates from sources (collectives, bindings, variables) is generated again. What configure
makes (mpichconf.h, mpi.h, Makefile) is the final build's, which has to be up to date. A source is
compiled if a Makefile.mk of the state names it.

The objects of a state are linked, so that a function without a definition is found. It is an
error, unless a file of ours defines it that a later patch adds to the Makefiles or puts in the
place of upstream's; the line of a state says how many there are. What this does not prove: that
configure of a state works, or that its library runs. Objects are those of --netmod=ucx, so that of
patches to OFI only the shared files are compiled.
"""
import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import repository  # noqa: E402
import topic_table  # noqa: E402
import tree as t  # noqa: E402
from compile_commands import BUILD, of_libmpi  # noqa: E402

FINAL = t.ROOT / "mpich"
COPIED = ("src/", "maint/")  # of mpich/; the rest of a state's tree is links
STOCK_DEFINES = ["-DCH4_UCX_RANKBITS=16"]  # by configure without our patches, not with them
STRICT = ["-O0", "-Werror=implicit-function-declaration", "-Werror=int-conversion"]
PRECOMPILED = ("src/include/mpiimpl.h", "src/mpid/ch4/include/mpidimpl.h")


def sources_named(tree):
    """The sources that the Makefile at the top names, and those that it includes."""
    found, seen, left = set(), set(), ["Makefile.am"]
    while left:
        path = left.pop()
        seen.add(path)
        text = re.sub(r"(?m)^\s*#.*", "", (t.read(tree / path) or b"").decode())
        found.update(re.findall(r"\bsrc/[\w/.+-]+\.(?:c|cpp)\b", text))
        included = re.findall(r"(?m)^include (?:\$\(top_srcdir\)/)?(\S+)", text)
        left += [p for p in included if p not in seen]
    return found


def first_errors(source, said):
    lines = [line for line in said.splitlines() if "error" in line][:6]
    return f"{source}:\n    " + "\n    ".join(lines or said.splitlines()[-3:])


class States:
    """The tree in DIR/tree, and what is compiled of it."""

    def __init__(self, out, jobs):
        self.dir, self.jobs = Path(out).resolve(), jobs
        self.tree = self.dir / "tree"
        self.repository, self.patches, self.ours = repository.Tree(), t.series(), t.overlay()
        known = self.repository.known_steps(repository.MADE)
        tip = self.repository.commit_patches(self.patches, known)
        self.commits = {name: commit for name, _, commit in self.repository.patches(tip)}
        patched = {p for patch in self.patches for p in patch.paths}
        self.contents = self.repository.files(t.UPSTREAM, patched)
        theirs = set(self.repository.upstream_names())
        self.replaced = self.repository.files(t.UPSTREAM, theirs & set(self.ours))
        self.said, self.sources = of_libmpi()
        self.in_the_end = sources_named(FINAL)
        self.undefined, self.applied = set(), set()
        self.env = {**os.environ, "CCACHE_NOHASHDIR": "1", "CCACHE_DEPEND": "1"}
        self.env["CCACHE_BASEDIR"] = str(self.dir)
        self.unpack()

    def unpack(self):
        shutil.rmtree(self.dir, ignore_errors=True)
        self.tree.mkdir(parents=True)
        for entry in FINAL.iterdir():
            if entry.name + "/" in COPIED:
                subprocess.run(["cp", "-a", entry, self.tree / entry.name], check=True)
            else:
                (self.tree / entry.name).symlink_to(entry)
        for entry in ("src", "modules"):
            (self.dir / entry).symlink_to(BUILD / entry)

    def add(self, patch):
        self.contents |= self.repository.files(self.commits[patch.name], patch.paths)
        self.applied.add(patch.name)
        for path in set(self.replaced) & set(patch.serves()):
            self.replaced[path] = self.ours[path].read_bytes()

    # ---- the tree

    def write_extractcvars(self):
        """From its template, with what maint/configure has put into lines that have variables."""
        name = "maint/extractcvars"
        template, made = ((FINAL / n).read_text().splitlines() for n in (name + ".in", name))
        known = {a: b.replace(str(FINAL), str(self.tree)) for a, b in zip(template, made) if a != b}
        lines = (self.tree / (name + ".in")).read_text().splitlines()
        text = "".join(known.get(line, line) + "\n" for line in lines).encode()
        if t.read(self.tree / name) != text:
            t.write(self.tree / name, text, 0o755)

    def generate(self):
        """What comes out as it was keeps its time."""
        dirs = (FINAL / "maint/cvardirs").read_text().replace(str(FINAL), str(self.tree)).strip()
        for command in (
            [sys.executable, "maint/gen_coll.py"],
            [sys.executable, "maint/gen_binding_c.py"],
            ["maint/extractcvars", "--dirs=" + dirs],
        ):
            keep = [sys.executable, t.ROOT / "maint/lib/keep_mtimes.py", self.tree]
            done = t.run([*keep, *command], cwd=self.tree)
            if done.returncode:
                raise t.Failure(f"{command[-1]} failed:\n{done.stdout[-2000:]}")

    def write(self):
        for path, data in {**self.contents, **self.replaced}.items():
            if path.startswith(COPIED) and t.read(self.tree / path) != data:
                t.write(self.tree / path, data, (FINAL / path).stat().st_mode)
        self.write_extractcvars()
        self.generate()

    # ---- its objects

    def defines(self):
        """That topics are left out of which there is no patch yet."""
        topics = topic_table.table().values()
        return topic_table.without(t for t in topics if not self.applied & set(t.patches))

    def command(self, kind, source, target, *more):
        words = shlex.split(self.said[kind].replace(str(BUILD), "."))
        words[1:1] = ["-Ipch"] if kind == "c" else []
        depends = ["-fpch-deps", "-MD", "-MF", f"{target}.d"]
        flags = [*STOCK_DEFINES, *self.defines(), *STRICT, "-fPIC", "-DPIC", *depends, *more]
        return [*words, *flags, "-c", str(source), "-o", str(target)]

    def is_new(self, target):
        """Is the object newer than all that it was made from?"""
        made, said = self.dir / target, t.read(f"{self.dir / target}.d")
        if said is None or not made.is_file():
            return False
        when = made.stat().st_mtime_ns
        words = said.decode().split(":", 1)[1].replace("\\\n", " ").split()
        files = [self.dir / word for word in words]
        return all(file.is_file() and file.stat().st_mtime_ns <= when for file in files)

    def make(self, kind, source, target, *more):
        """Compiles unless there is nothing to do; '' or what the compiler says."""
        if self.is_new(target):
            return ""
        done = t.run(self.command(kind, source, target, *more), cwd=self.dir, env=self.env)
        if done.returncode:
            (self.dir / target).unlink(missing_ok=True)
        return done.stdout if done.returncode else ""

    def precompile(self):
        for header in PRECOMPILED:
            at = Path("pch") / Path(header).name
            (self.dir / at).parent.mkdir(exist_ok=True)
            if not (self.dir / at).is_symlink():
                (self.dir / at).symlink_to(self.tree / header)
            said = self.make("c", f"tree/{header}", f"{at}.gch", "-x", "c-header")
            if said:
                yield first_errors(header, said)

    def compile(self):
        """(what is wrong with the objects of this state, its objects)."""
        self.undefined = set()
        wrong = list(self.precompile())
        if wrong:
            return wrong, {}
        named, later = sources_named(self.tree), self.in_the_end
        sources = [s for s in self.sources if s in named or s not in later]
        sources += sorted(named - later)
        objects = {s: Path("obj") / re.sub(r"\.\w+$", ".o", s) for s in sources}

        def one(source):
            (self.dir / objects[source]).parent.mkdir(parents=True, exist_ok=True)
            there = (self.tree / source).is_file()  # configure makes one
            file = f"tree/{source}" if there else source
            return source, self.make(source.rsplit(".", 1)[1], file, objects[source])

        with ThreadPoolExecutor(self.jobs) as pool:
            wrong = [first_errors(source, said) for source, said in pool.map(one, sources) if said]
        return wrong or self.link(objects), objects

    def libraries(self):
        for word in self.said["libraries"].split():
            file = Path(word.replace(str(BUILD) + "/", ""))
            made = BUILD / file.parent / ".libs" / (file.stem + ".a")
            yield str(made) if file.suffix == ".la" else word

    def link(self, objects):
        options = ["-shared", "-Wl,-z,defs", "-Wl,--warn-unresolved-symbols"]
        files = [*map(str, objects.values()), *self.libraries()]
        done = t.run(["g++", *options, "-o", "libmpi.so", *files], cwd=self.dir, env=self.env)
        self.undefined = set(re.findall(r"undefined reference to `(\w+)'", done.stdout))
        if done.returncode:
            return [done.stdout[-2000:]]
        missing = self.undefined - self.defined_later(objects)
        return [f"no file defines {name}" for name in sorted(missing)]

    def defined_later(self, objects):
        """The undefined names that stand in sources of ours which are not compiled yet, or in the
        place of upstream's yet."""
        ours = {s: self.ours[s].read_bytes() for s in self.sources if s in self.ours}
        later = b"".join(
            text
            for source, text in ours.items()
            if source not in objects or self.replaced.get(source, text) != text
        )
        return set(re.findall(r"\w+", later.decode()))


def ends_topic(patches, i):
    """Is the next patch of another folder?"""
    folders = [p.name.rpartition("/")[0] for p in patches[i : i + 2]]
    return len(folders) == 1 or folders[0] != folders[1]


def main():
    how = argparse.RawDescriptionHelpFormatter
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=how)
    ap.add_argument("--out", default=t.ROOT / "build/check/topics", help="is written anew")
    ap.add_argument("--jobs", type=int, default=os.cpu_count())
    ap.add_argument("--only", default="", help="only states whose patch has one of these words")
    ap.add_argument("--ends", action="store_true", help="only the last patch of each topic")
    a = ap.parse_args()
    states = States(a.out, a.jobs)
    failed = number = 0
    for i, patch in enumerate(states.patches):
        states.add(patch)
        if a.ends and not ends_topic(states.patches, i):
            continue
        if not patch.name.startswith("hook/") or not any(
            w in patch.name for w in a.only.split(",")
        ):
            continue
        states.write()
        wrong, objects = states.compile()
        number += 1
        failed += bool(wrong)
        more = f", {len(states.undefined)} functions from later ones" if states.undefined else ""
        result = "not ok" if wrong else "ok"
        print(f"{result} {number} - {patch.name}: {len(objects)} objects{more}", flush=True)
        for text in wrong:
            print("  " + text, flush=True)
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    t.main(main)
