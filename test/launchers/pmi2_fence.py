#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A process that speaks PMI-2 to mpiexec, without MPI.

usage: pmi2_fence.py DIR

Ten times each process writes a file into DIR and enters a fence. Behind the fence it sees the files
of all processes. One rank after the other is late. A process that misses a file says so.
"""
import os
import socket
import sys
import time


class Manager:
    def __init__(self):
        self.socket = socket.socket(fileno=int(os.environ["PMI_FD"]))
        self.socket.sendall(b"cmd=init pmi_version=2 pmi_subversion=0\n")
        while self.read(1) != b"\n":
            pass
        rank = os.environ["PMI_RANK"]
        answer = self.ask(f"cmd=fullinit;pmijobid=x;pmirank={rank};threaded=FALSE;")
        self.rank, self.size = int(answer["rank"]), int(answer["size"])

    def read(self, count):
        data = b""
        while len(data) < count:
            more = self.socket.recv(count - len(data))
            if not more:
                sys.exit("mpiexec has ended the connection")
            data += more
        return data

    def ask(self, command):
        self.socket.sendall(b"%6d%s" % (len(command), command.encode()))
        answer = self.read(int(self.read(6))).decode()
        return dict(pair.split("=", 1) for pair in answer.split(";") if "=" in pair)


def main():
    manager, missing = Manager(), []
    for step in range(10):
        name = os.path.join(sys.argv[1], str(step))
        if step % manager.size == manager.rank:
            time.sleep(0.2)
        open(f"{name}.{manager.rank}", "w").close()
        manager.ask("cmd=kvs-fence;")
        missing += [r for r in range(manager.size) if not os.path.exists(f"{name}.{r}")]
    manager.ask("cmd=finalize;")
    if missing:
        print(f"rank {manager.rank} did not see what ranks {missing} had written", flush=True)
    elif manager.rank == 0:
        print("all seen")


main()
