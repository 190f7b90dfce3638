// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: bytes are a description, as they are and with a right header, and also rows, whose
// descriptions must mean what they are.  A difference aborts, so the fuzzer keeps the input.
#include "../require.hpp"
#include "colours/rows.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace {

using colours_test::Bytes;
using colours_test::decode;
using colours_test::Rows;

void fold_or(uint64_t *all, uint64_t offer) { *all |= offer; }

bool has_failed(const Bytes &all) { return MPIR_colours_flags(all.data()) & COLOURS_FAILED; }

Bytes merge(const Bytes &low, const Bytes &high) {
    Bytes out(low.size() + high.size() + COLOURS_EXTRA + COLOURS_SLACK);
    out.resize(MPIR_colours_merge(low.data(), high.data(), fold_or, out.data()));
    REQUIRE(out.size() <= low.size() + high.size());
    return out;
}

// The members of a colour, where they have a form, are those of the rows in the order of the keys.
void check_colour(const Bytes &all, const Rows &rows, int32_t colour) {
    const std::vector<uint32_t> right = colours_test::ordered(rows, colour);
    colours_order order;
    const uint32_t self = right.empty() ? 0 : right[right.size() / 2];
    const std::vector<uint32_t> found = colours_test::arranged(all, colour, self, &order);
    REQUIRE(order.members == right.size());
    if (order.form == COLOURS_TABLE) return;
    REQUIRE(found == right);
    REQUIRE(right.empty() || order.rank == right.size() / 2);
}

constexpr uint32_t MOST = 4096;  // ranks that are worth a look at each

void take_description(const Bytes &bytes, uint32_t n) {
    if (n == 0 || n > MOST || !MPIR_colours_check(bytes.data(), bytes.size(), n)) return;
    REQUIRE(MPIR_colours_check_most(bytes.data(), bytes.size(), n));
    if (has_failed(bytes)) return;
    REQUIRE(MPIR_colours_ranks(bytes.data()) == n);
    REQUIRE(!MPIR_colours_check_most(bytes.data(), bytes.size(), n - 1));
    const Rows rows = decode(bytes);
    REQUIRE(rows.size() == n);
    check_colour(bytes, rows, rows[0].colour);
    check_colour(bytes, rows, rows[n / 2].colour);
    const Bytes twice = merge(bytes, bytes);
    REQUIRE(MPIR_colours_check(twice.data(), twice.size(), 2 * n));
    Rows both = rows;
    both.insert(both.end(), rows.begin(), rows.end());
    const Rows merged = decode(twice);
    REQUIRE(std::equal(
        both.begin(), both.end(), merged.begin(), merged.end(),
        [](colours_row a, colours_row b) { return a.colour == b.colour && a.key == b.key; }));
}

// The bytes behind a header that fits them; their ranks are those that the first two bytes say.
void take_body(const uint8_t *data, size_t size) {
    if (size < 2) return;
    Bytes bytes(COLOURS_HEADER);
    bytes[0] = COLOURS_VERSION;
    bytes.insert(bytes.end(), data + 2, data + size);
    for (int i = 0; i < 4; i++)
        bytes[4 + static_cast<size_t>(i)] = static_cast<uint8_t>(bytes.size() >> (8 * i));
    take_description(bytes, data[0] + 256u * (data[1] & 15));
}

// A byte for each rank, or a pattern of few of them again and again.
void take_rows(const uint8_t *data, size_t size) {
    if (size < 3) return;
    const size_t period = 1 + data[0] % (size - 1), n = 1 + data[1];
    std::vector<Bytes> blocks;
    Rows rows;
    for (size_t r = 0; r < n; r++) {
        const uint8_t byte = data[1 + r % period];
        const int turn = static_cast<int>(r / period);
        rows.push_back({(byte & 3) + (byte & 4 ? turn : 0), (byte >> 3) + (byte & 128 ? turn : 0)});
        Bytes leaf(COLOURS_HEADER + COLOURS_EXTRA);
        leaf.resize(MPIR_colours_leaf(leaf.data(), rows.back(), 1, 0));
        blocks.push_back(leaf);
    }
    while (blocks.size() > 1) {
        std::vector<Bytes> next;
        for (size_t i = 0; i + 1 < blocks.size(); i += 2)
            next.push_back(merge(blocks[i], blocks[i + 1]));
        if (blocks.size() % 2) next.push_back(blocks.back());
        blocks.swap(next);
    }
    REQUIRE(MPIR_colours_check(blocks[0].data(), blocks[0].size(), static_cast<uint32_t>(n)));
    const Rows found = decode(blocks[0]);
    for (size_t r = 0; r < n; r++)
        REQUIRE(found[r].colour == rows[r].colour && found[r].key == rows[r].key);
    check_colour(blocks[0], rows, rows[n / 2].colour);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    take_description(Bytes(data, data + size), size > 0 ? data[size - 1] : 0);
    take_body(data, size);
    take_rows(data, size);
    return 0;
}
