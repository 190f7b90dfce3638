#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Test of maint/apply and maint/refresh on a small tree: edits are kept, and go into the patches,
whose other lines and files stay as they are.  Status 0 when all is right."""
import importlib.machinery
import os
import sys
import tempfile
from pathlib import Path

MAINT = Path(__file__).resolve().parents[2] / "maint"
sys.dont_write_bytecode = True
sys.path.insert(0, str(MAINT / "lib"))
import repository  # noqa: E402
import tree as t  # noqa: E402
import undone  # noqa: E402

refresh = importlib.machinery.SourceFileLoader("refresh", str(MAINT / "refresh")).load_module()
NUMBERS = [f"line {n}" for n in range(1, 31)]
FIRST, SECOND = "hook/a/0001-first.patch", "hook/b/0001-second.patch"
HEADER = "Subject: {0}: a line\n\nWhat: a line of {0}.\n\nWhy: it is wanted.\n\n"
wrong = []


def expect(right, what):
    if not right:
        wrong.append(what)


def change(path, old, new):
    text = path.read_text()
    expect(f"{old}\n" in text, f"{path.name} has no {old}")
    path.write_text(text.replace(f"{old}\n", f"{new}\n"))


def series():
    return {name: (t.PATCHES / name).read_text() for name in t.names_in("series")}


def run_refresh(*words):
    sys.argv = ["refresh", *words]
    expect(refresh.main() == 0, f"refresh {words} failed")


def refused():
    """What maint/apply says."""
    tree = repository.Tree()
    try:
        tree.check_out(tree.commit_all())
    except t.Failure as e:
        return str(e)
    return ""


def begin(folder):
    """A tree of two files, two patches made by maint/refresh, a file of ours."""
    t.ROOT, t.PATCHES, t.buddy = folder, folder / "patches", dict
    t.replaced_entries.cache_clear()
    for name in ("mpich/src", "src", "patches", "maint/lib"):
        (folder / name).mkdir(parents=True)
    for name in ("upstream.ini", "maint/lib/generated.ignore", "maint/lib/modules.mk"):
        (folder / name).write_text((MAINT.parent / name).read_text())
    (folder / "src/ours.c").write_text("ours\n")
    (folder / "patches/series").write_text("# a comment\n")
    for name in ("one.c", "two.c"):
        (folder / "mpich/src" / name).write_text("\n".join(NUMBERS) + "\n")
    (folder / "mpich/configure").write_text("generated\n")
    tree = repository.Tree()
    tree.commit_upstream(tree.dir)
    expect(tree.upstream_names() == ["src/one.c", "src/two.c"], "what is generated has a commit")
    expect(refused() == "", "the first maint/apply fails")
    one, two = (tree.dir / "src" / name for name in ("one.c", "two.c"))
    for name, line in ((FIRST, "line 5"), (SECOND, "line 25")):
        change(one, line, "of " + name)
        run_refresh("--new", name, "-m", HEADER.format(name[5]), "src/one.c")
    return tree, one, two


def test(folder):
    tree, one, two = begin(folder)
    before, seen = series(), os.stat(two).st_mtime_ns
    expect(list(before) == [FIRST, SECOND], f"the series is {list(before)}")
    expect("-line 5\n" in before[FIRST] and "line 25" not in before[FIRST], "the first patch")

    change(one, "line 24", "edited")
    expect("src/one.c" in refused(), "maint/apply overwrites an edit")
    run_refresh()
    expect(refused() == "", "maint/apply refuses what is in a patch")
    expect("+edited\n" in series()[SECOND], "an edit is not in the last patch of its file")
    expect(series()[FIRST] == before[FIRST], "a patch without an edit has changed")

    change(one, "line 6", "line 6\nearly")
    run_refresh(FIRST, "src/one.c")
    expect("+early\n" in series()[FIRST], "an edit is not in the patch that was named")
    expect("@@ -22,7 +22,7 @@" in before[SECOND], "the numbers of the test's lines")
    expect("@@ -22,8 +22,8 @@" in series()[SECOND], "a later patch has other numbers of lines")

    change(two, "line 3", "by a commit")
    ident = ("-c", "user.name=a", "-c", "user.email=a@localhost")
    tree.git(
        *ident, "commit", "-q", "-a", "-m", "b: more\n\nWhat: x\n\nPatch: hook/b/0002-more.patch"
    )
    expect("commits of mpich/" in refused(), "maint/apply drops a commit")
    change(one, "line 7", "squashed")
    tree.git(*ident, "commit", "-q", "-a", f"--fixup={tree.patches('HEAD')[0][2]}")
    run_refresh()
    expect("+squashed\n" in series()[FIRST], "a fixup is not in its patch")
    expect("+by a commit\n" in series()["hook/b/0002-more.patch"], "a commit is no patch")
    expect("# a comment\n" in (t.PATCHES / "series").read_text(), "the series has no comment")

    change(one, "squashed", "against a later one")
    change(one, "edited", "edited twice")
    run_refresh()
    last = tree.patches("HEAD")
    found = list(undone.check_undone(tree, [t.Patch(n) for n, _, _ in last], last[-1][2]))
    expect(len(found) == 1 and found[0].endswith(": squashed"), f"undone lines: {found}")
    change(one, "against a later one", "squashed")
    run_refresh()

    change(tree.dir / "src/ours.c", "ours", "changed")
    run_refresh()
    expect((folder / "src/ours.c").read_text() == "changed\n", "a file of ours is not copied back")
    (folder / "src/ours.c").unlink()
    expect(refused() == "" and not (tree.dir / "src/ours.c").exists(), "a file of ours stays")

    headings = ("# a comment", FIRST, "# topic b", SECOND, "hook/b/0002-more.patch")
    (t.PATCHES / "series").write_text("\n".join(headings) + "\n")
    change(one, "line 15", "between")
    run_refresh("--new", "hook/a/0002-between.patch", "-m", HEADER.format("a"), "src/one.c")
    between = series()["hook/a/0002-between.patch"]
    expect("+between\n" in between and SECOND not in between, f"a patch before others: {between}")
    listed = (t.PATCHES / "series").read_text().splitlines()
    wanted = [*headings[:2], "hook/a/0002-between.patch", *headings[2:]]
    expect(listed == wanted, f"a heading is not where it was: {listed}")

    before = series()
    change(one, f"of {SECOND}", "conflict")
    for words in ((FIRST,), ("--new", "hook/a/0003-none.patch", "-m", HEADER.format("a"))):
        try:
            run_refresh(*words, "src/one.c")
            wrong.append("a conflict is not seen")
        except t.Failure as e:
            expect("Merge conflict in src/one.c" in str(e), f"a conflict: {e}")
        expect(series() == before, "a conflict changes patches")
    tree.check_out(tree.commit_all(), lose=True)
    expect(f"of {SECOND}\n" in one.read_text(), "--force keeps an edit")
    expect(os.stat(two).st_mtime_ns != seen, "the test does not look at times")


with tempfile.TemporaryDirectory() as scratch:
    test(Path(scratch))
print("\n".join(wrong) or "all is right")
sys.exit(bool(wrong))
