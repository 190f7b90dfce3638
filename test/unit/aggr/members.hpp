// SPDX-License-Identifier: BSD-3-Clause A group whose members are threads or processes of the test,
// and an element whose fold is associative but does not commute.
#ifndef AGGR_TEST_MEMBERS_HPP
#define AGGR_TEST_MEMBERS_HPP

#include <cstdint>
#include <functional>
#include <vector>

#include "aggr.h"

namespace aggr_test {

// x -> a x + b modulo 2^32: composing such maps depends on their order.
struct Affine {
    uint32_t a, b;
    bool operator==(const Affine &other) const { return a == other.a && b == other.b; }
};
inline Affine compose(Affine left, Affine right) {
    return {left.a * right.a, left.a * right.b + left.b};
}
extern const aggr_fold_t affine_fold;

// What the member, the operation and the place in its data determine.
Affine element(int member, unsigned operation, size_t place);

// Desks so small that a few elements take several chunks.
enum { DESK_BYTES = 192 };

// Member m has desk m, or the other way round.
inline int same_seat(const void *, int member) { return member; }
inline int opposite_seat(const void *members, int member) {
    return *static_cast<const int *>(members) - 1 - member;
}

inline aggr_shape_t shape(int members, int fan = 16, size_t copy_bytes = 256, int lines = 2) {
    return {members, fan, copy_bytes, lines, {nullptr, nullptr}, {same_seat, nullptr}, 0};
}

// Members lend their buffers, if `do_so`.
inline aggr_shape_t lending(aggr_shape_t shape, bool do_so = true) {
    shape.least_loan = do_so ? 24 : 0;
    return shape;
}

// Where members run: the cache and the memory of each.  Must live as long as what is given its
// shape.
struct Places {
    std::vector<uint32_t> level[AGGR_LEVELS];
    explicit Places(size_t members)
        : level{std::vector<uint32_t>(members), std::vector<uint32_t>(members)} {}
    explicit Places(const std::vector<uint32_t> &caches)
        : level{caches, std::vector<uint32_t>(caches.size())} {}
    Places(const std::vector<uint32_t> &caches, const std::vector<uint32_t> &memories)
        : level{caches, memories} {}
    static uint32_t of(const void *places, int level, int member) {
        return static_cast<const Places *>(places)->level[level][static_cast<size_t>(member)];
    }
    aggr_shape_t shape(int fan, int lines = 2) const {
        return {static_cast<int>(level[0].size()),
                fan,
                256,
                lines,
                {of, this},
                {same_seat, nullptr},
                0};
    }
};

// Yields always, so that it ends soon on a machine with few cores.
extern const aggr_waiting_t patient;

// Runs `body` in as many threads, each with its own handles of one arena and group.  Ends with a
// failure of the test when a thread cannot attach.
void as_threads(const aggr_shape_t &shape, const std::function<void(aggr_group_t &)> &body);

// The same with forked processes.  True when all of them ended with status 0; `body` returns
// whether all was right.
bool as_processes(const aggr_shape_t &shape, const std::function<bool(aggr_group_t &)> &body);

// The desk of a member, with memory.
aggr_desk_t desk_of(const aggr_group_t &group);

// A random program of collectives, the same for all members, checked against a plain oracle; false
// at the first difference.  With a desk many of its payloads are long.
struct Collectives;
bool random_program(aggr_group_t &group, uint64_t seed, unsigned operations,
                    const Collectives &functions, size_t longest, aggr_desk_t *desk = nullptr);

// Collectives in which members have different lengths, some of them none that fits, each followed
// by one of random_program.  False:  a member that can see the difference does not, or has wrong
// data, or the group does not go on.
bool differing_program(aggr_group_t &group, uint64_t seed, unsigned operations,
                       const Collectives &functions, aggr_desk_t *desk = nullptr);

// Operations of the ring that overlap at random: each member begins, looks at and ends them when it
// likes.  False: a member sees other data than were put, or was in vain more often than
// `patience`, or the arena had no room.
struct Ring;
bool ring_program(aggr_ring_t &ring, uint64_t seed, unsigned operations, const Ring &functions,
                  unsigned patience = UINT32_MAX - 1);

struct Ring {
    decltype(&MPIR_aggr_ring_has) has;
    decltype(&MPIR_aggr_ring_ready) ready;
    decltype(&MPIR_aggr_ring_place) place;
    decltype(&MPIR_aggr_ring_begin) begin;
    decltype(&MPIR_aggr_ring_arrived) arrived;
    decltype(&MPIR_aggr_ring_length) length;
    decltype(&MPIR_aggr_ring_datum) datum;
    decltype(&MPIR_aggr_ring_end) end;
};
extern const Ring library_ring;

// The library's functions, or those compiled for the simulation.
struct Collectives {
    decltype(&MPIR_aggr_ready) ready;
    decltype(&MPIR_aggr_barrier) barrier;
    decltype(&MPIR_aggr_allreduce) allreduce;
    decltype(&MPIR_aggr_reduce) reduce;
    decltype(&MPIR_aggr_scan) scan, exscan;
    decltype(&MPIR_aggr_bcast) bcast;
    decltype(&MPIR_aggr_allgather) allgather;
    decltype(&MPIR_aggr_gather) gather, scatter;
    decltype(&MPIR_aggr_alltoall) alltoall;
    decltype(&MPIR_aggr_exchange) exchange;
    decltype(&MPIR_aggr_agree) agree;
    decltype(&MPIR_aggr_bcast_elsewhere) bcast_elsewhere;
    decltype(&MPIR_aggr_long_begin) long_begin;
    decltype(&MPIR_aggr_long_end) long_end;
    decltype(&MPIR_aggr_bcast_long) bcast_long;
    decltype(&MPIR_aggr_bcast_rest) bcast_rest;
    decltype(&MPIR_aggr_reduce_scatter) reduce_scatter;
    decltype(&MPIR_aggr_allgatherv) allgatherv;
};
extern const Collectives library;

}  // namespace aggr_test

#endif
