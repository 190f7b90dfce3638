/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Starts one process as one rank of a world of any size, and is the process manager for it (PMI-1
 * on PMI_FD).  The other ranks do not exist: src/include/mpir_solo.h has what the library does
 * about that.
 */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "solo_scenario.h"
#include "../../include/mpir_deaths_page.h"

#define MOST_RANKS (1 << 24)
#define LINE_ROOM 4096
#define LINE_MOST 64      /* bytes for a rank in what a scenario's program prints */
#define NOTICE_SECONDS 10 /* until it is said that nothing was printed yet */
/* with key and name of the space it has to fit into PMI's lines of 1024 */
#define VALUE_MAX 512

static struct {
    int world, rank, per_node;
    bool cyclic, same_address;
    char *scenarios; /* for the library: one a line */
    char **command;
    int dead_fd; /* of the list of the dead; -1: nobody says who dies */
} job = {.world = -1, .rank = 0, .per_node = 1, .dead_fd = -1};

static const char usage[] =
    "usage: mpirank1 --world N [options] PROGRAM [ARGUMENTS]\n"
    "\n"
    "Runs PROGRAM as one rank of a world of N ranks, of which the others do not exist. Local MPI "
    "calls are real; a message to\n"
    "another rank, and a collective operation, is an error. Communicators can be created: the "
    "others make the same calls.\n"
    "PROGRAM may be a script with several MPI programs, one after the other.\n"
    "\n"
    "  --world N             ranks in the world, 1 to 16777216\n"
    "  --rank R              the rank to be, 0 (default) to N - 1\n"
    "  --ranks-per-node P    ranks on each node, 1 (default) and more\n"
    "  --layout L            block (default): 0 .. P - 1 on the first node; cyclic: a rank for "
    "each node in turn\n"
    "  --scenario S          how the others call MPI_Comm_split: " SOLO_SCENARIOS ",\n"
    "                        or program PATH, which is called with N and prints for each rank a "
    "line with colour and key.\n"
    "                        Given several times: for the first call, the second, ..., the last "
    "for all that follow.\n"
    "  --dead LIST           ranks that have died, such as 5,16-31: the calls of "
    "mpiexec --enable-recovery work without them\n"
    "  --same-address        for MPI libraries that ask for all addresses in MPI_Init: all others "
    "have this process's\n"
    "  --help                this text\n"
    "  --                    what follows is the program, whatever it begins with\n";

static void die(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("mpirank1: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(1);
}

static int number(const char *option, const char *text, int least, int most)
{
    char *end;
    long value;

    errno = 0;
    value = text ? strtol(text, &end, 10) : 0;
    if (!text || !*text || *end || errno || value < least || value > most)
        die("%s %s: accepted are %d to %d", option, text ? text : "", least, most);
    return (int) value;
}

/* A file without a name: it goes when the last process that has it open does, however that ends. */
static int open_nameless_file(const char *what)
{
    const char *directory = getenv("TMPDIR");
    char name[LINE_ROOM];
    int fd;

    snprintf(name, sizeof(name), "%s/mpirank1-XXXXXX",
             directory && *directory ? directory : "/tmp");
    fd = mkstemp(name);
    if (fd < 0)
        die("no file %s for %s: %s", name, what, strerror(errno));
    unlink(name);
    return fd;
}

/* Whatever ends mpirank1 ends what it started: nobody is left who would answer it, or read what
 * it prints. */
static void end_with(pid_t manager)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != manager)
        _exit(1);
#endif
}

/* 0: in the child, which ends with this process. */
static pid_t fork_child(int unused_fd)
{
    pid_t own = getpid(), pid = fork();

    if (pid < 0)
        die("fork: %s", strerror(errno));
    if (pid == 0) {
        end_with(own);
        close(unused_fd);
    }
    return pid;
}

static pid_t start_scenario_program(const char *path, int out, int unused_fd)
{
    char ranks[32];
    pid_t pid = fork_child(unused_fd);

    if (pid > 0)
        return pid;
    snprintf(ranks, sizeof(ranks), "%d", job.world);
    dup2(out, STDOUT_FILENO);
    close(out);
    execlp(path, path, ranks, (char *) NULL);
    fprintf(stderr, "mpirank1: %s cannot be started: %s\n", path, strerror(errno));
    _exit(127);
}

/* False when there is nothing to read after a while; interrupted looks begin again. */
static bool is_readable(int in)
{
    struct pollfd look = {.fd = in, .events = POLLIN};
    int n;

    while ((n = poll(&look, 1, NOTICE_SECONDS * 1000)) < 0 && errno == EINTR)
        ;
    return n != 0;
}

static bool write_all(int fd, const char *text, size_t length)
{
    for (ssize_t n; length > 0; text += n, length -= (size_t) n) {
        n = write(fd, text, length);
        if (n < 0 && errno == EINTR)
            n = 0;
        if (n < 0)
            return false;
    }
    return true;
}

static int wait_for(pid_t pid)
{
    int status = -1;

    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

/* All that the program prints, up to more than any scenario has. */
static void copy_output(int in, int fd, pid_t pid, const char *path)
{
    static char block[1 << 16];
    long long room = (long long) job.world * LINE_MOST + LINE_MOST;
    bool noticed = false;
    ssize_t n = 1;

    while (n != 0) {
        if (!noticed && !is_readable(in)) {
            fprintf(stderr, "mpirank1: waiting for what %s %d prints\n", path, job.world);
            noticed = true;
        }
        n = read(in, block, sizeof(block));
        if (n < 0 && errno != EINTR)
            die("%s: %s", path, strerror(errno));
        if (n <= 0)
            continue;
        room -= n;
        if (room < 0) {
            kill(pid, SIGKILL);
            die("--scenario program %s: it prints more than %d ranks have to say; accepted is one "
                "line with colour and key, of %d bytes at most, "
                "for each of them",
                path, job.world, LINE_MOST);
        }
        if (!write_all(fd, block, (size_t) n))
            die("what %s prints cannot be kept: %s", path, strerror(errno));
    }
}

/* What a program prints becomes a file, which the library reads: its descriptor is passed on. */
static int run_scenario_program(const char *path)
{
    int fd = open_nameless_file(path), ends[2];
    pid_t pid;

    if (pipe(ends) != 0)
        die("pipe: %s", strerror(errno));
    pid = start_scenario_program(path, ends[1], ends[0]);
    close(ends[1]);
    copy_output(ends[0], fd, pid, path);
    close(ends[0]);
    if (wait_for(pid) != 0)
        die("--scenario program %s: it ended with an error", path);
    return fd;
}

static void append_scenario(const char *text)
{
    size_t length = job.scenarios ? strlen(job.scenarios) : 0;
    char *longer = realloc(job.scenarios, length + strlen(text) + 2);

    if (!longer)
        die("no memory");
    sprintf(longer + length, "%s\n", text);
    job.scenarios = longer;
}

/* REQUIRES the options that say how large the world is. */
static void add_scenario(const char *text)
{
    char line[LINE_ROOM];
    solo_scenario scenario;
    solo_call *calls;
    const char *wrong;

    if (!strncmp(text, "program ", 8)) {
        snprintf(line, sizeof(line), "file /dev/fd/%d", run_scenario_program(text + 8));
    } else {
        snprintf(line, sizeof(line), "%s", text);
    }
    if (!strncmp(text, "file ", 5) || !MPIR_Solo_scenario_parse(line, &scenario))
        die("--scenario %s: accepted are %s, program PATH", text, SOLO_SCENARIOS);
    if (!strncmp(text, "program ", 8)) {
        calls = malloc((size_t) job.world * sizeof(*calls));
        wrong = calls ? MPIR_Solo_scenario_calls(&scenario, job.world, calls) : "no memory";
        free(calls);
        if (wrong)
            die("--scenario %s: %s; accepted is one line with colour (0 and more, or %d) and key "
                "for each of the %d ranks",
                text, wrong, SOLO_UNDEFINED, job.world);
    }
    append_scenario(line);
}

/* ---- the dead ---- */

/* The next rank or range of the list, which begins with it.  NULL: the list is wrong. */
static const char *read_range(const char *list, long *first, long *last)
{
    char *end;

    errno = 0;
    *first = *last = strtol(list, &end, 10);
    if (end != list && *end == '-') {
        list = end + 1;
        *last = strtol(list, &end, 10);
    }
    return end == list || errno || *first < 0 || *last < *first || *last >= job.world ? NULL : end;
}

/* What mpiexec's proxies tell their ranks (mpir_deaths_page.h). */
static void write_page(const bool *is_dead, uint32_t number)
{
    const size_t lines = MPIR_Deaths_bytes(number) / MPIR_DEATHS_LINE + 1;
    const size_t bytes = lines * MPIR_DEATHS_LINE;
    MPIR_deaths_page_t *page = aligned_alloc(MPIR_DEATHS_LINE, bytes);

    if (!page)
        die("no memory");
    memset(page, 0, bytes);
    page->job = MPIR_Deaths_job(SOLO_JOB);
    page->magic = MPIR_DEATHS_MAGIC;
    page->room = number;
    page->ranks = 1;
    for (int rank = 0; rank < job.world; rank++) {
        if (is_dead[rank])
            page->dead[page->number++] = (MPIR_death_t){page->job, (uint32_t) rank};
    }
    job.dead_fd = open_nameless_file("--dead");
    if (!write_all(job.dead_fd, (const char *) page, bytes))
        die("the list of the dead cannot be kept: %s", strerror(errno));
    free(page);
}

/* REQUIRES the options that say how large the world is, and which rank this is. */
static void add_dead(const char *list)
{
    bool *is_dead = calloc((size_t) job.world, sizeof(*is_dead));
    const char *at = list;
    uint32_t number = 0;
    long first, last;

    if (!is_dead)
        die("no memory");
    do {
        at = read_range(at, &first, &last);
        if (!at || (*at != ',' && *at != '\0') || (first <= job.rank && job.rank <= last))
            die("--dead %s: accepted are ranks and ranges of ranks, such as 5,16-31, below %d and "
                "without rank %d",
                list, job.world, job.rank);
        for (; first <= last; first++) {
            number += !is_dead[first];
            is_dead[first] = true;
        }
    } while (*at++ == ',');
    write_page(is_dead, number);
    free(is_dead);
}

/* ---- options ---- */

static bool is_option(const char *given, const char *name) { return !strcmp(given, name); }

static void read_options(int argc, char **argv)
{
    const char *rank = NULL, *dead = NULL, **scenarios = calloc((size_t) argc, sizeof(*scenarios));
    int i, n = 0;

    if (!scenarios)
        die("no memory");
    for (i = 1; i < argc && argv[i][0] == '-'; i++) {
        char *option = argv[i], *equals = strchr(option, '=');
        const char *value = equals ? equals + 1 : i + 1 < argc ? argv[i + 1] : NULL;

        if (is_option(option, "--")) {
            i++;
            break;
        }
        if (equals)
            *equals = '\0';
        if (is_option(option, "--help") || is_option(option, "-h")) {
            fputs(usage, stdout);
            exit(0);
        }
        if (is_option(option, "--same-address")) {
            job.same_address = true;
            continue;
        }
        i += !equals;
        if (is_option(option, "--world"))
            job.world = number(option, value, 1, MOST_RANKS);
        else if (is_option(option, "--rank"))
            rank = value ? value : "";
        else if (is_option(option, "--ranks-per-node"))
            job.per_node = number(option, value, 1, MOST_RANKS);
        else if (is_option(option, "--layout") && value &&
                 (!strcmp(value, "block") || !strcmp(value, "cyclic")))
            job.cyclic = !strcmp(value, "cyclic");
        else if (is_option(option, "--layout"))
            die("--layout %s: accepted are block, cyclic", value ? value : "");
        else if (is_option(option, "--dead"))
            dead = value ? value : "";
        else if (is_option(option, "--scenario"))
            scenarios[n++] = value ? value : "";
        else
            die("unknown option %s (mpirank1 --help)", option);
    }
    if (job.world < 0)
        die("--world N is missing: 1 to %d ranks (mpirank1 --help)", MOST_RANKS);
    if (rank)
        job.rank = number("--rank", rank, 0, job.world - 1);
    if (i >= argc)
        die("no program given (mpirank1 --help)");
    job.command = argv + i;
    if (dead)
        add_dead(dead);
    for (i = 0; i < n; i++)
        add_scenario(scenarios[i]);
    free(scenarios);
}

/* ---- the program ---- */

/* A terminal: MPI_Finalize shuts PMI_FD down, which ends a socket for all that have it open,
 * also for a script's next program. */
static bool open_terminal(int ends[2])
{
    struct termios raw = {.c_cflag = CS8 | CREAD};

    raw.c_cc[VMIN] = 1;
    ends[0] = posix_openpt(O_RDWR | O_NOCTTY);
    if (ends[0] < 0)
        return false;
    ends[1] = grantpt(ends[0]) == 0 && unlockpt(ends[0]) == 0
                  ? open(ptsname(ends[0]), O_RDWR | O_NOCTTY)
                  : -1;
    if (ends[1] >= 0 && tcsetattr(ends[1], TCSANOW, &raw) == 0)
        return true;
    if (ends[1] >= 0)
        close(ends[1]);
    close(ends[0]);
    return false;
}

/* Without terminals there is one MPI program a run. */
static void open_line(int ends[2])
{
    if (!open_terminal(ends) && socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        die("socketpair: %s", strerror(errno));
}

static int manager_fd;

/* What the program has left behind may keep the line open. */
static void stop_waiting(int sig)
{
    int before = errno;

    (void) sig;
    fcntl(manager_fd, F_SETFL, O_RDWR | O_NONBLOCK);
    errno = before;
}

static void stop_waiting_with_program(int fd)
{
    struct sigaction action = {.sa_handler = stop_waiting, .sa_flags = SA_NOCLDSTOP};

    manager_fd = fd;
    sigemptyset(&action.sa_mask);
    sigaction(SIGCHLD, &action, NULL);
}

static void set_number(const char *name, int value)
{
    char text[32];

    snprintf(text, sizeof(text), "%d", value);
    setenv(name, text, 1);
}

static pid_t start(int fd, int unused_fd)
{
    pid_t pid = fork_child(unused_fd);

    if (pid > 0)
        return pid;
    set_number("PMI_FD", fd);
    set_number("PMI_RANK", job.rank);
    set_number("PMI_SIZE", job.world);
    unsetenv("PMI_PORT");
    unsetenv("PMI_SPAWNED");
    unsetenv(MPIR_DEATHS_VARIABLE);
    if (job.dead_fd >= 0) {
        set_number(MPIR_DEATHS_VARIABLE, job.dead_fd);
        setenv("MPIR_CVAR_ENABLE_FT", "1", 1);
    }
    if (job.scenarios)
        setenv("MPIRANK1_SCENARIO", job.scenarios, 1);
    else
        unsetenv("MPIRANK1_SCENARIO");
    execvp(job.command[0], job.command);
    fprintf(stderr, "mpirank1: %s cannot be started: %s\n", job.command[0], strerror(errno));
    dprintf(fd, "cmd=abort exitcode=1\n"); /* all is said */
    _exit(1);
}

/* ---- what it asks ---- */

typedef struct pair {
    struct pair *next;
    char *value;
    char key[];
} pair;

static pair *pairs;

static const char *find_value(const char *key)
{
    for (pair *p = pairs; p; p = p->next) {
        if (!strcmp(p->key, key))
            return p->value;
    }
    return NULL;
}

static void keep(const char *key, const char *value)
{
    pair *p = malloc(sizeof(*p) + strlen(key) + 1);

    if (!p || !(p->value = strdup(value)))
        die("no memory");
    strcpy(p->key, key);
    p->next = pairs;
    pairs = p;
}

/* The value of name=... in a command; *room gets it. */
static const char *argument(const char *line, const char *name, char *room)
{
    size_t length = strlen(name);

    for (const char *at = line; (at = strstr(at, name)); at++) {
        if ((at == line || at[-1] == ' ') && at[length] == '=') {
            snprintf(room, LINE_ROOM, "%.*s", (int) strcspn(at + length + 1, " \n"),
                     at + length + 1);
            return room;
        }
    }
    return NULL;
}

/* A key of another rank, with this rank's number in it: the last number, before "-seg-". */
static void own_key(const char *key, char *own)
{
    const char *end = strstr(key, "-seg-");
    const char *digits;

    if (!end)
        end = key + strlen(key);
    for (digits = end; digits > key && digits[-1] >= '0' && digits[-1] <= '9';)
        digits--;
    snprintf(own, LINE_ROOM, "%.*s%d%s", (int) (digits - key), key, job.rank, end);
}

static void answer_get(const char *line, char *answer)
{
    char room[LINE_ROOM], own[LINE_ROOM];
    const char *key = argument(line, "key", room), *value = NULL;
    int nodes = (int) (((long long) job.world + job.per_node - 1) / job.per_node);

    if (key && !strcmp(key, "PMI_process_mapping")) {
        snprintf(answer, LINE_ROOM, "cmd=get_result rc=0 msg=success value=(vector,(0,%d,%d))\n",
                 nodes, job.cyclic ? 1 : job.per_node);
        return;
    }
    if (key)
        value = find_value(key);
    if (key && !value) {
        own_key(key, own);
        value = find_value(own);
        if (value && !job.same_address) {
            fprintf(stderr,
                    "mpirank1: asked for %s, of a rank that does not exist; with --same-address it "
                    "is %s\n",
                    key, own);
            value = NULL;
        }
    }
    if (value)
        snprintf(answer, LINE_ROOM, "cmd=get_result rc=0 msg=success value=%s\n", value);
    else
        snprintf(answer, LINE_ROOM, "cmd=get_result rc=-1 msg=key_not_found value=unknown\n");
}

static void keep_put(const char *line)
{
    char key[LINE_ROOM], value[LINE_ROOM];

    if (argument(line, "key", key) && argument(line, "value", value))
        keep(key, value);
}

/* Of a server of names: for ports, which processes of other jobs connect to. */
static bool refuse_name(const char *command, char *text)
{
    static const char *const names[] = {"publish", "unpublish", "lookup"};

    for (int i = 0; i < (int) (sizeof(names) / sizeof(names[0])); i++) {
        size_t length = strlen(names[i]);

        if (strncmp(command, names[i], length) || strcmp(command + length, "_name"))
            continue;
        fprintf(stderr,
                "mpirank1: MPI_%c%s_name: there is no server of names here; mpiexec has one\n",
                names[i][0] - 'a' + 'A', names[i] + 1);
        sprintf(text, "cmd=%s_result rc=1 msg=no_server\n", names[i]);
        return true;
    }
    return false;
}

/* False for a command that is not answered. */
static bool answer(const char *line, char *text)
{
    char room[LINE_ROOM];
    const char *command = argument(line, "cmd", room);

    if (!command)
        return false;
    if (!strcmp(command, "init"))
        strcpy(text, "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n");
    else if (!strcmp(command, "get_maxes"))
        sprintf(text, "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=%d\n", VALUE_MAX);
    else if (!strcmp(command, "get_appnum"))
        strcpy(text, "cmd=appnum appnum=0\n");
    else if (!strcmp(command, "get_my_kvsname"))
        strcpy(text, "cmd=my_kvsname kvsname=" SOLO_JOB "\n");
    else if (!strcmp(command, "get_universe_size"))
        sprintf(text, "cmd=universe_size size=%d\n", job.world);
    else if (!strcmp(command, "barrier_in"))
        strcpy(text, "cmd=barrier_out\n");
    else if (!strcmp(command, "finalize"))
        strcpy(text, "cmd=finalize_ack\n");
    else if (!strcmp(command, "get"))
        answer_get(line, text);
    else if (!strcmp(command, "put")) {
        keep_put(line);
        strcpy(text, "cmd=put_result rc=0 msg=success\n");
    } else
        return refuse_name(command, text);
    return true;
}

/* False at the end.  A read that the program's end interrupts is tried again: what it has
 * written last is still there. */
static bool next_line(FILE *in, char *line)
{
    while (!fgets(line, LINE_ROOM, in)) {
        if (!ferror(in) || errno != EINTR)
            return false;
        clearerr(in);
    }
    return true;
}

/* Until the program ends or aborts.  Returns the exit status it asked for, or -1; *said_hello:
 * it spoke PMI. */
static int serve(FILE *in, int fd, bool *said_hello)
{
    char line[LINE_ROOM], text[LINE_ROOM];

    while (next_line(in, line)) {
        *said_hello = true;
        if (!strncmp(line, "cmd=abort", 9)) {
            char code[LINE_ROOM];
            return argument(line, "exitcode", code) ? atoi(code) & 0xff : 1;
        }
        if (!answer(line, text)) {
            fprintf(stderr, "mpirank1: the program asks for what one process cannot have: %s",
                    line);
            return 1;
        }
        if (!write_all(fd, text, strlen(text)))
            break;
    }
    return -1;
}

/* The program went without a word to its process manager. */
static void tell_of_silent(int status)
{
    fprintf(stderr,
            "mpirank1: %s ended %s %d before MPI_Init found its process manager; accepted is a "
            "program compiled with this MPI's mpicc\n",
            job.command[0], WIFSIGNALED(status) ? "by signal" : "with status",
            WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

int main(int argc, char **argv)
{
    int fds[2], wanted, status;
    bool said_hello = false;
    FILE *in;
    pid_t pid;

    read_options(argc, argv);
    open_line(fds);
    stop_waiting_with_program(fds[0]);
    pid = start(fds[1], fds[0]);
    signal(SIGINT, SIG_IGN);  /* the program gets it, too, and ends */
    signal(SIGPIPE, SIG_IGN); /* of a socket whose other end is closed */
    close(fds[1]);
    in = fdopen(fds[0], "r");
    if (!in)
        die("no memory");
    wanted = serve(in, fds[0], &said_hello);
    if (wanted >= 0)
        kill(pid, SIGKILL);
    status = wait_for(pid);
    if (wanted >= 0)
        return wanted ? wanted : 1;
    if (!said_hello) {
        tell_of_silent(status);
        return 1;
    }
    if (WIFSIGNALED(status)) {
        fprintf(stderr, "mpirank1: %s ended by signal %d\n", job.command[0], WTERMSIG(status));
        return 128 + WTERMSIG(status);
    }
    return WEXITSTATUS(status);
}
