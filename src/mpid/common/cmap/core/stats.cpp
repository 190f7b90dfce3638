// SPDX-License-Identifier: BSD-3-Clause
#include "core/stats.hpp"

#include "cmap_tuning.hpp"

namespace cmap {
namespace {

Survey survey_of(const Content &content) noexcept {
    Survey survey;
    if (content.array() != nullptr) {
        survey.add(content.array(), content.size());
    } else if (content.bit_sets() != 0) {
        for (unsigned i = 0; i < content.bit_sets(); i++)
            survey.add(content.bits(i));
    } else {
        content.each_piece([&](const Piece &piece) {
            survey.add(piece);
            return true;
        });
    }
    return survey;
}

Stats stats_of(const Survey &survey) noexcept {
    Stats stats;
    stats.size = survey.size();
    stats.min = survey.min();
    stats.max = survey.max();
    stats.is_set = survey.descents() == 0;
    stats.split = survey.descents() == 1 ? survey.first_descent() : 0;
    stats.ascents = stats.size == 0 ? 0 : survey.descents() + 1;
    stats.largest_gap = stats.is_set ? survey.largest_gap() : 0;
    stats.hash = survey.hash();
    return stats;
}

// REQUIRES that they are one.
Run progression_of(const uint32_t *members, uint32_t n) noexcept {
    return Run{members[0], n > 1 ? static_cast<int32_t>(members[1] - members[0]) : 0, n};
}

// More runs than these take more bytes than the array.
uint64_t most_runs(uint32_t size) noexcept {
    const uint64_t worth = size <= CMAP_INLINE_MEMBERS ? size : size / 3;
    return worth < RUNS_LIMIT ? worth : RUNS_LIMIT;
}

}  // namespace

ShapePass::ShapePass(uint32_t size, uint64_t least_runs) noexcept
    : least_(least_runs), most_(most_runs(size)) {}

bool ShapePass::settled() const noexcept {
    return detector_.failed() && (runs_ > most_ || least_ > most_);
}

void ShapePass::result(Stats &stats) const noexcept {
    stats.runs = runs_ > least_ ? runs_ : least_;
    stats.affine = detector_.result();
}

Stats stats_of(const Content &content) noexcept {
    const Survey survey = survey_of(content);
    Stats stats = stats_of(survey);
    ShapePass shape(stats.size, survey.least_runs());
    if (const uint32_t *const members = content.array(); members && survey.is_progression())
        shape.feed(piece_of(progression_of(members, stats.size)));
    else
        content.each_piece([&](const Piece &piece) {
            shape.feed(piece);
            return !shape.settled();
        });
    shape.result(stats);
    return stats;
}

Stats stats_of(const AffineForm &form) noexcept {
    Stats stats;
    int64_t low = form.base, high = form.base, below = 0;
    for (uint32_t k = 0; k < form.levels; k++) {
        const int64_t stride = form.stride[k], across = stride * (form.count(k) - 1);
        stats.is_set = stats.is_set && (form.count(k) == 1 || stride > below);
        below += across;
        (across < 0 ? low : high) += across;
    }
    Fingerprint fingerprint;
    fingerprint.add(form);
    stats.size = form.size;
    stats.min = static_cast<uint32_t>(low);
    stats.max = static_cast<uint32_t>(high);
    stats.hash = fingerprint.value();
    stats.affine = form;
    return stats;
}

Stats key_stats_of(const Run &run) noexcept {
    Survey survey;
    survey.add(piece_of(run));
    return stats_of(survey);
}

}  // namespace cmap
