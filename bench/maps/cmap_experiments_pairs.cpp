// SPDX-License-Identifier: BSD-3-Clause
// E1, class E: a wavelet tree for the order and one representation for the set, forced as a pair
// (thesis: section 5.6).  A pair is two maps here; its select asks one after the other.
#include <algorithm>

#include "cmap_experiments.hpp"

namespace bench {
namespace {

constexpr cmap_rep SETS[] = {CMAP_REP_BITMAP, CMAP_REP_GAP, CMAP_REP_BDD};
constexpr int MAPS = 200, QUICK_MAPS = 10, ROUNDS = 5;

struct Pair {
    cmap_rep rep;
    cmap_t *set;
    std::vector<double> ns;
};

const Class &falling_ranges_class() {
    for (const Class &one : classes())
        if (one.name[0] == 'E') return one;
    fail("there is no class E");
}

Members ranks_in(const Members &set, const Members &members) {
    Members ranks;
    for (uint32_t member : members)
        ranks.push_back(
            static_cast<uint32_t>(std::lower_bound(set.begin(), set.end(), member) - set.begin()));
    return ranks;
}

void check(const cmap_t *order, const cmap_t *set, const Members &members) {
    for (std::size_t i = 0; i < members.size(); i += 1 + members.size() / 256)
        if (MPIR_cmap_select(set, MPIR_cmap_select(order, static_cast<uint32_t>(i))) != members[i])
            fail("a pair of maps gives a wrong member");
}

void one_map(Csv &csv, int number, const Members &members) {
    Members sorted(members);
    std::sort(sorted.begin(), sorted.end());
    const auto n = static_cast<uint32_t>(members.size());
    cmap_t *order = build(ranks_in(sorted, members), n, hybrid(CMAP_REP_WTR));
    cmap_t *chosen = build(members, WORLD, hybrid());
    std::vector<Pair> pairs;
    for (cmap_rep rep : SETS)
        pairs.push_back({rep, build(sorted, WORLD, hybrid(rep)), {}});
    std::vector<double> chosen_ns;
    for (int round = 0; round < ROUNDS; round++) {
        for (Pair &pair : pairs)
            pair.ns.push_back(pair_ns(order, pair.set, static_cast<uint32_t>(round) * 7919u));
        chosen_ns.push_back(select_ns(chosen, 1));
    }
    for (Pair &pair : pairs) {
        check(order, pair.set, members);
        if (!MPIR_cmap_force_declined(order) && !MPIR_cmap_force_declined(pair.set))
            csv.row("%d,%zu,wtr + %s,%zu,%.4g", number, members.size(),
                    MPIR_cmap_rep_name(pair.rep),
                    MPIR_cmap_payload_bytes(order) + MPIR_cmap_payload_bytes(pair.set),
                    median(pair.ns));
        MPIR_cmap_release(pair.set);
    }
    csv.row("%d,%zu,hybrid: %s,%zu,%.4g", number, members.size(),
            MPIR_cmap_rep_name(MPIR_cmap_representation(chosen)), MPIR_cmap_payload_bytes(chosen),
            median(chosen_ns));
    MPIR_cmap_release(chosen);
    MPIR_cmap_release(order);
}

}  // namespace

void pairs_experiment(const Options &options) {
    Csv csv(options, "e1_pairs.csv", "map,n,held_as,bytes,rand_ns");
    const Class &one = falling_ranges_class();
    for (int number = 0; number < (options.quick ? QUICK_MAPS : MAPS); number++) {
        Random random(static_cast<uint32_t>(one.name[0]) * 100003u + static_cast<uint32_t>(number));
        const Members members = one.members(random);
        if (members.size() > CMAP_INLINE_MEMBERS) one_map(csv, number, members);
    }
}

}  // namespace bench
