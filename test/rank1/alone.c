/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * One rank of a world whose others do not exist (mpirank1): local calls work, and whatever needs
 * the others ends at once with an error that says so. Prints "ok", or what was wrong.
 *
 * Argument: what to try; an error that MPI returns is checked, one that ends the job is for the
 * caller to look at.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size, wrong;

/* An error, and one in which these words are. */
static void expect(int result, const char *words)
{
    char text[2 * MPI_MAX_ERROR_STRING + 1] = "success";
    int length;

    memset(text + MPI_MAX_ERROR_STRING, '#', MPI_MAX_ERROR_STRING);
    if (result != MPI_SUCCESS)
        MPI_Error_string(result, text, &length);
    if (strspn(text + MPI_MAX_ERROR_STRING, "#") != MPI_MAX_ERROR_STRING ||
        !memchr(text, '\0', MPI_MAX_ERROR_STRING)) {
        printf("an error's text longer than MPI allows: %s\n", text);
        wrong = 1;
    }
    if (result == MPI_SUCCESS || !strstr(text, words)) {
        printf("not \"%s\": %s\n", words, text);
        wrong = 1;
    }
}

static void try_messages(int other)
{
    char words[64], in = 0, out = 5;
    MPI_Request request;
    MPI_Status status;
    char *much = calloc(1 << 20, 1);

    snprintf(words, sizeof(words), "Rank %d of the world does not exist", other);
    expect(MPI_Send(&out, 1, MPI_CHAR, other, 0, MPI_COMM_WORLD), words);
    expect(MPI_Ssend(much, 1 << 20, MPI_CHAR, other, 0, MPI_COMM_WORLD), words);
    expect(MPI_Isend(&out, 1, MPI_CHAR, other, 0, MPI_COMM_WORLD, &request), words);
    free(much);
    MPI_Sendrecv(&out, 1, MPI_CHAR, rank, 1, &in, 1, MPI_CHAR, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD,
                 &status);
    if (in != 5 || status.MPI_SOURCE != rank) {
        printf("message to itself\n");
        wrong = 1;
    }
}

/* Whatever receives from a rank that does not exist. The communicator has the ranks in another
 * order, or few of them. */
static void try_receives(MPI_Comm comm, int source, int world_rank)
{
    char words[64], in = 0, out = 5;
    int own, flag;
    MPI_Request request;
    MPI_Status status;
    MPI_Message message;

    MPI_Comm_rank(comm, &own);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    snprintf(words, sizeof(words), "Rank %d of the world does not exist", world_rank);
    expect(MPI_Recv(&in, 1, MPI_CHAR, source, 0, comm, &status), words);
    expect(MPI_Irecv(&in, 1, MPI_CHAR, source, 0, comm, &request), words);
    expect(MPI_Probe(source, 0, comm, &status), words);
    expect(MPI_Iprobe(source, 0, comm, &flag, &status), words);
    expect(MPI_Mprobe(source, 0, comm, &message, &status), words);
    expect(MPI_Improbe(source, 0, comm, &flag, &message, &status), words);
    expect(MPI_Sendrecv(&out, 1, MPI_CHAR, own, 1, &in, 1, MPI_CHAR, source, 1, comm, &status),
           words);
    expect(MPI_Sendrecv_replace(&in, 1, MPI_CHAR, own, 1, source, 1, comm, &status), words);
    expect(MPI_Isendrecv(&out, 1, MPI_CHAR, own, 1, &in, 1, MPI_CHAR, source, 1, comm, &request),
           words);
    expect(MPI_Isendrecv_replace(&in, 1, MPI_CHAR, own, 1, source, 1, comm, &request), words);
    expect(MPI_Precv_init(&in, 1, 1, MPI_CHAR, source, 0, comm, MPI_INFO_NULL, &request), words);
    if (MPI_Recv_init(&in, 1, MPI_CHAR, source, 0, comm, &request) != MPI_SUCCESS) {
        printf("MPI_Recv_init needs nobody\n");
        wrong = 1;
    }
    expect(MPI_Start(&request), words);
    expect(MPI_Startall(1, &request), words);
    MPI_Request_free(&request);
}

/* Those that name no such rank work, and a rank that the communicator does not have is that
 * error. */
static void try_own_receives(MPI_Comm comm)
{
    char in = 0, out = 5;
    int own, n, flag = 1;
    MPI_Request request;
    MPI_Status status;

    MPI_Comm_rank(comm, &own);
    MPI_Comm_size(comm, &n);
    expect(MPI_Recv(&in, 1, MPI_CHAR, n, 0, comm, &status), "Invalid rank");
    expect(MPI_Recv(&in, 1, MPI_CHAR, -7, 0, comm, &status), "Invalid rank");
    expect(MPI_Recv_init(&in, 1, MPI_CHAR, n, 0, comm, &request), "Invalid rank");
    if (MPI_Recv(&in, 1, MPI_CHAR, MPI_PROC_NULL, 0, comm, &status) ||
        status.MPI_SOURCE != MPI_PROC_NULL || MPI_Iprobe(MPI_ANY_SOURCE, 0, comm, &flag, &status) ||
        flag || MPI_Recv_init(&in, 1, MPI_CHAR, own, 0, comm, &request) || MPI_Start(&request) ||
        MPI_Send(&out, 1, MPI_CHAR, own, 0, comm) || MPI_Wait(&request, &status) || in != 5 ||
        status.MPI_SOURCE != own) {
        printf("a receive from itself, or from nobody\n");
        wrong = 1;
    }
    MPI_Request_free(&request);
}

static void try_receives_in_parts(void)
{
    int last = size - 1, range[1][3] = {{last, 0, -1}};
    MPI_Group world, reversed;
    MPI_Comm comm;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_range_incl(world, 1, range, &reversed);
    MPI_Comm_create(MPI_COMM_WORLD, reversed, &comm);
    try_receives(comm, rank, last - rank);
    try_own_receives(comm);
    MPI_Comm_free(&comm);
    MPI_Group_free(&reversed);
    MPI_Group_free(&world);
    try_own_receives(MPI_COMM_WORLD);
    try_own_receives(MPI_COMM_SELF);
}

static void try_collectives(void)
{
    int one = 1, sum = 0;
    MPI_Request request;
    MPI_Comm pair;
    MPI_Win win;

    expect(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
    expect(MPI_Bcast(&one, 1, MPI_INT, rank, MPI_COMM_WORLD), "no rank can answer");
    expect(MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, rank, MPI_COMM_WORLD), "no rank can answer");
    expect(MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request),
           "no rank can answer");
    expect(MPI_Win_create(&one, sizeof(one), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win),
           "no rank can answer");
    expect(MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &pair), "no scenario");
    if (MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF) || sum != 1) {
        printf("reduction by itself\n");
        wrong = 1;
    }
}

/* Processes that another job, or a new one, would have */
static void try_other_jobs(void)
{
    char port[MPI_MAX_PORT_NAME];
    MPI_Comm comm;

    expect(MPI_Comm_spawn("true", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm,
                          MPI_ERRCODES_IGNORE),
           "runs alone");
    expect(MPI_Comm_spawn("true", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &comm,
                          MPI_ERRCODES_IGNORE),
           "runs alone");
    expect(MPI_Publish_name("alone", MPI_INFO_NULL, "port"), "alone");
    expect(MPI_Lookup_name("alone", MPI_INFO_NULL, port), "alone");
    expect(MPI_Unpublish_name("alone", MPI_INFO_NULL, "port"), "alone");
}

/* A window of no memory needs nobody, its operations do. The stack of the longest one leaves no
 * room for its last line. (The epoch is left open: its end would wait for the operations that
 * failed.) */
static void try_window(int other)
{
    char words[64];
    int in = 0, out = 5;
    MPI_Request request;
    MPI_Win win;

    snprintf(words, sizeof(words), "Rank %d of the world does not exist", other);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    expect(MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win), words);
    expect(MPI_Win_fence(0, win), "MPI_Barrier");
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    expect(MPI_Put(&out, 1, MPI_INT, other, 0, 1, MPI_INT, win), "MPI_Put");
    expect(MPI_Rget(&in, 1, MPI_INT, other, 0, 1, MPI_INT, win, &request), "MPI_Rget");
    expect(MPI_Fetch_and_op(&out, &in, MPI_INT, other, 0, MPI_SUM, win), "MPI_Fetch_and_op");
}

/* A window that fails after one that was freed is not taken for that one. */
static void try_windows_again(void)
{
    int *base;
    MPI_Win win;

    MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_SELF, &base, &win);
    MPI_Win_free(&win);
    expect(MPI_Win_allocate_shared(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win),
           "MPI_Win_allocate_shared");
    expect(MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win), "MPI_Win_allocate");
    expect(MPI_Win_create(&win, 1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win), "MPI_Win_create");
}

static void try_file(const char *name)
{
    MPI_File file;

    expect(
        MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
        "no rank can answer");
    if (MPI_File_open(MPI_COMM_SELF, name,
                      MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                      &file) ||
        MPI_File_close(&file)) {
        printf("a file of its own\n");
        wrong = 1;
    }
}

static void try_split_type(void)
{
    MPI_Comm comm, below;
    int n, below_n;

    if (size > 2)
        expect(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -1, MPI_INFO_NULL, &comm),
               "give 0 or their rank");
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
    MPI_Comm_size(comm, &n);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    if (n > 1)
        expect(MPI_Comm_split_type(comm, MPI_COMM_TYPE_HW_UNGUIDED, 0, MPI_INFO_NULL, &below),
               "Only MPI_COMM_TYPE_SHARED");
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &below);
    MPI_Comm_size(below, &below_n);
    if (n != (rank == size - 1 && size % 2 ? 1 : 2) || below_n != n) {
        printf("%d ranks on the node, and %d of them\n", n, below_n);
        wrong = 1;
    }
}

/* What a program says of the world's ranks is nothing about a part of the world. */
static void split_a_part(void)
{
    MPI_Comm half, comm;

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN);
    expect(MPI_Comm_split(half, 0, 0, &comm), "program PATH, which was asked for the whole world,");
    MPI_Comm_free(&half);
}

/* A program that looks for messages now and then is not waiting for them. */
static void look_now_and_then(void)
{
    int found;

    for (int i = 0; i < 4; i++) {
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
        usleep(700000);
    }
}

static void try_idup(void)
{
    MPI_Comm copy;
    MPI_Request request;
    int result;

    MPI_Comm_idup(MPI_COMM_WORLD, &copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_compare(copy, MPI_COMM_WORLD, &result);
    if (result != MPI_CONGRUENT) {
        printf("a duplicate is different\n");
        wrong = 1;
    }
    MPI_Comm_free(&copy);
}

static void try_group(void)
{
    MPI_Group group, odd;
    int range[1][3] = {{1, size - 1, 2}}, last = size - 1, found;

    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Group_range_incl(group, 1, range, &odd);
    MPI_Group_translate_ranks(group, 1, &last, odd, &found);
    if (found != (size % 2 ? MPI_UNDEFINED : size / 2 - 1)) {
        printf("the last rank has number %d among the odd ones\n", found);
        wrong = 1;
    }
    MPI_Group_free(&odd);
    MPI_Group_free(&group);
}

static void abort_duplicate(void)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Abort(comm, 7);
}

/* In kB, what is its own: no pages of files. */
static void print_resident(void)
{
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    long kb = 0, value;

    while (status && fgets(line, sizeof(line), status)) {
        if (sscanf(line, "RssAnon: %ld", &value) == 1 || sscanf(line, "RssShmem: %ld", &value) == 1)
            kb += value;
    }
    wrong = kb == 0;
    printf("resident %ld\n", kb);
    if (status)
        fclose(status);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "all";
    char in;

    MPI_Init(&argc, &argv);
    if (!strcmp(what, "memory"))
        print_resident();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (!strcmp(what, "receive"))
        MPI_Recv(&in, 1, MPI_CHAR, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!strcmp(what, "probe"))
        MPI_Probe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!strcmp(what, "fatal") || !strcmp(what, "spawn"))
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    if (!strcmp(what, "fatal"))
        MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(what, "all")) {
        try_messages((rank + 1) % size);
        try_messages((rank + size / 2) % size);
        try_receives(MPI_COMM_WORLD, (rank + 1) % size, (rank + 1) % size);
        if (size - 1 != 2 * rank)
            try_receives_in_parts();
        try_collectives();
        try_group();
        try_split_type();
        try_idup();
        try_window((rank + 1) % size);
        try_windows_again();
        try_other_jobs();
        try_file(argc > 2 ? argv[2] : "alone.file");
    }
    if (!strcmp(what, "spawn"))
        MPI_Comm_spawn("true", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
                       &(MPI_Comm){MPI_COMM_NULL}, MPI_ERRCODES_IGNORE);
    if (!strcmp(what, "abort"))
        abort_duplicate();
    if (!strcmp(what, "part"))
        split_a_part();
    if (!strcmp(what, "look"))
        look_now_and_then();
    for (int found = 0; !strcmp(what, "test") && !found;)
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    if (!strcmp(what, "run"))
        wrong = system(argv[2]) != 0;
    if (!strcmp(what, "wait"))
        sleep(60);
    if (!strcmp(what, "colour"))
        expect(MPI_Comm_split(MPI_COMM_WORLD, 7, 0, &(MPI_Comm){MPI_COMM_NULL}), "colour 7");
    MPI_Finalize();
    if (!wrong)
        printf("ok rank %d of %d\n", rank, size);
    return wrong;
}
