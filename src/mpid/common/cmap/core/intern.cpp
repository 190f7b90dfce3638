// SPDX-License-Identifier: BSD-3-Clause
#include "core/intern.hpp"

#include <atomic>
#include <functional>
#include <mutex>

#include "cmap_tuning.hpp"
#include "core/policy.hpp"

namespace cmap {
namespace {

// What equal maps have in common and others hardly ever.
struct Key {
    uint64_t hash;  // of all that follows, and of the members
    uint32_t size, min, max;
    cmap_policy policy;

    bool fits(const cmap_t *map) const noexcept {
        return map->hash == hash && map->size == size && map->min == min && map->max == max &&
               map->strategy == policy.strategy && map->force == policy.force &&
               map->alpha == policy.alpha;
    }
};

// A part of the table with its own lock, which is held for no longer than it takes to go through a
// bucket.  It starts with buckets of its own, grows where there is memory, and gives the memory
// back when its last map goes.
class Shard {
  public:
    std::mutex lock;

    // With the lock held, as all that follows: of the live maps of that key the one with the least
    // address above `last`, with a reference added.
    cmap_t *next(const Key &key, const cmap_t *last) noexcept;
    // How often a map has come in.
    uint64_t inserts() const noexcept { return inserts_; }
    void insert(cmap_t *map) noexcept;
    void remove(cmap_t *map) noexcept;
    template <class Visit>
    void each(Visit &&visit) const noexcept {
        for (std::size_t b = 0; b < count_; b++)
            for (const cmap_t *map = buckets_[b]; map != nullptr; map = map->next)
                visit(map);
    }

  private:
    static constexpr std::size_t FIRST = 16;

    cmap_t **bucket(uint64_t hash) noexcept {
        return &buckets_[(hash >> INTERN_SHARD_BITS) & (count_ - 1)];
    }
    void grow() noexcept;

    cmap_t *first_[FIRST] = {};
    cmap_t **buckets_ = first_;
    std::size_t count_ = FIRST;
    std::size_t maps_ = 0;
    uint64_t inserts_ = 0;
};

// Never destroyed: maps may be released after the destructors of static objects have run.
struct Table {
    Shard shard[1u << INTERN_SHARD_BITS];
    std::atomic<uint64_t> builds[CMAP_REP_COUNT] = {};
    std::atomic<uint64_t> hits{0};
    std::atomic<uint64_t> declined{0};

    Shard &of(uint64_t hash) noexcept { return shard[hash & ((1u << INTERN_SHARD_BITS) - 1)]; }
};

Table &table() noexcept {
    alignas(Table) static unsigned char place[sizeof(Table)];
    static Table *const made = new (place) Table();
    return *made;
}

// A map whose last reference is gone stays dead, though it may be in the table for a moment more.
bool ref_if_alive(cmap_t *map) noexcept {
    uint32_t refs = __atomic_load_n(&map->refs, __ATOMIC_RELAXED);
    while (refs != 0)
        if (__atomic_compare_exchange_n(&map->refs, &refs, refs + 1, true, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED))
            return true;
    return false;
}

cmap_t *Shard::next(const Key &key, const cmap_t *last) noexcept {
    const std::less<const cmap_t *> below;
    for (;;) {
        cmap_t *least = nullptr;
        for (cmap_t *map = *bucket(key.hash); map != nullptr; map = map->next)
            if (key.fits(map) && below(last, map) && (least == nullptr || below(map, least)))
                least = map;
        if (least == nullptr || ref_if_alive(least)) return least;
        last = least;
    }
}

void Shard::grow() noexcept {
    const std::size_t wanted = count_ * 4;
    cmap_t **larger = static_cast<cmap_t **>(allocate(wanted * sizeof *larger));
    if (larger == nullptr) return;  // longer chains
    std::memset(larger, 0, wanted * sizeof *larger);
    cmap_t **const old = buckets_;
    const std::size_t old_count = count_;
    buckets_ = larger;
    count_ = wanted;
    for (std::size_t b = 0; b < old_count; b++)
        for (cmap_t *map = old[b], *next; map != nullptr; map = next) {
            next = map->next;
            map->next = *bucket(map->hash);
            *bucket(map->hash) = map;
        }
    if (old != first_) deallocate(old);
    std::memset(first_, 0, sizeof first_);
}

void Shard::insert(cmap_t *map) noexcept {
    if (maps_ >= count_ * 2) grow();
    map->next = *bucket(map->hash);
    *bucket(map->hash) = map;
    ++maps_;
    ++inserts_;
}

void Shard::remove(cmap_t *map) noexcept {
    cmap_t **link = bucket(map->hash);
    while (*link != map)
        link = &(*link)->next;
    *link = map->next;
    if (--maps_ == 0 && buckets_ != first_) {
        deallocate(buckets_);
        buckets_ = first_;
        count_ = FIRST;
    }
}

Key key_of(const Stats &stats, const cmap_policy &policy) noexcept {
    uint64_t alpha;
    std::memcpy(&alpha, &policy.alpha, sizeof alpha);
    const unsigned rule = static_cast<unsigned>(policy.strategy) << 8 | policy.force;
    uint64_t hash = hash_step(stats.hash, uint64_t{stats.size} << 16 | rule);
    hash = hash_step(hash, alpha);
    return {hash_step(hash, hash >> 32), stats.size, stats.min, stats.max, policy};
}

// The map alive of that key for which same(map), with a reference added; else `fresh`, which is in
// the table then unless it is null.  Members are compared without the lock: a reference keeps the
// candidate.  When another map has come in meanwhile, it may be the one, so all are looked at
// again.
template <class Same>
cmap_t *meet(const Key &key, cmap_t *fresh, Same &&same) noexcept {
    Shard &shard = table().of(key.hash);
    const cmap_t *last = nullptr;
    for (uint64_t seen = 0;;) {
        cmap_t *candidate;
        {
            const std::lock_guard<std::mutex> guard(shard.lock);
            if (shard.inserts() != seen) last = nullptr;
            seen = shard.inserts();
            candidate = shard.next(key, last);
            if (candidate == nullptr && fresh != nullptr) shard.insert(fresh);
        }
        if (candidate == nullptr) return fresh;
        if (same(static_cast<const cmap_t *>(candidate))) {
            table().hits.fetch_add(1, std::memory_order_relaxed);
            return candidate;
        }
        last = candidate;
        unref(candidate);
    }
}

void count_build(const cmap_t *map) noexcept {
    table().builds[map->kind].fetch_add(1, std::memory_order_relaxed);
    if ((map->flags & FLAG_FORCE_DECLINED) != 0)
        table().declined.fetch_add(1, std::memory_order_relaxed);
}

// Makes the map; somebody may have been faster, and then theirs is the one.
template <class Same>
cmap_status intern_fresh(const Key &key, const Analysis &analysis, Same &&same,
                         cmap_t **out) noexcept {
    cmap_t *map = nullptr;
    CMAP_TRY(map_create(analysis, &map));
    map->hash = key.hash;
    count_build(map);
    map_move_to_node(map);
    *out = meet(key, map, same);
    if (*out != map) map_destroy(map);
    return CMAP_OK;
}

// Whoever keeps a set and a permutation of it wants the members in order.
bool needs_order(const Analysis &analysis) noexcept {
    if (analysis.stats.is_set || analysis.sorter.started()) return false;
    for (unsigned kind = 0; kind < CMAP_REP_COUNT; kind++) {
        const auto wants_order = representation(kind).wants_order;
        if (wants_order != nullptr && wants_order(analysis)) return true;
    }
    return false;
}

}  // namespace

cmap_status intern(Analysis &analysis, cmap_t **out) noexcept {
    const Key key = key_of(analysis.stats, analysis.policy);
    const auto same = [&](const cmap_t *map) { return same_members(map, analysis); };
    *out = meet(key, nullptr, same);
    if (*out != nullptr) return CMAP_OK;
    CMAP_TRY(analysis.check_duplicates());
    if (needs_order(analysis)) CMAP_TRY(analysis.sort());
    return intern_fresh(key, analysis, same, out);
}

cmap_status intern_form(Analysis &analysis, cmap_t **out) noexcept {
    const Key key = key_of(analysis.stats, analysis.policy);
    const auto same = [&](const cmap_t *map) {
        return map->kind == CMAP_REP_AFFINE && same_members(map, analysis);
    };
    *out = meet(key, nullptr, same);
    return *out != nullptr ? CMAP_OK : intern_fresh(key, analysis, same, out);
}

cmap_t *find_run(const Run &run, uint32_t universe, const cmap_policy *given) noexcept {
    const cmap_policy policy = policy_or_default(given);
    const bool is_run = run.count == 1 || (run.count != 0 && run.step != 0);
    if (!is_run || !within(run, universe) || universe > CMAP_MAX_SIZE || !policy_valid(policy))
        return nullptr;
    const Key key = key_of(key_stats_of(run), policy_normal(policy));
    return meet(key, nullptr, [&](const cmap_t *map) { return is_affine_run(map, run); });
}

void unref(cmap_t *map) noexcept {
    if (__atomic_fetch_sub(&map->refs, 1, __ATOMIC_ACQ_REL) != 1) return;
    Shard &shard = table().of(map->hash);
    {
        const std::lock_guard<std::mutex> guard(shard.lock);
        shard.remove(map);
    }
    map_destroy(map);
}

void gather_totals(cmap_totals &out) noexcept {
    out = cmap_totals();
    for (Shard &shard : table().shard) {
        const std::lock_guard<std::mutex> guard(shard.lock);
        shard.each([&](const cmap_t *map) {
            const uint64_t array = uint64_t{map->size} * sizeof(uint32_t);
            ++out.maps;
            out.bytes += sizeof *map + own_bytes(map);
            out.node_bytes += own_node_bytes(map);
            out.node_maps += (map->flags & FLAG_ON_NODE) != 0;
            out.array_bytes += array;
            out.shared_array_bytes += array * __atomic_load_n(&map->refs, __ATOMIC_RELAXED);
        });
    }
    for (unsigned kind = 0; kind < CMAP_REP_COUNT; kind++)
        out.builds[kind] = table().builds[kind].load(std::memory_order_relaxed);
    out.intern_hits = table().hits.load(std::memory_order_relaxed);
    out.force_declined = table().declined.load(std::memory_order_relaxed);
}

}  // namespace cmap
