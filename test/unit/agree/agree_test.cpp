// SPDX-License-Identifier: BSD-3-Clause
// An agreement in one thread that plays all members, with deaths at every step.  The messages of a
// sender arrive in order; those of different senders, and the news of deaths, in any order.  Each
// member must send what the reference sends.
#include <cstring>
#include <deque>
#include <thread>

#include "agree.h"
#include "no_memory.hpp"
#include "reference.hpp"

namespace {

using agree_test::NoMemory;
using agree_test::Reference;
using agree_test::Value;
using Bytes = std::vector<uint64_t>;
using Runs = std::vector<agree_run_t>;

class World;

struct Member {
    World *world = nullptr;
    int rank = 0;
    agree_t *agree = nullptr;
    std::vector<Reference> reference;  // one
    bool alive = true, contributed = false;
    std::vector<std::deque<Bytes>> from;  // messages on their way to this member
    std::vector<bool> knows;              // whose death
    std::vector<bool> acked;
};

// A maximum and a minimum.
void fold_offers(uint64_t *all, const uint64_t *offer) {
    all[0] = std::max(all[0], offer[0]);
    all[1] = std::min(all[1], offer[1]);
}

uint32_t flag_of(int rank) { return ~(UINT32_C(1) << (rank % 32)); }
uint64_t offer_of(int rank) { return 100 + static_cast<uint64_t>(rank) * 7 % 64; }

agree_set_t set_of(const Runs &runs) { return {runs.data(), static_cast<uint32_t>(runs.size())}; }

Bytes copy_of(const agree_value_t *value) {
    const size_t bytes = MPIR_agree_value_bytes(value);
    Bytes copy(bytes / sizeof(uint64_t));
    std::memcpy(copy.data(), value, bytes);
    return copy;
}

const agree_value_t *value_in(const Bytes &message) {
    return reinterpret_cast<const agree_value_t *>(message.data());
}

class World {
  public:
    // Members acknowledge what they know when they contribute, if `acks` is set.
    explicit World(int n, int degree = 2, bool acks = false)
        : acks_(acks), members_(static_cast<size_t>(n)) {
        for (int i = 0; i < n; i++) {
            Member &m = member(i);
            const agree_calls_t calls = {send, fold_offers, &m};

            m.world = this;
            m.rank = i;
            m.reference.emplace_back(n, i, degree, fold_offers);
            m.from.resize(static_cast<size_t>(n));
            m.knows.resize(static_cast<size_t>(n));
            m.acked.resize(static_cast<size_t>(n));
            m.agree = MPIR_agree_create(n, i, degree, &calls);
        }
    }
    ~World() {
        for (Member &m : members_)
            MPIR_agree_free(m.agree);
    }
    World(const World &) = delete;
    World &operator=(const World &) = delete;

    int size() const { return static_cast<int>(members_.size()); }
    Member &member(int i) { return members_[static_cast<size_t>(i)]; }

    // One thing that can happen to a living member.
    struct Event {
        enum { CONTRIBUTES, HEARS, LEARNS, LEARNS_ALL } what;
        int who, from;
    };

    std::vector<Event> events() {
        std::vector<Event> all;
        for (Member &m : members_) {
            int news = 0;

            if (!m.alive) continue;
            if (!m.contributed) all.push_back({Event::CONTRIBUTES, m.rank, 0});
            for (int i = 0; i < size(); i++) {
                if (!m.from[static_cast<size_t>(i)].empty())
                    all.push_back({Event::HEARS, m.rank, i});
                if (!member(i).alive && !m.knows[static_cast<size_t>(i)]) {
                    all.push_back({Event::LEARNS, m.rank, i});
                    news++;
                }
            }
            if (news > 1) all.push_back({Event::LEARNS_ALL, m.rank, 0});
        }
        return all;
    }

    // `sends`: the member dies in the middle, after so many messages of this event.
    void happen(const Event &event, int sends = -1) {
        Member &m = member(event.who);

        sends_left_ = sends;
        if (event.what == Event::CONTRIBUTES)
            contribute(m);
        else if (event.what == Event::HEARS)
            hear(m, event.from);
        else
            learn(m, event.from, event.what == Event::LEARNS ? 1 : size());
        compare(m);
        if (sends >= 0) m.alive = false;
        sends_left_ = -1;
    }

    void contribute(Member &m) {
        const uint64_t offer[2] = {offer_of(m.rank), offer_of(m.rank)};
        const Runs told = told_to(m), nobody;

        m.contributed = true;
        if (acks_) m.acked = m.knows;
        MPIR_agree_contribute(m.agree, flag_of(m.rank), offer, set_of(acks_ ? told : nobody));
        m.reference[0].contribute(flag_of(m.rank), offer, m.acked);
    }

    int living() const {
        return static_cast<int>(std::count_if(members_.begin(), members_.end(),
                                              [](const Member &m) { return m.alive; }));
    }

    // At the end all who live have the same result, and it holds what it must.
    void check() {
        const agree_value_t *first = nullptr;

        for (Member &m : members_) {
            if (!m.alive) continue;
            const agree_value_t *result = MPIR_agree_result(m.agree);
            ASSERT_NE(result, nullptr) << "member " << m.rank << " has no result";
            EXPECT_FALSE(MPIR_agree_has_failed(m.agree));
            EXPECT_EQ(MPIR_agree_awaited(m.agree), -1);
            if (!first) first = result;
            EXPECT_EQ(copy_of(first), copy_of(result))
                << "member " << m.rank << " has another result";
            EXPECT_EQ(result->flag & ~flag_of(m.rank), 0u);
            EXPECT_GE(result->offer[0], offer_of(m.rank));
            EXPECT_LE(result->offer[1], offer_of(m.rank));
            EXPECT_TRUE(
                MPIR_agree_set_is_within(MPIR_agree_dead(result), MPIR_agree_told(m.agree)));
            EXPECT_TRUE(
                MPIR_agree_set_is_within(MPIR_agree_acked(result), MPIR_agree_dead(result)));
            for (int i = 0; i < size(); i++) {
                const uint32_t number = static_cast<uint32_t>(i);
                if (MPIR_agree_set_has(MPIR_agree_dead(result), number)) {
                    EXPECT_FALSE(member(i).alive);
                }
                if (MPIR_agree_set_has(MPIR_agree_acked(result), number)) {
                    EXPECT_TRUE(m.acked[number]);
                }
            }
        }
    }

  private:
    void hear(Member &m, int from) {
        std::deque<Bytes> &channel = m.from[static_cast<size_t>(from)];
        const Bytes message = channel.front();

        channel.pop_front();
        MPIR_agree_message(m.agree, from, value_in(message));
        m.reference[0].message(from, agree_test::read(value_in(message), size()));
    }

    // Of the first `most` from `first` on whose death it does not know.
    void learn(Member &m, int first, int most) {
        Runs runs;
        std::vector<bool> news(m.knows.size());

        for (int i = size() - 1; i >= first; i--) {
            const size_t at = static_cast<size_t>(i);
            if (member(i).alive || m.knows[at] || (most == 1 && i != first)) continue;
            m.knows[at] = news[at] = true;
            m.from[at].clear();
            runs.push_back({static_cast<uint32_t>(i), 1});
        }
        runs.resize(MPIR_agree_set_order(runs.data(), static_cast<uint32_t>(runs.size())));
        MPIR_agree_deaths(m.agree, set_of(runs));
        m.reference[0].deaths(news);
    }

    static Runs told_to(const Member &m) {
        const agree_set_t told = MPIR_agree_told(m.agree);
        return Runs(told.runs, told.runs + told.n);
    }

    // Have both sent the same?
    void compare(Member &m) {
        std::vector<std::pair<int, Value>> &sent = m.reference[0].sent;

        ASSERT_EQ(sent_.size(), sent.size());
        for (size_t i = 0; i < sent.size(); i++) {
            EXPECT_EQ(sent_[i].first, sent[i].first);
            EXPECT_TRUE(agree_test::read(value_in(sent_[i].second), size()) == sent[i].second);
        }
        EXPECT_EQ(agree_test::bits_of(MPIR_agree_told(m.agree), size()), m.knows);
        sent_.clear();
        sent.clear();
    }

    static bool send(void *context, int to, const agree_value_t *value) {
        Member &m = *static_cast<Member *>(context);
        World &w = *m.world;

        w.sent_.emplace_back(to, copy_of(value));
        if (w.sends_left_ == 0) return true;  // it has died
        if (w.sends_left_ > 0) w.sends_left_--;
        w.member(to).from[static_cast<size_t>(m.rank)].push_back(copy_of(value));
        return true;
    }

    bool acks_;
    std::vector<Member> members_;
    std::vector<std::pair<int, Bytes>> sent_;  // in the event that happens
    int sends_left_ = -1;
};

// Random orders, with `deaths` at random moments, some of them between the messages of a step.
void run(World &world, int deaths, std::mt19937 &random) {
    const auto below = [&](size_t n) {
        return std::uniform_int_distribution<size_t>(0, n - 1)(random);
    };

    for (std::vector<World::Event> all; !(all = world.events()).empty();) {
        const World::Event &event = all[below(all.size())];
        const bool dies = deaths > 0 && world.living() > 1 && below(8) == 0;

        world.happen(event, dies ? static_cast<int>(below(3)) : -1);
        deaths -= dies;
    }
    world.check();
}

// In the order in which they are listed, until event number `step`, whose member dies after `sends`
// messages; then, until event `second`, and so on.
struct Death {
    int step, sends;
};

void run_with(World &world, const std::vector<Death> &deaths, size_t order) {
    int step = 0;
    for (std::vector<World::Event> all; !(all = world.events()).empty(); step++) {
        const World::Event &event = all[order % all.size()];
        const auto death = std::find_if(deaths.begin(), deaths.end(),
                                        [&](const Death &d) { return d.step == step; });

        world.happen(event, death != deaths.end() && world.living() > 1 ? death->sends : -1);
        order = order * 6364136223846793005u + 1442695040888963407u;
        order ^= order >> 29;
    }
    world.check();
}

// Members without references: the work of a step does not depend on how many there are.
class Sparse {
  public:
    Sparse(int n, int degree) : members_(static_cast<size_t>(n)) {
        for (int i = 0; i < n; i++) {
            One &m = member(i);
            const agree_calls_t calls = {send, fold_offers, &m};
            m.world = this;
            m.rank = i;
            m.agree = MPIR_agree_create(n, i, degree, &calls);
            silent_.push_back(i);
        }
    }
    ~Sparse() {
        for (One &m : members_)
            MPIR_agree_free(m.agree);
    }
    Sparse(const Sparse &) = delete;
    Sparse &operator=(const Sparse &) = delete;

    // Allocation number k of this member fails; all from it on, if `for_good` is set.
    void lose_memory(int rank, int k, bool for_good) {
        poor_ = rank;
        allocations_ = k;
        for_good_ = for_good;
    }

    void run(int deaths, std::mt19937 &random) {
        std::shuffle(silent_.begin(), silent_.end(), random);
        for (;;) {
            if (deaths > 0 && random() % 64 == 0) deaths -= kill(deaths, random);
            if (!silent_.empty() && random() % 2 == 0)
                contribute(silent_.back());
            else if (!busy_.empty())
                hear(random() % busy_.size(), random);
            else if (!silent_.empty())
                contribute(silent_.back());
            else if (deaths > 0)
                deaths -= kill(deaths, random);
            else if (!teach_all(random))
                return;
        }
    }

    void check() { check_without(-1); }

    // All but this one have the result, unless it lives and has failed.  Has it?
    bool check_without(int poor) {
        const bool is_failed =
            poor >= 0 && member(poor).alive && MPIR_agree_has_failed(member(poor).agree);
        const agree_value_t *first = nullptr;

        for (One &m : members_) {
            const agree_value_t *result = MPIR_agree_result(m.agree);

            if (!m.alive) continue;
            EXPECT_TRUE(result || is_failed) << "member " << m.rank << " has no result";
            EXPECT_TRUE(m.rank == poor || !MPIR_agree_has_failed(m.agree));
            if (!result) continue;
            if (!first) first = result;
            EXPECT_EQ(copy_of(first), copy_of(result)) << "member " << m.rank;
            EXPECT_EQ(result->flag & ~flag_of(m.rank), 0u);
            EXPECT_LE(result->offer[1], offer_of(m.rank));
            EXPECT_FALSE(
                MPIR_agree_set_has(MPIR_agree_dead(result), static_cast<uint32_t>(m.rank)));
        }
        return is_failed;
    }

    size_t longest_message() const { return longest_; }

  private:
    struct One {
        Sparse *world = nullptr;
        int rank = 0;
        agree_t *agree = nullptr;
        bool alive = true;
        size_t known = 0;  // of `dead_`
        std::unordered_map<int, std::deque<Bytes>> from;
    };

    One &member(int i) { return members_[static_cast<size_t>(i)]; }

    // One near the root, any one, or a host of 16.
    int kill(int most, std::mt19937 &random) {
        const int n = static_cast<int>(members_.size()), kind = static_cast<int>(random() % 4);
        const int below = kind < 2 ? std::min(n, 100) : n;
        const int first = static_cast<int>(random() % static_cast<size_t>(below));
        int killed = 0;

        for (int i = first; i < n && i < first + (kind == 3 ? 16 : 1) && killed < most; i++) {
            if (!member(i).alive || dead_.size() + 2 > members_.size()) continue;
            member(i).alive = false;
            dead_.push_back(static_cast<uint32_t>(i));
            killed++;
        }
        return std::max(killed, 1);
    }

    template <typename Call>
    void with_memory_of(const One &m, Call call) {
        if (m.rank != poor_) {
            call();
            return;
        }
        NoMemory poor(allocations_, for_good_);
        call();
        allocations_ = poor.left();
    }

    void contribute(int rank) {
        const uint64_t offer[2] = {offer_of(rank), offer_of(rank)};
        One &m = member(rank);

        silent_.pop_back();
        if (m.alive)
            with_memory_of(m, [&] {
                MPIR_agree_contribute(m.agree, flag_of(rank), offer, MPIR_agree_told(m.agree));
            });
    }

    void hear(size_t which, std::mt19937 &random) {
        const auto [to, from] = busy_[which];
        One &m = member(to);
        std::deque<Bytes> &channel = m.from[from];
        const Bytes message = channel.front();

        channel.pop_front();
        if (channel.empty()) {
            busy_[which] = busy_.back();
            busy_.pop_back();
            m.from.erase(from);
        }
        if (!m.alive) return;
        if (random() % 4 == 0) learn(m, m.known + random() % (dead_.size() - m.known + 1));
        if (!is_told(m, from))
            with_memory_of(m, [&] { MPIR_agree_message(m.agree, from, value_in(message)); });
    }

    bool is_told(const One &m, int from) const {
        const auto known = dead_.begin() + static_cast<std::ptrdiff_t>(m.known);
        return std::find(dead_.begin(), known, static_cast<uint32_t>(from)) != known;
    }

    void learn(One &m, size_t known) {
        Runs runs;
        for (; m.known < known; m.known++)
            runs.push_back({dead_[m.known], 1});
        runs.resize(MPIR_agree_set_order(runs.data(), static_cast<uint32_t>(runs.size())));
        if (!runs.empty()) with_memory_of(m, [&] { MPIR_agree_deaths(m.agree, set_of(runs)); });
    }

    // Does anything happen by that?
    bool teach_all(std::mt19937 &random) {
        bool is_news = false;
        std::vector<int> order;

        for (const One &m : members_) {
            if (m.alive && m.known < dead_.size()) order.push_back(m.rank);
        }
        std::shuffle(order.begin(), order.end(), random);
        for (int rank : order) {
            learn(member(rank), dead_.size());
            is_news = true;
        }
        return is_news;
    }

    static bool send(void *context, int to, const agree_value_t *value) {
        One &m = *static_cast<One *>(context);
        Sparse &w = *m.world;
        std::deque<Bytes> &channel = w.member(to).from[m.rank];

        if (channel.empty()) w.busy_.emplace_back(to, m.rank);
        channel.push_back(copy_of(value));
        w.longest_ = std::max(w.longest_, MPIR_agree_value_bytes(value));
        return true;
    }

    std::vector<One> members_;
    std::vector<uint32_t> dead_;             // in the order of the deaths
    std::vector<std::pair<int, int>> busy_;  // to whom and from whom messages are on their way
    std::vector<int> silent_;                // have not contributed
    size_t longest_ = 0;
    int poor_ = -1, allocations_ = 0;
    bool for_good_ = false;
};

TEST(Agree, OfOne) {
    World world(1);
    std::mt19937 random(1);
    run(world, 0, random);
}

TEST(Agree, WithoutDeathsHoldsAllValues) {
    std::mt19937 random(2);
    for (int n : {2, 3, 7, 64, 129}) {
        World world(n, n % 8 + 1);
        run(world, 0, random);
        const agree_value_t *result = MPIR_agree_result(world.member(0).agree);
        uint64_t most = 0;
        uint32_t flag = UINT32_MAX;

        for (int i = 0; i < n; i++) {
            most = std::max(most, offer_of(i));
            flag &= flag_of(i);
        }
        EXPECT_EQ(result->offer[0], most);
        EXPECT_EQ(result->flag, flag);
    }
}

// The paths of all orders of events of a few members, with one member that dies at each step.
void explore(const std::vector<size_t> &path, int n, int death, int sends, size_t &runs) {
    World world(n);
    size_t step = 0;
    std::vector<World::Event> all;

    for (; !(all = world.events()).empty(); step++) {
        if (step == path.size()) {
            for (size_t i = 0; i < all.size(); i++) {
                std::vector<size_t> longer = path;
                longer.push_back(i);
                explore(longer, n, death, sends, runs);
                if (testing::Test::HasFailure()) return;
            }
            return;
        }
        world.happen(all[path[step]], static_cast<int>(step) == death ? sends : -1);
    }
    runs++;
    world.check();
}

TEST(Agree, AllOrdersOfThreeWithADeathAtEachStep) {
    size_t runs = 0;
    for (int death = -1; death < 8; death++) {
        for (int sends = 0; sends < 3; sends++)
            explore({}, 3, death, sends, runs);
    }
    EXPECT_GT(runs, 1000u);
}

TEST(Agree, ManyOrdersWithADeathAtEachStep) {
    for (int n = 2; n <= 6; n++) {
        for (int step = 0; step < 5 * n; step++) {
            for (int sends = 0; sends < 4; sends++) {
                for (size_t order = 0; order < 60; order++) {
                    World world(n, 1 + static_cast<int>(order % 4));
                    run_with(world, {{step, sends}}, order * 977 + 1);
                }
            }
        }
    }
}

TEST(Agree, ManyOrdersWithTwoDeaths) {
    for (int n = 3; n <= 6; n++) {
        for (int first = 0; first < 4 * n; first++) {
            for (int second = first + 1; second < 5 * n; second++) {
                for (size_t order = 0; order < 40; order++) {
                    World world(n, 1 + static_cast<int>(order % 4));
                    run_with(world,
                             {{first, static_cast<int>(order % 3)},
                              {second, static_cast<int>(order / 3 % 3)}},
                             order * 7919 + 3);
                }
            }
        }
    }
}

TEST(Agree, RandomOrdersAndDeaths) {
    std::mt19937 random(3);
    for (int i = 0; i < 20000; i++) {
        World world(2 + i % 5, 1 + i % 4, i % 3 > 0);
        run(world, i % 6, random);
    }
}

TEST(Agree, RandomDeathsAmong64) {
    std::mt19937 random(4);
    for (int i = 0; i < 90; i++) {
        World world(64, 1 + i % 9, i % 2 > 0);
        run(world, i, random);
    }
}

// More than half of the members are dead before anybody contributes: hosts of 16, the first ones
// among them.
TEST(Agree, HostsOfDead) {
    std::mt19937 random(5);
    for (int i = 0; i < 40; i++) {
        World world(80, 1 + i % 9, i % 2 > 0);
        for (int host = 0; host < 5; host++) {
            for (int k = 0; k < 16 && (host < i % 4 || random() % 4 == 0); k++)
                world.member(host * 16 + k).alive = world.living() == 1;
        }
        run(world, i % 5, random);
    }
}

// Agreements share nothing: each thread has its own.
TEST(Threads, HaveAgreementsOfTheirOwn) {
    std::vector<std::thread> threads;
    for (unsigned seed = 10; seed < 14; seed++) {
        threads.emplace_back([seed] {
            std::mt19937 random(seed);
            for (int i = 0; i < 100; i++) {
                World world(2 + i % 7);
                run(world, i % 4, random);
            }
        });
    }
    for (std::thread &thread : threads)
        thread.join();
}

// Member 3 has died and all know it; member 4 later, and member 2 does not know it in time.
TEST(Agree, AcknowledgedByAll) {
    World world(5, 2, true);

    world.member(3).alive = false;
    for (int i : {0, 1, 2, 4})
        world.happen({World::Event::LEARNS, i, 3});
    world.member(4).alive = false;
    for (int i : {0, 1})
        world.happen({World::Event::LEARNS, i, 4});
    for (std::vector<World::Event> all; !(all = world.events()).empty();)
        world.happen(all[0]);
    world.check();
    for (int i : {0, 1, 2}) {
        const agree_value_t *result = MPIR_agree_result(world.member(i).agree);
        EXPECT_EQ(copy_of(result).size(), (sizeof(*result) + 2 * sizeof(agree_run_t)) / 8);
        EXPECT_TRUE(MPIR_agree_set_has(MPIR_agree_acked(result), 3));
        EXPECT_FALSE(MPIR_agree_set_has(MPIR_agree_acked(result), 4));
        EXPECT_TRUE(MPIR_agree_set_has(MPIR_agree_dead(result), 4));
    }
}

// Each allocation fails once, or all from it on, in one member: it says so or has the result, and
// nobody has another one.
TEST(Agree, WithoutMemoryInOneMember) {
    int failed = 0;
    for (unsigned seed = 0; seed < 400; seed++) {
        std::mt19937 random(seed);
        Sparse world(3 + static_cast<int>(seed % 30), 1 + static_cast<int>(seed % 4));
        const int poor = static_cast<int>(random() % 3);

        world.lose_memory(poor, static_cast<int>(random() % 5), seed % 2 == 0);
        world.run(static_cast<int>(seed % 4), random);
        failed += world.check_without(poor);
    }
    EXPECT_GT(failed, 50);
    EXPECT_LT(failed, 350);
}

TEST(Agree, IsNotMadeWithoutMemory) {
    const agree_calls_t calls = {};
    NoMemory poor(0, true);

    EXPECT_EQ(MPIR_agree_create(10, 3, 8, &calls), nullptr);
}

TEST(Agree, InLargeWorlds) {
    std::mt19937 random(6);
    for (int i = 0; i < 6; i++) {
        Sparse world(1000 + 400 * i, 2 + i % 7);
        world.run(20 * i, random);
        world.check();
    }
}

TEST(Agree, InAWorldOf100000) {
    std::mt19937 random(7);
    Sparse world(100000, 8);
    world.run(300, random);
    world.check();
    EXPECT_LT(world.longest_message(), 300 * 2 * sizeof(agree_run_t));
}

// The first 20,000 of a million, which are the upper part of the tree: their children, of which
// each is an orphan, wait for the first that lives.
TEST(Agree, WhereTheTopIsDead) {
    const int n = 1 << 20, dead = 20000;
    const uint64_t offer[2] = {1, 1};
    const Runs run = {{0, dead}};
    std::vector<int> sent_to;
    const agree_calls_t calls = {[](void *sent, int to, const agree_value_t *) {
                                     static_cast<std::vector<int> *>(sent)->push_back(to);
                                     return true;
                                 },
                                 fold_offers, &sent_to};
    agree_t *agree = MPIR_agree_create(n, dead, 8, &calls);
    int orphans = 0;

    MPIR_agree_deaths(agree, set_of(run));
    MPIR_agree_contribute(agree, 3, offer, set_of(run));
    const Bytes value = copy_of(MPIR_agree_value(agree));
    for (int awaited; (awaited = MPIR_agree_awaited(agree)) >= 0; orphans++)
        MPIR_agree_message(agree, awaited, value_in(value));
    ASSERT_NE(MPIR_agree_result(agree), nullptr);
    EXPECT_EQ(orphans, 7 * dead + 8);  // children of the dead that live, and the own ones
    EXPECT_EQ(sent_to.size(), static_cast<size_t>(orphans));
    MPIR_agree_free(agree);
}

}  // namespace
