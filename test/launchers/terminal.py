#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: terminal.py MPIEXEC

Jobs in the background of a terminal.  A script that calls mpiexec goes on.  A job that is put
into the background reads what is typed when it is back in the foreground.  Prints "ok", or what is
wrong.
"""
import os
import pty
import signal
import sys
import time

SECONDS = 20


def start(command):
    """A job of the terminal: its process group."""
    job = os.fork()
    if job == 0:
        os.setpgid(0, 0)
        for number in (signal.SIGTTOU, signal.SIGTTIN):
            signal.signal(number, signal.SIG_DFL)
        os.execvp(command[0], command)
    try:
        os.setpgid(job, job)
    except PermissionError:  # it has done so, and runs its program
        pass
    return job


def outcome(job):
    """How a job has ended, or that it was stopped."""
    for _ in range(10 * SECONDS):
        pid, status = os.waitpid(job, os.WNOHANG | os.WUNTRACED)
        if pid == job and os.WIFSTOPPED(status):
            os.killpg(job, signal.SIGKILL)
            return "stopped"
        if pid == job:
            return f"status {status}"
        time.sleep(0.1)
    os.killpg(job, signal.SIGKILL)
    return "no end"


def script_in_background(mpiexec):
    script = f"{mpiexec} -n 1 true && {mpiexec} -n 1 cat"
    return outcome(start(["sh", "-c", script]))


def sent_to_background(mpiexec, keys):
    """The keyboard is the other end of the terminal; `keys` reads when to type."""
    shell = os.getpgrp()
    job = start([mpiexec, "-n", "1", "sh", "-c", 'read word; test "$word" = typed'])
    os.tcsetpgrp(0, job)
    time.sleep(1)
    os.tcsetpgrp(0, shell)
    os.write(keys, b".")
    time.sleep(2)
    os.tcsetpgrp(0, job)
    result = outcome(job)
    os.tcsetpgrp(0, shell)
    return result


def shell(mpiexec, report, keys):
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    results = script_in_background(mpiexec), sent_to_background(mpiexec, keys)
    os.write(report, " and ".join(results).encode())


def main():
    report, to_report = os.pipe()
    when, keys = os.pipe()
    pid, keyboard = pty.fork()
    if pid == 0:
        shell(sys.argv[1], to_report, keys)
        os._exit(0)
    os.close(to_report)
    os.close(keys)
    if os.read(when, 1):
        os.write(keyboard, b"typed\n")
    said = os.read(report, 1000).decode()
    print("ok" if said == "status 0 and status 0" else f"script and job: {said}")


if __name__ == "__main__":
    main()
