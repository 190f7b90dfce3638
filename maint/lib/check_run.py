# SPDX-License-Identifier: BSD-3-Clause
"""The runner of maint/check: it runs units and their steps, counts the results, and writes them
down.

A unit is what can be chosen: "suite/comm".  A step is a command, or a function of the shell
libraries in maint/lib and test/*/steps.sh; check_step.sh runs both."""
import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as xml
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import tree as t

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "build" / "check"
STEP = Path(__file__).with_name("check_step.sh")
SKIPPED = 77  # as for automake
STEP_MINUTES = "20"  # a step that takes longer hangs; sections whose steps compile are left out
COMPILES = ("build", "package", "apps", "compilers", "fresh", "long", "arm")
REPEATS = 3
REPEAT_SECONDS = 120  # what takes longer is not repeated when it fails
REPEATED_PROGRAMS = 5  # of a folder of the suite; more fail for one reason
PACKAGES = {
    "module": ["check"],
    "compilers": ["compilers"],
    "arm": ["arm"],
    "validate": ["nice-format"],
    "names": ["names"],
    "package": ["package"],
    "examples": ["examples", "nice-examples"],
    "long": ["ofi", "nice-images"],
    "doc": ["doc"],
}


class Stop(Exception):
    """There is nothing to test: the run ends."""


def die(words):
    print(f"check: {words}", file=sys.stderr)
    sys.exit(1)


def run(command, env=None, **more):
    """The exit status.  What ends the check ends the command, and everything that it has
    started."""
    process = subprocess.Popen(
        [str(word) for word in command], env={**os.environ, **(env or {})}, **more
    )
    try:
        return process.wait()
    except BaseException:
        process.terminate()
        process.wait()
        raise


class Variant:
    """A build of MPICH: what check_step.sh makes of the options of maint/build."""

    def __init__(self, options):
        self.options = list(options)
        done = t.run(["bash", STEP, *self.options, "--", "variant_shown"], stderr=None)
        if done.returncode:
            sys.exit(done.returncode)
        shown = dict(line.split("=", 1) for line in done.stdout.splitlines())
        self.kind, self.netmod, self.threads = shown["KIND"], shown["NETMOD"], shown["THREAD_CS"]
        self.fortran = bool(shown["FORTRAN"])
        self.build, self.prefix = Path(shown["BUILD"]), Path(shown["PREFIX"])

    def other(self, *options):
        """Beside this one, in its own place."""
        return Variant([o for o in self.options if not o.startswith("--prefix=")] + list(options))

    def is_default(self):
        return not self.options

    def bin(self, name):
        return self.prefix / "bin" / name


@dataclass
class Unit:
    """What a plan chooses: the section and its name in it make the name, as in "suite/comm"."""

    name: str
    work: Callable

    @property
    def section(self):
        return self.name.partition("/")[0]


def minutes_of(seconds):
    return "1 minute" if seconds < 90 else f"{seconds / 60:.0f} minutes"


@dataclass
class Result:
    section: str
    name: str
    passed: int
    failed: int
    skipped: int
    cases: list = field(default_factory=list)  # (name, "passed", "failed" or "skipped", words)


class Check:
    def __init__(self, variant, long=False, minutes=None):
        self.variant, self.long = variant, long
        self.end = None if minutes is None else time.monotonic() + 60 * minutes
        self.section, self.results, self.failures, self.compiled = "", [], [], set()
        self.lacking = {}  # section -> why it cannot run

    def lacks(self, name, tests, function):
        """Counts tests as skipped if that function of the shell says why they cannot run."""
        file = OUT / f"{function}.reason"
        self.shell(function, file)
        why = file.read_text().strip()
        if why:
            self.count(f"{name} ({why})", 0, 0, tests)
        return bool(why)

    def begin(self):
        """Takes away what the run before this one left."""
        OUT.parent.mkdir(exist_ok=True)
        try:
            self.lock = (OUT.parent / "check.lock").open("w")
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(OUT, ignore_errors=True)
            OUT.mkdir()
        except BlockingIOError:
            die("another maint/check is at work in this checkout")
        except OSError as e:
            die(f"{e}; was it made by root? sudo rm -r {OUT} {OUT.parent}/check.lock")
        (OUT / "counts").touch()
        (OUT / "failures").touch()
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda got, _: sys.exit(128 + got))

    def shell(self, *words, env=None):
        """Runs a command or function in the shell; its exit status."""
        return run(
            ["bash", STEP, *self.variant.options, "--", *words],
            {"OUT": str(OUT), "LONG": "yes" if self.long else "", **(env or {})},
        )

    def need_packages(self, sections):
        """Gets all sets of maint/packages.txt at once.  Nothing can run without those of the
        build; a section whose own cannot be had is skipped."""
        wanted = {name: PACKAGES[name] for name in sections if name in PACKAGES}
        if self.shell("get_packages_of_check", *(one for sets in wanted.values() for one in sets)):
            sys.exit(1)
        for name, sets in wanted.items():
            file = OUT / "missing"
            self.shell("write_missing_packages", file, *sets)
            if missing := file.read_text().split():
                self.lacking[name] = f"missing packages: {' '.join(missing)}"

    # ---- units

    def run_units(self, units, times):
        """The units of a plan in their order, with what is left before each."""
        left, why = list(units), "interrupted"
        try:
            while left:
                unit = left[0]
                minutes = minutes_of(sum(times.of(u.name) for u in left))
                number = len(units) - len(left) + 1
                print(f"[{number} of {len(units)}, {minutes} left] {unit.name}", flush=True)
                self.section = unit.section
                self.run_unit(unit, times)
                left.pop(0)
        except Stop:
            why = "nothing was built"
        finally:
            for unit in left:
                self.section = unit.section
                self.count(f"{unit.name} ({why})", 0, 0, 1)

    def run_unit(self, unit, times):
        if self.is_late(unit.name):
            return
        if why := self.lacking.get(unit.section):
            self.count(f"{unit.name} ({why})", 0, 0, 1)
            return
        began, failures = time.monotonic(), len(self.failures)
        unit.work()
        if len(self.failures) == failures and self.variant.is_default():
            times.note(unit.name, time.monotonic() - began)

    # ---- results

    def count(self, name, passed, failed, skipped, cases=()):
        """One line for people, one for the sum."""
        self.results.append(Result(self.section, name, passed, failed, skipped, list(cases)))
        with (OUT / "counts").open("a") as file:
            file.write(f"{name}\t{passed}\t{failed}\t{skipped}\n")
        print(f"{name:<44} {passed:4} passed {failed:4} failed {skipped:4} skipped", flush=True)

    def fail(self, name):
        self.failures.append(name)
        with (OUT / "failures").open("a") as file:
            file.write(name + "\n")

    def count_tap(self, name, file, more_skipped):
        """A file that is missing or incomplete is a failure by itself.  The lines of failures."""
        text = file.read_text(errors="replace") if file.exists() else ""
        if not text and more_skipped:
            self.count(name, 0, 0, more_skipped)
            return []
        if not re.search(r"(?m)^1\.\.", text):
            text += f"\nnot ok - {name} stopped before its end\n"
            file.write_text(text)
        cases = [tap_case(line) for line in text.splitlines() if line.startswith(("ok", "not ok"))]
        for line in text.splitlines():
            if line.startswith("not ok"):
                self.fail(f"{name}: " + re.sub(r"^not ok( \d+)?( -)? *", "", line))
        sums = [sum(case[1] == how for case in cases) for how in ("passed", "failed", "skipped")]
        self.count(name, sums[0], sums[1], sums[2] + more_skipped, cases)
        return [case[2] for case in cases if case[1] == "failed"]

    def count_gtest(self, name, folder):
        """The cases that a GoogleTest program reports in its XML files."""
        cases = []
        for file in sorted(folder.glob("*.xml")):
            if re.search(r"_\d+\.xml$", file.name):
                continue  # of a repetition
            for case in xml.parse(file).iter("testcase"):
                failure = case.find("failure")
                skipped = case.get("status") == "notrun" or case.find("skipped") is not None
                how = "failed" if failure is not None else "skipped" if skipped else "passed"
                cases.append(
                    (
                        f"{case.get('classname')}.{case.get('name')}",
                        how,
                        "" if failure is None else failure.get("message", ""),
                    )
                )
        self.count(
            f"{name}, cases",
            *(sum(c[1] == how for c in cases) for how in ("passed", "failed", "skipped")),
            cases,
        )

    # ---- steps

    def is_late(self, name):
        """With --minutes: no further step begins, and each counts as skipped."""
        late = self.end is not None and time.monotonic() > self.end
        if late:
            self.count(name, 0, 0, 1, [(name, "skipped", "--minutes are over")])
        return late

    def step(self, name, *words, env=None):
        """A step that is one test by itself; status 77: skipped, and its last line says why."""
        if self.is_late(name):
            return True
        began, log = time.monotonic(), OUT / (re.sub(r"[ /:]", "-", name) + ".log")
        status = self.run_step(name, log, words, env)
        if status == SKIPPED:
            why = log.read_text(errors="replace").strip().rpartition("\n")[2]
            self.count(name, 0, 0, 1, [(name, "skipped", why)])
            return True
        said = log.read_text(errors="replace")[-4000:] if status and log.exists() else ""
        if status:
            when = circumstances(said)
            again = self.step_again(name, log, words, env, time.monotonic() - began)
            self.fail(f"{name}: {again}; {when}")
        self.count(
            name,
            int(not status),
            int(bool(status)),
            0,
            [(name, "failed" if status else "passed", said)],
        )
        return not status

    def run_step(self, name, log, words, env):
        limit = {} if self.section in COMPILES else {"STEP_MINUTES": STEP_MINUTES}
        return self.shell(
            "step", name, log, "the output above", *words, env={**limit, **(env or {})}
        )

    def step_again(self, name, log, words, env, seconds):
        """How often a step fails that has failed; its first log stays."""
        if self.section in COMPILES or seconds > REPEAT_SECONDS:
            return "not repeated"
        failed = 1 + sum(
            bool(self.run_step(f"{name}, again", log.with_suffix(f".{k}.log"), words, env))
            for k in range(1, REPEATS + 1)
        )
        return f"failed in {failed} of {REPEATS + 1} runs"

    def steps(self, table):
        for name, *words in table:
            self.step(name, *words)

    def suite(self, folder, label="", *settings, env=None):
        """A folder of MPICH's suite with variables of the environment, as "NAME=VALUE"."""
        title = f"{label}: {folder}" if label else folder
        if self.is_late(title):
            return
        tap = self.run_suite(folder, label, settings, env)
        left_out = int(tap.with_suffix(".left_out").read_text())
        bad = self.count_tap(title, tap, left_out)
        said = tap.read_text(errors="replace") if bad else ""
        programs = sorted({program_of(case) for case in bad} - {None})
        for number, program in enumerate(programs):
            if number < REPEATED_PROGRAMS and seconds_of(said, program) < REPEAT_SECONDS:
                self.program_again(program, said, label, settings, env)

    def run_suite(self, folder, label, settings, env):
        """The TAP file."""
        name = re.sub("[ ,]", "-", label) + "-" if label else ""
        tap = OUT / f"suite-{name}{folder.replace('/', '-')}.tap"
        place = str(self.variant.build / folder)
        compiled = place in self.compiled and "ONLY_THESE" not in (env or {})
        status = self.shell(
            "suite_directory",
            folder,
            label,
            *settings,
            env={**(env or {}), "COMPILED": "yes" if compiled else ""},
        )
        if "ONLY_THESE" not in (env or {}):
            self.compiled.add(place)
        if status:
            sys.exit(status)
        return tap

    def program_again(self, program, said, label, settings, env):
        """How often a test of the suite fails that has failed; it stays a failure."""
        where, name = program.rpartition("/")[::2]
        output = re.findall(rf"(?m)^not ok[ 0-9-]*(?:\./)?{program} .*\n((?:##.*\n)*)", said)
        failed, when = 1, circumstances("".join(output))
        for k in range(1, REPEATS + 1):
            again = f"{label}, again {k}".lstrip(", ")
            tap = self.run_suite(where, again, settings, {**(env or {}), "ONLY_THESE": name})
            failed += not tap.exists() or bool(
                re.search(r"(?m)^not ok", tap.read_text(errors="replace"))
            )
        self.fail(f"{program}: failed in {failed} of {REPEATS + 1} runs; {when}")

    # ---- the end

    def junit(self):
        top = xml.Element("testsuites")
        for section in dict.fromkeys(result.section for result in self.results):
            mine = [result for result in self.results if result.section == section]
            sums = [sum(getattr(r, how) for r in mine) for how in ("passed", "failed", "skipped")]
            suite = xml.SubElement(
                top,
                "testsuite",
                name=section,
                tests=str(sum(sums)),
                failures=str(sums[1]),
                skipped=str(sums[2]),
            )
            for result in mine:
                for name, how, words in result.cases + without_name(result):
                    case = xml.SubElement(
                        suite, "testcase", classname=f"{section}.{result.name}", name=name
                    )
                    if how != "passed":
                        element = xml.SubElement(case, "failure" if how == "failed" else "skipped")
                        element.text = re.sub(r"[^\t\n\x20-\ud7ff]", "?", words)
        xml.ElementTree(top).write(OUT / "junit.xml", encoding="utf-8", xml_declaration=True)

    def summary(self):
        self.junit()
        print()
        if self.failures:
            print("Failed:")
            for name in self.failures:
                print(f"    {name}")
        passed, failed, skipped = (
            sum(getattr(r, how) for r in self.results) for how in ("passed", "failed", "skipped")
        )
        print(f"{passed} passed, {failed} failed, {skipped} skipped")
        return 1 if failed else 0


def without_name(result):
    """Tests that are counted, but not named: those that are left out."""
    more = result.passed + result.failed + result.skipped - len(result.cases)
    how = "skipped" if result.skipped else "failed" if result.failed else "passed"
    return [(f"{result.name} ({k + 1} of {more} without a name)", how, "") for k in range(more)]


def tap_case(line):
    ok = line.startswith("ok")
    left_out = re.search(r"# *SKIP" if ok else r"# *TODO", line)
    name = re.sub(r"^(not )?ok( \d+)?( -)? *|# time=.*", "", line)
    return name, "skipped" if left_out else "passed" if ok else "failed", line


def program_of(line):
    """folder/name of the program in a line of the suite's TAP, or None."""
    found = re.match(r"not ok[ 0-9-]*(?:\./)?(\S+/\w+) \d", line)
    return found[1] if found else None


def seconds_of(said, program):
    """What the longest failing run of a program took, by the suite's TAP."""
    times = re.findall(rf"(?m)^not ok[ 0-9-]*(?:\./)?{program} .*# time=([0-9.]+)", said)
    return max(map(float, times), default=0)


def circumstances(said):
    """When, beside which load, and with which seed where the output names one."""
    seeds = re.findall(r"(?i)\bseed\W+\w+", said)
    return ", ".join(
        [f"at {time.strftime('%H:%M:%S')}", f"load {os.getloadavg()[0]:.1f}", *seeds[-1:]]
    )
