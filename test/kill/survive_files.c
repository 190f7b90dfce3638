/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * mpiexec --enable-recovery: ranks are killed at random moments in calls on files.  Collective
 * calls of the others return MPIX_ERR_PROC_FAILED, and independent ones go on.  What was written
 * before is there.  The survivors close the file, shrink, and open another one.
 *
 *   survive_files DEATHS SEED DIRECTORY [LONGEST]    a kill comes within LONGEST us, or 30,000
 *
 * A file has N elements of each rank, in turn.  Each collective write gives them a newer version.
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "drawn.h"

enum { N = 2000, SECONDS = 60, LOG = 1 << 24 /* bytes, where shared pointers begin */ };

static int version;
static const char *directory;
static char name[512];
static int mine[N], got[N];
static MPI_Datatype in_turn; /* an element of each rank */

static void set_death(void)
{
    static timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
    struct itimerspec when = {.it_value = {0, 1000 * (long) (1 + draw(1, longest))}};

    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
        timer_settime(timer, 0, &when, NULL) != 0)
        fail("no timer");
}

/* ---- results of calls ---- */

static int is_failure(int error)
{
    char text[MPI_MAX_ERROR_STRING + 32], message[MPI_MAX_ERROR_STRING];
    int class, length;

    MPI_Error_class(error, &class);
    if (class == MPIX_ERR_PROC_FAILED && error == MPIX_ERR_PROC_FAILED)
        return 1;
    MPI_Error_string(error, message, &length);
    snprintf(text, sizeof(text), "class %d: %s", class, message);
    fail(text);
    return 0;
}

/* True: the call has succeeded; otherwise a member has died. */
#define CALL(function, ...) (place = #function, has_worked(function(__VA_ARGS__)))

static int has_worked(int error) { return error == MPI_SUCCESS || !is_failure(error); }

/* It has to succeed, and to fail. */
#define WELL(function, ...) (place = #function, must_work(function(__VA_ARGS__)))
#define DEAD(function, ...) (place = #function, must_fail(function(__VA_ARGS__)))

static void must_work(int error)
{
    if (error != MPI_SUCCESS) {
        is_failure(error);
        fail("it has failed");
    }
}

static void must_fail(int error)
{
    if (error == MPI_SUCCESS || !is_failure(error))
        fail("it has succeeded");
}

/* ---- calls that all survivors do ---- */

static void fill(void)
{
    version++;
    for (int i = 0; i < N; i++)
        mine[i] = version * 1000000 + i;
}

/* Each element has this version, or the next one. */
static void check(int oldest)
{
    for (int i = 0; i < N && oldest > 0; i++) {
        if (got[i] != oldest * 1000000 + i && got[i] != (oldest + 1) * 1000000 + i)
            fail("a wrong element");
    }
}

static int wait_for(MPI_Request *request) { return MPI_Wait(request, MPI_STATUS_IGNORE); }

static int in_read_all(MPI_File file)
{
    memset(got, 0, sizeof(got));
    if (!CALL(MPI_File_read_at_all, file, 0, got, N, MPI_INT, MPI_STATUS_IGNORE))
        return 0;
    check(version);
    return 1;
}

static int in_write_all(MPI_File file)
{
    fill();
    return CALL(MPI_File_seek, file, 0, MPI_SEEK_SET) &&
           CALL(MPI_File_write_all, file, mine, N, MPI_INT, MPI_STATUS_IGNORE) &&
           CALL(MPI_File_sync, file) && in_read_all(file);
}

static int in_write_at_all(MPI_File file)
{
    fill();
    return CALL(MPI_File_write_at_all, file, 0, mine, N, MPI_INT, MPI_STATUS_IGNORE) &&
           CALL(MPI_File_seek, file, 0, MPI_SEEK_SET) &&
           CALL(MPI_File_read_all, file, got, N, MPI_INT, MPI_STATUS_IGNORE);
}

static int in_split(MPI_File file)
{
    fill();
    return CALL(MPI_File_write_at_all_begin, file, 0, mine, N, MPI_INT) &&
           CALL(MPI_File_write_at_all_end, file, mine, MPI_STATUS_IGNORE) &&
           CALL(MPI_File_seek, file, 0, MPI_SEEK_SET) &&
           CALL(MPI_File_read_all_begin, file, got, N, MPI_INT) &&
           CALL(MPI_File_read_all_end, file, got, MPI_STATUS_IGNORE) && in_read_all(file);
}

static int in_nonblocking(MPI_File file)
{
    MPI_Request request;

    fill();
    if (!CALL(MPI_File_iwrite_at_all, file, 0, mine, N, MPI_INT, &request) ||
        !CALL(wait_for, &request) || !CALL(MPI_File_seek, file, 0, MPI_SEEK_SET) ||
        !CALL(MPI_File_iread_all, file, got, N, MPI_INT, &request) || !CALL(wait_for, &request))
        return 0;
    check(version);
    return 1;
}

/* Behind the elements. */
static int set_log_view(MPI_File file)
{
    return CALL(MPI_File_set_view, file, LOG, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
}

static int in_ordered(MPI_File file)
{
    return set_log_view(file) &&
           CALL(MPI_File_write_ordered, file, mine, 1 + me % 3, MPI_INT, MPI_STATUS_IGNORE) &&
           CALL(MPI_File_seek_shared, file, 0, MPI_SEEK_SET) &&
           CALL(MPI_File_read_ordered, file, got, 1, MPI_INT, MPI_STATUS_IGNORE) &&
           CALL(MPI_File_write_ordered_begin, file, mine, 1, MPI_INT) &&
           CALL(MPI_File_write_ordered_end, file, mine, MPI_STATUS_IGNORE);
}

/* Under a lock of the file of the pointer. */
static int in_shared(MPI_File file)
{
    MPI_Offset at;

    if (!set_log_view(file))
        return 0;
    for (int i = 0; i < 20; i++) {
        WELL(MPI_File_write_shared, file, mine, 1, MPI_INT, MPI_STATUS_IGNORE);
        WELL(MPI_File_get_position_shared, file, &at);
    }
    return 1;
}

static int in_sizes(MPI_File file)
{
    MPI_Info info;
    MPI_Offset bytes;
    int well;

    MPI_Info_create(&info);
    MPI_Info_set(info, "romio_ds_write", "enable");
    well = CALL(MPI_File_set_size, file, 2 * LOG) && CALL(MPI_File_get_size, file, &bytes) &&
           CALL(MPI_File_set_atomicity, file, (int) draw(90, 2)) &&
           CALL(MPI_File_set_info, file, info) && CALL(MPI_File_preallocate, file, N * sizeof(int));
    MPI_Info_free(&info);
    return well;
}

static int (*const calls[])(MPI_File) = {in_write_all,   in_write_at_all, in_split, in_ordered,
                                         in_nonblocking, in_shared,       in_sizes, in_read_all};
enum { CALLS = sizeof(calls) / sizeof(calls[0]) };

static int set_view(MPI_File file)
{
    return CALL(MPI_File_set_view, file, me * (MPI_Offset) sizeof(int), MPI_INT, in_turn, "native",
                MPI_INFO_NULL);
}

/* ---- a file ---- */

/* By few or many processes, in many steps, or each by itself. */
static MPI_Info make_hints(void)
{
    static const char *const ways[] = {"enable", "automatic", "disable"};
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "romio_cb_read", ways[draw(50, 3)]);
    MPI_Info_set(info, "romio_cb_write", ways[draw(51, 3)]);
    MPI_Info_set(info, "cb_buffer_size", draw(52, 2) ? "4096" : "1048576");
    MPI_Info_set(info, "cb_config_list", draw(53, 2) ? "*:*" : "*:1");
    MPI_Info_set(info, "romio_no_indep_rw", draw(54, 3) ? "false" : "true"); /* not all open it */
    return info;
}

static int open_file(MPI_Comm comm, int mode, MPI_File *file)
{
    MPI_Info hints = make_hints();
    int well = CALL(MPI_File_open, comm, name, mode | MPI_MODE_CREATE | MPI_MODE_RDWR, hints, file);

    MPI_Info_free(&hints);
    if (!well && *file != MPI_FILE_NULL)
        fail("a file after an error");
    return well;
}

static void close_file(MPI_File *file)
{
    (void) CALL(MPI_File_close, file);
    if (*file != MPI_FILE_NULL)
        fail("the file is there");
}

/* Another one, some time. */
static int use_briefly(MPI_Comm comm)
{
    char kept[sizeof(name)];
    MPI_File file = MPI_FILE_NULL;
    int well;

    memcpy(kept, name, sizeof(name));
    snprintf(name, sizeof(name), "%s/brief.%d", directory, round_now);
    well = open_file(comm, MPI_MODE_DELETE_ON_CLOSE, &file);
    if (well) {
        well = in_ordered(file);
        close_file(&file);
    } else {
        (void) unlink(name);
    }
    memcpy(name, kept, sizeof(name));
    return well;
}

/* All know of the death, and nobody is in a call any more. */
static void check_dead_file(MPI_Comm comm, MPI_File file)
{
    MPI_File another = MPI_FILE_NULL;
    MPI_Request request;
    MPI_Offset bytes;
    int one = me;

    WELL(MPI_File_get_size, file, &bytes);
    WELL(MPI_File_read_at, file, LOG, &one, 0, MPI_INT, MPI_STATUS_IGNORE);
    WELL(MPI_File_read_shared, file, &one, 1, MPI_INT, MPI_STATUS_IGNORE);
    WELL(MPI_File_seek, file, 0, MPI_SEEK_SET);
    DEAD(MPI_File_read_all, file, got, N, MPI_INT, MPI_STATUS_IGNORE);
    DEAD(MPI_File_write_all, file, mine, N, MPI_INT, MPI_STATUS_IGNORE);
    DEAD(MPI_File_read_at_all, file, 0, got, N, MPI_INT, MPI_STATUS_IGNORE);
    DEAD(MPI_File_iread_at_all, file, 0, got, N, MPI_INT, &request);
    DEAD(MPI_File_iwrite_all, file, mine, N, MPI_INT, &request);
    DEAD(MPI_File_write_all_begin, file, mine, N, MPI_INT);
    DEAD(MPI_File_write_all_end, file, mine, MPI_STATUS_IGNORE);
    DEAD(MPI_File_read_ordered_begin, file, got, 1, MPI_INT);
    DEAD(MPI_File_read_ordered_end, file, got, MPI_STATUS_IGNORE);
    DEAD(MPI_File_write_ordered, file, mine, 1, MPI_INT, MPI_STATUS_IGNORE);
    DEAD(MPI_File_seek_shared, file, 0, MPI_SEEK_SET);
    DEAD(MPI_File_set_view, file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    DEAD(MPI_File_set_size, file, 10);
    DEAD(MPI_File_preallocate, file, 10);
    DEAD(MPI_File_set_atomicity, file, 1);
    DEAD(MPI_File_set_info, file, MPI_INFO_NULL);
    DEAD(MPI_File_sync, file);
    DEAD(MPI_File_open, comm, name, MPI_MODE_RDWR, MPI_INFO_NULL, &another);
}

/* What this rank has written with success is there.  A later write may have done a part. */
static void check_own_elements(int written)
{
    MPI_File file;

    if (written == 0)
        return;
    WELL(MPI_File_open, MPI_COMM_SELF, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    WELL(MPI_File_set_view, file, me * (MPI_Offset) sizeof(int), MPI_INT, in_turn, "native",
         MPI_INFO_NULL);
    WELL(MPI_File_read_at, file, 0, got, N, MPI_INT, MPI_STATUS_IGNORE);
    WELL(MPI_File_close, &file);
    place = "the elements after a death";
    check(written);
}

/* Returns the version that was written last. */
static int use_until_death(MPI_Comm comm, MPI_File file)
{
    for (unsigned i = 100;; i++) {
        const int before = version;

        if (!set_view(file) || !calls[draw(i, CALLS)](file) || (i % 3 == 0 && !use_briefly(comm)))
            return before;
    }
}

/* ---- rounds ---- */

static void agree_on_death(MPI_Comm comm)
{
    int flag = 1;

    place = "MPIX_Comm_agree";
    if (MPIX_Comm_agree(comm, &flag) != MPIX_ERR_PROC_FAILED)
        fail("nobody is dead");
}

static MPI_Comm shrink(MPI_Comm comm)
{
    MPI_Comm living;

    WELL(MPIX_Comm_shrink, comm, &living);
    MPI_Comm_free(&comm);
    MPI_Comm_set_errhandler(living, MPI_ERRORS_RETURN);
    return living;
}

static void begin_round(MPI_Comm comm)
{
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &size);
    version = 0;
    snprintf(name, sizeof(name), "%s/file.%d", directory, round_now);
    MPI_Type_create_resized(MPI_INT, 0, size * (MPI_Aint) sizeof(int), &in_turn);
    MPI_Type_commit(&in_turn);
}

static MPI_Comm lose_one(MPI_Comm comm)
{
    MPI_File file = MPI_FILE_NULL;
    int written = 0;

    begin_round(comm);
    if (me == (int) draw(0, (unsigned) size))
        set_death();
    if (open_file(comm, 0, &file))
        written = use_until_death(comm, file);
    agree_on_death(comm);
    if (file != MPI_FILE_NULL) {
        check_dead_file(comm, file);
        check_own_elements(written);
    }
    agree_on_death(comm); /* nobody uses the shared pointer, whose file goes */
    if (file != MPI_FILE_NULL)
        close_file(&file);
    MPI_Type_free(&in_turn);
    round_now++;
    return shrink(comm);
}

static void use_at_last(MPI_Comm comm)
{
    MPI_File file;

    begin_round(comm);
    if (!open_file(comm, MPI_MODE_DELETE_ON_CLOSE, &file) || !set_view(file) ||
        !in_write_all(file) || !in_split(file) || !in_nonblocking(file) || !in_ordered(file) ||
        !in_shared(file) || !in_sizes(file) || !CALL(MPI_File_close, &file))
        fail("a survivor is dead");
    MPI_Type_free(&in_turn);
    for (int i = 0; i < round_now && me == 0; i++) {
        snprintf(name, sizeof(name), "%s/file.%d", directory, i);
        (void) unlink(name);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    int deaths = argc > 1 ? atoi(argv[1]) : 1, all = 1;

    seed = argc > 2 ? (unsigned) atoi(argv[2]) : 1;
    directory = argc > 3 ? argv[3] : ".";
    longest = argc > 4 ? (unsigned) atoi(argv[4]) : longest;
    signal(SIGALRM, hangs);
    alarm(SECONDS);
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPIX_Comm_agree(MPI_COMM_WORLD, &all); /* they have the duplicate */
    while (round_now < deaths)
        comm = lose_one(comm);
    use_at_last(comm);
    if (me == 0)
        printf(" No Errors\n");
    fflush(stdout);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
