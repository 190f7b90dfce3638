# SPDX-License-Identifier: BSD-3-Clause
"""A tree that maint/apply makes, as a git repository: upstream's files, then one commit a patch,
then one with the files of ours.

A commit says which patch it is by the line "Patch: NAME" of its message.  Before the commit of a
patch that replaces functions (patches/replaced.txt) stands one that takes them out, so that the
difference of each commit is what its patch file has.  Author and dates are always the same: the
same series makes the same commits.
"""
import contextlib
import fcntl
import hashlib
import itertools
import json
import os
import re
import shutil
import subprocess
import tempfile

import tree as t

MADE = "refs/cmap/made"  # what maint/apply made last
OVERLAY = "Files of ours\n"
NOBODY = "maint/apply"
GIT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "safe.directory",
    "GIT_CONFIG_VALUE_0": "*",
    "LC_ALL": "C",
}
for who in ("AUTHOR", "COMMITTER"):
    GIT |= {
        f"GIT_{who}_NAME": NOBODY,
        f"GIT_{who}_EMAIL": "maint@localhost",
        f"GIT_{who}_DATE": "1000000000 +0000",
    }


def words(data):
    """What a command has printed with -z."""
    return [os.fsdecode(word) for word in data.split(b"\0") if word]


def lines(names):
    """Names as a command with -z reads them."""
    return b"".join(os.fsencode(name) + b"\0" for name in names)


class Tree:
    def __init__(self, variant="patched"):
        self.variant = variant
        self.dir = t.ROOT / t.TREES[variant]
        self.scratch = tempfile.TemporaryDirectory()

    def git(self, *command, where=None, **how):
        how = {"input": b"", **how, "env": {**GIT, **how.get("env", {})}}
        done = subprocess.run(
            ["git", "-c", "gc.auto=0", "-C", where or self.dir, *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **how,
        )
        if done.returncode:
            said = (done.stdout + done.stderr).decode("utf-8", "replace")
            raise t.Failure(re.sub(r"(?m)^hint: .*\n", "", said).rstrip())
        return done.stdout

    def id(self, name):
        """The commit of a name; None where there is none."""
        try:
            return self.git("rev-parse", "-q", "--verify", f"{name}^{{commit}}").decode().strip()
        except t.Failure:
            return None

    # ---- upstream

    def make(self):
        """Unpacks upstream, unless that was done."""
        if (self.dir / ".git").exists():
            said = self.git("log", "-1", "--format=%B", t.UPSTREAM).decode()
            if t.pin("mpich", "sha256") not in said:
                raise t.Failure(
                    f"{self.dir.name}/ was made from another upstream version: move it away, "
                    "then run maint/apply"
                )
            return
        if self.dir.exists() and not (self.dir / ".cmap-stamp.json").is_file():
            raise t.Failure(
                f"{self.dir.name}/ exists but was not made by maint/apply: move it away first"
            )
        part = self.dir.with_name(self.dir.name + ".part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir()
        print(
            f"apply: unpacking MPICH {t.pin('mpich', 'version')} into {self.dir.name}/", flush=True
        )
        options = ["--strip-components=1", "--no-same-owner"]
        subprocess.run(["tar", "-xf", t.tarball(), "-C", part, *options], check=True)
        self.commit_upstream(part)
        if self.dir.exists():
            (part / ".git").rename(self.dir / ".git")
            shutil.rmtree(part)
            self.take_over(self.dir / ".cmap-stamp.json")
        else:
            part.rename(self.dir)

    def take_over(self, note):
        """The commit of a tree that was made before there were commits, with a note of the hashes
        of what was written: what has another hash is an edit."""
        written = {
            path: (self.dir / path, os.access(self.dir / path, os.X_OK))
            for path, wanted in json.loads(note.read_text())["files"].items()
            if hashlib.sha256(self.get(path) or b"").hexdigest() == wanted
        }
        self.plumb("read-tree", t.UPSTREAM)
        self.stage(written)
        made = self.commit(self.id(t.UPSTREAM), OVERLAY)
        self.git("update-ref", "HEAD", made)
        self.git("update-ref", MADE, made)
        note.unlink()

    def commit_upstream(self, part):
        self.git("init", "-q", where=part)
        shutil.copy(t.ROOT / "maint/lib/generated.ignore", part / ".git/info/exclude")
        (part / ".git/info/attributes").write_text("* -text\n")
        # not by what MPICH's own .gitignore files say
        files = self.git(
            "ls-files", "-z", "-o", f"--exclude-from={part}/.git/info/exclude", where=part
        )
        self.git("update-index", "-z", "--add", "--stdin", where=part, input=files)
        title = f"MPICH {t.pin('mpich', 'version')}\n\nsha256 {t.pin('mpich', 'sha256')}"
        self.git("commit", "-q", "-m", title, where=part)
        self.git("update-ref", t.UPSTREAM, "HEAD", where=part)
        self.git("update-ref", MADE, "HEAD", where=part)

    # ---- what commits hold

    def names(self, *command):
        """Paths that a command of git prints."""
        return words(self.git(*command, "-z"))

    def upstream_names(self):
        return self.names("ls-tree", "-r", "--name-only", t.UPSTREAM)

    def changed(self, old, new, *how):
        return set(self.names("diff-tree", "-r", "--name-only", "--no-renames", *how, old, new))

    def files(self, revision, paths):
        """path -> content, or None where the commit has no such file"""
        paths = list(paths)
        asked = "".join(f"{revision}:{path}\n" for path in paths).encode()
        said = self.git("cat-file", "--batch", input=asked)
        found, at = {}, 0
        for path in paths:
            end = said.index(b"\n", at)
            head, at = said[at:end], end + 1
            found[path] = None
            if not head.endswith(b" missing"):
                size = int(head.rsplit(b" ", 1)[1])
                found[path] = said[at : at + size]
                at += size + 1
        return found

    def get(self, path):
        return t.read(self.dir / path)

    # ---- commits and patches

    def commits(self, tip):
        """[(commit, message)] from upstream's to a tip."""
        said = self.git("log", "--reverse", "--format=%H%n%B%x00", f"{t.UPSTREAM}..{tip}")
        found = [entry.lstrip(b"\n").partition(b"\n") for entry in said.split(b"\0")[:-1]]
        return [
            (c.decode(), m.decode("utf-8", "surrogateescape").strip("\n") + "\n")
            for c, _, m in found
        ]

    def texts(self, commits, context="-U3"):
        """commit -> its difference, as a patch file has it"""
        asked = "".join(f"{commit}\n" for commit in commits).encode()
        said = self.git(
            *("diff-tree", "--stdin", "--always", "-r", "-p", context, "--no-renames"),
            "--format=%x00%H%x00",
            input=asked,
        ).decode("utf-8", "surrogateescape")
        said = re.sub(r"(?m)^(?:diff --git|index|new file mode|deleted file mode) .*\n", "", said)
        said = re.sub(r"(?m)^(@@ -\S+ \+\S+ @@).*", r"\1", said)
        _, *found = said.split("\0")
        return {c: text.lstrip("\n") for c, text in zip(found[::2], found[1::2])}

    def patches(self, tip):
        """[(name, text of its file, commit)] of the patches of a tip, in order."""
        named = []
        for commit, message in self.commits(tip):
            name = re.search(r"\nPatch: (\S+)\n\Z", message)
            if name:
                named.append(
                    (name[1], "Subject: " + message[: name.start()].rstrip("\n") + "\n\n", commit)
                )
            elif message != OVERLAY and not message.startswith("Cut "):
                raise t.Failure(
                    f"commit {commit[:12]} is no patch: {message.splitlines()[0]}\n"
                    "its message has to end with a line such as Patch: hook/area/0001-topic.patch"
                )
        texts = self.texts(commit for _, _, commit in named)
        return [(name, header + texts[commit], commit) for name, header, commit in named]

    # ---- making commits

    def plumb(self, *command, **how):
        """Runs a command of git on an index of this process."""
        return self.git(*command, env={"GIT_INDEX_FILE": f"{self.scratch.name}/index"}, **how)

    def commit(self, parent, message):
        tree = self.plumb("write-tree").decode().strip()
        made = self.git(
            "commit-tree",
            tree,
            "-p",
            parent,
            "-F",
            "-",
            input=message.encode("utf-8", "surrogateescape"),
        )
        return made.decode().strip()

    def stage(self, files):
        """Puts files, path -> (file to read, executable?), into the index."""
        asked = "".join(f"{file}\n" for file, _ in files.values()).encode()
        hashes = self.git("hash-object", "-w", "--no-filters", "--stdin-paths", input=asked).split()
        entries = (
            f"100{755 if runs else 644} {name.decode()}\t{path}\0"
            for (path, (_, runs)), name in zip(files.items(), hashes)
        )
        self.plumb("update-index", "-z", "--index-info", input="".join(entries).encode())

    def stage_texts(self, texts, modes):
        """Puts texts, path -> bytes, into the index."""
        with tempfile.TemporaryDirectory() as folder:
            files = {}
            for number, (path, text) in enumerate(texts.items()):
                t.write(f"{folder}/{number}", text)
                files[path] = (f"{folder}/{number}", modes(path))
            self.stage(files)

    def cut(self, parent, patch):
        """The commit that takes out what a patch replaces."""
        before = self.files(parent, patch.replaces)
        self.stage_texts({p: patch.cut(p, data) for p, data in before.items()}, lambda path: False)
        return self.commit(parent, self.cut_message(patch))

    @staticmethod
    def cut_message(patch):
        functions = sorted(f"{p}: {f}" for p, names in patch.replaces.items() for f in names)
        return f"Cut what {patch.name} replaces\n\n" + "\n".join(functions) + "\n"

    def commit_patches(self, patches, known=()):
        """The last commit of the patches on top of upstream, of which `known` has the first ones:
        [(commit, message or text)]."""
        parent = self.id(t.UPSTREAM)
        steps = []
        for p in patches:
            steps += [(p, self.cut_message(p))] if p.replaces else []
            steps += [(p, p.text())]
        done = 0
        for (commit, text), (_, wanted) in zip(known, steps):
            if text != wanted:
                break
            parent, done = commit, done + 1
        if done == len(steps):
            return parent
        self.plumb("read-tree", parent)
        for p, text in steps[done:]:
            if text.startswith("Cut "):
                parent = self.cut(parent, p)
                continue
            if p.body:
                self.apply(p, text)
            message = p.header.removeprefix("Subject: ").rstrip("\n")
            parent = self.commit(parent, f"{message}\n\nPatch: {p.name}\n")
        return parent

    def apply(self, patch, text):
        try:
            command = ("apply", "--cached", "--whitespace=nowarn", "-")
            self.plumb(*command, input=text.encode("utf-8", "surrogateescape"))
        except t.Failure as e:
            raise t.Failure(
                f"patches/{patch.name} does not apply:\n{e}\n"
                "MPICH, or an earlier patch, has other lines there. Make the patch again: "
                'doc/contributing/editing_a_patch.md, "A new upstream version"'
            )

    def known_steps(self, tip):
        """[(commit, what commit_patches compares)] of a tip, up to our files."""
        texts = {commit: text for _, text, commit in self.patches(tip)}
        steps = ((c, texts.get(c, message)) for c, message in self.commits(tip))
        return list(itertools.takewhile(lambda step: step[1] != OVERLAY, steps))

    def ingredients(self):
        """(patches, files of ours)"""
        return t.ingredients(self, self.variant)

    def commit_all(self, known=MADE):
        """The commit of the whole tree, from what patches/ and the folders of ours hold now.  What
        is the same in a known commit is not made again."""
        patches, ours = self.ingredients()
        tests = t.lists_with_ours(self) if self.variant == "patched" else {}
        t.check_replaced(self)
        for p in patches:
            for path in sorted(p.paths & {*ours, *tests}):
                raise t.Failure(
                    f"patches/{p.name} changes {path}, which is made of files of ours, too"
                )
        parent = self.commit_patches(patches, self.known_steps(known))
        self.plumb("read-tree", parent)
        self.stage({path: (file, os.access(file, os.X_OK)) for path, file in ours.items()})
        self.stage_texts(tests, lambda path: False)
        return self.commit(parent, OVERLAY)

    def fixup(self, tip, commit, paths):
        """A commit on a tip, which `git rebase --autosquash` makes part of another one."""
        self.plumb("read-tree", tip)
        self.plumb("update-index", "-z", "--add", "--remove", "--stdin", input=lines(paths))
        return self.commit(tip, f"fixup! {commit}\n")

    # ---- the files of the tree

    @contextlib.contextmanager
    def locked(self):
        """While files of the tree are written: builds of several variants have the same one."""
        file = t.ROOT / ".cache" / f"{self.dir.name}.lock"
        file.parent.mkdir(exist_ok=True)
        with file.open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def require(self):
        if not (self.dir / ".git").exists():
            raise t.Failure(f"there is no {self.dir.name}/ yet: run maint/apply first")

    def edited(self):
        """Paths whose file is not that of HEAD; without what builds make."""
        self.git("update-index", "-q", "--refresh")
        new = self.names("ls-files", "-o", f"--exclude-from={self.dir}/.git/info/exclude")
        return {*self.names("diff-index", "--name-only", "HEAD"), *new}

    def check_out(self, target, lose=False, keep=False):
        """Writes the files of a commit that differ from those there, and returns their paths.
        Files that are neither what HEAD has nor what the commit has are edits: they are a Failure,
        unless the caller loses or keeps them."""
        ours = self.changed(t.UPSTREAM, target) | self.changed(t.UPSTREAM, "HEAD")
        self.git("update-index", "-z", "--add", "--remove", "--stdin", input=lines(ours))
        now = self.git("write-tree").decode().strip()
        different = self.changed(now, target)
        edited = different & self.changed(now, "HEAD")
        if self.id("HEAD") not in (self.id(MADE), target):
            edited.add("commits of mpich/")
        if edited and not lose and not keep:
            self.git("read-tree", "-m", "HEAD")
            raise t.Failure(
                "edited by hand in %s/ and not in the patches or the overlay:\n  %s\n"
                "maint/refresh keeps the edits, maint/apply --force drops them"
                % (self.dir.name, "\n  ".join(sorted(edited)))
            )
        self.git("read-tree", "-m", target)
        write = different - edited if keep else different
        gone = write & self.changed(now, target, "--diff-filter=D")
        self.git("checkout-index", "-f", "-u", "-z", "--stdin", input=lines(write - gone))
        for path in gone:
            (self.dir / path).unlink(missing_ok=True)
        self.git("update-ref", "HEAD", target)
        self.git("update-ref", MADE, target)
        return write
