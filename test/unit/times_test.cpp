// SPDX-License-Identifier: BSD-3-Clause
// Files of calibrated times: what is taken, what is refused, and that the strategies go by them.
#include "core/times.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>

#include "case_file.hpp"
#include "support.hpp"

namespace cmap_test {
namespace {

using Values = std::vector<std::vector<double>>;

Values values_now() {
    unsigned count = 0;
    const cmap::CalibratedTime *times = cmap::calibrated_times(&count);
    Values values;
    for (unsigned i = 0; i < count; i++)
        values.emplace_back(times[i].values, times[i].values + times[i].count);
    return values;
}

class Times : public ::testing::Test {
  protected:
    void TearDown() override {
        unsigned count = 0;
        const cmap::CalibratedTime *times = cmap::calibrated_times(&count);
        for (unsigned i = 0; i < count; i++)
            std::copy(before_[i].begin(), before_[i].end(), times[i].values);
        std::remove(path_.c_str());
    }
    // "" or what is wrong
    std::string read(const std::string &text) {
        std::ofstream(path_, std::ios::binary) << text;
        char why[160] = "";
        const cmap_status status = MPIR_cmap_times_read(path_.c_str(), why, sizeof why);
        EXPECT_EQ(status == CMAP_OK, *why == '\0') << why;
        return why;
    }
    double value(const std::string &name) const {
        unsigned count = 0;
        const cmap::CalibratedTime *times = cmap::calibrated_times(&count);
        for (unsigned i = 0; i < count; i++)
            if (times[i].name == name) return times[i].values[0];
        return -1;
    }
    const Values before_ = values_now();
    const std::string path_ = ::testing::TempDir() + "times_" + std::to_string(getpid());
};

TEST_F(Times, EveryTimeOfTheHeaderHasAName) {
    std::ifstream header(std::string(std::getenv("CMAP_TEST_DIR")) +
                         "/../../src/mpid/common/cmap/cmap_times.hpp");
    std::set<std::string> declared, named;
    const std::string before = "inline double ";
    for (std::string line; std::getline(header, line);)
        if (line.compare(0, before.size(), before) == 0 && line.find('=') != std::string::npos)
            declared.insert(line.substr(before.size(),
                                        line.find_first_of(" [", before.size()) - before.size()));
    unsigned count = 0;
    const cmap::CalibratedTime *times = cmap::calibrated_times(&count);
    for (unsigned i = 0; i < count; i++)
        named.insert(times[i].name);
    ASSERT_GT(declared.size(), 10u);
    EXPECT_EQ(declared, named);
}

TEST_F(Times, TheNamedOnesAreSet) {
    const double runs = value("TIME_RUNS"), gap = value("TIME_GAP");
    EXPECT_EQ("", read("cmap-times 1\n# a comment\n\nPACKED 12345 # ps\nbwt 7"));
    EXPECT_DOUBLE_EQ(12.345, value("TIME_PACKED"));
    EXPECT_DOUBLE_EQ(0.007, value("TIME_BWT"));
    EXPECT_DOUBLE_EQ(runs, value("TIME_RUNS"));
    EXPECT_DOUBLE_EQ(gap, value("TIME_GAP"));
}

TEST_F(Times, AWrongFileChangesNothing) {
    const std::string head = "cmap-times 1\nPACKED 1\n";
    const std::pair<std::string, std::string> wrong[] = {
        {"", "line 1 is not"},
        {"cmap-times 2\n", "line 1 is not"},
        {"cmap-times 10\n", "line 1 is not"},
        {head + "speed 3\n", "line 3 names speed"},
        {head + "gap\n", "line 3 has 0 values of gap, not 1"},
        {head + "gap 1 2\n", "line 3 has 2 values of gap, not 1"},
        {head + "runs 1\n", "line 3 has 1 values of runs, not 13"},
        {head + "affine 1 2 3\n", "line 3 has 3 values of affine, not 7"},
        {head + "affine 1 2 3 4 5 7 6\n", "line 3 has values of affine that fall"},
        {head + "gap 1.5\n", "line 3 has 1.5 where"},
        {head + "gap -1\n", "line 3 has -1 where"},
        {head + "gap 0\n", "line 3 has 0 where"},
        {head + "gap 1000000001\n", "line 3 has 1000000001 where"},
        {head + "gap 99999999999999999999999\n", "where picoseconds belong"},
        {head + "gap nan\n", "line 3 has nan where"},
        {head + "# " + std::string(2000, 'x') + "\n", "line 3 is longer"},
        {head +
             [] {
                 std::string many = "access";
                 for (int i = 0; i < 100; i++)
                     many += " 5";
                 return many;
             }(),
         "line 3 has 100 values of access, not 16"},
    };
    for (const auto &[text, why] : wrong) {
        EXPECT_NE(std::string::npos, read(text).find(why)) << read(text);
        EXPECT_EQ(before_, values_now()) << text;
    }
}

TEST_F(Times, AFileThatIsNotThere) {
    char why[160] = "";
    EXPECT_EQ(CMAP_ERR_INVALID, MPIR_cmap_times_read("/nonexistent/times", why, sizeof why));
    EXPECT_STREQ("No such file or directory", why);
    EXPECT_EQ(CMAP_ERR_INVALID,
              MPIR_cmap_times_read(::testing::TempDir().c_str(), why, sizeof why));
    EXPECT_EQ(before_, values_now());
}

TEST_F(Times, ALittleRoomForTheReason) {
    std::ofstream(path_) << "nothing";
    char why[8] = "xxxxxxx";
    EXPECT_EQ(CMAP_ERR_INVALID, MPIR_cmap_times_read(path_.c_str(), why, sizeof why));
    EXPECT_STREQ("line 1 ", why);
}

TEST_F(Times, TheStrategiesGoByThem) {
    const Members members = random_set(1u << 16, 0.5, 1);
    const auto chosen = [&] {
        return MPIR_cmap_representation(map_of(members, by(CMAP_STRATEGY_TIME)).get());
    };
    ASSERT_EQ("", read("cmap-times 1\nbitmap 1000000\n"));
    EXPECT_NE(CMAP_REP_BITMAP, chosen());
    // A bitmap takes 8 KiB, lists 64 KiB and more.
    ASSERT_EQ("", read("cmap-times 1\nbitmap 1\n"
                       "access 1 1 1 900 900 900 900 900 900 900 900 900 900 900 900 900\n"));
    EXPECT_EQ(CMAP_REP_BITMAP, chosen());
}

}  // namespace
}  // namespace cmap_test
