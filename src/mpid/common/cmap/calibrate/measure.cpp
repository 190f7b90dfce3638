// SPDX-License-Identifier: BSD-3-Clause
#include "calibrate/measure.hpp"

#include <ctime>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/strategy.hpp"

namespace bench {
namespace {

constexpr uint32_t BLOCK = 1024;
constexpr uint32_t SEQUENCE = 1u << 16;  // members decoded in one loop at most
constexpr uint32_t PROBE = 32;           // queries that tell a slow map from a fast one
constexpr double SLOW_NS = 2000;
constexpr double LOOP_BUDGET_NS = 1e6;  // one loop over a slow map

struct ByMap {
    const cmap_t *from;
    uint32_t operator()(uint32_t rank) const { return MPIR_cmap_select(from, rank); }
};

struct ByArray {
    const uint32_t *from;
    uint32_t operator()(uint32_t rank) const { return from[rank]; }
};

struct ByPair {
    const cmap_t *from;
    const cmap_t *set;
    uint32_t operator()(uint32_t rank) const {
        return MPIR_cmap_select(set, MPIR_cmap_select(from, rank));
    }
};

struct ByNothing {
    const uint32_t *from;
    uint32_t operator()(uint32_t rank) const { return rank; }
};

// The compiler must not carry what it read through a pointer into the next query: between two sends
// it could not.
template <class T>
inline void forget(T &value) {
    asm volatile("" : "+r"(value) : : "memory");
}

// A multiply-shift hash, its high bits scaled to 0..n-1 without a division.
inline uint32_t some_rank(uint32_t x, uint32_t n) {
    return static_cast<uint32_t>((static_cast<uint64_t>(x * 0x9e3779b1u) * n) >> 32);
}

template <class Select>
__attribute__((noinline)) uint32_t chase(Select select, uint32_t n, uint32_t queries,
                                         uint32_t seed) {
    uint32_t answer = seed;
    for (uint32_t i = 0; i < queries; i++) {
        forget(select.from);
        answer = select(some_rank(answer + i, n));
        forget(answer);
    }
    return answer;
}

template <class Select>
__attribute__((noinline)) uint32_t flood(Select select, uint32_t n, uint32_t queries,
                                         uint32_t seed) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < queries; i++) {
        forget(select.from);
        sum += select(some_rank(seed + i, n));
    }
    return sum;
}

template <class Work>
double per(uint32_t units, const Work &work) {
    const double start = cpu_ns();
    uint32_t sink = work();
    const double spent = cpu_ns() - start;
    forget(sink);
    return spent / units;
}

void keep_least(double &least, double value) {
    if (least < 0 || value < least) least = value;
}

// decode_block(first, count, indices) block by block.
template <class Decode>
uint32_t sequence(uint32_t first, uint32_t count, const Decode &decode_block) {
    uint32_t block[BLOCK], sum = 0;
    for (uint32_t i = 0; i < count; i += BLOCK) {
        const uint32_t n = std::min(BLOCK, count - i);
        decode_block(first + i, n, block);
        forget(first);
        sum += block[n - 1];
    }
    return sum;
}

uint32_t sequence(const Subject &s, const Members &members, uint32_t first, uint32_t count) {
    return sequence(first, count, [&](uint32_t at, uint32_t n, uint32_t *block) {
        if (s.map != nullptr)
            MPIR_cmap_decode(s.map, at, n, block);
        else
            std::memcpy(block, members.data() + at, n * sizeof *block);
    });
}

// Everything of a map that fits a cache shall be in it, as far as decoding gets in a few loops'
// time.
template <class Sequence>
void warm(uint32_t n, const Sequence &decode_some) {
    const double start = cpu_ns();
    for (uint32_t first = 0; first < n && cpu_ns() - start < 4 * LOOP_BUDGET_NS; first += SEQUENCE)
        decode_some(first, std::min(SEQUENCE, n - first));
}

// Random members' ranks; the plain array's side has no answer to this.
uint32_t ask_ranks(const cmap_t *map, const Members &members, uint32_t queries, uint32_t seed) {
    const auto n = static_cast<uint32_t>(members.size());
    uint32_t answer = seed;
    for (uint32_t i = 0; i < queries; i++)
        answer = MPIR_cmap_rank(map, members[some_rank(answer + i, n)]);
    return answer;
}

// How many queries fit the time of a loop.
template <class Work>
uint32_t affordable(uint32_t wanted, const Work &work) {
    const double ns = per(PROBE, [&] { return work(PROBE); });
    if (ns < SLOW_NS) return wanted;
    const auto fits = static_cast<uint32_t>(LOOP_BUDGET_NS / ns);
    return std::max(PROBE, std::min(wanted, fits));
}

template <class Work>
double time_queries(uint32_t wanted, const Work &work) {
    const uint32_t queries = affordable(wanted, work);
    return per(queries, [&] { return work(queries); });
}

void check_answers(const cmap_t *map, const Members &members) {
    const auto n = static_cast<uint32_t>(members.size());
    const auto wrong = [&](const char *what, uint32_t rank) {
        fail(std::string(MPIR_cmap_rep_name(MPIR_cmap_representation(map))) + ": wrong answer of " +
             what + " at " + std::to_string(rank) + " of " + std::to_string(n));
    };
    uint32_t block[BLOCK];
    for (uint32_t i = 0; i < n; i += BLOCK) {
        const uint32_t count = std::min(BLOCK, n - i);
        MPIR_cmap_decode(map, i, count, block);
        if (std::memcmp(block, members.data() + i, count * sizeof *block) != 0) wrong("decode", i);
    }
    const uint32_t queries =
        std::min(n, MPIR_cmap_representation(map) == CMAP_REP_ARRAY ? 16u : 256u);
    for (uint32_t i = 0; i < queries; i++) {
        const uint32_t rank = some_rank(i * 7 + n, n);
        if (MPIR_cmap_select(map, rank) != members[rank]) wrong("select", rank);
    }
    for (uint32_t i = 0; i < 4 && i < n; i++) {
        const uint32_t rank = some_rank(i * 11 + n, n);
        if (MPIR_cmap_rank(map, members[rank]) != rank) wrong("rank", rank);
    }
}

}  // namespace

void fail(const std::string &what) {
    std::fprintf(stderr, "%s\n", what.c_str());
    std::exit(1);
}

double cpu_ns() {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

cmap_policy policy_of(cmap_strategy strategy, cmap_rep force) {
    return {strategy, CMAP_ALPHA_DEFAULT, force};
}

cmap_policy hybrid(cmap_rep force) { return policy_of(CMAP_STRATEGY_HYBRID, force); }

cmap_t *build(const Members &members, uint32_t world, const cmap_policy &policy) {
    cmap_t *map = nullptr;
    const auto n = static_cast<uint32_t>(members.size());
    const cmap_status status = MPIR_cmap_from_array(members.data(), n, world, &policy, &map);
    if (status != CMAP_OK) fail(std::string("building a map: ") + MPIR_cmap_strerror(status));
    return map;
}

Times Rounds::medians() const { return {median(seq), median(rand), median(tput), median(rank)}; }

Subjects::~Subjects() {
    for (Subject *subject : all_) {
        MPIR_cmap_release(subject->map);
        delete subject;
    }
}

void Subjects::add_plain() {
    Subject *subject = new Subject();
    subject->representation = "plain";
    subject->bytes = members_.size() * sizeof(uint32_t);
    const double start = cpu_ns();
    const Members copy(members_);
    subject->build_ns = cpu_ns() - start;
    if (copy != members_) fail("a copy differs");
    all_.push_back(subject);
}

Subject *Subjects::add(const cmap_policy &policy) {
    const double start = cpu_ns();
    cmap_t *map = build(members_, world_, policy);
    const double spent = cpu_ns() - start;
    if (MPIR_cmap_force_declined(map)) {
        MPIR_cmap_release(map);
        return nullptr;
    }
    check_answers(map, members_);
    Subject *subject = new Subject();
    subject->representation = MPIR_cmap_rep_name(MPIR_cmap_representation(map));
    subject->map = map;
    subject->bytes = MPIR_cmap_payload_bytes(map) - MPIR_cmap_cached_bytes(map);
    subject->build_ns = spent;
    all_.push_back(subject);
    return subject;
}

void Subjects::round(Subject &subject, const Effort &effort, uint32_t seed) const {
    const auto n = static_cast<uint32_t>(members_.size());
    const cmap_t *map = subject.map;
    const uint32_t *array = members_.data();
    Rounds &rounds = subject.rounds;
    const auto chasing = [&](uint32_t queries) {
        return map != nullptr ? chase(ByMap{map}, n, queries, seed)
                              : chase(ByArray{array}, n, queries, seed);
    };
    chasing(PROBE * 4);  // the caches held somebody else's map
    rounds.rand.push_back(time_queries(effort.queries, chasing));
    if (effort.rand_only) return;
    rounds.tput.push_back(time_queries(effort.queries, [&](uint32_t queries) {
        return map != nullptr ? flood(ByMap{map}, n, queries, seed)
                              : flood(ByArray{array}, n, queries, seed);
    }));
    const uint32_t count = std::min(n, SEQUENCE);
    const uint32_t first = some_rank(seed, n - count + 1);
    rounds.seq.push_back(per(count, [&] { return sequence(subject, members_, first, count); }));
    if (map == nullptr) return;
    rounds.rank.push_back(time_queries(effort.queries / 4, [&](uint32_t queries) {
        return ask_ranks(map, members_, queries, seed);
    }));
}

void Subjects::warm(const Subject &subject) const {
    bench::warm(static_cast<uint32_t>(members_.size()), [&](uint32_t first, uint32_t count) {
        return sequence(subject, members_, first, count);
    });
}

// One map after the other, each in turns with the plain array: more maps at once would push one
// another out of the caches.
void Subjects::measure(const Effort &effort) {
    Subject *plain = find("plain");
    const Effort light = {effort.queries, 1, true};
    if (plain != nullptr) plain->times.rand = -1;
    for (Subject *subject : all_) {
        if (subject->times.rand >= 0) continue;
        warm(*subject);
        for (int i = 0; i < effort.rounds; i++) {
            const auto seed = static_cast<uint32_t>(i) * 7919u;
            round(*subject, effort, seed);
            if (plain != nullptr && plain != subject) round(*plain, light, seed);
        }
        subject->times = subject->rounds.medians();
    }
    if (plain != nullptr) plain->times = plain->rounds.medians();
}

void Subjects::measure_pair(Subject &a, Subject &b, const Effort &effort) {
    a.rounds.rand.clear();
    b.rounds.rand.clear();
    for (Subject *subject : {&a, &b, &a, &b}) {
        warm(*subject);
        for (int i = 0; i < effort.rounds; i++)
            round(*subject, effort, static_cast<uint32_t>(i) * 7919u);
    }
    a.times = a.rounds.medians();
    b.times = b.rounds.medians();
}

Subject *Subjects::find(const std::string &representation) const {
    for (Subject *subject : all_)
        if (subject->representation == representation) return subject;
    return nullptr;
}

std::vector<Estimated> estimates(const Members &members, const cmap_policy &policy) {
    cmap::Content content;
    content.borrow(members.data(), static_cast<uint32_t>(members.size()));
    cmap::Analysis analysis(content, policy);
    analysis.measure();
    if (analysis.check_duplicates() != CMAP_OK) fail("a benchmark's map has a member twice");
    const cmap::Choice choice = cmap::ranking(analysis);
    std::vector<Estimated> all;
    for (unsigned i = 0; i < choice.count; i++) {
        const auto rep = static_cast<cmap_rep>(choice.kind[i]);
        all.push_back({rep, cmap::representation(rep).estimate(analysis)});
    }
    return all;
}

double loop_ns() {
    static const double once = [] {
        double least = -1;
        for (uint32_t round = 0; round < 100; round++)
            keep_least(least, per(1u << 14, [&] {
                           return chase(ByNothing{nullptr}, 1u << 20, 1u << 14, round);
                       }));
        return least;
    }();
    return once;
}

double pair_ns(const cmap_t *order, const cmap_t *set, uint32_t seed) {
    const uint32_t n = MPIR_cmap_size(order);
    chase(ByPair{order, set}, n, PROBE * 4, seed);
    return time_queries(1u << 14,
                        [&](uint32_t queries) {
                            return chase(ByPair{order, set}, n, queries, seed);
                        }) -
           loop_ns();
}

double select_ns(const cmap_t *map, int rounds) {
    warm(MPIR_cmap_size(map), [&](uint32_t first, uint32_t count) {
        return sequence(first, count, [&](uint32_t at, uint32_t n, uint32_t *block) {
            MPIR_cmap_decode(map, at, n, block);
        });
    });
    double least = -1;
    for (int round = 0; round < rounds; round++) {
        const auto seed = static_cast<uint32_t>(round) * 7919u;
        keep_least(least, time_queries(1u << 14, [&](uint32_t queries) {
                       return chase(ByMap{map}, MPIR_cmap_size(map), queries, seed);
                   }));
    }
    return least - loop_ns();
}

double median(std::vector<double> values) {
    if (values.empty()) return -1;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace bench
