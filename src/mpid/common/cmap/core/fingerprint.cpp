// SPDX-License-Identifier: BSD-3-Clause
#include "core/fingerprint.hpp"

#include <unistd.h>
#include <ctime>

namespace cmap {
namespace {

using namespace residue;

uint64_t to_the(uint64_t base, uint64_t exponent) noexcept {
    uint64_t result = 1;
    for (; exponent != 0; exponent >>= 1, base = times(base, base))
        if ((exponent & 1) != 0) result = times(result, base);
    return result;
}

// Without the system's random numbers, whatever differs from one start to the next.
uint64_t draw() noexcept {
    uint64_t drawn = 0;
#if defined(__GLIBC__) || defined(__APPLE__) || defined(__FreeBSD__)
    if (getentropy(&drawn, sizeof drawn) != 0) drawn = 0;
#endif
    timespec now = {};
    if (drawn == 0 && clock_gettime(CLOCK_REALTIME, &now) == 0) {
        drawn = hash_step(static_cast<uint64_t>(now.tv_sec), static_cast<uint64_t>(now.tv_nsec));
        drawn = hash_step(drawn, reinterpret_cast<uintptr_t>(&now));
        drawn = hash_step(drawn, static_cast<uint64_t>(getpid()));
    }
    return 2 + drawn % (MODULUS - 3);
}

// What follows from k.
struct Powers {
    uint64_t of_digit[4][256];                         // k^(digit 256^i)
    uint64_t of_block[Fingerprint::MOST_BLOCKS + 1];   // k^(BLOCK i)
    uint64_t of_block_high[Fingerprint::MOST_BLOCKS];  // 2^31 times that
    uint64_t inverse;                                  // of k - 1
    uint64_t inverse8;                                 // 8 times that
    uint64_t byte[256];  // the positions of its ones times the powers of k, as of a set of them
    Fingerprint::Weights weights;

    explicit Powers(uint64_t k) noexcept {
        for (auto &digit : of_digit) {
            digit[0] = 1;
            for (unsigned i = 1; i < 256; i++)
                digit[i] = times(digit[i - 1], k);
            k = times(digit[255], k);
        }
        of_block[0] = 1;
        for (uint32_t i = 0; i < Fingerprint::MOST_BLOCKS; i++) {
            of_block_high[i] = times(of_block[i], uint64_t{1} << 31);
            of_block[i + 1] = times(of_block[i], of_digit[0][Fingerprint::BLOCK]);
        }
        inverse = to_the(minus(of_digit[0][1], 1), MODULUS - 2);
        inverse8 = times(8, inverse);
        byte[0] = 0;
        for (unsigned value = 1; value < 256; value++) {
            const unsigned top = 31 - static_cast<unsigned>(__builtin_clz(value));
            const unsigned below = value ^ 1u << top;
            const auto ones = static_cast<unsigned>(__builtin_popcount(below));
            byte[value] = plus(byte[below], times(top, of_digit[0][ones]));
        }
        for (uint32_t i = 0; i < Fingerprint::BLOCK; i++) {
            weights.low[i % 2][i / 2] = of_digit[0][i] & 0x7fffffff;
            weights.high[i % 2][i / 2] = of_digit[0][i] >> 31;
        }
    }

    uint64_t operator()(uint32_t n) const noexcept {
        uint64_t power = of_digit[0][n & 0xff];
        for (unsigned i = 1; (n >>= 8) != 0; i++)
            power = times(power, of_digit[i][n & 0xff]);
        return power;
    }
    // 1 + k + ... + k^(n - 1), from k^n.
    uint64_t sum(uint64_t power) const noexcept { return times(minus(power, 1), inverse); }
};

const Powers &powers() noexcept {
    static const Powers made(draw());
    return made;
}

// first + i step, 0 <= i < n, times the powers of k; `sum` is theirs.
uint64_t of_run(const Powers &k, const Run &run, uint64_t power, uint64_t sum) noexcept {
    // 0 + k + 2 k^2 + ... + (n - 1) k^(n - 1)
    const uint64_t scaled = plus(minus(times(power, run.count - 1), sum), 1);
    Products products;
    products.add(run.first, sum);
    products.add(of_signed(run.step), times(scaled, k.inverse));
    return products.value();
}

// What `n` repeats come to: 1 + q + ... + q^(n-1), 0 + q + ... + (n-1) q^(n-1) and q^n, by
// doubling, since q - 1 has no inverse at hand.
struct Repeats {
    uint64_t sum = 0, scaled = 0, power = 1;

    Repeats(uint32_t n, uint64_t q) noexcept {
        uint64_t made = 0;
        for (uint32_t bit = uint32_t{1} << (31 - __builtin_clz(n)); bit != 0; bit >>= 1) {
            scaled = plus(scaled, times(power, plus(scaled, times(made, sum))));
            sum = plus(sum, times(power, sum));
            power = times(power, power);
            made *= 2;
            if ((n & bit) == 0) continue;
            scaled = plus(scaled, times(made, power));
            sum = plus(sum, power);
            power = times(power, q);
            ++made;
        }
    }
};

// n members: what they come to, 1 + k + ... + k^(n-1), and k^n.
struct Part {
    uint64_t value, ones, power;
};

Part run_part(const Run &run) noexcept {
    const Powers &k = powers();
    const uint64_t power = k(run.count), ones = k.sum(power);
    return Part{of_run(k, run, power, ones), ones, power};
}

// The part n times, moved on by the pitch each time.
void repeat(Part &part, uint32_t n, int32_t pitch) noexcept {
    const Repeats repeats(n, part.power);
    Products products;
    products.add(part.value, repeats.sum);
    products.add(times(of_signed(pitch), part.ones), repeats.scaled);
    part = Part{products.value(), times(part.ones, repeats.sum), repeats.power};
}

uint64_t of_some(const Powers &k, const uint32_t *members, uint32_t n) noexcept {
    Products products;
    for (uint32_t i = 0; i < n; i++)
        products.add(members[i], k.of_digit[0][i]);
    return products.value();
}

// The positions of the ones of a word, times the powers of k.  `before`: in byte b, ones in the
// bytes up to b.  The 8 that each byte adds to its positions are summed by parts.
uint64_t of_word(const Powers &k, uint64_t word, uint64_t before) noexcept {
    Products products;
    uint64_t boundaries = 0;
    products.add(k.byte[word & 0xff], 1);
    for (unsigned b = 1; b < 8; b++) {
        const uint64_t power = k.of_digit[0][before >> (8 * b - 8) & 0xff];
        products.add(k.byte[word >> (8 * b) & 0xff], power);
        boundaries += power;
    }
    const uint64_t all = reduced(7 * k.of_digit[0][before >> 56]);
    products.add(minus(all, reduced(boundaries)), k.inverse8);
    return products.value();
}

// In byte b, the ones in the bytes up to b.
uint64_t ones_up_to(uint64_t word) noexcept {
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return word * 0x0101010101010101u;
}

}  // namespace

const Fingerprint::Weights &Fingerprint::weights() noexcept { return powers().weights; }

inline void Fingerprint::join(uint64_t part, uint64_t power) noexcept {
    sum_ = plus(sum_, times(part, power_));
    power_ = times(power_, power);
}

void Fingerprint::add_blocks(const uint64_t *low, const uint64_t *high, uint32_t n,
                             uint32_t base) noexcept {
    const Powers &k = powers();
    const uint64_t power = n < BLOCK ? k.of_digit[0][n] : k.of_block[n / BLOCK];
    Products products;
    if (base != 0) products.add(base, k.sum(power));
    for (uint32_t i = 0; i * BLOCK < n; i++) {
        products.add(reduced(low[i]), k.of_block[i]);
        products.add(reduced(high[i]), k.of_block_high[i]);
    }
    join(products.value(), power);
}

void Fingerprint::add(const uint32_t *members, uint32_t n) noexcept {
    const Powers &k = powers();
    for (; n >= BLOCK; members += BLOCK, n -= BLOCK)
        join(of_some(k, members, BLOCK), k.of_digit[0][BLOCK]);
    join(of_some(k, members, n), k.of_digit[0][n]);
}

void Fingerprint::add(const Piece &piece) noexcept {
    Part part = run_part(piece.run);
    if (piece.repeats > 1) repeat(part, piece.repeats, piece.pitch);
    join(part.value, part.power);
}

void Fingerprint::add(const AffineForm &form) noexcept {
    Part part = run_part(Run{form.base, form.stride[0], form.count(0)});
    for (uint32_t k = 1; k < form.levels; k++)
        repeat(part, form.count(k), form.stride[k]);
    join(part.value, part.power);
}

void Fingerprint::add(const BitSet &set) noexcept {
    const Powers &k = powers();
    for (uint32_t w = 0; w < set.count; w++) {
        const uint64_t word = set.words[w];
        if (word == 0) continue;
        const uint64_t ones = ones_up_to(word), power = k.of_digit[0][ones >> 56];
        Products products;
        products.add(of_word(k, word, ones), 1);
        products.add(uint64_t{set.base} + uint64_t{w} * 64, k.sum(power));
        join(products.value(), power);
    }
}

}  // namespace cmap
