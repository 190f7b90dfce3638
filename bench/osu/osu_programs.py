# SPDX-License-Identifier: BSD-3-Clause
"""The programs of the OSU micro-benchmarks (version 7), their options, and what they print."""
import re

COLLECTIVES = (
    "allgather,allgatherv,allreduce,alltoall,alltoallv,alltoallw,barrier,bcast,gather,gatherv,"
    "reduce,reduce_scatter,reduce_scatter_block,scatter,scatterv"
).split(",")
NEIGHBOURS = [f"neighbor_{name}" for name in COLLECTIVES if name.startswith("all")]
NEIGHBOURS.remove("neighbor_allreduce")
# latency_mp is left out: it forks after MPI_Init, which UCX does not allow
NAMES = {
    "pt2pt": "latency,bw,bibw,mbw_mr,multi_lat,latency_mt,partitioned_latency,latency_persistent,"
    "bw_persistent,bibw_persistent".split(","),
    "blocking": COLLECTIVES,
    "nonblocking": [f"i{name}" for name in COLLECTIVES],
    "persistent": [f"{name}_persistent" for name in COLLECTIVES],
    "neighbourhood": NEIGHBOURS + [f"i{name}" for name in NEIGHBOURS],
    "one-sided": "put_latency,get_latency,acc_latency,get_acc_latency,fop_latency,cas_latency,"
    "put_bw,get_bw,put_bibw".split(","),
}
WINDOWS = ("create", "allocate", "dynamic")
SYNCS = ("lock", "lock_all", "flush", "flush_local", "pscw", "fence")
BOTH_TAKE_PART = ("pscw", "fence")  # put_bibw has only these
SIZELESS = ("barrier", "ibarrier", "barrier_persistent", "fop_latency", "cas_latency")
# The processes whose time ends when they have sent: what the others take is in the barrier behind.
ROOTED = ("bcast", "gather", "gatherv", "reduce", "scatter", "scatterv")

# The titles of columns, and what the figures are in; None: not compared.
TITLES = {
    "Size": None,
    "Latency (us)": "us",
    "Avg Latency(us)": "us",
    "Latency(us)": "us",
    "Min Latency(us)": None,
    "Max Latency(us)": None,
    "Iterations": None,
    "Overall(us)": "us",
    "Compute(us)": None,
    "Coll. Init(us)": None,
    "MPI_Test(us)": None,
    "MPI_Wait(us)": None,
    "Pure Comm.(us)": "pure-us",
    "Min Comm.(us)": None,
    "Max Comm.(us)": None,
    "Overlap(%)": None,
    "Bandwidth (MB/s)": "MB/s",
    "MB/s": "MB/s",
    "Messages/s": "msg/s",
}
A_TITLE = re.compile("|".join(re.escape(t) for t in sorted(TITLES, key=len, reverse=True)))


def is_rooted(program):
    """In each of its forms."""
    name = program.removesuffix("_persistent")
    return name in ROOTED or name.removeprefix("i") in ROOTED


def programs_under(folder):
    """name without osu_ -> path; of the same one twice, as libtool leaves it, the outer one."""
    found = {}
    for path in sorted(folder.rglob("osu_*"), key=lambda path: len(path.parts), reverse=True):
        if path.is_file() and path.suffix == "" and path.stat().st_mode & 0o111:
            found[path.name[len("osu_") :]] = path
    return found


def columns_of(words):
    """The titles of a line that begins with '#'; nothing when it is not the line of titles."""
    titles = A_TITLE.findall(" ".join(words[1:]))
    return titles if " ".join(titles) == " ".join(words[1:]) else []


def is_number(word):
    return re.fullmatch(r"-?\d+(\.\d*)?(e[-+]?\d+)?", word) is not None


def figures(lines):
    """(what, bytes) -> figure, of the words of each line that a program has printed."""
    titles, found = [], {}
    for words in lines:
        if words[:1] == ["#"]:
            titles = columns_of(words) or titles
        elif titles and len(words) == len(titles) and all(map(is_number, words)):
            values = dict(zip(titles, map(float, words)))
            for title, value in values.items():
                if TITLES[title]:
                    found[TITLES[title], int(values.get("Size", 0))] = value
    return found


def own_figures(lines):
    """program -> (what, bytes) -> figure, of osu_rows."""
    found = {}
    for words in lines:
        if words[:1] == ["row"]:
            _, program, what, number, value = words
            found.setdefault(program, {})[what, int(number)] = float(value)
    return found


def times_of_lines(lines):
    """What a cache line took, us."""
    return [float(words[1]) for words in lines if words[:1] == ["line"]]


def options(group, program, a):
    """Of an OSU program, but for window and epoch."""
    chosen = []
    if a.iterations:
        chosen = ["-i", a.iterations, "-x", max(1, a.iterations // 10)]
    if program in SIZELESS:
        return chosen
    least = 4 if "reduce" in program else 1
    return [*chosen, "-m", f"{least}:{max(least, a.most)}"]


def epochs(program):
    """The windows and epochs that an OSU program is called with."""
    syncs = BOTH_TAKE_PART if program == "put_bibw" else SYNCS
    return [(window, sync) for window in WINDOWS for sync in syncs]
