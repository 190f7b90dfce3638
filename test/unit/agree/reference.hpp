// SPDX-License-Identifier: BSD-3-Clause
// The agreement of agree.h in its simplest form: sets are a bit for each member, and each step
// looks at all of the tree.
#ifndef TEST_UNIT_AGREE_REFERENCE_HPP_INCLUDED
#define TEST_UNIT_AGREE_REFERENCE_HPP_INCLUDED

#include <functional>
#include <utility>
#include <vector>

#include "agree.h"

namespace agree_test {

struct Value {
    uint64_t offer[2] = {0, 0};
    uint32_t flag = UINT32_MAX;
    bool has_result = false;
    std::vector<bool> dead, acked;

    bool operator==(const Value &other) const {
        return offer[0] == other.offer[0] && offer[1] == other.offer[1] && flag == other.flag &&
               has_result == other.has_result && dead == other.dead && acked == other.acked;
    }
};

inline std::vector<bool> bits_of(agree_set_t set, int members) {
    std::vector<bool> bits(static_cast<size_t>(members));
    for (uint32_t i = 0; i < set.n; i++) {
        for (uint32_t k = 0; k < set.runs[i].length; k++)
            bits.at(set.runs[i].first + k) = true;
    }
    return bits;
}

inline Value read(const agree_value_t *value, int members) {
    Value all;
    all.offer[0] = value->offer[0];
    all.offer[1] = value->offer[1];
    all.flag = value->flag;
    all.has_result = value->has_result;
    all.dead = bits_of(MPIR_agree_dead(value), members);
    all.acked = bits_of(MPIR_agree_acked(value), members);
    return all;
}

class Reference {
  public:
    using Fold = void (*)(uint64_t *, const uint64_t *);

    Reference(int members, int me, int degree, Fold fold)
        : members_(members),
          me_(me),
          degree_(degree),
          fold_(fold),
          told_(static_cast<size_t>(members)),
          has_sent_(told_) {
        all_.dead = told_;
        all_.acked = std::vector<bool>(static_cast<size_t>(members), true);
    }

    std::vector<std::pair<int, Value>> sent;  // since it was emptied

    const Value &value() const { return all_; }
    const std::vector<bool> &told() const { return told_; }

    void contribute(uint32_t flag, const uint64_t offer[2], const std::vector<bool> &acked) {
        Value own = all_;
        own.flag = flag;
        own.offer[0] = offer[0];
        own.offer[1] = offer[1];
        own.acked = acked;
        own.dead = std::vector<bool>(told_.size());
        has_contributed_ = true;
        if (all_.has_result) return;
        fold(own);
        advance();
    }

    void message(int from, const Value &value) {
        if (is_dead(from)) return;
        if (all_.has_result) {
            if (!value.has_result) send(from);
        } else if (value.has_result) {
            all_ = value;
            decide();
        } else {
            fold(value);
            has_sent_[static_cast<size_t>(from)] = true;
            advance();
        }
    }

    void deaths(const std::vector<bool> &dead) {
        const int before = parent();
        unite(told_, dead);
        if (all_.has_result && parent() != before && parent() >= 0)
            send(parent());
        else
            advance();
    }

  private:
    static void unite(std::vector<bool> &all, const std::vector<bool> &set) {
        for (size_t i = 0; i < all.size(); i++)
            all[i] = all[i] || set[i];
    }

    bool is_dead(int member) const { return told_[static_cast<size_t>(member)]; }

    int parent() const {
        int root = 0;
        for (int member = me_; member > 0;) {
            member = (member - 1) / degree_;
            if (!is_dead(member)) return member;
        }
        while (is_dead(root))
            root++;
        return root == me_ ? -1 : root;
    }

    void visit_living(int member, const std::function<void(int)> &visit) const {
        if (member == me_) return;
        if (is_dead(member))
            visit_below(member, visit);
        else
            visit(member);
    }

    void visit_below(int member, const std::function<void(int)> &visit) const {
        for (int i = 1; i <= degree_ && member * degree_ + i < members_; i++)
            visit_living(member * degree_ + i, visit);
    }

    void visit_children(const std::function<void(int)> &visit) const {
        visit_below(me_, visit);
        if (parent() < 0 && me_ != 0) visit_living(0, visit);
    }

    void send(int to) { sent.emplace_back(to, all_); }

    void fold(const Value &value) {
        all_.flag &= value.flag;
        if (has_offer_) {
            fold_(all_.offer, value.offer);
        } else {
            all_.offer[0] = value.offer[0];
            all_.offer[1] = value.offer[1];
        }
        has_offer_ = true;
        unite(all_.dead, value.dead);
        for (size_t i = 0; i < all_.acked.size(); i++)
            all_.acked[i] = all_.acked[i] && value.acked[i];
    }

    void decide() {
        all_.has_result = true;
        visit_children([this](int child) {
            if (!has_sent_[static_cast<size_t>(child)]) send(child);
        });
        for (int i = 0; i < members_; i++) {
            if (has_sent_[static_cast<size_t>(i)] && !is_dead(i)) send(i);
        }
    }

    void advance() {
        bool all_sent = true;
        if (!has_contributed_ || all_.has_result) return;
        visit_children(
            [&](int child) { all_sent = all_sent && has_sent_[static_cast<size_t>(child)]; });
        if (!all_sent) return;
        unite(all_.dead, told_);
        if (parent() < 0) {
            decide();
        } else if (sent_to_ != parent()) {
            sent_to_ = parent();
            send(sent_to_);
        }
    }

    int members_, me_, degree_;
    Fold fold_;
    std::vector<bool> told_, has_sent_;
    Value all_;
    bool has_contributed_ = false, has_offer_ = false;
    int sent_to_ = -1;
};

}  // namespace agree_test

#endif  // TEST_UNIT_AGREE_REFERENCE_HPP_INCLUDED
