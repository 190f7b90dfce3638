#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Does maint/check count a step as failed when its first line fails, and the others do not?
Does it skip a step when no time is left?  Status 0 when it does both."""
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
import check_run  # noqa: E402

with tempfile.TemporaryDirectory() as folder:
    check_run.OUT = Path(folder) / "out"
    check = check_run.Check(check_run.Variant([]))
    passed = check.step("first line fails", "first_line_fails")
    line = (check_run.OUT / "counts").read_text()
    status = check.summary()
    late = check_run.Check(check_run.Variant([]), minutes=0)
    late.step("late", "first_line_fails")
    late.suite("late")
    skipped = (check_run.OUT / "counts").read_text() + str(late.summary())
fails = not passed and line == "first line fails\t0\t1\t0\n" and status == 1 and check.failures
skips = skipped == "late\t0\t0\t1\n" * 2 + "0"
sys.exit(0 if fails and skips else 1)
