// SPDX-License-Identifier: BSD-3-Clause
// Tables beside a std::map that knows the right answers.
#ifndef TEST_UNIT_CID_TABLE_CASES_HPP_INCLUDED
#define TEST_UNIT_CID_TABLE_CASES_HPP_INCLUDED

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cid.h"

namespace cid_test {

struct Destroy {
    void operator()(cid_table_t *table) const { MPIR_cid_table_destroy(table); }
};
using Table = std::unique_ptr<cid_table_t, Destroy>;

inline Table table_of(cid_kind kind, uint32_t limit) {
    return Table(MPIR_cid_table_create(kind, limit));
}

inline std::vector<cid_kind> all_kinds() { return {CID_ARRAY, CID_RBTREE, CID_RADIX}; }

// Owners that are told apart; nobody looks behind them.
inline void *owner_number(uintptr_t n) { return reinterpret_cast<void *>(16 * (n + 1)); }

class Oracle {
  public:
    explicit Oracle(uint32_t limit) : limit_(limit) {}

    cid_status claim(uint32_t id, void *owner) {
        if (id >= limit_) return CID_ERR_RANGE;
        return owners_.emplace(id, owner).second ? CID_OK : CID_ERR_TAKEN;
    }
    cid_status replace(uint32_t id, void *owner) {
        if (id >= limit_) return CID_ERR_RANGE;
        const auto found = owners_.find(id);
        if (found == owners_.end()) return CID_ERR_FREE;
        found->second = owner;
        return CID_OK;
    }
    void *release(uint32_t id) {
        void *owner = lookup(id);
        owners_.erase(id);
        return owner;
    }
    void *lookup(uint32_t id) const {
        const auto found = owners_.find(id);
        return found == owners_.end() ? nullptr : found->second;
    }
    uint32_t used() const { return static_cast<uint32_t>(owners_.size()); }
    uint32_t end() const { return owners_.empty() ? 0 : owners_.rbegin()->first + 1; }
    uint32_t next_free(uint32_t from) const {
        while (from < limit_ && owners_.count(from) != 0)
            from++;
        return from < limit_ ? from : limit_;
    }
    uint32_t next_used(uint32_t from) const {
        const auto found = owners_.lower_bound(from);
        return found == owners_.end() ? limit_ : found->first;
    }
    bool is_free(uint64_t id) const {
        return id < limit_ && owners_.count(static_cast<uint32_t>(id)) == 0;
    }
    uint32_t limit() const { return limit_; }

  private:
    uint32_t limit_;
    std::map<uint32_t, void *> owners_;
};

// Everything a table says about itself and about the ids around one.
void expect_same(const cid_table_t *table, const Oracle &oracle, uint32_t around);

}  // namespace cid_test

#endif  // TEST_UNIT_CID_TABLE_CASES_HPP_INCLUDED
