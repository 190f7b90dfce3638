// SPDX-License-Identifier: BSD-3-Clause
// Ranks of one map in another: MPI_Group_translate_ranks.
#include <algorithm>

#include "algebra/operands.hpp"
#include "core/ranker.hpp"

namespace cmap {
namespace {

// Negative ranks are asked for as rank 0, and answered by -1 in the end.
bool read_ranks(const int *ranks, uint32_t n, uint32_t size, uint32_t *out) noexcept {
    bool inside = true;
    for (uint32_t i = 0; i < n; i++) {
        out[i] = ranks[i] < 0 ? 0 : uint32_t(ranks[i]);
        inside &= out[i] < size || ranks[i] < 0;
    }
    return inside;
}

int as_int(uint32_t rank) noexcept { return rank == CMAP_NONE ? -1 : int(rank); }

// `rank_in_b(index)` answers with a rank, or CMAP_NONE.
template <class RankInB>
void translate_block(const cmap_t *a, const uint32_t *ranks, const int *given, uint32_t n,
                     RankInB &&rank_in_b, int *out) noexcept {
    uint32_t indices[ALGEBRA_BLOCK];
    MPIR_cmap_select_many(a, ranks, n, indices);
    for (uint32_t i = 0; i < n; i++) {
        const bool none = given[i] < 0;  // read first: out may be the array given
        out[i] = none ? -1 : as_int(rank_in_b(indices[i]));
    }
}

template <class RankInB>
cmap_status translate(const cmap_t *a, const int *given, uint32_t n, RankInB &&rank_in_b,
                      int *out) noexcept {
    uint32_t ranks[ALGEBRA_BLOCK];
    for (uint32_t first = 0, some; first < n; first += some) {
        some = std::min(n - first, ALGEBRA_BLOCK);
        if (!read_ranks(given + first, some, a->size, ranks)) return CMAP_ERR_RANGE;
        if (a->size == 0)
            std::fill(out + first, out + first + some, -1);
        else
            translate_block(a, ranks, given + first, some, rank_in_b, out + first);
    }
    return CMAP_OK;
}

cmap_status translate_same(const cmap_t *map, const int *given, uint32_t n, int *out) noexcept {
    for (uint32_t i = 0; i < n; i++) {
        if (given[i] >= 0 && uint32_t(given[i]) >= map->size) return CMAP_ERR_RANGE;
        out[i] = given[i] < 0 ? -1 : given[i];
    }
    return CMAP_OK;
}

// Index to rank in a map that is one run: a division by its step, as cmap_lookup.h does it.
class RunRanks {
  public:
    explicit RunRanks(const cmap_t *run) noexcept : base_(run->body.affine.base), size_(run->size) {
        const auto step = static_cast<int32_t>(run->body.affine.step);
        down_ = step < 0;
        step_ = static_cast<uint32_t>(size_ < 2 ? 1 : down_ ? -step : step);
        recip_ = step_ == 1 ? 0 : UINT64_MAX / step_ + 1;
    }
    bool is_interval() const noexcept { return step_ == 1 && !down_; }
    int operator()(uint32_t index) const noexcept {
        const uint32_t distance = down_ ? base_ - index : index - base_;
        const uint32_t rank = recip_ == 0 ? distance : MPIR_cmap_mulhi(recip_, distance);
        return rank < size_ && rank * step_ == distance ? int(rank) : -1;
    }
    // The same where the step is 1.
    int in_interval(uint32_t index) const noexcept {
        return index - base_ < size_ ? int(index - base_) : -1;
    }

  private:
    const uint32_t base_, size_;
    uint32_t step_;
    uint64_t recip_;
    bool down_;
};

// One pass, no buffer.
template <class RankInB>
cmap_status translate_run(const cmap_t *a, const int *given, uint32_t n, RankInB &&rank_in_b,
                          int *out) noexcept {
    const uint32_t size = a->size, base = a->body.affine.base, step = a->body.affine.step;
    for (uint32_t i = 0; i < n; i++) {
        const int rank = given[i];
        if (rank >= 0 && uint32_t(rank) >= size) return CMAP_ERR_RANGE;
        out[i] = rank < 0 ? -1 : rank_in_b(base + uint32_t(rank) * step);
    }
    return CMAP_OK;
}

cmap_status translate_runs(const cmap_t *a, const int *given, uint32_t n, const cmap_t *b,
                           int *out) noexcept {
    const RunRanks ranks(b);
    if (!ranks.is_interval()) return translate_run(a, given, n, ranks, out);
    const auto in_interval = [&](uint32_t index) { return ranks.in_interval(index); };
    return translate_run(a, given, n, in_interval, out);
}

cmap_status translate_any(const cmap_t *a, const int *given, uint32_t n, const cmap_t *b,
                          int *out) noexcept {
    if (a == b) return translate_same(a, given, n, out);
    if (is_affine_run(a) && is_affine_run(b)) return translate_runs(a, given, n, b, out);
    if (is_set(b) && is_interval(b)) {
        const uint32_t base = b->min, size = b->size;
        const auto offset = [=](uint32_t index) {
            return index - base < size ? index - base : CMAP_NONE;
        };
        return translate(a, given, n, offset, out);
    }
    const Ranker rank_in_b(b, n);
    return translate(a, given, n, rank_in_b, out);
}

}  // namespace
}  // namespace cmap

cmap_status MPIR_cmap_translate(const cmap_t *a, const int *ranks_a, uint32_t n, const cmap_t *b,
                                int *ranks_b) noexcept {
    const bool ready =
        a != nullptr && b != nullptr && (n == 0 || (ranks_a != nullptr && ranks_b != nullptr));
    return ready ? cmap::translate_any(a, ranks_a, n, b, ranks_b) : CMAP_ERR_ARG;
}
