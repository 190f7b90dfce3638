// SPDX-License-Identifier: BSD-3-Clause
// What the strategies are told a representation will take is what it takes, or at most a tenth
// more.
#include <algorithm>

#include "case_file.hpp"

#include "core/map.hpp"
#include "core/strategy.hpp"

namespace cmap_test {
namespace {

// Up to CMAP_INLINE_MEMBERS no estimate is asked.  Where a concat is forced on anything but two
// sets in a row, or a sub on what is related to no parent, nobody has sorted the maps below: theirs
// is an upper bound alone.  Small payloads are rounded to words and cache lines.
constexpr size_t rounding_bytes = 64;

void expect_estimate_holds(const Members &members, cmap_rep rep) {
    cmap::Content content;
    content.borrow(members.data(), static_cast<uint32_t>(members.size()));
    cmap::Analysis analysis(content, forced(rep));
    analysis.measure();
    if (rep == CMAP_REP_PPERM || rep == CMAP_REP_WTR) {
        ASSERT_EQ(CMAP_OK, analysis.sort());
    }
    const cmap::Estimate estimate = cmap::representation(rep).estimate(analysis);
    const Map map = map_of(members, forced(rep));
    if (!estimate.fits || MPIR_cmap_force_declined(map.get())) {
        EXPECT_TRUE(MPIR_cmap_force_declined(map.get()));
        return;
    }
    const size_t payload = MPIR_cmap_payload_bytes(map.get());
    EXPECT_GE(estimate.space, payload);
    const bool halves = rep == CMAP_REP_CONCAT && analysis.stats.split == 0;
    if (!halves && rep != CMAP_REP_SUB) {
        EXPECT_LE(estimate.space, payload + payload / 10 + rounding_bytes);
    }
    EXPECT_GT(estimate.time, 0.0);
}

double estimated_time(const Members &members, cmap_rep rep) {
    cmap::Content content;
    content.borrow(members.data(), static_cast<uint32_t>(members.size()));
    cmap::Analysis analysis(content, forced(rep));
    analysis.measure();
    return cmap::representation(rep).estimate(analysis).time;
}

// About half of the blocks of a universe.
Members some_blocks(uint32_t universe, uint32_t length) {
    Members members;
    for (uint32_t index = 0; index < universe; index++)
        if (index / length * 2654435761u >> 31) members.push_back(index);
    return members;
}

// Also where a closed form wins without a look at the others.
void expect_best_wins(const Members &members, const cmap_policy &policy) {
    cmap::Content content;
    content.borrow(members.data(), static_cast<uint32_t>(members.size()));
    cmap::Analysis analysis(content, policy);
    analysis.measure();
    const cmap::Choice choice = cmap::choose(analysis);
    const cmap::Choice all = cmap::ranking(analysis);
    ASSERT_GT(choice.count, 0u);
    ASSERT_GE(all.count, choice.count);
    EXPECT_EQ(all.kind[0], choice.kind[0]);
    const double least =
        cmap::cost_of(cmap::representation(choice.kind[0]).estimate(analysis), policy);
    for (cmap_rep rep : all_reps()) {
        const cmap::Estimate other = cmap::representation(rep).estimate(analysis);
        if (other.fits) {
            EXPECT_LE(least, cmap::cost_of(other, policy)) << MPIR_cmap_rep_name(rep);
            EXPECT_TRUE(other.space > members.size() * sizeof(uint32_t) ||
                        std::find(all.kind, all.kind + all.count, rep) != all.kind + all.count)
                << MPIR_cmap_rep_name(rep);
        }
    }
}

class Estimates : public ::testing::TestWithParam<size_t> {};

TEST(EstimatedTimes, GrowWithTheNumberOfRuns) {
    EXPECT_LT(estimated_time(some_blocks(1 << 12, 128), CMAP_REP_RUNS),
              estimated_time(some_blocks(1 << 16, 128), CMAP_REP_RUNS));
}

// Of as many members in the same universe, whose maps take as many bytes.
TEST(EstimatedTimes, OfEliasFanoAreLongerForLongRuns) {
    EXPECT_GT(estimated_time(some_blocks(1 << 16, 128), CMAP_REP_ELIASFANO),
              estimated_time(some_blocks(1 << 16, 1), CMAP_REP_ELIASFANO));
}

TEST_P(Estimates, AreExactOrATenthTooMuch) {
    const Case &one = cases()[GetParam()];
    if (members_of(one).size() <= CMAP_INLINE_MEMBERS) return;
    for (cmap_rep rep : all_reps()) {
        if (one.slim && rep == CMAP_REP_BITMAP) continue;
        SCOPED_TRACE(MPIR_cmap_rep_name(rep));
        expect_estimate_holds(members_of(one), rep);
    }
}

TEST_P(Estimates, TheCheapestIsChosen) {
    const Case &one = cases()[GetParam()];
    if (members_of(one).size() <= CMAP_INLINE_MEMBERS) return;
    for (double alpha : {0.0, 0.25, 0.9, 1.0})
        expect_best_wins(members_of(one), {CMAP_STRATEGY_HYBRID, alpha, CMAP_REP_ANY});
    expect_best_wins(members_of(one), {CMAP_STRATEGY_TIME, 0.0, CMAP_REP_ANY});
    expect_best_wins(members_of(one), {CMAP_STRATEGY_SPACE, 0.0, CMAP_REP_ANY});
}

INSTANTIATE_TEST_SUITE_P(Cases, Estimates, ::testing::Range(size_t{0}, cases().size()),
                         [](const ::testing::TestParamInfo<size_t> &info) {
                             return cases()[info.param].name;
                         });

}  // namespace
}  // namespace cmap_test
