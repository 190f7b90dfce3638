// SPDX-License-Identifier: BSD-3-Clause
// The lookups of the bitmap.  No include guard: rep/bitmap.cpp includes this once for every
// instruction set, with
//   CMAP_KERNEL         the namespace
//   CMAP_KERNEL_TARGET  the attribute of its functions
//   CMAP_KERNEL_PDEP    1 when pdep and popcnt are there

namespace CMAP_KERNEL {

CMAP_KERNEL_TARGET inline uint32_t ones(uint64_t word) noexcept {
    return static_cast<uint32_t>(__builtin_popcountll(word));
}

// Place of the one number k of a word.  REQUIRES that there is one.
CMAP_KERNEL_TARGET inline uint32_t place_in_word(uint64_t word, uint32_t k) noexcept {
#if CMAP_KERNEL_PDEP
    return static_cast<uint32_t>(__builtin_ctzll(__builtin_ia32_pdep_di(uint64_t{1} << k, word)));
#else
    // Byte by byte in one word (Vigna, WEA 2008): prefix sums of the byte counts, then the byte,
    // then its ones.
    constexpr uint64_t EACH = 0x0101010101010101u;
    uint64_t sums = word - (word >> 1 & 0x5555555555555555u);
    sums = (sums & 0x3333333333333333u) + (sums >> 2 & 0x3333333333333333u);
    sums = ((sums + (sums >> 4)) & 0x0f0f0f0f0f0f0f0fu) * EACH;
    const uint64_t at_most =
        ((k * EACH | 0x80 * EACH) - sums) & 0x80 * EACH;  // bytes whose sum is <= k
    const uint32_t shift = static_cast<uint32_t>((at_most >> 7) * EACH >> 56) * 8;
    uint32_t rest = k - static_cast<uint32_t>((sums << 8) >> shift & 0xff);
    uint64_t byte = word >> shift & 0xff;
    for (; rest > 0; rest--)
        byte &= byte - 1;
    return shift + static_cast<uint32_t>(__builtin_ctzll(byte));
#endif
}

// Place of the one number k from a word on.
CMAP_KERNEL_TARGET inline uint32_t place_from(const uint64_t *words, uint32_t k) noexcept {
    uint32_t w = 0;
    for (uint32_t n = ones(words[0]); k >= n; n = ones(words[++w]))
        k -= n;
    return w * 64 + place_in_word(words[w], k);
}

// All ones when the first `sum` ones are before number k: arithmetic, so that no compiler makes a
// branch of it.
CMAP_KERNEL_TARGET inline uint32_t passed(uint32_t sum, uint32_t k) noexcept {
    return 0u - uint32_t{sum <= k};
}

// The same in a quarter of a block, without a branch: seven words are counted, and those passed are
// summed.
CMAP_KERNEL_TARGET inline uint32_t place_in_quarter(const uint64_t *words, uint32_t k) noexcept {
    const uint32_t n0 = ones(words[0]), n1 = ones(words[1]), n2 = ones(words[2]),
                   n3 = ones(words[3]);
    const uint32_t n4 = ones(words[4]), n5 = ones(words[5]), n6 = ones(words[6]);
    const uint32_t two = n0 + n1, four = two + (n2 + n3), six = four + (n4 + n5);
    const uint32_t m0 = passed(n0, k), m1 = passed(two, k), m2 = passed(two + n2, k),
                   m3 = passed(four, k);
    const uint32_t m4 = passed(four + n4, k), m5 = passed(six, k), m6 = passed(six + n6, k);
    const uint32_t w = 0u - (((m0 + m1) + (m2 + m3)) + ((m4 + m5) + m6));
    const uint32_t before =
        (((n0 & m0) + (n1 & m1)) + ((n2 & m2) + (n3 & m3))) + (((n4 & m4) + (n5 & m5)) + (n6 & m6));
    return w * 64 + place_in_word(words[w], k - before);
}

CMAP_KERNEL_TARGET uint32_t place_of(const BitmapBody &body, uint32_t rank) noexcept {
    if (body.blocks == nullptr) return place_from(body.words, rank);
    const uint32_t hint = body.hints[rank >> body.hint_shift];
    const uint64_t *const blocks =
        body.blocks + hint;  // mostly it is this one or one of the next two
    uint32_t b = hint + uint32_t{static_cast<uint32_t>(blocks[1]) <= rank} +
                 uint32_t{static_cast<uint32_t>(blocks[2]) <= rank};
    while (static_cast<uint32_t>(body.blocks[b + 1]) <= rank)
        b++;  // ends at the guards
    const uint64_t entry = body.blocks[b];
    const uint32_t rest = rank - static_cast<uint32_t>(entry);
    const uint32_t one = quarter_ones(entry, 1), two = quarter_ones(entry, 2),
                   three = quarter_ones(entry, 3);
    const uint32_t m1 = passed(one, rest), m2 = passed(two, rest), m3 = passed(three, rest);
    const uint32_t quarter = 0u - (m1 + m2 + m3);
    const uint32_t before = (one & m1) + ((two - one) & m2) + ((three - two) & m3);
    const uint32_t word = b * BLOCK_WORDS + quarter * QUARTER_WORDS;
    if (word + QUARTER_WORDS <= body.word_count)
        return word * 64 + place_in_quarter(body.words + word, rest - before);
    return word * 64 + place_from(body.words + word, rest - before);
}

CMAP_KERNEL_TARGET uint32_t ones_before(const BitmapBody &body, uint32_t place) noexcept {
    const uint32_t word = place / 64;
    uint32_t count = 0, w = 0;
    if (body.blocks != nullptr) {
        const uint64_t entry = body.blocks[word / BLOCK_WORDS];
        count = static_cast<uint32_t>(entry) + quarter_ones(entry, word / QUARTER_WORDS % 4);
        w = word / QUARTER_WORDS * QUARTER_WORDS;
    }
    for (; w < word; w++)
        count += ones(body.words[w]);
    return count + ones(body.words[word] & ((uint64_t{1} << place % 64) - 1));
}

}  // namespace CMAP_KERNEL
