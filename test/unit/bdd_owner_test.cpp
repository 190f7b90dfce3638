// SPDX-License-Identifier: BSD-3-Clause
// An application that uses BuDDy has its own: ours shares nothing with it, nor with the process.
#include "case_file.hpp"
#include "oracle.hpp"

#include <bdd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iterator>
#include <thread>

#include "algebra/diagrams.hpp"

namespace cmap_test {
namespace {

const cmap_policy hybrid = by(CMAP_STRATEGY_HYBRID), as_bdd = forced(CMAP_REP_BDD);

// Of a cube so large that sets held as diagrams are combined by BuDDy.
Members faces(const std::vector<std::string> &patterns) {
    Members all;
    for (const std::string &pattern : patterns) {
        Members both;
        const Members face = hypercube_face("*0000000" + pattern);
        std::set_union(all.begin(), all.end(), face.begin(), face.end(), std::back_inserter(both));
        all.swap(both);
    }
    return all;
}

const std::vector<std::string> three = {"*0*1*********", "****1*0******", "1**********1*"};
const std::vector<std::string> other = {"0**1****1****", "*1****1*0*0**"};

// The application's function: a majority of seven variables.
bdd majority() {
    bdd result = bddfalse;
    for (int pattern = 0; pattern < 128; pattern++) {
        if (__builtin_popcount(static_cast<unsigned>(pattern)) < 4) continue;
        bdd term = bddtrue;
        for (int v = 0; v < 7; v++)
            term &= (pattern >> v & 1) != 0 ? bdd_ithvar(v) : bdd_nithvar(v);
        result |= term;
    }
    return result;
}

class Application {
  public:
    Application() {
        bdd_init(1000, 100);
        bdd_setvarnum(7);
        bdd_error_hook(count_errors);
        errors = 0;
    }
    ~Application() { bdd_done(); }
    static void count_errors(int) { errors++; }
    static int errors;
};

int Application::errors = 0;

void expect_majority(const bdd &function) {
    EXPECT_EQ(64.0, bdd_satcount(function));
    EXPECT_EQ(majority(), function);
    EXPECT_EQ(7, bdd_varnum());
    EXPECT_EQ(0, Application::errors);
}

Members common_to(const Members &first, const Members &second) {
    Members common;
    std::set_intersection(first.begin(), first.end(), second.begin(), second.end(),
                          std::back_inserter(common));
    return common;
}

// Built, looked up and intersected: every result as it should be, and by diagrams.
void use_maps() {
    const Members first = faces(three), second = faces(other);
    const Map a = map_of(first, hybrid), b = map_of(second, as_bdd);
    EXPECT_EQ(CMAP_REP_BDD, MPIR_cmap_representation(a.get()));
    EXPECT_EQ(CMAP_REP_BDD, MPIR_cmap_representation(b.get()));
    EXPECT_TRUE(cmap::worth_diagrams(a.get(), b.get()));
    expect_map_is(a.get(), first);
    expect_map_is(b.get(), second);
    cmap_t *out = nullptr;
    ASSERT_EQ(CMAP_OK, MPIR_cmap_intersection(a.get(), b.get(), &hybrid, &out));
    expect_map_is(Map(out).get(), common_to(first, second));
}

TEST(BddOwner, MapsBeforeDuringAndAfterTheApplication) {
    for (int round = 0; round < 3; round++) {
        use_maps();
        EXPECT_FALSE(bdd_isrunning());
        {
            const Application application;
            const bdd function = majority();
            use_maps();
            EXPECT_TRUE(bdd_isrunning());
            expect_majority(function);
        }
        EXPECT_FALSE(bdd_isrunning());
    }
    use_maps();
}

TEST(Threads, TheApplicationUsesBuDDyMeanwhile) {
    std::atomic<bool> done{false};
    std::thread maps([&] {
        for (int round = 0; round < 100; round++)
            use_maps();
        done = true;
    });
    const Application application;
    for (const bdd function = majority(); !done;)
        expect_majority(function);
    maps.join();
    EXPECT_EQ(0, Application::errors);
}

// BuDDy looks for prime table sizes with random numbers.
template <class Next>
void expect_numbers_go_on(Next next) {
    long expected[20];
    std::srand(17);
    for (long &number : expected)
        number = next();
    std::srand(17);
    for (long number : expected) {
        use_maps();
        EXPECT_EQ(number, next());
    }
}

TEST(BddOwner, RandomNumbersGoOnAsTheyWere) {
    expect_numbers_go_on([] { return long{std::rand()}; });
    expect_numbers_go_on([] { return random(); });
}

TEST(BddOwner, TheStateOfRandomNumbersStaysTheApplications) {
    char own[64], second[64];
    char *const before = initstate(1, own, sizeof own);
    use_maps();
    EXPECT_EQ(own, initstate(2, second, sizeof second));
    use_maps();
    EXPECT_EQ(second, setstate(before));
}

TEST(Threads, DiagramsAreCombinedByOneAfterTheOther) {
    const std::vector<Members> sets = {faces(three), faces(other), faces({"0*1*0*1*0*1*0"}),
                                       faces({"01**1*0**1***", "1*0*11***0***"})};
    std::vector<Map> maps;
    std::vector<std::vector<Members>> common(sets.size());
    for (size_t i = 0; i < sets.size(); i++) {
        maps.push_back(map_of(sets[i], as_bdd));
        for (const Members &second : sets)
            common[i].push_back(common_to(sets[i], second));
    }
    std::atomic<uint32_t> mistakes{0};
    std::vector<std::thread> threads;
    for (unsigned id = 0; id < 4; id++)
        threads.emplace_back([&, id] {
            for (unsigned round = 0; round < 40; round++) {
                const size_t i = (id + round) % sets.size(), j = round / sets.size() % sets.size();
                cmap_t *out = nullptr;
                const cmap_status status =
                    MPIR_cmap_intersection(maps[i].get(), maps[j].get(), &as_bdd, &out);
                const Map result(out);
                bool right = status == CMAP_OK && MPIR_cmap_size(out) == common[i][j].size();
                for (size_t r = 0; right && r < common[i][j].size(); r += 97)
                    right =
                        MPIR_cmap_select_outlined(out, static_cast<uint32_t>(r)) == common[i][j][r];
                mistakes += right ? 0 : 1;
            }
        });
    for (std::thread &thread : threads)
        thread.join();
    EXPECT_EQ(0u, mistakes);
}

}  // namespace
}  // namespace cmap_test
