// SPDX-License-Identifier: BSD-3-Clause
// What estimators worked out that the builders of the same kind go by, so that nothing is worked
// out twice: where only a trial tells the size, that is most of the work.
#ifndef CMAP_CORE_PLANS_HPP_INCLUDED
#define CMAP_CORE_PLANS_HPP_INCLUDED

#include <new>

#include "core/memory.hpp"

namespace cmap {

// At most one plan for each representation, of a type of its own, whose KIND is the tag.
class Plans {
  public:
    Plans() noexcept = default;
    Plans(const Plans &) = delete;
    Plans &operator=(const Plans &) = delete;
    ~Plans() {
        while (first_ != nullptr) {
            Kept *const kept = first_;
            first_ = kept->next;
            kept->destroy(kept);
        }
    }

    // nullptr: none was made.
    template <class Plan>
    Plan *find() const noexcept {
        for (Kept *kept = first_; kept != nullptr; kept = kept->next)
            if (kept->kind == Plan::KIND) return &static_cast<Holder<Plan> *>(kept)->plan;
        return nullptr;
    }
    // An empty one.  REQUIRES that there is none.  nullptr: no memory.
    template <class Plan>
    Plan *add() noexcept {
        void *const memory = allocate(sizeof(Holder<Plan>));
        if (memory == nullptr) return nullptr;
        auto *const holder = new (memory) Holder<Plan>();
        holder->next = first_;
        first_ = holder;
        return &holder->plan;
    }

  private:
    struct Kept {
        cmap_rep kind;
        void (*destroy)(Kept *);
        Kept *next = nullptr;

        Kept(cmap_rep of, void (*by)(Kept *)) noexcept : kind(of), destroy(by) {}
    };
    template <class Plan>
    struct Holder : Kept {
        Plan plan;

        Holder() noexcept : Kept(Plan::KIND, give_back) {}
        static void give_back(Kept *kept) noexcept {
            auto *const holder = static_cast<Holder *>(kept);
            holder->~Holder();
            deallocate(holder);
        }
    };

    Kept *first_ = nullptr;
};

}  // namespace cmap

#endif  // CMAP_CORE_PLANS_HPP_INCLUDED
