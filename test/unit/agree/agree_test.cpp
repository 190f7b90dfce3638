// SPDX-License-Identifier: BSD-3-Clause
// An agreement in one thread that plays all members, with deaths at every step.  The messages of a
// sender arrive in order; those of different senders, and the news of deaths, in any order.
#include <cstring>
#include <deque>
#include <thread>

#include "agree.h"

namespace {

using Bytes = std::vector<uint64_t>;

class World;

struct Member {
    World *world = nullptr;
    int rank = 0;
    agree_t *agree = nullptr;
    bool alive = true, contributed = false;
    std::vector<std::deque<Bytes>> from;  // messages on their way to this member
    std::vector<bool> knows;              // whose death
};

// A maximum and a minimum.
void fold_offers(uint64_t *all, const uint64_t *offer) {
    all[0] = std::max(all[0], offer[0]);
    all[1] = std::min(all[1], offer[1]);
}

uint32_t flag_of(int rank) { return ~(UINT32_C(1) << (rank % 32)); }
uint64_t offer_of(int rank) { return 100 + static_cast<uint64_t>(rank) * 7 % 64; }

class World {
  public:
    explicit World(int n, int degree = 2) : members_(static_cast<size_t>(n)) {
        const agree_calls_t calls = {send, fold_offers, nullptr};

        for (int i = 0; i < n; i++) {
            Member &m = member(i);
            agree_calls_t own = calls;

            own.context = &m;
            m.world = this;
            m.rank = i;
            m.from.resize(static_cast<size_t>(n));
            m.knows.resize(static_cast<size_t>(n));
            m.agree = MPIR_agree_create(n, i, degree, &own);
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

    void kill(int i) { member(i).alive = false; }

    // One thing that can happen to a living member.
    struct Event {
        enum { CONTRIBUTES, HEARS, LEARNS } what;
        int who, from;
    };

    std::vector<Event> events() {
        std::vector<Event> all;
        for (Member &m : members_) {
            if (!m.alive) continue;
            if (!m.contributed) all.push_back({Event::CONTRIBUTES, m.rank, 0});
            for (int i = 0; i < size(); i++) {
                if (!m.from[static_cast<size_t>(i)].empty())
                    all.push_back({Event::HEARS, m.rank, i});
                if (!member(i).alive && !m.knows[static_cast<size_t>(i)])
                    all.push_back({Event::LEARNS, m.rank, i});
            }
        }
        return all;
    }

    // True when the member may die in the middle: after `sends` messages of this event.
    void happen(const Event &event, int sends = -1) {
        Member &m = member(event.who);
        const size_t from = static_cast<size_t>(event.from);

        sends_left_ = sends;
        if (event.what == Event::CONTRIBUTES) {
            m.contributed = true;
            const uint64_t offer[2] = {offer_of(m.rank), offer_of(m.rank)};
            MPIR_agree_contribute(m.agree, flag_of(m.rank), offer, nullptr);
        } else if (event.what == Event::HEARS) {
            const Bytes message = m.from[from].front();
            m.from[from].pop_front();
            MPIR_agree_message(m.agree, event.from,
                               reinterpret_cast<const agree_value_t *>(message.data()));
        } else {
            m.knows[from] = true;
            m.from[from].clear();
            MPIR_agree_death(m.agree, event.from);
        }
        if (sends >= 0) m.alive = false;
        sends_left_ = -1;
    }

    int living() const {
        return static_cast<int>(std::count_if(members_.begin(), members_.end(),
                                              [](const Member &m) { return m.alive; }));
    }

    // At the end all who live have the same result, and it holds what it must.
    void check() {
        agree_value_t *first = nullptr;
        const int words = MPIR_agree_words(size());

        for (Member &m : members_) {
            if (!m.alive) continue;
            agree_value_t *result = MPIR_agree_result(m.agree);
            ASSERT_NE(result, nullptr) << "member " << m.rank << " has no result";
            EXPECT_FALSE(MPIR_agree_has_failed(m.agree));
            if (!first) first = result;
            EXPECT_EQ(std::memcmp(first, result, MPIR_agree_value_bytes(size())), 0)
                << "member " << m.rank << " has another result";
            EXPECT_EQ(result->flag & ~flag_of(m.rank), 0u);
            EXPECT_GE(result->offer[0], offer_of(m.rank));
            EXPECT_LE(result->offer[1], offer_of(m.rank));
            EXPECT_FALSE(MPIR_agree_has(MPIR_agree_dead(result), m.rank));
            for (int i = 0; i < size(); i++) {
                if (MPIR_agree_has(MPIR_agree_dead(result), i)) {
                    EXPECT_FALSE(member(i).alive);
                }
            }
            for (int w = 0; w < words; w++)
                EXPECT_EQ(MPIR_agree_acked(result, size())[w], 0u);
        }
    }

  private:
    static bool send(void *context, int to, const agree_value_t *value) {
        Member &m = *static_cast<Member *>(context);
        World &w = *m.world;
        const uint32_t bytes = MPIR_agree_value_bytes(w.size());
        Bytes message(bytes / sizeof(uint64_t));

        if (w.sends_left_ == 0) return true;  // it has died
        if (w.sends_left_ > 0) w.sends_left_--;
        std::memcpy(message.data(), value, bytes);
        w.member(to).from[static_cast<size_t>(m.rank)].push_back(message);
        return true;
    }

    std::vector<Member> members_;
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
        agree_value_t *result = MPIR_agree_result(world.member(0).agree);
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
        World world(2 + i % 5, 1 + i % 4);
        run(world, i % 6, random);
    }
}

TEST(Agree, RandomDeathsAmong64) {
    std::mt19937 random(4);
    for (int i = 0; i < 90; i++) {
        World world(64, 1 + i % 9);
        run(world, i, random);
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

// Nobody acknowledges in the runs above; here all but one do.
TEST(Agree, AcknowledgedByAll) {
    const int n = 5;
    const uint64_t none[2] = {0, 0};
    World world(n);

    for (int i = 0; i < n; i++) {
        const uint64_t acked = i == 2 ? 0b00010 : 0b00110;
        Member &m = world.member(i);

        m.contributed = true;
        MPIR_agree_contribute(m.agree, 1, none, &acked);
    }
    for (std::vector<World::Event> all; !(all = world.events()).empty();)
        world.happen(all[0]);
    for (int i = 0; i < n; i++)
        EXPECT_EQ(*MPIR_agree_acked(MPIR_agree_result(world.member(i).agree), n), 0b00010u);
}

}  // namespace
