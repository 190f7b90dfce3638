// SPDX-License-Identifier: BSD-3-Clause
// A group whose members are threads or processes of the test, and an element whose fold is associative but does not commute.
#ifndef AGGR_TEST_MEMBERS_HPP
#define AGGR_TEST_MEMBERS_HPP

#include <cstdint>
#include <functional>

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

inline aggr_shape_t shape(int members, int fan = 16, size_t copy_bytes = 256) {
    return {members, fan, copy_bytes};
}

// Yields always, so that it ends soon on a machine with few cores.
extern const aggr_waiting_t patient;

// Runs `body` in as many threads, each with its own handles of one arena and group.  Ends with a failure of the test when a
// thread cannot attach.
void as_threads(const aggr_shape_t &shape, const std::function<void(aggr_group_t &)> &body);

// The same with forked processes.  True when all of them ended with status 0; `body` returns whether all was right.
bool as_processes(const aggr_shape_t &shape, const std::function<bool(aggr_group_t &)> &body);

// A random program of collectives, the same for all members, checked against a plain oracle; false at the first difference.
struct Collectives;
bool random_program(aggr_group_t &group, uint64_t seed, unsigned operations, const Collectives &functions, size_t longest);

// The library's functions, or those compiled for the simulation.
struct Collectives {
    decltype(&aggr_ready) ready;
    decltype(&aggr_barrier) barrier;
    decltype(&aggr_allreduce) allreduce;
    decltype(&aggr_reduce) reduce;
    decltype(&aggr_scan) scan, exscan;
    decltype(&aggr_bcast) bcast;
    decltype(&aggr_allgather) allgather;
    decltype(&aggr_gather) gather, scatter;
    decltype(&aggr_alltoall) alltoall;
    decltype(&aggr_exchange) exchange;
};
extern const Collectives library;

}  // namespace aggr_test

#endif
