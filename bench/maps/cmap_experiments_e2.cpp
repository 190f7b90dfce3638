// SPDX-License-Identifier: BSD-3-Clause
// E2: the fourteen communicators of the thesis's table 6.1, in a world of 200,000.
#include "cmap_experiments.hpp"

namespace bench {
namespace {

// Section 6.6 sums over all 40 processes, each of which holds a map once for its 5,000 proclets,
// and over 8 communicators; its megabytes are 2^20 bytes.
constexpr double HELD = 40 * 8;
constexpr double MEGABYTE = 1 << 20;

struct Row {
    const char *strategy;  // "" when the representation was forced
    Subject *subject;
};

void write(Csv &csv, const Communicator &one, const Subjects &maps, const Row &row) {
    const Subject &plain = *maps.find("plain"), &map = *row.subject;
    const auto array = static_cast<double>(plain.bytes), own = static_cast<double>(map.bytes);
    csv.row("%s,%zu,%s,%s,%llu,%llu,%s,%s,%.3f,%.3f", one.name, maps.members().size(), row.strategy,
            map.representation.c_str(), static_cast<unsigned long long>(map.bytes),
            static_cast<unsigned long long>(plain.bytes), number(map.times.rand).c_str(),
            number(plain.times.rand).c_str(), (array - own) * HELD / MEGABYTE, one.thesis_saved_mb);
}

}  // namespace

void table61_experiment(const Options &options) {
    Csv csv(options, "e2_table61.csv",
            "exp,n,strategy,representation,bytes,array_bytes,rand_ns,array_rand_ns,saved_mb,"
            "thesis_saved_mb");
    const Effort effort = {1u << 14, options.quick ? 5 : 41, true};
    Random random(61);
    for (const Communicator &one : table61()) {
        const Members members = one.members(random);
        Subjects maps(members, TABLE61_WORLD);
        maps.add_plain();
        std::vector<Row> rows;
        for (cmap_strategy strategy : STRATEGIES)
            rows.push_back({MPIR_cmap_strategy_name(strategy), maps.add(policy_of(strategy))});
        for (int rep = 0; rep < CMAP_REP_COUNT; rep++)
            if (Subject *forced = maps.add(hybrid(static_cast<cmap_rep>(rep))))
                rows.push_back({"", forced});
        maps.measure(effort);
        for (const Row &row : rows)
            write(csv, one, maps, row);
    }
}

}  // namespace bench
