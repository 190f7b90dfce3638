// SPDX-License-Identifier: BSD-3-Clause
// How maps are found, made and kept: what the table of maps and a build must not do to others.
#include "case_file.hpp"
#include "on_allocation.hpp"
#include "support.hpp"

#include <chrono>
#include <future>

namespace cmap_test {
namespace {

// Reading a map under bwt allocates, so this looks at the table while equal members are compared.
TEST(Intern, MembersAreComparedWithoutTheLock) {
    if (!MPIR_cmap_rep_available(CMAP_REP_BWT)) GTEST_SKIP();
    std::future<void> reader;
    bool read = true;
    OnAllocation watcher([&] {
        reader = std::async(std::launch::async, [] {
            cmap_totals now;
            MPIR_cmap_get_totals(&now);
        });
        read = reader.wait_for(std::chrono::seconds(20)) == std::future_status::ready;
    });
    const Members members = transpose(50, 60);
    for (uint64_t k = 0, happened = 1; happened != 0; k++) {
        const Map first = map_of(members, forced(CMAP_REP_BWT));
        ASSERT_EQ(CMAP_REP_BWT, MPIR_cmap_representation(first.get()));
        watcher.at(k);
        const Map second = map_of(members, forced(CMAP_REP_BWT));
        EXPECT_EQ(first, second);
        EXPECT_TRUE(read) << "allocation " << k;
        happened = watcher.has_happened();
        watcher.at(UINT64_MAX);
        ASSERT_TRUE(k != 0 || happened != 0);  // there was an allocation
    }
}

TEST(Intern, HeadersStartCacheLines) {
    std::vector<Map> maps;
    for (cmap_rep rep : all_reps())
        for (uint32_t n : {0u, 1u, 7u, 100u, 3000u}) {
            maps.push_back(map_of(random_list(n, 100000, n + 1), forced(rep)));
            maps.push_back(range_map(n, 3, n, forced(rep)));
        }
    for (const Map &map : maps)
        EXPECT_EQ(0u, reinterpret_cast<uintptr_t>(map.get()) % 64);
}

// The limits change at each allocation of a build in turn: it goes on by those it began with.
TEST(Limits, HoldForAWholeBuild) {
    cmap_limits before;
    MPIR_cmap_limits_get(&before);
    const cmap_limits none = {0, 0, 0, CMAP_BWT_BLOCK_MIN};
    Members faces;
    for (uint32_t i = 0; i < 1u << 14; i++)
        if ((i & 0x111) == 0x111 || (i & 0x2222) == 0x2222) faces.push_back(i);
    const struct {
        Members members;
        cmap_rep rep;
    } cases[] = {{ascending_runs(10, 3000, 5000, 4), CMAP_REP_WTR},
                 {faces, CMAP_REP_BDD},
                 {transpose(50, 60), CMAP_REP_BWT}};
    OnAllocation changer([&] { MPIR_cmap_limits_set(&none); });
    for (const auto &one : cases) {
        if (!MPIR_cmap_rep_available(one.rep)) continue;
        SCOPED_TRACE(MPIR_cmap_rep_name(one.rep));
        size_t payload = 0;
        for (uint64_t k = 0; k < 10000; k++) {
            changer.at(k == 0 ? UINT64_MAX : k - 1);
            const Map map = map_of(one.members, forced(one.rep));
            ASSERT_EQ(one.rep, MPIR_cmap_representation(map.get())) << "allocation " << k;
            if (k == 0) payload = MPIR_cmap_payload_bytes(map.get());
            ASSERT_EQ(payload, MPIR_cmap_payload_bytes(map.get())) << "allocation " << k;
            MPIR_cmap_limits_set(&before);
            if (k != 0 && !changer.has_happened()) break;
        }
        changer.at(UINT64_MAX);
    }
}

}  // namespace
}  // namespace cmap_test
