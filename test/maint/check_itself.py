#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the scripts: what maint/check counts, repeats and picks, and which commits are printed
by maint/upstream; and that a change of what ours replace stops maint/apply.  Status 0 when all is
right."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "maint/lib"))
import check_plan as plan  # noqa: E402
import check_run  # noqa: E402
import check_sections  # noqa: E402
import replaced  # noqa: E402
import repository  # noqa: E402
import tree  # noqa: E402

wrong = []


def expect(right, what):
    if not right:
        wrong.append(what)


def fresh_check(folder, **settings):
    check_run.OUT = Path(tempfile.mkdtemp(dir=folder)) / "out"
    check = check_run.Check(check_run.Variant([]), **settings)
    check.begin()
    return check


def counts():
    return (check_run.OUT / "counts").read_text()


def failures(folder):
    """A failing step is one failure, also if a repetition passes; without time nothing begins."""
    check = fresh_check(folder)
    passed = check.step("first line fails", "first_line_fails")
    expect(not passed and counts() == "first line fails\t0\t1\t0\n", "a failing line is no failure")
    expect("failed in 4 of 4 runs; at " in check.failures[0], "a failure is not repeated")
    check.step("fails once", "fails_once", Path(folder) / "once")
    expect("failed in 1 of 4 runs; at " in check.failures[1], "a rare failure is not seen")
    expect("seed 17" in check.failures[1], "the seed is not told")
    expect(check.summary() == 1, "failures do not show in the status")
    late = fresh_check(folder, minutes=0)
    late.step("late", "first_line_fails")
    late.suite("late")
    expect(counts() == "late\t0\t0\t1\n" * 2 and late.summary() == 0, "late steps are run")


def picking(folder):
    """Ten commits that pick different shares cover all units; each takes what runs by default."""
    check, times = fresh_check(folder), plan.Times()
    suites = [u.name for u in plan.all_units(check) if u.section == "suite"]
    for test_folder in check_sections.our_dirs():
        above = any(f"suite/{test_folder}/".startswith(f"{name}/") for name in suites)
        expect(above, f"no unit of suite has test/mpi/{test_folder}")
    units = plan.all_units(check)
    names = [u.name for u in units]
    expect(len(set(names)) == len(names), "two units have one name")
    default = [u.name for u in plan.default(check, units)]
    seen = []
    for digit in range(plan.SHARES):
        picked = plan.with_share(check, units, f"0000000{digit:x}" + "f" * 32, times)
        expect([u.name for u in picked][: len(default)] == default, "a share lacks what is default")
        seen += [u.name for u in picked][len(default) :]
    rest = {u.name for u in plan.of_sections(units, plan.ALL)} - set(default)
    expect(sorted(seen) == sorted(rest), "ten shares do not have every unit once")


def table(folder):
    """Each test in the table of changed files exists."""
    if (check_run.ROOT / "mpich/test/mpi").is_dir():
        wrong.extend(plan.check_tests(fresh_check(folder)))
    expect(plan.program_names("suite/comm/no_such_test") is None, "a test that is missing is found")
    listed = "suite/comm/ctxid_churn split_oracle"
    expect(plan.program_names(listed) == listed, "a unit's name in --list names no unit")
    one_missing = plan.program_names(f"{listed} no_such_test")
    expect(one_missing is None, "a missing test beside others is not noticed")


def functions(_folder):
    """check_step.sh reads the shell libraries: no two have a function of one name."""
    home = {}
    root = check_run.ROOT
    for file in sorted([*root.glob("maint/lib/*.sh"), *root.glob("test/*/steps.sh")]):
        if file != check_run.STEP:
            for name in re.findall(r"(?m)^(\w+)\(\)", file.read_text()):
                expect(name not in home, f"{name}() is in {file} and {home.get(name)}")
                home[name] = file


def later_commits(folder):
    """Commits behind the date of the list that change a file of MPICH 4.0.2."""
    if not shutil.which("git"):
        return
    history = Path(folder) / "history"
    subprocess.run(["git", "init", "-q", history], check=True)

    def commit(date, file):
        (history / file).parent.mkdir(parents=True, exist_ok=True)
        (history / file).write_text(date)
        who = {"GIT_AUTHOR_NAME": "a", "GIT_COMMITTER_NAME": "a", "EMAIL": "a@localhost"}
        env = {**os.environ, **who, "GIT_COMMITTER_DATE": f"{date}T12:00"}
        for words in (["add", "-A"], ["commit", "-q", "-m", f"changes {file}"]):
            subprocess.run(["git", "-C", history, *words], check=True, env=env)

    commit("2001-01-01", "src/mpi/group/group_impl.c")
    commit("2099-01-01", "src/mpi/group/no_such_file.c")
    commit("2099-01-02", "src/mpi/group/group_impl.c")
    command = [check_run.ROOT / "maint/upstream", history]
    lines = subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    expect(
        len(lines) == 1 and "2099-01-02  changes src/mpi/group/group_impl.c" in lines[0],
        f"maint/upstream prints {lines}",
    )


def replaced_text(_folder):
    """A changed byte of what ours replace stops maint/apply, and names what it is."""

    class Changed(repository.Tree):
        def __init__(self, path, old, new):
            super().__init__()
            self.path, self.old, self.new = path, old, new

        def files(self, revision, paths):
            found = super().files(revision, paths)
            if self.path in found:
                expect(self.old in found[self.path], f"MPICH's {self.path} has no {self.old}")
                found[self.path] = found[self.path].replace(self.old, self.new, 1)
            return found

    for path, old, new, said in (
        ("src/mpi/group/group_impl.c", b"0", b"1", "group_impl.c is not"),
        ("src/mpi/comm/comm_impl.c", b"MPIR_Comm_shrink_impl(", b"shrink(", "MPICH has no"),
        (
            "src/mpi/comm/commutil.c",
            b"MPIR_Comm_map_t *map",
            b"MPIR_Comm_map_t *m",
            "_irregular in",
        ),
    ):
        try:
            tree.check_replaced(Changed(path, old, new))
            wrong.append(f"a change in {path} is not seen")
        except tree.Failure as e:
            expect(said in str(e) and "\n" not in str(e), f"a change in {path}: {e}")
    tree.check_replaced(repository.Tree())
    text = b"""/* before */
int keep(void)
{
}
#endif /* not a comment of the next one */
static int gone(int a,
                int b)
{
}

/* stays */
"""
    left = replaced.cut(text, ["gone"])
    expect(b"gone" not in left and b"keep" in left and b"stays" in left, f"a cut leaves {left}")
    try:
        replaced.cut(text, ["missing"])
        wrong.append("a cut of what is not there is not seen")
    except LookupError:
        pass


with tempfile.TemporaryDirectory() as scratch:
    for test in (failures, picking, table, functions, later_commits, replaced_text):
        test(scratch)
print("\n".join(wrong) or "all is right")
sys.exit(1 if wrong else 0)
