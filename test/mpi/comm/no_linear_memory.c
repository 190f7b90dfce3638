/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * No allocation proportional to the size of a communicator survives its creation by MPI_Comm_dup,
 * MPI_Comm_split by rows or by columns, MPI_Cart_create or MPI_Cart_sub.
 *
 * The program has malloc and its family itself, and notes what is allocated during one creation and
 * still there afterwards, on a large communicator and on one with half the processes and the same
 * nodes.  The large one may keep only blocks of sizes which the small one keeps, too, and hardly
 * more of them: a table has another size, and a list has more blocks.  Of several creations the one
 * that keeps least counts, since pools grow now and then.
 *
 * Argument: -report (rank 0 prints the figures)
 */
#include "cmaptest.h"
#include "cmaptest_malloc.h"

#ifdef CT_HAVE_MALLOC
#include <execinfo.h>

#define DEPTH 12        /* frames of a backtrace */
#define MAX_BLOCKS 4096 /* alive at once during a creation */
#define MAX_KEPT 64     /* surviving a creation */
#define REPEAT 6        /* creations of which the best counts */
/* that may survive on the large one: maps that are not shared with others */
#define MORE_BLOCKS 2

/* ---- the allocator ---- */

typedef struct block {
    void *address;
    size_t size;
    int depth;
    void *from[DEPTH];
} block;

static block alive[MAX_BLOCKS];
static int n_alive, too_many;
static __thread int watching; /* only the thread that creates the communicator */

static int ct_refuses(void) { return 0; }

static void ct_allocated(void *p, size_t size)
{
    if (!watching)
        return;
    if (n_alive == MAX_BLOCKS) {
        too_many = 1;
        return;
    }
    block *b = &alive[n_alive++];
    watching = 0; /* backtrace() may allocate */
    b->address = p;
    b->size = size;
    b->depth = backtrace(b->from, DEPTH);
    watching = 1;
}

static void ct_frees(void *p)
{
    for (int i = n_alive - 1; watching && i >= 0; i--) {
        if (alive[i].address == p) {
            alive[i] = alive[--n_alive];
            return;
        }
    }
}

/* ---- creations ---- */

/* A base communicator of size n seen as 2 rows, or as 2 columns, of n/2 - 1; the last two processes
 * stay out.  An odd length makes a table's size one that nothing else has. */
typedef struct base {
    MPI_Comm comm, wide, tall;
    int length, rank;
    int row, column; /* of this process in wide, in tall */
} base;

enum creation { DUP, ROWS, COLUMNS, CART, CART_ROWS, CART_COLUMNS, CREATIONS };

static const char *const creation_name[CREATIONS] = {
    "MPI_Comm_dup",    "MPI_Comm_split by rows", "MPI_Comm_split by columns",
    "MPI_Cart_create", "MPI_Cart_sub of rows",   "MPI_Cart_sub of columns"};

static MPI_Comm make_cart(MPI_Comm comm, int rows, int columns)
{
    int dims[2] = {rows, columns}, periods[2] = {0, 1};
    MPI_Comm cart;

    MPI_Cart_create(comm, 2, dims, periods, 0, &cart);
    return cart;
}

static base make_base(MPI_Comm comm)
{
    base b = {.comm = comm};
    int size;

    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &b.rank);
    b.length = size / 2 - 1;
    int inside = b.rank < 2 * b.length;
    b.row = inside ? b.rank / b.length : MPI_UNDEFINED;
    b.column = inside ? b.rank % 2 : MPI_UNDEFINED;
    b.wide = make_cart(comm, 2, b.length);
    b.tall = make_cart(comm, b.length, 2);
    return b;
}

static void free_base(base *b)
{
    if (b->wide != MPI_COMM_NULL)
        MPI_Comm_free(&b->wide);
    if (b->tall != MPI_COMM_NULL)
        MPI_Comm_free(&b->tall);
}

static MPI_Comm create(int creation, const base *b)
{
    static const int keep_rows[2] = {0, 1}, keep_columns[2] = {1, 0};
    MPI_Comm comm = MPI_COMM_NULL;

    if (creation == DUP)
        MPI_Comm_dup(b->comm, &comm);
    else if (creation == ROWS)
        MPI_Comm_split(b->comm, b->row, b->rank, &comm);
    else if (creation == COLUMNS)
        MPI_Comm_split(b->comm, b->column, b->rank, &comm);
    else if (creation == CART)
        comm = make_cart(b->comm, 2, b->length);
    else if (creation == CART_ROWS && b->wide != MPI_COMM_NULL)
        MPI_Cart_sub(b->wide, keep_rows, &comm);
    else if (creation == CART_COLUMNS && b->tall != MPI_COMM_NULL)
        MPI_Cart_sub(b->tall, keep_columns, &comm);
    return comm;
}

/* ---- what survives ---- */

typedef struct survivors {
    int n, comm_size;
    long long bytes;
    block kept[MAX_KEPT];
} survivors;

static void look(survivors *s, MPI_Comm comm)
{
    s->n = n_alive;
    s->bytes = 0;
    s->comm_size = 0;
    if (comm != MPI_COMM_NULL)
        MPI_Comm_size(comm, &s->comm_size);
    for (int i = 0; i < n_alive; i++)
        s->bytes += alive[i].size;
    memcpy(s->kept, alive, (n_alive < MAX_KEPT ? n_alive : MAX_KEPT) * sizeof(block));
}

static void create_once(int creation, const base *b, survivors *s)
{
    MPI_Barrier(MPI_COMM_WORLD);
    n_alive = 0;
    watching = 1;
    MPI_Comm comm = create(creation, b);
    if (comm != MPI_COMM_NULL)
        MPI_Barrier(comm); /* communicators by nodes are made at first use */
    watching = 0;
    look(s, comm);
    if (comm != MPI_COMM_NULL)
        MPI_Comm_free(&comm);
}

static void measure(int creation, const base *b, survivors *best)
{
    survivors s;

    create_once(creation, b, best);
    for (int i = 1; i < REPEAT; i++) {
        create_once(creation, b, &s);
        if (s.bytes < best->bytes)
            *best = s;
    }
    CT_CHECK(!too_many && best->n <= MAX_KEPT, "%s: %d blocks survive", creation_name[creation],
             best->n);
}

static void check_hooks(void)
{
    void *volatile mine;

    n_alive = 0;
    watching = 1;
    mine = malloc(4711);
    watching = 0;
    CT_CHECK(n_alive == 1 && alive[0].size == 4711, "the hooks see nothing");
    free(mine);
}

/* ---- small against large ---- */

/* Sizes of the blocks that survive anywhere on the small communicators, and the most blocks. */
typedef struct allowance {
    int blocks, n;
    long long *size;
} allowance;

static allowance allow(const survivors *s)
{
    int ranks;
    long long mine[MAX_KEPT] = {0};
    allowance a;

    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    a.n = ranks * MAX_KEPT;
    a.size = ct_alloc(a.n, sizeof(long long));
    for (int i = 0; i < s->n && i < MAX_KEPT; i++)
        mine[i] = s->kept[i].size;
    MPI_Allgather(mine, MAX_KEPT, MPI_LONG_LONG, a.size, MAX_KEPT, MPI_LONG_LONG, MPI_COMM_WORLD);
    MPI_Allreduce(&s->n, &a.blocks, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return a;
}

static int is_allowed(const allowance *a, size_t size)
{
    for (int i = 0; i < a->n; i++) {
        if (a->size[i] == (long long) size)
            return 1;
    }
    return 0;
}

static void complain(int creation, const survivors *s, const block *b)
{
    ct_fail("%s, %d processes: a block of %zu bytes survives, which none of the small ones has",
            creation_name[creation], s->comm_size, b->size);
    if (ct_errs == 1 && ct_me == 0) {
        fprintf(stderr, "allocated from (addr2line -f -e LIBRARY OFFSET tells the function):\n");
        backtrace_symbols_fd(b->from, b->depth, STDERR_FILENO);
    }
}

static void compare(int creation, const survivors *large, const allowance *a)
{
    for (int i = 0; i < large->n && i < MAX_KEPT; i++) {
        if (!is_allowed(a, large->kept[i].size))
            complain(creation, large, &large->kept[i]);
    }
    CT_CHECK(large->n <= a->blocks + MORE_BLOCKS,
             "%s, %d processes: %d blocks survive, at most %d of the small ones",
             creation_name[creation], large->comm_size, large->n, a->blocks);
}

static void report(int creation, const survivors *s)
{
    if (ct_me != 0)
        return;
    printf("%-26s %3d processes: %5lld bytes in %2d blocks:", creation_name[creation], s->comm_size,
           s->bytes, s->n);
    for (int i = 0; i < s->n && i < MAX_KEPT; i++)
        printf(" %zu", s->kept[i].size);
    printf("\n");
}

static void check_all(int with_report)
{
    static survivors small, large;
    int size;
    MPI_Comm half;
    void *frames[DEPTH];

    backtrace(frames, DEPTH); /* loads what it needs */
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, ct_me / (size / 2), ct_me, &half);
    base of_world = make_base(MPI_COMM_WORLD), of_half = make_base(half);
    for (int creation = 0; creation < CREATIONS; creation++) {
        measure(creation, &of_half, &small);
        measure(creation, &of_world, &large);
        allowance a = allow(&small);
        compare(creation, &large, &a);
        if (with_report) {
            report(creation, &small);
            report(creation, &large);
        }
        free(a.size);
    }
    free_base(&of_world);
    free_base(&of_half);
    MPI_Comm_free(&half);
}

#else

static void check_all(int with_report)
{
    MTestPrintfMsg(1, "skipped: the names of the C library's own allocator are not known here\n");
}

#endif

int main(int argc, char **argv)
{
    int size, with_report = 0;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    check_hooks();
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 1; i < argc; i++)
        with_report = with_report || !strcmp(argv[i], "-report");
    if (size >= 16 && size % 4 == 0)
        check_all(with_report);
    else
        ct_fail("needs 16 processes at least, and a multiple of 4");
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
