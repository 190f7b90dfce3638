// SPDX-License-Identifier: BSD-3-Clause
// Scenarios of mpirank1: what they say, and which texts are none.
extern "C" {
#include "../../../src/mpi/solo/solo_scenario.h"
}

#include <gtest/gtest.h>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace {

std::vector<solo_call> calls(const std::string &text, int n) {
    solo_scenario scenario;
    std::vector<solo_call> found(static_cast<size_t>(n));
    EXPECT_TRUE(MPIR_Solo_scenario_parse(text.c_str(), &scenario)) << text;
    EXPECT_EQ(nullptr, MPIR_Solo_scenario_calls(&scenario, n, found.data())) << text;
    return found;
}

std::string in_words(const std::vector<solo_call> &calls) {
    std::string words;
    for (const solo_call &c : calls)
        words += std::to_string(c.colour) + "/" + std::to_string(c.key) + " ";
    return words;
}

TEST(Scenario, SaysWhatItSays) {
    EXPECT_EQ("0/0 0/1 0/2 1/3 1/4 1/5 ", in_words(calls("rows", 6)));
    EXPECT_EQ("0/0 1/1 2/2 0/3 1/4 2/5 ", in_words(calls("columns", 6)));
    EXPECT_EQ("0/0 0/1 0/2 0/3 1/4 1/5 1/6 1/7 ", in_words(calls("planes", 8)));
    EXPECT_EQ("0/0 1/1 0/2 ", in_words(calls("even_odd", 3)));
    EXPECT_EQ("0/2 0/1 0/0 ", in_words(calls("reversed", 3)));
    EXPECT_EQ("0/0 0/1 0/2 ", in_words(calls("same", 3)));
    for (const char *text :
         {"rows", "columns", "planes", "random_permutation 1", "random_colours 4 1"})
        EXPECT_EQ("0/0 ", in_words(calls(text, 1)).replace(0, 1, "0")) << text;
    EXPECT_EQ("0/0 0/1 0/2 0/3 0/4 0/5 0/6 ", in_words(calls("rows", 7)));  // a prime: one row
}

TEST(Scenario, PermutationsArePermutations) {
    for (int n : {2, 7, 1000}) {
        std::set<int> keys;
        for (const solo_call &c : calls("random_permutation 5", n)) {
            EXPECT_EQ(0, c.colour);
            keys.insert(c.key);
        }
        EXPECT_EQ(size_t(n), keys.size());
        EXPECT_EQ(0, *keys.begin());
        EXPECT_EQ(n - 1, *keys.rbegin());
    }
    EXPECT_EQ(in_words(calls("random_permutation 5", 100)),
              in_words(calls("random_permutation 5", 100)));
    EXPECT_NE(in_words(calls("random_permutation 5", 100)),
              in_words(calls("random_permutation 6", 100)));
}

TEST(Scenario, ColoursAreAsManyAsAsked) {
    std::vector<int> members(4);
    for (const solo_call &c : calls("random_colours 4 9", 4000))
        members.at(size_t(c.colour))++;
    for (int n : members)
        EXPECT_NEAR(1000, n, 200);
}

TEST(Scenario, TextsThatAreNone) {
    solo_scenario scenario;
    for (const char *text :
         {"", "row", "rowss", "rows 3", "random_permutation", "random_permutation x",
          "random_permutation -1", "random_permutation 1 2", "random_colours 3",
          "random_colours 0 1", "random_colours 4294967296 1",
          "random_permutation 99999999999999999999999", "same ", " same"})
        EXPECT_FALSE(MPIR_Solo_scenario_parse(text, &scenario)) << text;
}

class File : public ::testing::Test {
  protected:
    std::string name =
        ::testing::TempDir() + "scenario-" + std::to_string(reinterpret_cast<uintptr_t>(this));
    void TearDown() override { std::remove(name.c_str()); }
    const char *read(const std::string &text, int n) {
        std::ofstream(name) << text;
        solo_scenario scenario;
        std::vector<solo_call> found(static_cast<size_t>(n));
        EXPECT_TRUE(MPIR_Solo_scenario_parse(("file " + name).c_str(), &scenario));
        const char *wrong = MPIR_Solo_scenario_calls(&scenario, n, found.data());
        last = in_words(found);
        return wrong;
    }
    std::string last;
};

TEST_F(File, HasALineForEachRank) {
    EXPECT_EQ(nullptr, read("4 0\n-32766 0\n4 -3\n", 3));
    EXPECT_EQ("4/0 -32766/0 4/-3 ", last);
    EXPECT_NE(nullptr, read("4 0\n4 1\n", 3));
    EXPECT_NE(nullptr, read("4 0\n4 1\n5 5\n6 6\n", 3));
    EXPECT_NE(nullptr, read("4 0\n4\n", 2));
    EXPECT_NE(nullptr, read("4 0\nx 1\n", 2));
    EXPECT_NE(nullptr, read("4 0\n-1 1\n", 2));
    EXPECT_NE(nullptr, read("1.5 1\n", 1));
    EXPECT_NE(nullptr, read("", 1));
    std::remove(name.c_str());
    solo_scenario scenario;
    solo_call call;
    EXPECT_TRUE(MPIR_Solo_scenario_parse(("file " + name).c_str(), &scenario));
    EXPECT_NE(nullptr, MPIR_Solo_scenario_calls(&scenario, 1, &call));
}

TEST_F(File, HasNumbersThatAreInts) {
    EXPECT_EQ(nullptr, read("2147483647 -2147483648\n", 1));
    EXPECT_EQ("2147483647/-2147483648 ", last);
    for (const char *text : {"2147483648 0\n", "99999999999 0\n", "0 2147483648\n",
                             "0 -2147483649\n", "0 99999999999999999999999\n"})
        EXPECT_STREQ("the scenario gives a colour or key beyond the range of int", read(text, 1))
            << text;
}

}  // namespace
