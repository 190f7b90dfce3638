// SPDX-License-Identifier: BSD-3-Clause
// The lookups of rank_select.  No include guard: core/rank_select.cpp includes this once for every
// instruction set, with
//   CMAP_KERNEL         the namespace
//   CMAP_KERNEL_TARGET  the attribute of its functions
//   CMAP_KERNEL_PDEP    1 when pdep and popcnt are there

namespace CMAP_KERNEL {

CMAP_KERNEL_TARGET inline uint32_t ones(uint64_t word) noexcept {
    return static_cast<uint32_t>(__builtin_popcountll(word));
}

// Position of the one number k of a word.  REQUIRES that there is one.
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

// `flip` 0: the ones are looked for; all ones: the zeros.

// Position of number k from a word on.
CMAP_KERNEL_TARGET inline uint32_t position_from(const uint64_t *words, uint32_t k,
                                                 uint64_t flip) noexcept {
    uint32_t w = 0;
    for (uint32_t n = ones(words[0] ^ flip); k >= n; n = ones(words[++w] ^ flip))
        k -= n;
    return w * 64 + place_in_word(words[w] ^ flip, k);
}

// All ones when the first `sum` are before number k: arithmetic, so that no compiler makes a branch
// of it.
CMAP_KERNEL_TARGET inline uint32_t passed(uint32_t sum, uint32_t k) noexcept {
    return 0u - uint32_t{sum <= k};
}

// The same in a quarter of a block, without a branch: seven words are counted, and those passed are
// summed.
CMAP_KERNEL_TARGET inline uint32_t position_in_quarter(const uint64_t *words, uint32_t k,
                                                       uint64_t flip) noexcept {
    const uint32_t n0 = ones(words[0] ^ flip), n1 = ones(words[1] ^ flip);
    const uint32_t n2 = ones(words[2] ^ flip), n3 = ones(words[3] ^ flip);
    const uint32_t n4 = ones(words[4] ^ flip), n5 = ones(words[5] ^ flip);
    const uint32_t n6 = ones(words[6] ^ flip);
    const uint32_t two = n0 + n1, four = two + (n2 + n3), six = four + (n4 + n5);
    const uint32_t m0 = passed(n0, k), m1 = passed(two, k), m2 = passed(two + n2, k),
                   m3 = passed(four, k);
    const uint32_t m4 = passed(four + n4, k), m5 = passed(six, k), m6 = passed(six + n6, k);
    const uint32_t w = 0u - (((m0 + m1) + (m2 + m3)) + ((m4 + m5) + m6));
    const uint32_t before =
        (((n0 & m0) + (n1 & m1)) + ((n2 & m2) + (n3 & m3))) + (((n4 & m4) + (n5 & m5)) + (n6 & m6));
    return w * 64 + place_in_word(words[w] ^ flip, k - before);
}

// Position of number k of a block, given what each of its first quarters has.
CMAP_KERNEL_TARGET __attribute__((always_inline)) inline uint64_t position_in_block(
    const RankSelect &bits, uint32_t b, uint32_t one, uint32_t two, uint32_t three, uint32_t k,
    uint64_t flip) noexcept {
    const uint32_t m1 = passed(one, k), m2 = passed(two, k), m3 = passed(three, k);
    const uint32_t quarter = 0u - (m1 + m2 + m3);
    const uint32_t before = (one & m1) + ((two - one) & m2) + ((three - two) & m3);
    const uint64_t word = uint64_t{b} * BLOCK_WORDS + quarter * QUARTER_WORDS;
    if (word + QUARTER_WORDS <= bits.word_count)
        return word * 64 + position_in_quarter(bits.words + word, k - before, flip);
    return word * 64 + position_from(bits.words + word, k - before, flip);
}

CMAP_KERNEL_TARGET uint64_t select1(const RankSelect &bits, uint32_t k) noexcept {
    if (bits.blocks == nullptr) return position_from(bits.words, k, 0);
    const uint32_t hint = bits.hints[k >> bits.hint_shift];
    const uint64_t *const blocks =
        bits.blocks + hint;  // mostly it is this one or one of the next two
    uint32_t b = hint + uint32_t{static_cast<uint32_t>(blocks[1]) <= k} +
                 uint32_t{static_cast<uint32_t>(blocks[2]) <= k};
    while (static_cast<uint32_t>(bits.blocks[b + 1]) <= k)
        b++;  // ends at the guards
    const uint64_t entry = bits.blocks[b];
    return position_in_block(bits, b, quarter_ones(entry, 1), quarter_ones(entry, 2),
                             quarter_ones(entry, 3), k - static_cast<uint32_t>(entry), 0);
}

// From the sample on: mostly within a quarter's length.
CMAP_KERNEL_TARGET uint64_t select1_sampled(const RankSelect &bits, uint32_t k) noexcept {
    if (bits.blocks == nullptr) return position_from(bits.words, k, 0);
    const uint32_t position = bits.hints[k >> bits.hint_shift];
    const uint64_t *words = bits.words + position / 64;
    uint64_t at = position & ~63u;
    uint32_t rest =
        (k & ((1u << bits.hint_shift) - 1)) + ones(words[0] & ((uint64_t{1} << position % 64) - 1));
    for (; at / 64 + QUARTER_WORDS <= bits.word_count; at += QUARTER_WORDS * 64) {
        uint32_t all = 0;
        for (uint32_t w = 0; w < QUARTER_WORDS; w++)
            all += ones(words[w]);
        if (rest < all) return at + position_in_quarter(words, rest, 0);
        rest -= all;
        words += QUARTER_WORDS;
    }
    return at + position_from(words, rest, 0);
}

CMAP_KERNEL_TARGET inline uint64_t zeros_before(const RankSelect &bits, uint32_t b) noexcept {
    return uint64_t{b} * BLOCK_WORDS * 64 - static_cast<uint32_t>(bits.blocks[b]);
}

// The guards are for ones: here the number of blocks is the bound.
CMAP_KERNEL_TARGET uint64_t select0(const RankSelect &bits, uint64_t k) noexcept {
    if (bits.blocks == nullptr)
        return position_from(bits.words, static_cast<uint32_t>(k), ~uint64_t{0});
    const uint32_t hint = zero_hints(bits)[k >> bits.zero_shift], count = block_count(bits);
    uint32_t b = hint + (uint32_t{hint + 1 < count} & uint32_t{zeros_before(bits, hint + 1) <= k}) +
                 (uint32_t{hint + 2 < count} & uint32_t{zeros_before(bits, hint + 2) <= k});
    while (b + 1 < count && zeros_before(bits, b + 1) <= k)
        b++;
    const uint64_t entry = bits.blocks[b];
    constexpr uint32_t QUARTER = QUARTER_WORDS * 64;
    return position_in_block(bits, b, QUARTER - quarter_ones(entry, 1),
                             2 * QUARTER - quarter_ones(entry, 2),
                             3 * QUARTER - quarter_ones(entry, 3),
                             static_cast<uint32_t>(k - zeros_before(bits, b)), ~uint64_t{0});
}

// Ones (flip 0) or zeros (all ones) before a block; before the guards, more
// than there are.
CMAP_KERNEL_TARGET inline uint32_t before_block(const RankSelect &bits, uint32_t b,
                                                uint32_t flip) noexcept {
    return (static_cast<uint32_t>(bits.blocks[b]) ^ flip) + (((b * BLOCK_WORDS * 64) + 1) & flip);
}

// The sides come as at random: here they make no branch.
CMAP_KERNEL_TARGET uint32_t select_side(const RankSelect &bits, bool one, uint32_t k) noexcept {
    const uint64_t flip = uint64_t{one} - 1;
    if (bits.blocks == nullptr) return position_from(bits.words, k, flip);
    const uint32_t low = static_cast<uint32_t>(flip), end = block_count(bits);
    const uint32_t *const zeros = zero_hints(bits);
    const std::ptrdiff_t apart = (bits.hints - zeros) & ~static_cast<std::ptrdiff_t>(flip);
    const unsigned shift = bits.hint_shift ^ ((bits.hint_shift ^ bits.zero_shift) & low);
    const uint32_t hint = zeros[apart + (k >> shift)];
    const uint32_t third = hint + 3 < end ? hint + 3 : end,
                   fourth = hint + 4 < end ? hint + 4 : end;
    uint32_t b = hint - passed(before_block(bits, hint + 1, low), k) -
                 passed(before_block(bits, hint + 2, low), k) -
                 passed(before_block(bits, third, low), k) -
                 passed(before_block(bits, fourth, low), k);
    while (before_block(bits, b + 1, low) <= k)
        b++;  // ends at the guards
    const uint64_t entry = bits.blocks[b];
    constexpr uint32_t QUARTER = QUARTER_WORDS * 64;
    // zeros = bits - ones = bits + ~ones + 1
    const uint32_t q1 = (quarter_ones(entry, 1) ^ low) + ((QUARTER + 1) & low);
    const uint32_t q2 = (quarter_ones(entry, 2) ^ low) + ((2 * QUARTER + 1) & low);
    const uint32_t q3 = (quarter_ones(entry, 3) ^ low) + ((3 * QUARTER + 1) & low);
    return static_cast<uint32_t>(
        position_in_block(bits, b, q1, q2, q3, k - before_block(bits, b, low), flip));
}

// Positions where the next one is near are found by going on from the last.
CMAP_KERNEL_TARGET void select_increasing(const RankSelect &bits, bool one, uint32_t *k,
                                          uint32_t n) noexcept {
    constexpr uint32_t NEAR = 256;
    const uint64_t flip = uint64_t{one} - 1;
    for (uint32_t i = 0; i < n;) {
        uint32_t last = k[i];
        const uint32_t position = CMAP_KERNEL::select_side(bits, one, last);
        uint32_t w = position / 64;
        uint64_t word = bits.words[w] ^ flip;
        uint32_t before = last - ones(word & ((uint64_t{1} << position % 64) - 1));
        for (k[i++] = position; i < n && k[i] - last < NEAR; i++) {
            last = k[i];
            for (uint32_t in = ones(word); last - before >= in; in = ones(word)) {
                before += in;
                word = bits.words[++w] ^ flip;
            }
            k[i] = w * 64 + place_in_word(word, last - before);
        }
    }
}

CMAP_KERNEL_TARGET uint32_t rank1(const RankSelect &bits, uint64_t position) noexcept {
    const uint64_t word = position / 64;
    uint64_t w = 0;
    uint32_t count = 0;
    if (bits.blocks != nullptr) {
        const uint64_t entry = bits.blocks[word / BLOCK_WORDS];
        count = static_cast<uint32_t>(entry) +
                quarter_ones(entry, static_cast<uint32_t>(word / QUARTER_WORDS % 4));
        w = word / QUARTER_WORDS * QUARTER_WORDS;
    }
    for (; w < word; w++)
        count += ones(bits.words[w]);
    return count + ones(bits.words[word] & ((uint64_t{1} << position % 64) - 1));
}

// The entry of a block with `before` ones before it; adds the block's.
CMAP_KERNEL_TARGET inline uint64_t block_entry(const RankSelect &bits, uint32_t b,
                                               uint32_t &before) noexcept {
    uint64_t sums[5] = {0, 0, 0, 0, 0};
    uint64_t w = uint64_t{b} * BLOCK_WORDS;
    for (uint32_t q = 0; q < 4; q++) {
        sums[q + 1] = sums[q];
        for (uint32_t i = 0; i < QUARTER_WORDS && w < bits.word_count; i++)
            sums[q + 1] += ones(bits.words[w++]);
    }
    const uint64_t entry = before | sums[1] << 32 | sums[2] << 42 | sums[3] << 53;
    before += static_cast<uint32_t>(sums[4]);
    return entry;
}

CMAP_KERNEL_TARGET void fill_samples(RankSelect &bits) noexcept {
    uint64_t next = 0;  // the number of the next one to be noted
    uint32_t before = 0;
    for (uint32_t w = 0; w < bits.word_count; w++) {
        const uint32_t n = ones(bits.words[w]);
        for (; next < uint64_t{before} + n; next += uint64_t{1} << bits.hint_shift)
            bits.hints[next >> bits.hint_shift] =
                w * 64 + place_in_word(bits.words[w], static_cast<uint32_t>(next - before));
        before += n;
    }
}

CMAP_KERNEL_TARGET void fill(RankSelect &bits) noexcept {
    uint32_t *const zero = zero_hints(bits), *const zero_end = bits.hints;
    const uint32_t count = block_count(bits);
    uint64_t next = 0, next_zero = 0;
    uint32_t before = 0;
    for (uint32_t b = 0; b < count; b++) {
        bits.blocks[b] = block_entry(bits, b, before);
        for (; !bits.sampled && next << bits.hint_shift < before; next++)
            bits.hints[next] = b;
        const uint64_t zeros = (uint64_t{b} + 1) * BLOCK_WORDS * 64 - before;
        for (; zero + next_zero < zero_end && next_zero << bits.zero_shift < zeros; next_zero++)
            zero[next_zero] = b;
    }
    for (uint32_t i = 0; i < GUARDS; i++)
        bits.blocks[count + i] = UINT32_MAX;
    if (bits.sampled) fill_samples(bits);
}

}  // namespace CMAP_KERNEL
