# SPDX-License-Identifier: BSD-3-Clause
"""The sections of maint/check: what they run.  A section yields its units, each as the name in the
section and what to call.  A row of a table is the name of a step and its command, which may be a
function of the shell libraries in maint/lib and test/*/steps.sh."""
import os
import re
from functools import partial

import tree as t
from check_run import OUT, ROOT, Stop, run

MODULES = tuple(sorted(p.parent.name for p in ROOT.glob("src/mpid/common/*/Makefile")))
TARGETS = ("names", "unit", "asan", "tsan", "fuzz")  # of module.mk, with "-check"

SUITE_DIRS = tuple(
    "attr coll comm datatype errhan errors group info init io mpi_t part pt2pt rma topo spawn f08 "
    "threads/comm threads/rma threads/spawn".split()
)
SHORT_DIRS = ("comm", "group", "init", "topo")
SPAWN_DIRS = ("spawn", "threads/spawn")
FORCED_DIRS = ("comm", "group", "topo", "threads/comm")
THREAD_DIRS = tuple(
    "comm group mpi_t threads/comm threads/init threads/mpi_t threads/pt2pt threads/coll "
    "threads/rma".split()
)
HOSTS_DIRS = ("comm", "group", "topo", "init", "pt2pt", "coll", "rma", *SPAWN_DIRS)
CLIQUES = (2, 3)
ISSUE_MODES = ("eager", "lazy")  # the third, hybrid, is the default
STRATEGIES = ("time", "space")  # the third, hybrid, is the default
# Passes that reach fewer than 20 lines which no other pass does
# (doc/contributing/writing_a_test.md): with --long.
COVERED_BY_OTHERS = ("affine", "array", "packed", *STRATEGIES)

# Without --long: no larger tests, and not those that make communicators, send messages or lock by
# the ten thousand, or measure, which takes minutes over TCP; nor the same one-sided tests with
# other settings.
HOSTS_RANKS = 8
SHORT_LEAVE_OUT = "^large_(counts|files|totals)$"  # minutes, and 5 to 12 GB
HOSTS_LEAVE_OUT = "^(large_counts|large_files|large_totals|ctxalloc|ctxsplit|ctxid_.*|wide_ids|many_comms|sendflood|(lock)?contention.*|.*_accop.*|allgatherv4)$"
# The suite has run the largest tests already; so many more times they would take longer than all
# the rest.  The others have nothing to do with maps.
FORCED_LIMITS = {"MAX_RANKS": "16", "LEAVE_OUT": "^(ctxid_|wide_ids$|tag_limits$)"}
# One-sided operations do not wait in such a build: tests of what becomes of those in messages.
PER_VCI_LEAVE_OUT = "^(outside_window|issue_no_memory|targets_in_use|fence_order|fence_no_memory)$"

WITH_LIMIT = ("env", "MPIEXEC_TIMEOUT=60")
WRONG_ARGUMENTS = (
    "afapi_pi many",
    "afapi_pi 5 x",
    "grid2d nothing",
    "libraries 2 many",
    "limits nothing 1",
    "limits files 0",
    "multigrid 3",
    "pool 2",
    "random_graph many",
    "survive 2",
)
# What examples/limits.c makes: programs that stop elsewhere.
LIMITS = (
    ("functions", "200000"),
    ("iterations", "32000"),
    ("files", "20000"),
    ("steps", "20000"),
    ("preconditioners", "200000"),
)
# without MPIR_CVAR_
WRONG_SETTINGS = (
    "CMAP_STRATEGY=fastest CMAP_REPRESENTATION=list CMAP_ALPHA=1.5 AGGR_FAN=-1 "
    "PROGRESS_YIELD=often CTXID_TABLE=list CTXID_LIMIT=3 "
    "CMAP_REPORT=page.html AGGR_MAX_BYTES=10 AGGR_FAN=1 AGGR_ARENA_MB=-1 AGGR_DIRECT=17 "
    "CH4_RMA_ISSUE=early CH4_RMA_ISSUE_QUEUE=0 CMAP_ALPHA=0,5 AGGR=2 AGGR_MAX_BYTES=4k "
    "AGGR_FAN=99999999999 CH4_RMA_SHARED=maybe ALLREDUCE_INTRA_ALGORITHM=ring "
    "IALLREDUCE_INTRA_ALGORITHM="
).split()


def representations():
    """Every tag of the library, in lower case."""
    text = (ROOT / "src/mpid/common/cmap/cmap.h").read_text()
    return [
        tag.lower()
        for tag in re.findall(r"(?m)^ *CMAP_REP_([A-Z]*)[ ,]", text)
        if tag not in ("COUNT", "ANY")
    ]


def our_dirs():
    """The folders of the suite with tests of ours."""
    top = ROOT / "test/mpi"
    return sorted(str(file.parent.relative_to(top)) for file in top.rglob("testlist.ours"))


# ---- module, validate, build, names --------------------------------------------------------------


def jobs():
    return os.environ.get("JOBS") or str(os.cpu_count())


def module_target(check, name, target, *variables):
    title = " ".join(("module", name, target, *variables))
    folder = OUT / re.sub("[ =]+", "-", title)
    folder.mkdir(exist_ok=True)
    check.step(
        title,
        "env",
        f"GTEST_OUTPUT=xml:{folder}/",
        "make",
        "-C",
        ROOT / "src/mpid/common" / name,
        f"-kj{jobs()}",  # the other parts run when one fails
        f"{target}-check",
        *variables,
    )
    if any(folder.glob("*.xml")):
        check.count_gtest(title, folder)


def compile_units(check):
    """Of all modules at once, so that no core waits for the last file of one."""
    words = ("make", "-f", ROOT / "maint/lib/modules.mk", f"-j{jobs()}", "unit-tests")
    check.step("module: compile the unit tests", *words)


def module(check):
    yield "compile", partial(compile_units, check)
    for name in MODULES:
        for target in TARGETS:
            yield f"{name}/{target}", partial(module_target, check, name, target)
    yield "cmap/without", partial(module_target, check, "cmap", "unit", "WITHOUT=buddy bzip2")


def tap_of(check, name, *words):
    """Counts what a script of ours prints as TAP, and shows what failed in it."""
    tap = OUT / (re.sub("[ :]+", "-", name) + ".tap")
    with tap.open("w") as file:
        run(words, stdout=file)
    print("".join(re.findall(r"(?ms)^not ok.*?(?=^ok|\Z)", tap.read_text())), end="", flush=True)
    check.count_tap(name, tap, 0)


def validate_all(check):
    tap_of(check, "validate", ROOT / "maint/validate")
    check.step("what maint/check counts, repeats and picks", ROOT / "test/maint/check_itself.py")
    check.step("edits of mpich/ go into patches", ROOT / "test/maint/check_series.py")


def validate(check):
    yield "all", partial(validate_all, check)


def build_tests(check):
    """The whole run ends here when there is nothing to test."""
    status = run([ROOT / "maint/build", "--tests", *check.variant.options])
    if status:
        check.fail("build")
    check.count(
        "build",
        int(not status),
        int(bool(status)),
        0,
        [("build", "failed" if status else "passed", "")],
    )
    if status:
        raise Stop


def with_variant(check, variant, work):
    before, check.variant = check.variant, variant
    try:
        build_tests(check)
        work()
    finally:
        check.variant = before


SMALL = (
    ("small: neither BuDDy nor libbz2 is linked", "has_no_libraries_of_maps"),
    ("small: it says that it has no bdd and no bwt", "refuses_left_out", "bdd", "bwt"),
)


def small(check):
    """A second library, without what can be left out of the maps."""

    def work():
        check.steps(SMALL)
        for folder in ("comm", "group"):
            check.suite(folder, "small", env={"ONLY_OURS": "yes", "MAX_RANKS": "4"})

    options = ("--as=small", "--without-fortran", "--without-buddy", "--without-bzip2")
    with_variant(check, check.variant.other(*options), work)


def core(check):
    """The library of the core alone, where messages do the work of the other topics."""

    def work():
        variant = check.variant
        check.suite("comm", "core", env={"LEAVE_OUT": "^ctxsplit$"})
        # Without the topic "yield" waits spin: on two cores the 100,000 splits of 4 processes take
        # half an hour, and stock's three times as long.  With few ids fewer splits show a leak.
        program = (variant.build / "test/mpi/comm/ctxsplit", "--loopcount", "1000")
        limits = ("MPIR_CVAR_CTXID_LIMIT=64", "MPIEXEC_TIMEOUT=600")
        check.step("core: ctxsplit", "env", *limits, variant.bin("mpiexec"), "-n", "4", *program)
        for folder in ("group", "topo"):
            check.suite(folder, "core")

    with_variant(check, check.variant.other("--topics=core"), work)


def build(check):
    yield "tests", partial(build_tests, check)
    yield "small", partial(small, check)


def compiles(check, name, *words):
    script = (ROOT / "test/compilers/compilers.py", "--build", check.variant.build)
    tap_of(check, f"compilers: {name}", *script, *words)


def compilers(check):
    yield "syntax", partial(compiles, check, "syntax", "gcc")
    yield "gcc", partial(compiles, check, "gcc", "--objects", "gcc")
    yield "clang", partial(compiles, check, "clang", "--objects", "clang")
    yield "newer", partial(in_root, check, "Debian 13", ("make_fresh_root", "trixie"), NEWER_STEPS)


def names_all(check):
    recorded = "libraries export as many names as stock's, and the same"
    check.step("libraries export MPI's names alone", "exports_only_mpi")
    if check.variant.fortran:
        check.step(recorded, "exports_as_recorded")
    else:
        check.count(recorded, 0, 0, 1)
    prefix = check.variant.prefix
    check.steps(
        [
            ("names of our objects have prefixes", "own_objects_have_prefixes"),
            ("a program's own names, shared", "own_names", "shared"),
            ("a program's own names, static", "own_names", "static"),
            ("pkg-config names what to link", ROOT / "test/names/pkg_config.sh", prefix),
            ("a copy of the installation", ROOT / "test/names/moved.sh", prefix),
        ]
    )


def names(check):
    yield "all", partial(names_all, check)


# ---- examples ------------------------------------------------------------------------------------


COMPILED = ("examples compile", "compile_examples")


def compile_step(variant, source):
    program = OUT / source.rsplit("/", 1)[1].removesuffix(".c")
    flags = ("-O2", "-Wall", "-Wextra", "-Werror", "-o", program)
    return f"{program.name} compile", variant.bin("mpicc"), *flags, ROOT / source


def programs(variant):
    mpiexec = variant.bin("mpiexec")
    yield "demo grid2d", ROOT / "maint/demo", "--no-hpcc", *variant.options
    yield "readme compile", "compile_readme"
    yield "readme run", *WITH_LIMIT, mpiexec, "-n", "8", OUT / "readme"
    yield "constants for no statuses compile without warnings", "no_statuses_do_not_warn"
    yield "names leaked communicators", "names_leaks"
    yield "the report's file, and its page", "report_page"
    yield "the page in a browser", "report_in_browser"
    for program in ("libraries", "multigrid", "random_graph", "bfs", "limits"):
        yield compile_step(variant, f"examples/{program}.c")
        if program != "limits":
            yield f"{program} on 12 ranks", *WITH_LIMIT, mpiexec, "-n", "12", OUT / program
    program = OUT / "rma_calibrate"
    yield compile_step(variant, "examples/rma_calibrate.c")
    yield "rma_calibrate", *WITH_LIMIT, "MPIR_CVAR_NUM_CLIQUES=2", mpiexec, "-n", "2", program
    for what, number in LIMITS:
        limit = ("env", "MPIEXEC_TIMEOUT=300")
        yield f"{number} {what}", *limit, mpiexec, "-n", "2", OUT / "limits", what, number
    for mode in ("hybrid", *ISSUE_MODES):
        settings = ("MPIR_CVAR_NUM_CLIQUES=5", f"MPIR_CVAR_CH4_RMA_ISSUE={mode}")
        run_bfs = (mpiexec, "-n", "5", OUT / "bfs", "10")
        yield f"bfs by messages, {mode}", *WITH_LIMIT, *settings, *run_bfs


def refusals(variant):
    yield COMPILED
    for wrong in WRONG_ARGUMENTS:
        yield f"refuses {wrong}", "example_refuses", *wrong.split()
    more = ["CH4_UCX_RANK_BITS=25", "CH4_UCX_LINE_BYTES=8185"] if variant.netmod != "ofi" else []
    more += ["CH4_NUM_VCIS=4"] if variant.threads != "per-vci" else []
    for wrong in (*WRONG_SETTINGS, *more):
        yield f"refuses MPIR_CVAR_{wrong}", "refuses", f"MPIR_CVAR_{wrong}"
    yield "refuses what is no choice of MPICH's variables", "refuses_each_choice"
    yield "refuses settings that differ between processes", "refuses_all_differing"
    yield "a value that is wrong in one process ends the job", "refuses_of_one"
    yield "refuses to be one of several without a process manager", "refuses_other_launchers"
    if variant.netmod == "ofi":
        yield "refuses to recover over OFI", "refuses_recovery_over_ofi"
    yield "MPI that was finalized is not initialized again", "initialized_once"
    yield "MPICH's test of revoked communicators", "revokes"
    yield "names what replaces options of configure", "names_replacements"


JOBS = (
    COMPILED,
    ("keeps what is written before an abort", "keeps_last_words"),
    ("the status of a process is that of the job", "status_of_the_job"),
    ("the status of a job that a signal ends", "status_after_a_signal"),
    ("a spawned job that outlives its parents", "job_that_outlives_its_parents"),
    ("an abort of a spawned process", "abort_of_a_spawned_process"),
    ("a signal while a host does not answer", "signal_at_the_start"),
    ("files of killed jobs are removed", "files_of_the_dead"),
)


MPIEXEC = (
    ("mpiexec: many arguments, and long ones", "takes_many_arguments"),
    ("mpiexec: a large environment", "takes_a_large_environment"),
    ("mpiexec: long lists of hosts", "takes_long_lists_of_hosts"),
    ("mpiexec: long files of words", "takes_long_files_of_words"),
    ("mpiexec: long values of options", "takes_long_values_of_options"),
    ("mpiexec: large standard input", "passes_large_input_on"),
    ("mpiexec: input that nobody reads", "leaves_input_that_nobody_reads"),
    ("mpiexec: the end of input", "ends_input_of_all_processes"),
    ("mpiexec: in the background of a terminal", "goes_on_in_the_background"),
    ("mpiexec: wrong values of options", "refuses_wrong_values"),
    ("mpiexec: no program", "wants_a_program"),
    ("mpiexec: -path", "finds_programs_in_a_path"),
    ("mpiexec: a directory that was removed", "starts_in_a_removed_directory"),
    ("mpiexec: a host name without address", "spawns_where_the_name_is_unknown"),
    ("mpiexec: localhost without address", "reaches_localhost_without_address"),
    ("mpiexec: all names of this host", "knows_all_names_of_this_host"),
    ("mpiexec: no PATH", "does_without_a_path"),
    ("mpiexec: a signal while it writes", "writes_on_after_a_signal"),
    ("mpiexec: closed input and output", "starts_with_closed_streams"),
    ("mpiexec: launchers that end", "ends_if_a_launcher_ends"),
    ("mpiexec: a launcher that ends while spawning", "refuses_a_spawn_if_its_proxy_fails"),
    ("mpiexec: a host that starts late", "leaves_late_hosts"),
    ("mpiexec: a proxy in the background", "waits_for_a_proxy_in_the_background"),
    ("mpiexec: statuses of jobs", "says_how_a_job_ended"),
    ("mpiexec: processes that are missed", "ends_if_a_process_is_missed"),
    ("mpiexec: sleeps while a process goes on", "sleeps_while_a_process_goes_on"),
    ("mpiexec: the end of a job that spawns", "ends_with_spawned_processes"),
    ("mpiexec: goes on without a process", "goes_on_without_a_process"),
    ("mpiexec: time to end after a signal", "gives_time_after_a_signal"),
    ("mpiexec: one reason for an end", "says_the_reason_once"),
    ("mpiexec: fences of PMI-2", "waits_at_fences_of_pmi2"),
    ("mpiexec: the variables of Slurm", "knows_the_variables_of_slurm"),
    ("mpiexec: binding where it may run", "binds_where_it_may"),
    ("mpiexec: a binding that fails", "says_what_is_not_bound"),
)

ARGUMENTS = (("each argument of each function wrong in turn", "wrong_arguments"),)

KILLED = (
    ("a killed rank", "rank", "collectives", "2"),
    ("a rank killed with a lock", "rank", "locks", "2"),
    ("a rank killed in a split", "rank", "splits", "2"),
    ("a rank killed with maps of the node", "rank", "maps", "12"),
    ("a killed proxy", "proxy", "collectives", "2"),
    ("a killed proxy of scripts", "proxy-of-scripts", "collectives", "2"),
    ("mpiexec killed in a spawn", "mpiexec", "spawning", "1"),
    ("a proxy killed in a spawn", "proxy", "spawning", "1"),
)


def killed(times):
    for name, whom, program, least in KILLED:
        yield f"{name} ends the job, and nothing remains", "kill_some", whom, program, least, times


# Calls of test/kill/survive.c.
SURVIVED = (
    "receive waitall late_receive any_source blocking_any_source send long_send many_sends "
    "partitioned started_partitioned barrier allreduce long_allreduce nonblocking rooted dup idup "
    "split create create_group agree shrink nonblocking_repair shrinks_of_several revoked "
    "waitall_of_comm calls_until_revoked revoker finalize spawn"
).split()

# The line that each of these programs prints.
RECOVERED = (
    ("test/kill/survive_any.c", " No Errors"),
    ("test/kill/survive_lent.c", " No Errors"),
    (
        "examples/survive.c",
        "survive: RANKS ranks, DEATHS deaths, [0-9]+ repairs, [0-9.]+ ms a repair: equal",
    ),
    (
        "examples/pool.c",
        "pool: RANKS ranks, [0-9]+ died, 300 tasks, [0-9]+ given to another: .* is right",
    ),
)


# Calls of test/kill/survive_jobs.c.
IN_JOBS = (
    "messages messages_between collectives collectives_between merge agree_between shrink_between "
    "revoked_between disconnect spawn"
).split()


# Calls of test/kill/survive_windows.c.
WINDOWS = (
    "locked locked_shared locked_all lock long_put two_windows flush flush_long flush_local "
    "flush_all flush_local_all no_flush living accumulate fence fences long_fences start wait test "
    "complete free late create finalize"
).split()


def survived_windows(is_long):
    ways = [("1", "exit cold allocate"), ("2", "kill warm create"), ("2", "kill cold allocate")]
    if is_long:
        ways += [(c, f"kill warm {f}") for c in "12" for f in ("allocate", "create", "dynamic")]
        ways += [("1", "exit warm shared"), ("1", "kill cold shared"), ("2", "exit cold dynamic")]
    else:
        ways += [("1", "kill warm shared"), ("2", "kill cold dynamic")]
    for call in WINDOWS:
        for cliques, words in ways:
            what = f"the others go on after a death in {call}, {words}, nodes: {cliques}"
            yield what, "survives_in_window", cliques, call, *words.split()


def survived(times, is_long):
    for call in SURVIVED:
        yield f"the others go on after an exit in {call}", "survives", call
        yield f"the others go on after a kill in {call}", "survives", call, "kill", "warm"
    if is_long:
        what = "the others go on after a kill in revoker, 260 ranks"
        yield what, "survives_large", "revoker", "kill"
    yield from survived_windows(is_long)
    yield "the others go on after a kill in threads", "run_survivors", "survive_threads"
    for whom in ("all", "proxy"):
        yield f"the others go on after a stop of a host: {whom}", "stopped_host", whom
    yield "a stop of mpiexec ends the ranks", "stopped_mpiexec"
    for call in IN_JOBS:
        for cliques, words in (
            ("1", "kill cold child"),
            ("1", "kill cold parent"),
            ("2", "exit cold parent"),
        ):
            what = f"both jobs go on after a death in {call}, {words}, nodes: {cliques}"
            yield what, "survives_in_jobs", cliques, call, *words.split()
    for call in ("member", "root", "child", "init_of_child", "nobody"):
        yield f"the others go on after a death in a spawn: {call}", "survives_in_spawn", call
    yield "the others go on if a host starts nothing in a spawn", "spawns_on_bad_hosts"
    yield "repairs by spawn, with kills at random moments", "repaired_by_spawn", str(
        int(times) // 3
    )
    yield "kills at random moments in calls on files", "survives_in_files", times
    for source, result in RECOVERED:
        yield f"kills at random moments in {source}", "recovers", source, result, times
    yield "the status of a job that has lost ranks", "statuses_with_recovery"


ALONE = (
    COMPILED,
    ("a process that is gone before its first use is named", "use_of_the_dead"),
    ("mpirank1: local calls, and errors instead of waits", "alone_or_error"),
    ("mpirank1: communicators of 64 real ranks", "same_communicators", "64"),
    ("mpirank1: splits of a million ranks by descriptions", "described_splits"),
    ("mpirank1: the living of a million ranks agree and shrink", "living_repair"),
    ("mpirank1: bad input", "rank1_bad_input"),
    ("mpirank1: the examples as one of a million ranks", "examples_at_scale"),
    ("mpirank1: what the bench of a million measures", "bench_of_a_thousand"),
)


BENCHMARKS = (
    ("what a benchmark makes of launches", ROOT / "test/bench/osu_rows.py"),
    ("maint/bench osu: each kind of row", "bench_of_osu_rows"),
)


def afapi(variant):
    yield compile_step(variant, "examples/afapi_pi.c")
    yield "afapi_pi under mpiexec", "afapi_pi_runs", "mpiexec -n $n afapi_pi 1000"
    yield "afapi_pi in a program that has MPI", "afapi_pi_runs", "mpiexec -n $n afapi_pi 1000 mpi"
    yield "afapi_pi on two nodes", "afapi_pi_runs", "MPIR_CVAR_NUM_CLIQUES=2 mpiexec -n $n afapi_pi 1000"
    yield "afapi_pi alone", "afapi_pi_runs", "AFAPI_NPROC=$n afapi_pi 1000"
    yield "afapi_pi refuses what is no number of processes", "refuses_no_processes"


def examples(check):
    variant = check.variant
    yield "programs", partial(check.steps, programs(variant))
    yield "refusals", partial(check.steps, refusals(variant))
    yield "jobs", partial(check.steps, JOBS)
    yield "mpiexec", partial(check.steps, MPIEXEC)
    yield "arguments", partial(check.steps, ARGUMENTS)
    yield "killed", partial(check.steps, killed("200" if check.long else ""))
    if variant.netmod == "ucx":
        yield "survived", partial(check.steps, survived("300" if check.long else "30", check.long))
        yield "rank1", partial(check.steps, ALONE)
    yield "afapi", partial(check.steps, afapi(variant))
    yield "bench", partial(check.steps, BENCHMARKS)


# ---- apps ----------------------------------------------------------------------------------------

APPS = (
    ("ScaLAPACK, a few testers", "app_scalapack", "xdbrd", "xdsep"),
    ("NWChem, the energy of water", "app_nwchem"),
    ("OpenCoarrays, a few tests", "app_coarrays", "co_*", "syncall", "sendget_convert_char_array"),
    ("parallel HDF5", "app_hdf5"),
)
LONG_APPS = (
    ("ScaLAPACK, more testers", "app_scalapack", "xdlu", "xdllt", "xdqr", "xdls", "xdinv", "xdhrd"),
    ("OpenCoarrays, all tests", "app_coarrays", "*"),
    ("mpi4py, its tests", "app_mpi4py"),
    ("hypre, a residual", "app_hypre"),
    ("PnetCDF, its tests", "app_pnetcdf"),
    ("HPCG, a valid result", "app_hpcg"),
)


def run_apps(check):
    if check.variant.netmod != "ucx":
        check.count("apps (only over UCX)", 0, 0, 1)
        return
    check.steps(
        (f"apps: {name}", *words)
        for name, *words in (*APPS, *(LONG_APPS if check.long else ()), ("table", "app_table"))
    )
    table = OUT / "apps--table.log"
    if table.exists():
        print(table.read_text(), end="", flush=True)


def apps(check):
    yield "all", partial(run_apps, check)


# ---- containers, launchers, doc, fresh -----------------------------------------------------------


def in_container(memory, script):
    return "in_container", memory, "bash", "-c", script


def contain(check):
    if check.shell("can_contain"):
        check.count("containers (needs root and namespaces)", 0, 0, 1)
        return
    demo = (ROOT / "maint/demo", "--no-hpcc", *check.variant.options)
    of_each = ("unshare", "--user", "--pid", "--fork")
    rows = (
        compile_step(check.variant, "test/containers/all_talk.c"),
        ("64 processes, 64 MB of /dev/shm", *in_container("64m", "all_talk 64")),
        ("16 processes, 8 MB of /dev/shm", *in_container("8m", "all_talk 16")),
        ("the demo in 8 MB", "in_container", "8m", *demo),
        ("16 processes, 64 MB, no sysv", *in_container("64m", "all_talk_without_sysv 16")),
        ("8 processes, 8 MB, no sysv", *in_container("8m", "all_talk_without_sysv 8")),
        ("a user namespace for each process", "all_talk", "4", "unshare", "--user"),
        ("namespaces of users and processes", "all_talk", "4", *of_each),
        ("an IPC namespace for each process", "all_talk", "4", "unshare", "--ipc"),
        ("processes of others are hidden", *in_container("64m", "all_talk_as_nobody 4")),
        ("34 open files", "few_files", "4"),
        ("no locked memory", "no_locked_memory", "4"),
    )
    check.steps((f"containers: {name}", *words) for name, *words in rows)


def containers(check):
    yield "all", partial(contain, check)


LAUNCHERS = (
    ("srun --mpi=pmi2", "slurm", "pmi2"),
    ("srun --mpi=pmix", "slurm", "pmix"),
    ("prterun, or Open MPI's mpirun", "prte"),
)


# Calls of test/kill/survive.c.
PRTERUN_SURVIVED = (
    ("receive", "kill", "warm"),
    ("long_send", "exit"),
    ("allreduce", "kill"),
    ("agree", "exit", "warm"),
    ("finalize", "kill"),
)


def under_launchers():
    for name, *words in LAUNCHERS:
        # without the option, Slurm leaves the other processes of a job alone when one dies
        kill = "kill_on_bad_exit" if "slurm" in words else "kill"
        yield f"{name}: one host and three, in blocks and in turn", "talks", *words
        yield f"{name}: an abort ends the job", "ends", "abort", *words
        yield f"{name}: a killed rank ends the job", "ends", kill, *words
        yield f"{name}: a spawned child answers, or an error says why not", "spawns", *words
    yield "mpiexec in an allocation of Slurm", "mpiexec_in_slurm"
    yield "srun without a process manager", "advises", "srun --mpi=pmi2", "srun_alone"
    yield "srun --mpi=none", "advises", "srun --mpi=pmi2", "srun_alone", "--mpi=none"
    yield "srun --mpi=pmix without libpmix", "advises", "libpmix2", "without_libpmix"


def launch(check):
    check.steps([compile_step(check.variant, "test/launchers/job.c")])
    check.step("launchers: mpiexec and the options of Open MPI", "openmpi_options")
    if not check.lacks("launchers: recovery", len(PRTERUN_SURVIVED) + 1, "why_no_prterun"):
        check.step("launchers: prterun, an abort ends a job that recovers", "abort_with_prterun")
        for call, *words in PRTERUN_SURVIVED:
            name = f"launchers: prterun, the others go on after a death in {call}"
            check.step(name, "survives_with_prterun", call, *words)
    if check.lacks("launchers", 1, "why_no_launchers"):
        return
    check.step("launchers: our declarations of PMIx are those of pmix.h", "pmix_declarations")
    try:
        if check.step("launchers: Slurm on three hosts", "start_launchers"):
            check.steps((f"launchers: {name}", *words) for name, *words in under_launchers())
    finally:
        run([ROOT / "maint/hosts", "down"])


def launchers(check):
    yield "all", partial(launch, check)


def pages(check):
    script = (ROOT / "test/doc/pages.py", check.variant.prefix)
    tap_of(check, "doc: commands of the pages", *script)


MANUAL = (
    ("doc: pages are installed, and man shows them", "pages_are_installed"),
    ("doc: each function of afapi.h has a page", "functions_have_pages"),
    ("doc: reference of the interfaces", ROOT / "maint/reference", "--api"),
)


def doc(check):
    yield "manual", partial(check.steps, MANUAL)
    if check.variant.netmod == "ucx":
        yield "pages", partial(pages, check)


def in_root(check, name, make, steps):
    """The steps in the minimal root that a function of the shell makes: `make` has its words, and
    the folder follows."""
    folder, log = OUT / "fresh", OUT / "fresh-root.log"
    if check.lacks(name, len(steps), "why_no_fresh_root"):
        return
    if check.shell("step", f"{name} root", log, "is there a network?", *make, folder):
        why = log.read_text(errors="replace").strip().rpartition("\n")[2]
        check.count(f"{name} ({why})", 0, 0, len(steps))
        return
    for what, *words in steps:
        check.step(f"{name}: {what}", "in_fresh_root", folder, *words)
    run(["rm", "-rf", "--one-file-system", folder])


DEMO = ("maint/demo", ROOT / "maint/demo")
IN_FRESH_ROOT = (DEMO, ("maint/check", ROOT / "maint/check"))
NEWER_STEPS = (
    DEMO,
    (
        "its compilers",
        "bash",
        "-c",
        "apt-get install -y -q clang && test/compilers/compilers.py --objects gcc clang",
    ),
)


def fresh(check):
    for name, release in (("Debian 12", "bookworm"), ("Debian 13", "trixie")):
        make = ("make_fresh_root", release)
        yield release, partial(in_root, check, name, make, IN_FRESH_ROOT)


# ---- package -------------------------------------------------------------------------------------

IN_PACKAGE_ROOT = (
    ("Debian's MPICH and Open MPI work", "before"),
    ("ours is installed beside them", "install"),
    ("all three compile and run", "beside"),
    ("alternatives", "alternatives"),
    ("it says who it is", "identity"),
    ("an ordinary user", "user"),
    ("an environment module", "module"),
    ("each name of Debian's libmpich.so.12", "symbols"),
    ("programs of Debian's mpicc, mpicxx and mpif90", "abi"),
    ("CMake", "cmake"),
    ("CMake with MPI_HOME", "cmake_home"),
    ("Meson", "meson"),
    ("pkg-config", "pkg_config"),
    ("removed: the others are as before", "remove"),
    ("purged: no file is left", "purge"),
)


IMAGES = (
    ("the Dockerfile's image, and a job in it", "image_is_built"),
    ("the image: an ordinary user, no compiler", "image_has_what_runs"),
    ("the image that compiles", "image_compiles"),
    ("images are removed", "no_images_left"),
)


def images(check):
    """By packaging/Dockerfile, with the packages that are there."""
    if not check.lacks("package: images", len(IMAGES), "why_no_images"):
        check.steps((f"package: {name}", *words) for name, *words in IMAGES)


def packages(check):
    if check.step("package: Debian packages", ROOT / "maint/package", "deb"):
        in_root(
            check,
            "package",
            ("make_package_root",),
            [(name, "bash", "test/package/in_root.sh", step) for name, step in IN_PACKAGE_ROOT],
        )
        if check.long:
            images(check)


def package(check):
    yield "recipe", partial(
        check.step, "package: the Spack recipe", ROOT / "test/package/spack_recipe.py"
    )
    yield "destdir", partial(
        check.step,
        "package: DESTDIR and uninstall",
        "destdir_and_uninstall",
        *check.variant.options,
    )
    yield "debian", partial(packages, check)


# ---- suite, forced, hosts ------------------------------------------------------------------------


def compiled(check, folders):
    """Without those of Fortran where there is none."""
    return [f for f in folders if check.variant.fortran or not f.startswith("f08")]


def suite(check):
    for folder in compiled(check, SUITE_DIRS):
        yield folder, partial(check.suite, folder)


def short(check):
    """Up to 4 ranks: MPICH's tests of the folders that the maps are for, elsewhere ours."""
    few = {"MAX_RANKS": "4", "LEAVE_OUT": SHORT_LEAVE_OUT}
    for folder in SHORT_DIRS:
        yield folder, partial(check.suite, folder, "4 ranks", env=few)
    for folder in compiled(check, our_dirs()):
        if folder not in SHORT_DIRS:
            ours = {**few, "ONLY_OURS": "yes"}
            yield folder, partial(check.suite, folder, "ours, 4 ranks", env=ours)


def forced(check):
    passes = [(name, f"MPIR_CVAR_CMAP_REPRESENTATION={name}") for name in representations()] + [
        (name, f"MPIR_CVAR_CMAP_STRATEGY={name}") for name in STRATEGIES
    ]
    passes = [row for row in passes if check.long or row[0] not in COVERED_BY_OTHERS]
    for name, setting in passes:
        for folder in FORCED_DIRS:
            yield f"{name}/{folder}", partial(check.suite, folder, name, setting, env=FORCED_LIMITS)
    for k in CLIQUES:
        for folder in ("comm", "group"):
            yield f"{k}-cliques/{folder}", partial(
                check.suite,
                folder,
                f"{k} cliques",
                f"MPIR_CVAR_NUM_CLIQUES={k}",
                env={**FORCED_LIMITS, "ONLY_OURS": "yes"},
            )


def on_hosts(check, k, work):
    """With k hosts up; `work` gets the environment that starts jobs on them."""
    up = t.run([ROOT / "maint/hosts", "up", str(k)])
    if up.returncode:
        check.count(f"hosts ({up.stdout.strip().removeprefix('hosts: ')})", 0, 0, 1)
        return
    try:
        work({"MPIEXEC": f"{ROOT}/maint/hosts run {' '.join(check.variant.options)}"})
    finally:
        run([ROOT / "maint/hosts", "down"])


def hosts_end(check, env):
    check.step("hosts come and go", "hosts_come_and_go", env=env)
    check.step("hosts of a read-only checkout", "hosts_of_read_only_checkout")
    run([ROOT / "maint/hosts", "up", "2"])
    for when in ("before", "in", "closing"):
        name = f"hosts: ends, rank killed {when} finalize"
        check.step(name, "ends_when_killed", when, env=env)
    name = "hosts: a rank killed with a lock ends the job, and nothing remains"
    check.step(name, "kill_some", "rank", "locks", "2", env=env)


def hosts_survive(check, env):
    times = "30" if check.long else "6"
    name = "hosts: repairs by spawn, with kills at random moments"
    check.step(name, "repaired_by_spawn", times, env=env)
    check.step("hosts: kills in calls on files", "survives_in_files", times, env=env)
    for way in ("stop", "proxy", "cut"):
        check.step(f"hosts: the others go on without a lost host: {way}", "lost_host", way, env=env)
    for call in ("messages", "agree_between", "shrink_between", "spawn"):
        for who in ("child", "parent"):
            name = f"hosts: both jobs go on after a death in {call}, {who}"
            check.step(name, "survives_in_jobs", "1", call, "kill", "cold", who, env=env)


def hosts(check):
    limits = {"MAX_RANKS": str(HOSTS_RANKS), "LEAVE_OUT": HOSTS_LEAVE_OUT} if not check.long else {}

    def tests(folder, label, more, env):
        check.suite(folder, label, env={**env, **limits, **more})

    yield "ends", partial(on_hosts, check, 2, partial(hosts_end, check))
    yield "survived", partial(on_hosts, check, 2, partial(hosts_survive, check))
    for folder in HOSTS_DIRS:
        yield f"2/{folder}", partial(on_hosts, check, 2, partial(tests, folder, "2 hosts", {}))
    for folder in compiled(check, our_dirs()):
        ours = partial(tests, folder, "4 hosts, ours", {"ONLY_OURS": "yes"})
        yield f"4/{folder}", partial(on_hosts, check, 4, ours)


# ---- long ----------------------------------------------------------------------------------------


def tests_of_fixes():
    """folder -> the tests that fixes name which need nothing else of ours."""
    found = {}
    for patch in sorted((ROOT / "patches/fix").glob("*.patch")):
        text = patch.read_text(errors="replace")
        if not re.search(r"(?m)^Serves:", text):
            for folder, name in re.findall(r"(?m)^Test: test/mpi/(.*)/([^/]*)\.c$", text):
                found.setdefault(folder, []).append(name)
    return found


def fixes_alone(check):
    """Stock with the fixes.  The programs are those of our build, and find the other library,
    which does not leave the core."""
    fixed = check.variant.other("--stock-fix")
    check.step("fixes alone: build", ROOT / "maint/build", *fixed.options)
    folder = ""
    for folder, names_there in sorted(tests_of_fixes().items()):
        check.suite(
            folder,
            "fixes alone",
            f"LD_LIBRARY_PATH={fixed.prefix}/lib",
            env={
                "MAX_RANKS": "4",
                "LEAVE_OUT": "=MPIR_CVAR_CTXID_",  # variables of ours
                "ONLY_THESE": " ".join(names_there),
                "MPIEXEC": str(fixed.bin("mpiexec")),
            },
        )
    check.step(
        "fixes alone: the library",
        "loads_library_of",
        fixed.prefix,
        check.variant.build / "test/mpi" / folder,
    )


def over_ofi(check):
    """A second installation, with dynamic processes, and the tests which need them."""

    def work():
        check.step("ofi: refuses more ranks than the match bits hold", "refuses_ranks")
        check.step("ofi: providers that reach other hosts come first", "chooses_what_reaches")
        check.step("ofi: hosts with IPv6 alone", "starts_with_ipv6_alone")
        for folder in (*SPAWN_DIRS, "errors/spawn", "init", "comm", "group", "rma"):
            check.suite(folder, "ofi")
        for folder in ("coll", "pt2pt"):
            check.suite(folder, "ofi", env={"ONLY_OURS": "yes"})

    with_variant(check, check.variant.other("--netmod=ofi"), work)


def per_vci(check):
    """A third, in which threads are in MPI at the same time."""

    def work():
        env = {"LEAVE_OUT": PER_VCI_LEAVE_OUT}
        for folder in THREAD_DIRS:
            check.suite(folder, "per-vci", "MPIR_CVAR_CH4_NUM_VCIS=4", env=env)
        for folder in compiled(check, our_dirs()):
            if folder not in (*THREAD_DIRS, *SPAWN_DIRS):
                check.suite(
                    folder, "per-vci", "MPIR_CVAR_CH4_NUM_VCIS=4", env={**env, "ONLY_OURS": "yes"}
                )

    with_variant(check, check.variant.other("--thread-cs=per-vci"), work)


FOREIGN = (
    ("UCX of MPICH's source: compile", "foreign_ucx"),
    ("that UCX at run time", "foreign_ucx_at_run_time"),
    ("hwloc of MPICH's source: compile", "foreign_hwloc"),
    ("--with-ucx and --with-hwloc: build", "build_with_foreign"),
    ("--with-ucx and --with-hwloc: data, and a spawn", "foreign_build_runs"),
)


def long(check):
    topics = (ROOT / "maint/lib/topics.py", "--out", OUT / "topics")
    yield "ids", partial(check.step, "131072 communicators", "most_ids")
    yield "names", partial(check.step, "exported names beside stock's", "names_beside_stock")
    yield "fixes", partial(fixes_alone, check)
    yield "topics", partial(check.step, "all compiles after each patch of hook/", *topics)
    yield "core", partial(core, check)
    stock = (ROOT / "maint/build", "--stock-yield")
    yield "stock-yield", partial(check.step, "stock with the yield: build", *stock)
    yield "openmpi", partial(check.step, "Open MPI beside us: build and run", "openmpi_runs")
    for mode in ISSUE_MODES:
        yield mode, partial(check.suite, "rma", mode, f"MPIR_CVAR_CH4_RMA_ISSUE={mode}")
    if check.variant.netmod == "ucx":
        yield "foreign", partial(check.steps, FOREIGN)
    yield "ofi", partial(over_ofi, check)
    yield "per-vci", partial(per_vci, check)


def arm(check):
    for name in MODULES:
        yield f"module/{name}", partial(
            check.step, f"arm: unit tests of {name}", "arm_module", name
        )
    yield "library", partial(check.step, "arm: libmpi and mpiexec", "arm_library")
    yield "comm", partial(check.step, "arm: comm of the suite", "arm_comm")


SECTIONS = {
    section.__name__: section
    for section in (
        *(module, validate, build, compilers, names, examples, containers, launchers, apps),
        *(doc, package, short, suite, hosts, forced, fresh, long, arm),
    )
}
