/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Frame of the program that test/arguments/wrong_arguments.py makes.  It calls each function with
 * its arguments wrong in turn, each function in a child of its own.  A case is one call: the first
 * of a function has only right arguments.
 *
 * Each case has to come back with an error class, or, where MPI allows the argument or does not ask
 * for a check, with success.
 */
#include <mpi.h>

#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 5, MOST_CASES = 64, N = 8 };

enum want { SUCCEEDS, FAILS, EITHER };

struct wrong {
    const char *what; /* argument and value */
    enum want want;
};

struct function {
    const char *name;
    enum want right;
    int (*call)(int wrong);
    int n; /* wrong ones */
    const struct wrong *wrong;
};

/* ---- right arguments ---- */

static int ints[N] = {1, 1, 1, 1, 1, 1, 1, 1}, zeros[N], out[64], out2[64], flag;
static MPI_Aint azeros[N], aint_out[64];
static MPI_Count counts[N] = {1, 1, 1, 1, 1, 1, 1, 1}, czeros[N], count_out[64];
static MPI_Offset offset_out;
static int minus[N] = {-5, -5, -5, -5, -5, -5, -5, -5};
static MPI_Count cminus[N] = {-5, -5, -5, -5, -5, -5, -5, -5};
static MPI_Aint aminus[N] = {-5, -5, -5, -5, -5, -5, -5, -5};
static int ranges[N][3], minus_ranges[N][3];
static double send[N * 8], receive[N * 8], exposed[N * 8];
static char text[MPI_MAX_ERROR_STRING + MPI_MAX_LIBRARY_VERSION_STRING];
static void *pointer;
static MPI_Status status, statuses[N];
static MPI_Datatype types[N], null_types[N], type_out[N];
static MPI_Info infos[N], null_infos[N];
static char *words[] = {"a", "b", NULL};
static char **word_lists[] = {words, words};

static MPI_Comm new_comm;
static MPI_Group new_group;
static MPI_Datatype new_type;
static MPI_Op new_op;
static MPI_Errhandler new_errhandler;
static MPI_Info new_info;
static MPI_Win new_win;
static MPI_Request new_request;
static MPI_Session new_session;
static MPI_Message new_message;
static MPI_File new_file;
static int new_keyval;

/* Objects for one call, which may end them */

static MPI_Comm *fresh_comm(void)
{
    static MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    return &comm;
}

static MPI_Group *fresh_group(void)
{
    static MPI_Group group;
    MPI_Group all; /* the communicator has it, too */

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, zeros, &group);
    MPI_Group_free(&all);
    return &group;
}

static MPI_Datatype *fresh_type(void)
{
    static MPI_Datatype type;

    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_commit(&type);
    return &type;
}

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
    for (int i = 0; i < *n; i++)
        ((int *) inout)[i] += ((int *) in)[i];
    (void) type;
}

static void add_c(void *in, void *inout, MPI_Count *n, MPI_Datatype *type)
{
    int m = (int) *n;

    add(in, inout, &m, type);
}

static MPI_Op *fresh_op(void)
{
    static MPI_Op op;

    MPI_Op_create(add, 1, &op);
    return &op;
}

static void ignore_comm(MPI_Comm *comm, int *code, ...) { (void) comm, (void) code; }

static void ignore_win(MPI_Win *win, int *code, ...) { (void) win, (void) code; }

static void ignore_file(MPI_File *file, int *code, ...) { (void) file, (void) code; }

static void ignore_session(MPI_Session *session, int *code, ...) { (void) session, (void) code; }

static MPI_Errhandler *fresh_errhandler(void)
{
    static MPI_Errhandler handler;

    MPI_Comm_create_errhandler(ignore_comm, &handler);
    return &handler;
}

static MPI_Info *fresh_info(void)
{
    static MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "key", "value");
    return &info;
}

static MPI_Win *fresh_win(void)
{
    static MPI_Win win;

    MPI_Win_create(exposed, sizeof(exposed), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    return &win;
}

static MPI_Session *fresh_session(void)
{
    static MPI_Session session;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    return &session;
}

static MPI_Message *fresh_message(void)
{
    static MPI_Message message;

    MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    return &message;
}

static MPI_File *fresh_file(void)
{
    static MPI_File file;
    static char name[64];

    snprintf(name, sizeof(name), "/tmp/wrong_arguments.%d", (int) getpid());
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    unlink(name);
    return &file;
}

static MPI_Request *fresh_request(void)
{
    static MPI_Request request;

    MPI_Irecv(receive, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
    return &request;
}

static MPI_Request *fresh_requests(void)
{
    static MPI_Request request[N];

    for (int i = 0; i < N; i++)
        request[i] = *fresh_request();
    return request;
}

static MPI_Request *fresh_persistent(void)
{
    static MPI_Request request[N];

    for (int i = 0; i < N; i++)
        MPI_Recv_init(receive, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request[i]);
    return request;
}

static int no_status(void *state, MPI_Status *s)
{
    (void) state;
    MPI_Status_set_elements(s, MPI_INT, 0);
    MPI_Status_set_cancelled(s, 0);
    return MPI_SUCCESS;
}

static int no_free(void *state)
{
    (void) state;
    return MPI_SUCCESS;
}

static int no_cancel(void *state, int complete)
{
    (void) state, (void) complete;
    return MPI_SUCCESS;
}

static int no_poll(void *state, MPI_Status *s)
{
    (void) state, (void) s;
    return MPI_SUCCESS;
}

static int no_wait(int n, void **states, double timeout, MPI_Status *s)
{
    (void) n, (void) states, (void) timeout, (void) s;
    return MPI_SUCCESS;
}

static MPI_Request generalized(void)
{
    MPI_Request request;

    MPI_Grequest_start(no_status, no_free, no_cancel, NULL, &request);
    return request;
}

static MPIX_Grequest_class new_class_of_requests;

static MPIX_Grequest_class greq_class(void)
{
    MPIX_Grequest_class_create(no_status, no_free, no_cancel, no_poll, no_wait,
                               &new_class_of_requests);
    return new_class_of_requests;
}

static MPI_Request started(MPI_Request request)
{
    MPI_Start(&request);
    return request;
}

static MPI_Request sends_parts(void)
{
    MPI_Request request;

    MPI_Psend_init(send, 2, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    return started(request);
}

static MPI_Request receives_parts(void)
{
    MPI_Request request;

    MPI_Precv_init(receive, 2, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &request);
    return started(request);
}

static MPI_Comm cart(void)
{
    MPI_Comm comm;
    int dims[2] = {1, 1}, periods[2] = {1, 0};

    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm);
    return comm;
}

static MPI_Comm graph(void)
{
    MPI_Comm comm;
    int index[1] = {1}, edges[1] = {0};

    MPI_Graph_create(MPI_COMM_WORLD, 1, index, edges, 0, &comm);
    return comm;
}

static MPI_Comm dist_graph(void)
{
    MPI_Comm comm;

    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, zeros, MPI_UNWEIGHTED, 1, zeros,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    return comm;
}

static MPI_Win locked(void)
{
    MPI_Win win = *fresh_win();

    MPI_Win_lock_all(0, win);
    return win;
}

static MPI_Win locked_one(void)
{
    MPI_Win win = *fresh_win();

    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    return win;
}

static MPI_Win started_win(int posts)
{
    MPI_Win win = *fresh_win();

    MPI_Win_post(*fresh_group(), 0, win);
    if (!posts)
        MPI_Win_start(*fresh_group(), 0, win);
    return win;
}

static MPI_Win posted(void)
{
    MPI_Win win = started_win(0);

    MPI_Win_complete(win);
    return win;
}

static MPI_Win shared(void)
{
    static MPI_Win win;

    MPI_Win_allocate_shared(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &pointer, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    return win;
}

static MPI_Win dynamic(void)
{
    static MPI_Win win;

    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    return win;
}

static MPI_Win attached(void)
{
    MPI_Win win = dynamic();

    MPI_Win_attach(win, receive, sizeof(receive));
    return win;
}

static int *comm_keyval(void)
{
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &new_keyval, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, new_keyval, &pointer);
    return &new_keyval;
}

static int *type_keyval(void)
{
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &new_keyval, NULL);
    MPI_Type_set_attr(MPI_INT, new_keyval, &pointer);
    return &new_keyval;
}

static MPI_Win attr_win(void)
{
    static MPI_Win win = MPI_WIN_NULL;

    if (win == MPI_WIN_NULL)
        win = *fresh_win();
    return win;
}

static int *win_keyval(void)
{
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &new_keyval, NULL);
    MPI_Win_set_attr(attr_win(), new_keyval, &pointer);
    return &new_keyval;
}

static int new_class(void)
{
    int class_;

    MPI_Add_error_class(&class_);
    return class_;
}

static int new_code(void)
{
    int code;

    MPI_Add_error_code(new_class(), &code);
    return code;
}

static int named_code(void)
{
    int code = new_code();

    MPI_Add_error_string(code, "text");
    return code;
}

static MPI_Status *a_status(void)
{
    MPI_Recv(receive, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
    return &status;
}

static int *length(int value)
{
    static int room;

    room = value;
    return &room;
}

static void *buffered(int is_attached)
{
    static char buffer[MPI_BSEND_OVERHEAD + 1000];

    if (is_attached)
        MPI_Buffer_attach(buffer, sizeof(buffer));
    return buffer;
}

static void *position(void)
{
    static MPI_Count at;

    at = 0;
    return &at; /* of any type */
}

static int *dims(void)
{
    static int dims[N];

    memset(dims, 0, sizeof(dims));
    return dims;
}

static int distributions[N] = {MPI_DISTRIBUTE_BLOCK};

static const char *file_name(void)
{
    static char name[64];

    snprintf(name, sizeof(name), "/tmp/wrong_arguments.%d.new", (int) getpid());
    return name;
}

static int extent_of(MPI_Datatype type, MPI_Aint *extent, void *state)
{
    (void) type, (void) state;
    *extent = 4;
    return MPI_SUCCESS;
}

static void *allocated(void)
{
    MPI_Alloc_mem(100, MPI_INFO_NULL, &pointer);
    return pointer;
}

static char *packed(void)
{
    int at = 0;

    MPI_Pack(ints, 1, MPI_INT, send, sizeof(send), &at, MPI_COMM_WORLD);
    return (char *) send;
}

static char *packed_external(void)
{
    MPI_Aint at = 0;

    MPI_Pack_external("external32", ints, 1, MPI_INT, send, sizeof(send), &at);
    return (char *) send;
}

/* ---- of MPI_T ---- */

static MPI_T_cvar_handle new_cvar;
static MPI_T_pvar_handle new_pvar;
static MPI_T_pvar_session new_pvar_session;
static MPI_T_event_registration new_registration;
static MPI_T_enum new_enum;
static MPI_T_source_order order;
static char junk[4096]; /* what a wrong pointer may point to */

static MPI_T_cvar_handle *cvar(void)
{
    int n;

    MPI_T_cvar_handle_alloc(0, NULL, &new_cvar, &n);
    return &new_cvar;
}

static MPI_T_pvar_session *pvar_session(void)
{
    MPI_T_pvar_session_create(&new_pvar_session);
    return &new_pvar_session;
}

/* Of the first session that pvar_session made since; the arguments of a call have any order */
static MPI_T_pvar_session fixed_session(void)
{
    static MPI_T_pvar_session session;

    if (!session)
        MPI_T_pvar_session_create(&session);
    return session;
}

static MPI_T_pvar_handle *pvar(void)
{
    int n;

    MPI_T_pvar_handle_alloc(fixed_session(), 0, NULL, &new_pvar, &n);
    return &new_pvar;
}

static const char *name_of_cvar(void)
{
    int room = sizeof(text);

    MPI_T_cvar_get_info(0, text, &room, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    return text;
}

static const char *name_of_category(void)
{
    int room = sizeof(text);

    MPI_T_category_get_info(0, text, &room, NULL, NULL, NULL, NULL, NULL);
    return text;
}

static MPI_T_cvar_handle writable_cvar(void)
{
    int n = 0, i = 0, scope = MPI_T_SCOPE_CONSTANT;

    MPI_T_cvar_get_num(&n);
    while (scope < MPI_T_SCOPE_LOCAL && i < n)
        MPI_T_cvar_get_info(i++, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &scope);
    MPI_T_cvar_handle_alloc(i - 1, NULL, &new_cvar, &n);
    return new_cvar;
}

static MPI_T_cvar_handle freed_cvar(void)
{
    MPI_T_cvar_handle handle = *cvar();

    MPI_T_cvar_handle_free(&new_cvar);
    return handle;
}

static MPI_T_pvar_session freed_pvar_session(void)
{
    MPI_T_pvar_session session = *pvar_session();

    MPI_T_pvar_session_free(&new_pvar_session);
    return session;
}

static MPI_T_pvar_handle freed_pvar(void)
{
    MPI_T_pvar_handle handle = *pvar();

    MPI_T_pvar_handle_free(fixed_session(), &new_pvar);
    return handle;
}

/* ---- handles of objects that were freed ---- */

/* The pools give the handle that was freed last, so that this one is not given to the next few. */
#define FREED(type, kind, free) \
    static type freed_##kind(void) \
    { \
        type made[4], first; \
        for (int i = 0; i < 4; i++) \
            made[i] = *fresh_##kind(); \
        first = made[0]; \
        for (int i = 0; i < 4; i++) \
            free(&made[i]); \
        return first; \
    }

FREED(MPI_Comm, comm, MPI_Comm_free)
FREED(MPI_Group, group, MPI_Group_free)
FREED(MPI_Datatype, type, MPI_Type_free)
FREED(MPI_Op, op, MPI_Op_free)
FREED(MPI_Errhandler, errhandler, MPI_Errhandler_free)
FREED(MPI_Info, info, MPI_Info_free)
FREED(MPI_Win, win, MPI_Win_free)
FREED(MPI_Session, session, MPI_Session_finalize)

static MPI_Request freed_request(void)
{
    MPI_Request copy = *fresh_persistent(), mine = copy;

    MPI_Request_free(&mine);
    return copy;
}

/* A place that has a wrong handle */
#define PLACE(type, kind) \
    static type *at_##kind(type value) \
    { \
        static type place[N]; \
        for (int i = 0; i < N; i++) \
            place[i] = value; \
        return place; \
    }

PLACE(MPI_Comm, comm)
PLACE(MPI_T_cvar_handle, cvar)
PLACE(MPI_T_pvar_handle, pvar)
PLACE(MPI_T_pvar_session, pvar_session)

/* ---- the calls ---- */

#include "wrong_calls.h"

/* ---- the run ---- */

static struct shared {
    int number; /* of the case that runs */
    int is_done;
    int class_[MOST_CASES + 1];
} * seen;

static void run_cases(const struct function *f, int from)
{
    for (int i = from; i <= f->n; i++) {
        int code, class_ = -1, size;

        seen->number = i;
        alarm(SECONDS);
        code = f->call(i);
        alarm(0);
        if (MPI_Error_class(code, &class_) == MPI_SUCCESS && code != MPI_SUCCESS)
            MPI_Error_string(code, text, &size);
        seen->class_[i] = class_;
    }
    seen->is_done = 1;
}

static void set_up(int shows)
{
    if (!shows && (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)))
        _exit(3);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (int i = 0; i < N; i++) {
        types[i] = MPI_INT;
        null_types[i] = MPI_DATATYPE_NULL;
        infos[i] = MPI_INFO_NULL;
        null_infos[i] = (MPI_Info) 0x1c00ffff;
        ranges[i][2] = minus_ranges[i][2] = 1;
        minus_ranges[i][0] = minus_ranges[i][1] = -5;
    }
}

static int failures, cases;

static const char *name_of(const struct function *f, int i)
{
    return i ? f->wrong[i - 1].what : "nothing wrong";
}

static void fail(const struct function *f, int i, const char *why, int number)
{
    failures++;
    printf("not ok %s: %s: ", f->name, name_of(f, i));
    printf(why, number);
    printf("\n");
}

static void check_class(const struct function *f, int i)
{
    enum want want = i ? f->wrong[i - 1].want : f->right;
    int class_ = seen->class_[i];

    if (class_ < 0 || class_ == MPI_ERR_UNKNOWN)
        fail(f, i, "class %d", class_);
    else if (want == FAILS && class_ == MPI_SUCCESS)
        fail(f, i, "success", 0);
    else if (want == SUCCEEDS && class_ != MPI_SUCCESS)
        fail(f, i, "class %d", class_);
}

/* The case that a child ended in */
static void check_end(const struct function *f, int status)
{
    int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

    if (signal == SIGALRM)
        fail(f, seen->number, "comes not back in %d s", SECONDS);
    else if (signal)
        fail(f, seen->number, "signal %d", signal);
    else
        fail(f, seen->number, "ends the program with %d", WEXITSTATUS(status));
}

static void try_function(const struct function *f, int shows)
{
    int next = f->right == FAILS, status; /* there is no call with right arguments */

    memset(seen, 0, sizeof(*seen));
    while (next <= f->n) {
        pid_t child = fork();

        if (child == 0) {
            set_up(shows);
            run_cases(f, next);
            _exit(0);
        }
        if (child < 0 || waitpid(child, &status, 0) != child) {
            perror("wrong_arguments");
            exit(1);
        }
        for (int i = next; i < seen->number + seen->is_done; i++)
            check_class(f, i);
        if (seen->is_done)
            break;
        check_end(f, status);
        next = seen->number + 1;
    }
    cases += f->n + 1;
}

/* wrong_arguments [NAME]: of all functions, or of one, whose errors are shown */
int main(int argc, char **argv)
{
    int provided, n = sizeof(functions) / sizeof(functions[0]), tried = 0;

    MPI_Init(NULL, NULL);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (seen == MAP_FAILED)
        return 1;
    for (int i = 0; i < n; i++) {
        if (argc > 1 && strcmp(argv[1], functions[i].name))
            continue;
        try_function(&functions[i], argc > 1);
        fflush(stdout);
        tried++;
    }
    printf("%d functions, %d calls, %d failures\n", tried, cases, failures);
    fflush(stdout);
    _exit(failures > 0); /* children that called exit have closed what MPI_Finalize would */
}
