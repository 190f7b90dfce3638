// SPDX-License-Identifier: BSD-3-Clause
// Fingerprints of members: the same however they are given, and different for what sums cannot
// tell apart.
#include "case_file.hpp"

#include <random>
#include <set>

#include "core/survey.hpp"

namespace cmap_test {
namespace {

using cmap::Fingerprint;

uint64_t of_members(const Members &members) {
    Fingerprint fingerprint;
    fingerprint.add(members.data(), static_cast<uint32_t>(members.size()));
    return fingerprint.value();
}

cmap::BitSet bits_of(const std::vector<uint64_t> &words, uint32_t base) {
    cmap::BitSet set;
    set.words = words.data();
    set.count = static_cast<uint32_t>(words.size());
    set.base = base;
    return set;
}

Members members_of(const cmap::BitSet &set) {
    Members members(set.count * 64);
    uint32_t n = 0;
    for (uint32_t w = 0; w < set.count; w++)
        n += set.decode_word(w, members.data() + n);
    members.resize(n);
    return members;
}

TEST(Residue, ProductsOfBothKindsAreEqual) {
    using namespace cmap::residue;
    std::mt19937_64 random(1);
    const uint64_t edges[] = {0, 1, 2, 0x7fffffff, 0x80000000, MODULUS - 1, MODULUS / 2};
    for (uint64_t a : edges)
        for (uint64_t b : edges)
            EXPECT_EQ(times(a, b), times_portable(a, b)) << a << " " << b;
    for (int i = 0; i < 100000; i++) {
        const uint64_t a = random() % MODULUS, b = random() % MODULUS;
        ASSERT_EQ(times(a, b), times_portable(a, b)) << a << " " << b;
    }
    EXPECT_EQ(1u, times(MODULUS - 1, MODULUS - 1));
    EXPECT_EQ(MODULUS - 3, of_signed(-3));
}

TEST(Fingerprint, OfPiecesIsThatOfTheirMembers) {
    std::mt19937 random(2);
    for (int trial = 0; trial < 3000; trial++) {
        Fingerprint pieces;
        Members members;
        for (uint32_t k = 0; k < 1 + random() % 4; k++) {
            const uint32_t count = 1 + random() % (trial % 10 == 0 ? 700 : 9);
            const uint32_t repeats = 1 + random() % (trial % 7 == 0 ? 40 : 3);
            const auto step = static_cast<int32_t>(random() % 21) - 10;
            const auto pitch = static_cast<int32_t>(random() % 2001) - 1000;
            const uint32_t first = 1000000 + random() % 1000000;
            const cmap::Piece piece{{first, step, count}, repeats, pitch};
            pieces.add(piece);
            for (uint32_t i = 0; i < repeats; i++)
                for (uint32_t j = 0; j < count; j++)
                    members.push_back(piece.repeat(i).at(j));
        }
        ASSERT_EQ(of_members(members), pieces.value()) << trial;
    }
}

TEST(Fingerprint, OfWordsIsThatOfTheirMembers) {
    std::mt19937_64 random(3);
    for (int trial = 0; trial < 2000; trial++) {
        std::vector<uint64_t> words(1 + random() % 9);
        for (uint64_t &word : words)
            word = trial % 4 == 0   ? random()
                   : trial % 4 == 1 ? random() & random() & random()
                                    : random() % 3 - 1;
        const cmap::BitSet first = bits_of(words, 64 * (random() % 1000));
        const cmap::BitSet second = bits_of(words, 64 * (random() % 1000));
        Fingerprint bits;
        bits.add(first);
        bits.add(second);
        Members members = members_of(first);
        for (uint32_t member : members_of(second))
            members.push_back(member);
        ASSERT_EQ(of_members(members), bits.value()) << trial;
    }
}

// {0, 3, 5, 6} and {1, 2, 4, 7} have equal sums of members and of squares, and so have all
// sequences of them; permutations of few members have few sums.
TEST(Fingerprint, TellsApartWhatSumsDoNot) {
    std::set<uint64_t> seen;
    for (uint32_t choice = 0; choice < 1u << 12; choice++) {
        Members members;
        for (uint32_t i = 0; i < 12; i++)
            for (uint32_t member :
                 (choice >> i & 1) != 0 ? Members{0, 3, 5, 6} : Members{1, 2, 4, 7})
                members.push_back(8 * i + member);
        EXPECT_TRUE(seen.insert(of_members(members)).second) << choice;
    }
    seen.clear();
    Members order = {0, 1, 2, 3, 4, 5, 6};
    do
        EXPECT_TRUE(seen.insert(of_members(order)).second);
    while (std::next_permutation(order.begin(), order.end()));
    EXPECT_EQ(5040u, seen.size());
}

}  // namespace
}  // namespace cmap_test
