// SPDX-License-Identifier: BSD-3-Clause
#include "core/affine_form.hpp"

namespace cmap {

uint32_t AffineForm::at(uint32_t rank) const noexcept {
    uint32_t index = base;
    for (uint32_t k = levels; k-- > 0;) {
        index += rank / weight[k] * static_cast<uint32_t>(stride[k]);
        rank %= weight[k];
    }
    return index;
}

bool AffineForm::nest(uint32_t &order) const noexcept {
    const auto magnitude = [this](uint32_t k) {
        return stride[k] < 0 ? -static_cast<int64_t>(stride[k]) : static_cast<int64_t>(stride[k]);
    };
    uint32_t by_size[CMAP_AFFINE_LEVELS];
    for (uint32_t k = 0; k < levels; k++) {
        uint32_t at = k;
        for (; at > 0 && magnitude(by_size[at - 1]) < magnitude(k); at--)
            by_size[at] = by_size[at - 1];
        by_size[at] = k;
    }
    int64_t span = 0;
    for (uint32_t i = levels; i-- > 0;) {
        const uint32_t k = by_size[i];
        if (count(k) > 1 && magnitude(k) <= span) return false;
        span += magnitude(k) * (count(k) - 1);
    }
    order = 0;
    for (uint32_t i = 0; i < levels; i++)
        order |= by_size[i] << (3 * i);
    return true;
}

void AffineDetector::start(const Piece &piece) noexcept {
    form_.base = piece.run.first;
    form_.levels = 1;
    form_.weight[0] = 1;
    form_.stride[0] = piece.run.step;
    if (piece.repeats > 1) {
        form_.levels = 2;
        form_.weight[1] = piece.run.count;
        form_.stride[1] = piece.pitch;
    }
    form_.size = static_cast<uint32_t>(piece.members());
}

// The pattern breaks here: that is where the outermost count is learnt, if the break is at its end.
bool AffineDetector::grow(uint32_t index) noexcept {
    const uint32_t top = form_.levels - 1;
    if (form_.levels == CMAP_AFFINE_LEVELS || form_.size % form_.weight[top] != 0) return false;
    form_.weight[top + 1] = form_.size;
    form_.stride[top + 1] = static_cast<int32_t>(index - form_.base);
    ++form_.levels;
    return true;
}

void AffineDetector::match(const Run &run) noexcept {
    for (uint32_t i = 0; i < run.count;) {
        if (run.at(i) != form_.at(form_.size) && !grow(run.at(i))) {
            alive_ = false;
            return;
        }
        const uint32_t left = run.count - i;
        const uint32_t room =
            form_.levels == 1 ? left : form_.weight[1] - form_.size % form_.weight[1];
        const uint32_t n = left < room ? left : room;
        if (n > 1 && run.step != form_.stride[0]) {
            alive_ = false;
            return;
        }
        form_.size += n;
        i += n;
    }
}

// How many of the next repeats are sure to fit without a look, because they go on along level 1.
uint32_t AffineDetector::skip(const Piece &piece, uint32_t left) noexcept {
    if (form_.levels < 2 || piece.run.count != form_.weight[1] || piece.pitch != form_.stride[1])
        return 0;
    if (form_.size % form_.weight[1] != 0) return 0;
    uint32_t room = left;
    if (form_.levels > 2) {
        const uint32_t done = form_.size % form_.weight[2];
        room = done == 0 ? 0 : (form_.weight[2] - done) / form_.weight[1];
    }
    const uint32_t n = left < room ? left : room;
    form_.size += n * piece.run.count;
    return n;
}

void AffineDetector::feed(const Piece &piece) noexcept {
    if (!alive_) return;
    if (form_.levels == 0) {
        start(piece);
        return;
    }
    for (uint32_t i = 0; i < piece.repeats && alive_;) {
        match(piece.repeat(i++));
        if (alive_) i += skip(piece, piece.repeats - i);
    }
}

AffineForm AffineDetector::result() const noexcept {
    AffineForm form = form_;
    uint32_t order;
    if (form.levels == 0) {  // no members at all
        form.levels = 1;
        form.weight[0] = 1;
    }
    if (!alive_ || !form.nest(order)) form.levels = 0;
    return form;
}

}  // namespace cmap
