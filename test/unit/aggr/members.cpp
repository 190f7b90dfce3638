// SPDX-License-Identifier: BSD-3-Clause
#include "members.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>
#include <thread>
#include <vector>

namespace aggr_test {

const aggr_fold_t affine_fold = {[](const void *left, void *inout, size_t bytes, void *) {
                                     const auto *l = static_cast<const Affine *>(left);
                                     auto *r = static_cast<Affine *>(inout);
                                     for (size_t i = 0; i < bytes / sizeof(Affine); i++)
                                         r[i] = compose(l[i], r[i]);
                                 },
                                 nullptr, sizeof(Affine)};

const aggr_waiting_t patient = {20, 1, true, nullptr, nullptr};

const Collectives library = {MPIR_aggr_ready,          MPIR_aggr_barrier,
                             MPIR_aggr_allreduce,      MPIR_aggr_reduce,
                             MPIR_aggr_scan,           MPIR_aggr_exscan,
                             MPIR_aggr_bcast,          MPIR_aggr_allgather,
                             MPIR_aggr_gather,         MPIR_aggr_scatter,
                             MPIR_aggr_alltoall,       MPIR_aggr_exchange,
                             MPIR_aggr_agree,          MPIR_aggr_bcast_elsewhere,
                             MPIR_aggr_long_begin,     MPIR_aggr_long_end,
                             MPIR_aggr_bcast_long,     MPIR_aggr_bcast_rest,
                             MPIR_aggr_reduce_scatter, MPIR_aggr_allgatherv};

aggr_desk_t desk_of(const aggr_group_t &group) {
    aggr_desk_t desk = {};
    desk.number = group.shape.seats.of(group.shape.seats.context, group.me);
    EXPECT_TRUE(MPIR_aggr_arena_has_desk(group.arena, desk.number));
    return desk;
}

Affine element(int member, unsigned operation, size_t place) {
    uint64_t x =
        (static_cast<uint64_t>(member) << 40) ^ (static_cast<uint64_t>(operation) << 16) ^ place;
    x = (x + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;
    x ^= x >> 29;
    return {static_cast<uint32_t>(x) | 1, static_cast<uint32_t>(x >> 32)};
}

namespace {

constexpr size_t arena_bytes = 4 << 20;

struct Owner {
    aggr_arena_t *arena = nullptr;
    uint64_t block = 0;
    explicit Owner(const aggr_shape_t &shape) {
        EXPECT_EQ(MPIR_aggr_arena_create(arena_bytes, {shape.members, DESK_BYTES}, &arena),
                  AGGR_OK);
        block = MPIR_aggr_group_reserve(arena, &shape);
        EXPECT_NE(block, 0u);
    }
    ~Owner() {
        aggr_arena_figures_t figures;
        MPIR_aggr_arena_figures(arena, &figures);
        EXPECT_EQ(figures.used, 0u) << "a block is left";
        MPIR_aggr_arena_detach(arena);
    }
};

}  // namespace

void as_threads(const aggr_shape_t &shape, const std::function<void(aggr_group_t &)> &body) {
    Owner owner(shape);
    const aggr_arena_name_t name = MPIR_aggr_arena_name(owner.arena);
    std::vector<std::thread> threads;
    for (int me = 0; me < shape.members; me++)
        threads.emplace_back([&, me] {
            aggr_arena_t *arena = nullptr;
            ASSERT_EQ(MPIR_aggr_arena_attach(&name, &arena), AGGR_OK);
            aggr_group_t group;
            MPIR_aggr_group_join(&group, arena, owner.block, &shape, me, &patient);
            body(group);
            MPIR_aggr_group_leave(&group, nullptr);
            MPIR_aggr_arena_detach(arena);
        });
    for (auto &thread : threads)
        thread.join();
}

bool as_processes(const aggr_shape_t &shape, const std::function<bool(aggr_group_t &)> &body) {
    Owner owner(shape);
    const aggr_arena_name_t name = MPIR_aggr_arena_name(owner.arena);
    std::vector<pid_t> children;
    for (int me = 0; me < shape.members; me++) {
        const pid_t child = fork();
        if (child == 0) {
            aggr_arena_t *arena = nullptr;
            aggr_group_t group;
            if (MPIR_aggr_arena_attach(&name, &arena) != AGGR_OK) _exit(2);
            MPIR_aggr_group_join(&group, arena, owner.block, &shape, me, &patient);
            const bool right = body(group);
            MPIR_aggr_group_leave(&group, nullptr);
            _exit(right ? 0 : 1);
        }
        children.push_back(child);
    }
    bool all = true;
    for (const pid_t child : children) {
        int status = -1;
        EXPECT_EQ(waitpid(child, &status, 0), child);
        all = all && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    return all;
}

namespace {

using Data = std::vector<Affine>;

struct Program {
    aggr_group_t &group;
    const Collectives &call;
    unsigned operation;
    size_t n;  // elements of a part
    int root;
    aggr_desk_t *desk;  // of a long payload, or nullptr

    int me() const { return group.me; }
    int members() const { return group.shape.members; }
    size_t bytes() const { return n * sizeof(Affine); }

    Data part(int member, size_t parts = 1) const {
        Data data(n * parts);
        for (size_t i = 0; i < data.size(); i++)
            data[i] = element(member, operation, i);
        return data;
    }
    Data folded(int first, int last) const {
        Data sum = part(last);
        for (int m = last - 1; m >= first; m--) {
            const Data left = part(m);
            for (size_t i = 0; i < n; i++)
                sum[i] = compose(left[i], sum[i]);
        }
        return sum;
    }
    // The pieces that member `to` takes out of what everybody has for all.
    Data pieces(int to, size_t parts) const {
        Data all;
        for (int m = 0; m < members(); m++) {
            const Data data = part(m, parts);
            const auto begin =
                data.begin() + static_cast<long>(parts > 1 ? n * static_cast<size_t>(to) : 0);
            all.insert(all.end(), begin, begin + static_cast<long>(n));
        }
        return all;
    }

    // A collective, whose payload may be long.
    template <typename Function, typename... Arguments>
    int long_or_not(Function function, Arguments... arguments) const {
        if (!desk) return function(&group, arguments...);
        const int status = call.long_begin(&group, desk);
        return status ? status : call.long_end(&group, function(&group, arguments...));
    }

    bool barrier() { return call.barrier(&group) == AGGR_OK; }
    // Some of the members reduce in place.
    bool is_in_place() const { return (operation + static_cast<unsigned>(me())) % 3 == 0; }
    bool allreduce() {
        Data in = part(me()), out(n);
        Data &to = operation % 2 || is_in_place() ? in : out;
        return long_or_not(call.allreduce, in.data(), to.data(), bytes(), &affine_fold) ==
                   AGGR_OK &&
               to == folded(0, members() - 1);
    }
    bool reduce() {
        Data in = part(me()), out(n);
        Data &to = me() == root && is_in_place() ? in : out;
        return long_or_not(call.reduce, in.data(), to.data(), bytes(), &affine_fold, root) ==
                   AGGR_OK &&
               (me() != root || to == folded(0, members() - 1));
    }
    bool scan() {
        const Data in = part(me());
        Data out(n);
        return long_or_not(call.scan, in.data(), out.data(), bytes(), &affine_fold) == AGGR_OK &&
               out == folded(0, me());
    }
    bool exscan() {
        const Data in = part(me());
        Data out = part(-1);
        const Data before = out;
        return long_or_not(call.exscan, in.data(), out.data(), bytes(), &affine_fold) == AGGR_OK &&
               out == (me() == 0 ? before : folded(0, me() - 1));
    }
    bool bcast() {
        Data data = me() == root ? part(root) : Data(n);
        int status = desk && me() == root ? call.bcast_long(&group, desk, data.data(), bytes())
                                          : call.bcast(&group, data.data(), bytes(), root);
        if (desk && me() != root && status == AGGR_LONG)
            status = call.bcast_rest(&group, data.data(), root);
        return status == AGGR_OK && data == part(root);
    }
    bool allgather() {
        const Data in = part(me());
        Data out(n * static_cast<size_t>(members()));
        return long_or_not(call.allgather, in.data(), out.data(), bytes()) == AGGR_OK &&
               out == pieces(me(), 1);
    }
    bool gather() {
        const Data in = part(me());
        Data out(n * static_cast<size_t>(members()));
        return long_or_not(call.gather, in.data(), out.data(), bytes(), root) == AGGR_OK &&
               (me() != root || out == pieces(me(), 1));
    }
    bool exchange() {
        const Data in = part(me());
        Data out(n);
        const int from = (me() * 3 + root) % members();
        return long_or_not(call.exchange, in.data(), out.data(), bytes(), from) == AGGR_OK &&
               out == part(from);
    }
    bool scatter() {
        const auto parts = static_cast<size_t>(members());
        const Data in = part(root, parts);
        Data out(n);
        const Data whole = part(root, parts);
        const auto begin = whole.begin() + static_cast<long>(n * static_cast<size_t>(me()));
        return long_or_not(call.scatter, in.data(), out.data(), bytes(), root) == AGGR_OK &&
               out == Data(begin, begin + static_cast<long>(n));
    }
    bool alltoall() {
        const auto parts = static_cast<size_t>(members());
        const Data in = part(me(), parts);
        Data out(n * parts);
        return long_or_not(call.alltoall, in.data(), out.data(), bytes()) == AGGR_OK &&
               out == (parts > 1 ? pieces(me(), parts) : in);
    }

    // Lengths that differ, some of them 0; all together no more than n for each.
    std::vector<ptrdiff_t> lengths() const {
        std::vector<ptrdiff_t> counts(static_cast<size_t>(members()));
        for (size_t m = 0; m < counts.size(); m++)
            counts[m] = static_cast<ptrdiff_t>((m + operation) % 3 == 0 ? 0 : n * (m % 3 + 1) / 3);
        return counts;
    }
    bool reduce_scatter() {
        const auto parts = static_cast<size_t>(members());
        const std::vector<ptrdiff_t> counts = lengths();
        const bool alike = operation % 2;
        const size_t mine = alike ? n : static_cast<size_t>(counts[static_cast<size_t>(me())]);
        size_t begin = alike ? n * static_cast<size_t>(me()) : 0;
        for (int m = 0; m < me() && !alike; m++)
            begin += static_cast<size_t>(counts[static_cast<size_t>(m)]);
        const Data in = part(me(), parts);
        Data out(mine), sum(mine);
        for (size_t i = 0; i < mine; i++) {
            sum[i] = element(members() - 1, operation, begin + i);
            for (int m = members() - 2; m >= 0; m--)
                sum[i] = compose(element(m, operation, begin + i), sum[i]);
        }
        const aggr_counts_t cut = {alike ? nullptr : counts.data(), n};
        return long_or_not(call.reduce_scatter, in.data(), out.data(), cut, &affine_fold) ==
                   AGGR_OK &&
               out == sum;
    }
    bool allgatherv() {
        const std::vector<ptrdiff_t> counts = lengths();
        std::vector<ptrdiff_t> places(counts.size());
        ptrdiff_t place = 0;
        for (size_t m = 0; m < counts.size(); m++) {
            places[m] = place;
            place += counts[m] + (operation % 2 ? 2 : 0);
        }
        const Data in = part(me());
        Data out(static_cast<size_t>(place)), all(out);
        for (size_t m = 0; m < counts.size(); m++)
            for (ptrdiff_t i = 0; i < counts[m]; i++)
                all[static_cast<size_t>(places[m] + i)] =
                    element(static_cast<int>(m), operation, static_cast<size_t>(i));
        const aggr_layout_t layout = {counts.data(), operation % 2 ? places.data() : nullptr,
                                      sizeof(Affine), sizeof(Affine)};
        return long_or_not(call.allgatherv, in.data(), out.data(), &layout) == AGGR_OK &&
               out == all;
    }
};

}  // namespace

bool random_program(aggr_group_t &group, uint64_t seed, unsigned operations,
                    const Collectives &functions, size_t longest, aggr_desk_t *desk) {
    std::mt19937_64 random(seed);  // the same on all members
    using Step = bool (Program::*)();
    static const Step steps[] = {&Program::barrier,   &Program::allreduce, &Program::reduce,
                                 &Program::scan,      &Program::exscan,    &Program::bcast,
                                 &Program::allgather, &Program::gather,    &Program::scatter,
                                 &Program::alltoall,  &Program::exchange,  &Program::reduce_scatter,
                                 &Program::allgatherv};
    unsigned same = 0, kind = 0;
    for (unsigned operation = 0; operation < operations; operation++) {
        if (same == 0) {  // several of a kind in a row: members run ahead
            kind = static_cast<unsigned>(random() % std::size(steps));
            same = static_cast<unsigned>(random() % 8) + 1;
        }
        same--;
        const size_t n = random() % 4 ? random() % 8 : random() % (longest + 1);
        const int root = static_cast<int>(random() % static_cast<uint64_t>(group.shape.members));
        const size_t most = n * sizeof(Affine) * static_cast<size_t>(group.shape.members);
        bool ready = false;
        if (functions.ready(&group, most, &ready) != AGGR_OK || !ready) return false;
        const bool is_long = desk && n * sizeof(Affine) > AGGR_DATUM && random() % 2;
        Program program{group, functions, operation, n, root, is_long ? desk : nullptr};
        if (!(program.*steps[kind])()) {
            if (!group.broken)
                ADD_FAILURE() << "seed " << seed << " operation " << operation << " kind " << kind
                              << " member " << group.me << " of " << group.shape.members
                              << " elements " << n << " root " << root;
            return false;
        }
    }
    return true;
}

namespace {

// Lengths in elements; what fits is at most 256 bytes for all members together, as MPI's side
// decides by its own limit.
struct Differing {
    aggr_group_t &group;
    const Collectives &call;
    unsigned operation;
    std::vector<size_t> n;
    int root;
    aggr_desk_t *desk;
    std::vector<bool> willing;  // to have a long payload

    size_t members() const { return n.size(); }
    size_t mine() const { return n[static_cast<size_t>(group.me)]; }
    bool fits(size_t length) const { return length * sizeof(Affine) * members() <= 256; }
    Program program() const { return {group, call, operation, mine(), root, nullptr}; }
    // As if the others had the same length.
    bool is_long(int member) const {
        const size_t length = n[static_cast<size_t>(member)];
        return desk && !fits(length) && length * sizeof(Affine) > AGGR_DATUM &&
               willing[static_cast<size_t>(member)];
    }
    bool all_are_long() const {
        for (int m = 0; m < group.shape.members; m++)
            if (!is_long(m)) return false;
        return true;
    }
    bool alike(size_t first, size_t last) const {
        for (size_t m = first; m <= last; m++)
            if (n[m] != mine()) return false;
        return true;
    }
    bool all_alike() const { return alike(0, members() - 1); }

    // What MPI's side does with a payload of parts.  True: by the group.
    bool begin(size_t place, int *status) {
        const bool fitting = fits(mine());
        if (fitting && (place <= AGGR_DATUM || group.copies)) return true;
        bool ready = false;
        if (is_long(group.me)) {
            *status = call.long_begin(&group, desk);
            return *status == AGGR_OK;
        }
        *status = call.agree(&group, mine() * sizeof(Affine));
        if (*status == AGGR_OK && fitting) *status = call.ready(&group, place, &ready);
        return *status == AGGR_OK && ready;
    }

    bool judged(int status, bool sees, bool right) const {
        if (group.desk) status = call.long_end(&group, status);
        if (status == AGGR_ELSEWHERE) return all_alike() && !all_are_long();
        if (status == AGGR_OK) return !sees && right;
        return status == AGGR_ERR_LENGTH && !all_alike();
    }

    bool allreduce() {
        Data data = program().part(group.me);
        int status = AGGR_OK;
        const bool by_group = begin(program().bytes(), &status);
        if (by_group)
            status =
                call.allreduce(&group, data.data(), data.data(), program().bytes(), &affine_fold);
        return judged(status, !all_alike(),
                      !by_group || data == program().folded(0, static_cast<int>(members()) - 1));
    }
    bool reduce() {
        const Data in = program().part(group.me);
        Data out(mine());
        int status = AGGR_OK;
        const bool by_group = begin(program().bytes(), &status);
        if (by_group)
            status =
                call.reduce(&group, in.data(), out.data(), program().bytes(), &affine_fold, root);
        const bool wanted = group.me == root;
        return judged(
            status, wanted && !all_alike(),
            !by_group || !wanted || out == program().folded(0, static_cast<int>(members()) - 1));
    }
    bool scan() {
        const Data in = program().part(group.me);
        Data out(mine());
        int status = AGGR_OK;
        const bool by_group = begin(program().bytes(), &status);
        if (by_group)
            status = call.scan(&group, in.data(), out.data(), program().bytes(), &affine_fold);
        return judged(status, !alike(0, static_cast<size_t>(group.me)),
                      !by_group || out == program().folded(0, group.me));
    }
    bool gathered(bool wanted, int to) {
        const Data in = program().part(group.me);
        Data out(mine() * members());
        int status = AGGR_OK;
        const bool by_group = begin(program().bytes(), &status);
        if (by_group)
            status = to < 0 ? call.allgather(&group, in.data(), out.data(), program().bytes())
                            : call.gather(&group, in.data(), out.data(), program().bytes(), to);
        return judged(status, wanted && !all_alike(),
                      !by_group || !wanted || out == program().pieces(group.me, 1));
    }
    bool allgather() { return gathered(true, -1); }
    bool gather() { return gathered(group.me == root, root); }
    bool scatter() {
        const Data in = program().part(root, members());
        Data out(mine());
        int status = AGGR_OK;
        const bool by_group = begin(program().bytes() * members(), &status);
        if (by_group) status = call.scatter(&group, in.data(), out.data(), program().bytes(), root);
        const auto begin_of_mine =
            in.begin() + static_cast<long>(mine() * static_cast<size_t>(group.me));
        return judged(
            status, n[static_cast<size_t>(root)] != mine(),
            !by_group || out == Data(begin_of_mine, begin_of_mine + static_cast<long>(mine())));
    }
    bool alltoall() {
        const Data in = program().part(group.me, members());
        Data out(mine() * members());
        int status = AGGR_OK;
        const bool by_group = begin(program().bytes() * members(), &status);
        if (by_group) status = call.alltoall(&group, in.data(), out.data(), program().bytes());
        return judged(status, !all_alike(),
                      !by_group || members() == 1 || out == program().pieces(group.me, members()));
    }
    bool long_bcast(Data &data, size_t sent) {
        const bool dropped = sent != mine();
        if (group.me == root)
            return call.bcast_long(&group, desk, data.data(), program().bytes()) == AGGR_OK;
        return call.bcast(&group, data.data(), program().bytes(), root) == AGGR_LONG &&
               group.length == sent * sizeof(Affine) &&
               call.bcast_rest(&group, dropped ? nullptr : data.data(), root) == AGGR_OK &&
               (dropped || data == program().part(root));
    }
    bool bcast() {
        const size_t sent = n[static_cast<size_t>(root)];
        const bool elsewhere = !fits(sent);
        Data data = group.me == root ? program().part(root) : Data(mine());
        if (is_long(root)) return long_bcast(data, sent);
        const int status = group.me == root && elsewhere
                               ? call.bcast_elsewhere(&group, sent * sizeof(Affine))
                               : call.bcast(&group, data.data(), program().bytes(), root);
        if (elsewhere) return status == AGGR_ELSEWHERE && group.length == sent * sizeof(Affine);
        if (sent != mine())
            return status == AGGR_ERR_LENGTH && group.length == sent * sizeof(Affine);
        return status == AGGR_OK && data == program().part(root);
    }
};

}  // namespace

bool differing_program(aggr_group_t &group, uint64_t seed, unsigned operations,
                       const Collectives &functions, aggr_desk_t *desk) {
    std::mt19937_64 random(seed);  // the same on all members
    using Step = bool (Differing::*)();
    static const Step steps[] = {&Differing::allreduce, &Differing::reduce, &Differing::scan,
                                 &Differing::allgather, &Differing::gather, &Differing::scatter,
                                 &Differing::alltoall,  &Differing::bcast};
    const auto members = static_cast<size_t>(group.shape.members);
    for (unsigned operation = 0; operation < operations; operation++) {
        const size_t kind = random() % std::size(steps), few = 1 + random() % 3;
        std::vector<size_t> lengths(few), n(members);
        for (size_t &length : lengths)
            length = random() % 3 ? random() % 8 : random() % 40;
        for (size_t &one : n)
            one = lengths[random() % few];
        std::vector<bool> willing(members, true);
        if (random() % 3 == 0) willing[random() % members] = false;
        Differing step{group, functions, operation, n, static_cast<int>(random() % members),
                       desk,  willing};
        if (!(step.*steps[kind])()) {
            ADD_FAILURE() << "seed " << seed << " operation " << operation << " kind " << kind
                          << " member " << group.me << " of " << members << " elements "
                          << step.mine();
            return false;
        }
        if (!random_program(group, random(), 1, functions, desk ? 20 : 3, desk)) return false;
    }
    return true;
}

const Ring library_ring = {MPIR_aggr_ring_has,   MPIR_aggr_ring_ready,   MPIR_aggr_ring_place,
                           MPIR_aggr_ring_begin, MPIR_aggr_ring_arrived, MPIR_aggr_ring_length,
                           MPIR_aggr_ring_datum, MPIR_aggr_ring_end};

namespace {

// What all members know of an operation: its bytes, and who reads whose data.
struct RingOperation {
    size_t bytes;
    int root;  // -1: all read all; otherwise the root reads all, or all read the root's
    bool from_root;
    unsigned index;

    bool reads(int me, int from) const {
        return root < 0 || (from_root ? from == root : me == root);
    }
    unsigned char byte(int member, size_t at) const {
        return static_cast<unsigned char>(index * 31 + static_cast<unsigned>(member) * 7 + at);
    }
};

std::vector<RingOperation> ring_operations(uint64_t seed, unsigned count, int members) {
    std::mt19937_64 random(seed);
    std::vector<RingOperation> all;
    for (unsigned i = 0; i < count; i++) {
        const size_t bytes = random() % 3 ? random() % (AGGR_DATUM + 1) : random() % 257;
        const int root =
            random() % 2 ? -1 : static_cast<int>(random() % static_cast<uint64_t>(members));
        all.push_back({bytes, root, random() % 2 == 0, i});
    }
    return all;
}

struct RingMember {
    const aggr_group_t &group;
    aggr_ring_t &own;
    const Ring &ring;
    struct Open {
        RingOperation operation;
        uint32_t number;
    };
    std::vector<Open> open;
    bool right = true;

    void begin(const RingOperation &operation) {
        auto *at = static_cast<unsigned char *>(ring.place(&own, operation.bytes));
        for (size_t i = 0; i < operation.bytes; i++)
            at[i] = operation.byte(group.me, i);
        open.push_back({operation, ring.begin(&own, static_cast<uint32_t>(operation.bytes + 1))});
    }

    bool is_there(const Open &one) const {
        for (int m = 0; m < group.shape.members; m++)
            if (one.operation.reads(group.me, m) && !ring.arrived(&own, one.number, m))
                return false;
        return true;
    }

    void check(const Open &one) {
        for (int m = 0; m < group.shape.members; m++) {
            if (!one.operation.reads(group.me, m)) continue;
            const size_t bytes = one.operation.bytes;
            const auto *datum =
                static_cast<const unsigned char *>(ring.datum(&own, one.number, m, bytes));
            right = right && ring.length(&own, one.number, m) == bytes + 1;
            for (size_t i = 0; i < bytes; i++)
                right = right && datum[i] == one.operation.byte(m, i);
        }
    }

    // Ends the one at `place`, if its data are there.
    bool end(size_t place) {
        const Open one = open[place];
        if (!is_there(one)) return false;
        check(one);
        ring.end(&own, one.number);
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(place));
        return true;
    }
};

}  // namespace

bool ring_program(aggr_ring_t &ring, uint64_t seed, unsigned operations, const Ring &functions,
                  unsigned patience) {
    const auto all = ring_operations(seed, operations, ring.group->shape.members);
    std::mt19937_64 own(seed + static_cast<uint64_t>(ring.group->me) * 977);
    RingMember member = {*ring.group, ring, functions, {}};
    size_t next = 0;
    const auto begin_next = [&] {
        if (next == all.size() || !functions.has(&ring, all[next].bytes)) return false;
        if (!functions.ready(&ring)) return false;
        member.begin(all[next++]);
        return true;
    };
    if (!functions.has(&ring, 0) || !functions.has(&ring, 256)) return false;
    unsigned in_vain = 0;
    while (member.right && (next < all.size() || !member.open.empty())) {
        if (own() % 2 ? begin_next()
                      : !member.open.empty() && member.end(own() % member.open.size())) {
            in_vain = 0;
        } else if (in_vain++ > patience) {
            return false;
        } else if (own() % 8 == 0) {
            std::this_thread::yield();
        }
    }
    return member.right;
}

}  // namespace aggr_test
