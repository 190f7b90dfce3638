/*
 * Compressed maps: the C face.
 *
 * A *map* is an injective function  rank -> process index  for ranks 0 .. size-1.  It is a set
 * (strictly increasing), a set composed with a permutation, or a list.  The strategy chooses its
 * representation (Mir Taheri, "Scalability of communicators in MPI", UBC 2011, chapters 3 and 4;
 * Chaarawi and Gabriel, ICCS 2008).
 *
 * Conventions, in force for every function below unless its own comment says otherwise
 *  1. Units.  Ranks and process indices are uint32_t below CMAP_MAX_SIZE; sizes count members;
 *     bytes are bytes.
 *  2. Ownership.  A function with a `cmap_t **out` parameter hands one reference to the caller, who
 *     gives it back with MPIR_cmap_release().  Inputs are borrowed.  On failure *out is NULL and
 *     nothing is leaked.
 *  3. Interning.  A map equal in content and policy to a live one *is* that one: its pointer comes
 *     back with another reference.  Two maps built under one policy are equal exactly when their
 *     pointers are.
 *  4. Errors.  A cmap_status; nothing is thrown, nothing is printed.  MPIR_cmap_strerror() has the
 *     words.
 *  5. Threads.  Maps are immutable.  Every function is safe to call concurrently, and lookups are
 *     wait-free.  A builder and an iterator belong to one thread at a time.
 *  6. Empty maps (size 0) are valid everywhere.
 */
#ifndef CMAP_H_INCLUDED
#define CMAP_H_INCLUDED

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define CMAP_NOEXCEPT noexcept
#else
#define CMAP_NOEXCEPT
#endif

typedef struct cmap_s cmap_t;
typedef struct cmap_builder cmap_builder;

#define CMAP_NONE UINT32_MAX      /* "no such rank", "no such index" */
#define CMAP_MAX_SIZE 0x7fffffffu /* indices and sizes stay below this: they fit MPI's int */

typedef enum cmap_status {
    CMAP_OK = 0,
    CMAP_ERR_NOMEM,     /* an allocation failed */
    CMAP_ERR_RANGE,     /* a rank or an index outside its range, or a stride of 0 */
    CMAP_ERR_DUPLICATE, /* an index would appear twice */
    CMAP_ERR_ARG,       /* a NULL pointer, an unknown enum value, alpha outside 0..1 */
    CMAP_ERR_INVALID    /* an invariant does not hold (MPIR_cmap_validate) */
} cmap_status;

/* The representations, in the order of their tags.  Payload sizes are in each header under rep/. */
typedef enum cmap_rep {
    CMAP_REP_AFFINE = 0, /* closed form with up to 6 levels, no payload */
    CMAP_REP_PACKED,     /* list, fixed width */
    /* list, 4 bytes a member; inside the header up to CMAP_INLINE_MEMBERS */
    CMAP_REP_ARRAY,
    CMAP_REP_RUNS,      /* arithmetic runs and prefix sums */
    CMAP_REP_BITMAP,    /* set: bits with rank and select directories */
    CMAP_REP_PPERM,     /* a set composed with a packed permutation */
    CMAP_REP_CONCAT,    /* other maps one after the other */
    CMAP_REP_GAP,       /* set: distances of neighbours in fixed width, block by block */
    CMAP_REP_ELIASFANO, /* sparse set: high parts in unary, low parts packed */
    CMAP_REP_BDD,       /* set: binary decision diagram */
    CMAP_REP_BWT,       /* blocks compressed by bzip2 */
    /* a set composed with a permutation, as a wavelet tree on ascending runs */
    CMAP_REP_WTR,
    CMAP_REP_SUB, /* a map in the ranks of another one */
    CMAP_REP_COUNT,
    CMAP_REP_ANY = CMAP_REP_COUNT /* in a policy: let the strategy choose */
} cmap_rep;

typedef enum cmap_strategy {
    CMAP_STRATEGY_HYBRID = 0, /* least alpha*log(time) + (1-alpha)*log(space) */
    CMAP_STRATEGY_TIME,       /* least time of a dependent random select */
    CMAP_STRATEGY_SPACE       /* least payload */
} cmap_strategy;

/* How the representation of a map is chosen. */
typedef struct cmap_policy {
    cmap_strategy strategy;
    double alpha; /* 0..1, weight of time under CMAP_STRATEGY_HYBRID */
    /* CMAP_REP_ANY, or the representation to use whenever it can hold the map */
    cmap_rep force;
} cmap_policy;

#define CMAP_ALPHA_DEFAULT 0.25

/* What a status says, in words. */
const char *MPIR_cmap_strerror(cmap_status status) CMAP_NOEXCEPT;
const char *MPIR_cmap_rep_name(cmap_rep rep) CMAP_NOEXCEPT;                /* "affine", ... "any" */
const char *MPIR_cmap_strategy_name(cmap_strategy strategy) CMAP_NOEXCEPT; /* "hybrid", ... */
/* Is it in this library?  One that is left out never holds a map (make WITHOUT=...). */
int MPIR_cmap_rep_available(cmap_rep rep) CMAP_NOEXCEPT;
/* Names to values, case-sensitive; CMAP_ERR_ARG for an unknown name.  "any" is a
 * representation's name here. */
cmap_status MPIR_cmap_rep_from_name(const char *name, cmap_rep *out) CMAP_NOEXCEPT;
cmap_status MPIR_cmap_strategy_from_name(const char *name, cmap_strategy *out) CMAP_NOEXCEPT;

/* The policy used where a function is given NULL for one.  Setting it does not touch maps that
 * live already. */
void MPIR_cmap_policy_default(cmap_policy *out) CMAP_NOEXCEPT;
cmap_status MPIR_cmap_policy_set_default(const cmap_policy *policy) CMAP_NOEXCEPT;

/* Limits of representations whose size is unknown before they are built, so that no build takes
 * long.  New limits do not affect maps that are alive. */
typedef struct cmap_limits {
    uint32_t bdd_nodes; /* nodes of a binary decision diagram; 0: never use one */
    uint32_t bdd_paths; /* paths to true in one, when it is held as paths */
    /* ascending runs of a permutation held as a wavelet tree; 0: never use one */
    uint32_t wtr_runs;
    /* members in a bzip2 block, CMAP_BWT_BLOCK_MIN .. CMAP_BWT_BLOCK_MAX */
    uint32_t bwt_block;
} cmap_limits;

#define CMAP_BWT_BLOCK_MIN 64u
#define CMAP_BWT_BLOCK_MAX 65536u

void MPIR_cmap_limits_get(cmap_limits *out) CMAP_NOEXCEPT; /* those in force */
/* CMAP_ERR_ARG: a block out of its range */
cmap_status MPIR_cmap_limits_set(const cmap_limits *limits) CMAP_NOEXCEPT;

/* Takes the times that the strategies compare from a file which cmap-calibrate has written.  Its
 * first line is CMAP_TIMES_HEAD.  The others have a name and picoseconds; '#' begins a comment.
 * Times without a line stay as they are.  CMAP_ERR_INVALID: `why`, of `room` bytes, says what is
 * wrong with which line, and no time has changed.  REQUIRES that no other thread builds a map. */
#define CMAP_TIMES_HEAD "cmap-times 1"
cmap_status MPIR_cmap_times_read(const char *path, char *why, size_t room) CMAP_NOEXCEPT;

/* ---- building -------------------------------------------------------------------------------- */

/* A builder collects members in rank order and makes one map of them.  Ranges stay ranges: adding
 * one costs O(1), and finishing takes time in the number of pieces as long as these are few.
 * `universe`: every index must be below it (at most CMAP_MAX_SIZE); it is the u of the space
 * estimates. */
cmap_status MPIR_cmap_builder_create(uint32_t universe, const cmap_policy *policy,
                                     cmap_builder **out) CMAP_NOEXCEPT;
void MPIR_cmap_builder_free(cmap_builder *builder) CMAP_NOEXCEPT; /* NULL is fine */
cmap_status MPIR_cmap_builder_add(cmap_builder *builder, uint32_t index) CMAP_NOEXCEPT;
cmap_status MPIR_cmap_builder_add_block(cmap_builder *builder, const uint32_t *indices,
                                        uint32_t n) CMAP_NOEXCEPT;
/* first, first + stride, ... `count` members; the stride may be negative, and anything when
 * count is 0 or 1. */
cmap_status MPIR_cmap_builder_add_range(cmap_builder *builder, uint32_t first, int32_t stride,
                                        uint32_t count) CMAP_NOEXCEPT;
/* Ranks first .. first+count-1 of another map, in their order. */
cmap_status MPIR_cmap_builder_add_slice(cmap_builder *builder, const cmap_t *map, uint32_t first,
                                        uint32_t count) CMAP_NOEXCEPT;
/* Members collected so far. */
uint32_t MPIR_cmap_builder_size(const cmap_builder *builder) CMAP_NOEXCEPT;
/* Makes the map and empties the builder, which may be used again.  CMAP_ERR_DUPLICATE when an index
 * was added twice (the builder is emptied then, too).  One pass for the statistics, one to build
 * the winner. */
cmap_status MPIR_cmap_builder_finish(cmap_builder *builder, cmap_t **out) CMAP_NOEXCEPT;

/* Shorthands for a builder filled by one call.  `universe` and `policy` as above. */
cmap_status MPIR_cmap_from_array(const uint32_t *indices, uint32_t n, uint32_t universe,
                                 const cmap_policy *policy, cmap_t **out) CMAP_NOEXCEPT;
cmap_status MPIR_cmap_from_range(uint32_t first, int32_t stride, uint32_t count, uint32_t universe,
                                 const cmap_policy *policy, cmap_t **out) CMAP_NOEXCEPT;

/* A closed form: the index of rank r is base + sum of digit_k * stride_k, where the digits of r run
 * from 0 to count_k - 1, that of level 0 first.  Its members are the product of the counts. */
#define CMAP_FORM_LEVELS 32u
typedef struct cmap_form {
    uint32_t base;
    uint32_t levels; /* at most CMAP_FORM_LEVELS; 0: one member */
    uint32_t count[CMAP_FORM_LEVELS];
    int32_t stride[CMAP_FORM_LEVELS];
} cmap_form;

/* The map of a form's members: in O(levels) if an affine map holds them, otherwise in time of the
 * pieces.  CMAP_ERR_RANGE for an index outside the universe. */
cmap_status MPIR_cmap_from_form(const cmap_form *form, uint32_t universe, const cmap_policy *policy,
                                cmap_t **out) CMAP_NOEXCEPT;
/* Forms that give the members of a map, one after the other.  Returns how many; 0 for an empty map,
 * and for one that takes more than `room` forms, or is no map of forms or pieces. */
uint32_t MPIR_cmap_forms_of(const cmap_t *map, cmap_form *forms, uint32_t room) CMAP_NOEXCEPT;

/* ---- references ------------------------------------------------------------------------------ */

/* returns its argument, for assignment; NULL is fine */
cmap_t *MPIR_cmap_addref(const cmap_t *map) CMAP_NOEXCEPT;
void MPIR_cmap_release(const cmap_t *map) CMAP_NOEXCEPT; /* NULL is fine */

/* The same members under another policy: the map itself when it has that policy already. */
cmap_status MPIR_cmap_with_policy(const cmap_t *map, const cmap_policy *policy,
                                  cmap_t **out) CMAP_NOEXCEPT;

/* ---- lookup (cmap_lookup.h has the inline MPIR_cmap_select) ---------------------------------- */

uint32_t MPIR_cmap_size(const cmap_t *map) CMAP_NOEXCEPT; /* members */
uint32_t MPIR_cmap_min(const cmap_t *map) CMAP_NOEXCEPT;  /* least index; CMAP_NONE when empty */
uint32_t MPIR_cmap_max(const cmap_t *map) CMAP_NOEXCEPT;  /* greatest index; CMAP_NONE when empty */
int MPIR_cmap_is_set(const cmap_t *map) CMAP_NOEXCEPT;    /* strictly increasing? */
/* Index of `rank`.  REQUIRES rank < size. */
uint32_t MPIR_cmap_select_outlined(const cmap_t *map, uint32_t rank) CMAP_NOEXCEPT;
/* Rank of `index`, or CMAP_NONE.  O(1) to O(log size).  A list builds a packed inverse of size *
 * lg(size) bits at first use, and keeps it.  Runs of at most 32 different steps need none: they
 * take a bisection for each step, O(steps * log runs), because a member can be in a run of any
 * step.  Two cases scan the list.  Under CMAP_STRATEGY_SPACE no inverse is kept; functions that
 * query often, such as MPIR_cmap_translate, build one for themselves.  Without memory for an
 * inverse the answer is still right. */
uint32_t MPIR_cmap_rank(const cmap_t *map, uint32_t index) CMAP_NOEXCEPT;
/* Indices of ranks first .. first+count-1.  REQUIRES first + count <= size. */
void MPIR_cmap_decode(const cmap_t *map, uint32_t first, uint32_t count,
                      uint32_t *indices) CMAP_NOEXCEPT;
/* Indices of any n ranks.  REQUIRES every rank < size. */
void MPIR_cmap_select_many(const cmap_t *map, const uint32_t *ranks, uint32_t n,
                           uint32_t *indices) CMAP_NOEXCEPT;

/* A cursor over a map in rank order; a plain value, nothing to free.  The map must outlive it. */
typedef struct cmap_iter {
    const cmap_t *map;
    uint32_t next; /* the rank whose index comes next */
} cmap_iter;
void MPIR_cmap_iter_init(cmap_iter *iter, const cmap_t *map) CMAP_NOEXCEPT;
void MPIR_cmap_iter_rewind(cmap_iter *iter) CMAP_NOEXCEPT;
/* Writes up to `room` indices and returns how many: 0 at the end. */
uint32_t MPIR_cmap_iter_next(cmap_iter *iter, uint32_t *indices, uint32_t room) CMAP_NOEXCEPT;

/* ---- algebra --------------------------------------------------------------------------------- */
/* On affine and runs operands these take time in the number of pieces, not of members.  Results
 * follow MPI's order rules and the given policy; `universe` is the one of the result. */

typedef enum cmap_order {
    CMAP_EQUAL = 0, /* the same members in the same order */
    CMAP_SIMILAR,   /* the same members in another order */
    CMAP_DIFFERENT
} cmap_order;

/* How the members of two maps compare. */
cmap_status MPIR_cmap_compare(const cmap_t *a, const cmap_t *b, cmap_order *out) CMAP_NOEXCEPT;

/* result.select(r) = outer.select(inner.select(r)).  CMAP_ERR_RANGE unless every index of inner
 * is a rank of outer. */
cmap_status MPIR_cmap_compose(const cmap_t *outer, const cmap_t *inner, const cmap_policy *policy,
                              cmap_t **out) CMAP_NOEXCEPT;
/* Parts one after the other.  CMAP_ERR_DUPLICATE when they overlap. */
cmap_status MPIR_cmap_concat(const cmap_t *const *parts, uint32_t n, const cmap_policy *policy,
                             cmap_t **out) CMAP_NOEXCEPT;
/* a followed by what b adds, in b's order. */
cmap_status MPIR_cmap_union(const cmap_t *a, const cmap_t *b, const cmap_policy *policy,
                            cmap_t **out) CMAP_NOEXCEPT;
/* Members of a that are (are not) in b, in a's order. */
cmap_status MPIR_cmap_intersection(const cmap_t *a, const cmap_t *b, const cmap_policy *policy,
                                   cmap_t **out) CMAP_NOEXCEPT;
cmap_status MPIR_cmap_difference(const cmap_t *a, const cmap_t *b, const cmap_policy *policy,
                                 cmap_t **out) CMAP_NOEXCEPT;

/* A range of ranks as in MPI_Group_range_incl: first, first + stride, ... not beyond last. */
typedef struct cmap_rank_range {
    uint32_t first, last;
    /* not 0; its sign must agree with last - first, unless they are equal */
    int32_t stride;
} cmap_rank_range;

/* Members at the given ranks, in the given order / all others, in map's order.  CMAP_ERR_RANGE or
 * CMAP_ERR_DUPLICATE for ranks that are outside the map or named twice.  All members in another
 * order: the result shares the map's set where that is worth while (core/strategy.hpp), and
 * keeps nothing else of the map. */
cmap_status MPIR_cmap_incl(const cmap_t *map, const int *ranks, uint32_t n,
                           const cmap_policy *policy, cmap_t **out) CMAP_NOEXCEPT;
cmap_status MPIR_cmap_excl(const cmap_t *map, const int *ranks, uint32_t n,
                           const cmap_policy *policy, cmap_t **out) CMAP_NOEXCEPT;
cmap_status MPIR_cmap_range_incl(const cmap_t *map, const cmap_rank_range *ranges, uint32_t n,
                                 const cmap_policy *policy, cmap_t **out) CMAP_NOEXCEPT;
cmap_status MPIR_cmap_range_excl(const cmap_t *map, const cmap_rank_range *ranges, uint32_t n,
                                 const cmap_policy *policy, cmap_t **out) CMAP_NOEXCEPT;

/* ranks_b[i] = rank in b of the member at ranks_a[i] of a, or -1.  A negative ranks_a[i] gives -1;
 * the caller deals with MPI_PROC_NULL.  CMAP_ERR_RANGE for a ranks_a[i] >= size of a. */
cmap_status MPIR_cmap_translate(const cmap_t *a, const int *ranks_a, uint32_t n, const cmap_t *b,
                                int *ranks_b) CMAP_NOEXCEPT;
/* Every member of part is a member of whole; when not, *rank is the first rank of part that is
 * missing. */
cmap_status MPIR_cmap_is_subset(const cmap_t *part, const cmap_t *whole, int *yes,
                                uint32_t *rank) CMAP_NOEXCEPT;

/* ---- a map on its way to other processes ----------------------------------------------------- */

/* Words that tell the members of ranks first .. *next - 1, as many as `room` words hold, in the
 * format of cmap_wire.h: a few for a regular map, and for m members never more than m + 3.
 * Returns how many words; 0 when `first` is the size.  It does without memory of its own.
 * REQUIRES room for CMAP_WORDS_MIN words, and first <= size. */
#define CMAP_WORDS_MIN 32u
uint32_t MPIR_cmap_to_words(const cmap_t *map, uint32_t first, uint32_t *words, uint32_t room,
                            uint32_t *next) CMAP_NOEXCEPT;
/* Adds the members that n such words of one call tell; any words are safe.  CMAP_ERR_ARG when they
 * are no such words, CMAP_ERR_RANGE for members outside; what came before is added then. */
cmap_status MPIR_cmap_builder_add_words(cmap_builder *builder, const uint32_t *words,
                                        uint32_t n) CMAP_NOEXCEPT;
/* The first member that n such words tell and that is in the map, or CMAP_NONE: one lookup for
 * each, without memory. */
uint32_t MPIR_cmap_find_in_words(const cmap_t *map, const uint32_t *words,
                                 uint32_t n) CMAP_NOEXCEPT;

/* ---- what a map is and costs ----------------------------------------------------------------- */

/* What the strategy chose, or the policy forced; and the strategy it was built under. */
cmap_rep MPIR_cmap_representation(const cmap_t *map) CMAP_NOEXCEPT;
cmap_strategy MPIR_cmap_strategy_of(const cmap_t *map) CMAP_NOEXCEPT;
/* The policy it was built under; alpha is 0 unless the strategy is CMAP_STRATEGY_HYBRID. */
void MPIR_cmap_policy_of(const cmap_t *map, cmap_policy *out) CMAP_NOEXCEPT;
/* The policy forced a representation that could not hold this map. */
int MPIR_cmap_force_declined(const cmap_t *map) CMAP_NOEXCEPT;
uint32_t MPIR_cmap_sharers(const cmap_t *map) CMAP_NOEXCEPT; /* references now */
/* Beyond the header: caches, inverses, and the maps that belong to this one with their headers.
 * The parent of a `sub` and the set that a permutation shares with its origin do not count.
 * They are maps of their own, and MPIR_cmap_get_totals() counts every map once. */
size_t MPIR_cmap_payload_bytes(const cmap_t *map) CMAP_NOEXCEPT;
size_t MPIR_cmap_bytes(const cmap_t *map) CMAP_NOEXCEPT; /* header and payload */
/* 4 * size: what a plain array would take */
size_t MPIR_cmap_array_bytes(const cmap_t *map) CMAP_NOEXCEPT;
/* One line for people, such as "affine 0 + 32*(r%16) ...".  Returns the length without the cut,
 * as snprintf does. */
int MPIR_cmap_describe(const cmap_t *map, char *text, size_t room) CMAP_NOEXCEPT;
/* Checks every invariant, O(size); on CMAP_ERR_INVALID `reason` (static storage) says which. */
cmap_status MPIR_cmap_validate(const cmap_t *map, const char **reason) CMAP_NOEXCEPT;
/* The part of the payload that lookups have added: inverses, the block decompressed last.  It stays
 * as long as the map, because another thread may still read it. */
size_t MPIR_cmap_cached_bytes(const cmap_t *map) CMAP_NOEXCEPT;

/* What of MPIR_cmap_payload_bytes() lies in memory of the node. */
size_t MPIR_cmap_node_bytes(const cmap_t *map) CMAP_NOEXCEPT;

typedef struct cmap_totals {
    uint64_t maps;                   /* alive now */
    uint64_t bytes;                  /* of the maps alive: header and payload */
    uint64_t node_maps;              /* of those alive: with a payload in memory of the node */
    uint64_t node_bytes;             /* of `bytes`: in memory of the node */
    uint64_t array_bytes;            /* what plain arrays would take, once per map */
    uint64_t shared_array_bytes;     /* the same, once per reference */
    uint64_t builds[CMAP_REP_COUNT]; /* maps built since the start, per representation */
    uint64_t intern_hits;            /* builds that found an equal map alive */
    uint64_t force_declined;         /* builds whose forced representation could not hold the map */
} cmap_totals;
/* Sums of the maps of this process. */
void MPIR_cmap_get_totals(cmap_totals *out) CMAP_NOEXCEPT;

/* Memory comes from these (malloc and free by default), aligned as malloc's.  For tests and tools;
 * REQUIRES that no map is alive.  NULL twice brings the defaults back. */
void MPIR_cmap_set_allocator(void *(*allocate)(size_t), void (*deallocate)(void *)) CMAP_NOEXCEPT;

/* Memory that processes of a node share: payloads and inverses of `least` bytes and more go there
 * when they are built.  A map is built in the process's own memory first, so a build takes both
 * for a moment.  Concatenations and bzip2 blocks stay private, because they hold pointers. */
typedef struct cmap_node_memory {
    size_t least;
    /* read-only memory with these n bytes, aligned as malloc's; or NULL: the map keeps its own */
    const void *(*keep)(const void *bytes, size_t n);
    void (*drop)(const void *memory, size_t n); /* gives it back */
} cmap_node_memory;
/* For maps built from now on; NULL: they are private again.  REQUIRES functions that stay usable
 * as long as a map that used them is alive, and equal ones in all calls, which are not made beside
 * others. */
void MPIR_cmap_set_node_memory(const cmap_node_memory *memory) CMAP_NOEXCEPT;

/* maps up to this size have no payload in any representation */
#define CMAP_INLINE_MEMBERS 8u

#ifdef __cplusplus
}
#endif
#endif /* CMAP_H_INCLUDED */
