// SPDX-License-Identifier: BSD-3-Clause
// One map for a node: the memory of processes that all build the same random permutation, and the
// time of a lookup, with payloads of their own and with one that they share.
//
//   node_maps [PROCESSES [MEMBERS]]         64 and 1048576 by default
//
// Memory is the growth of the sum of the proportional set sizes (/proc/self/smaps_rollup) while all
// processes hold the map and have read all of it.  The members that it is built from lie in memory
// that all processes have read before, and each has built and released a smaller map.  `free heap
// given back`: after malloc_trim(0), which a program need not call; the difference is memory of the
// build that malloc keeps for later.
#include <malloc.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#include "cmap.h"
#include "cmap_lookup.h"
#include "onecopy.h"

namespace {

constexpr unsigned MOST = 1024;

// What the processes share.
struct Common {
    unsigned arrived, round;
    long grown[MOST], trimmed[MOST];
};
Common *common;
unsigned processes = 64;

void barrier() {
    const unsigned round = __atomic_load_n(&common->round, __ATOMIC_ACQUIRE);
    if (__atomic_add_fetch(&common->arrived, 1, __ATOMIC_ACQ_REL) == processes) {
        common->arrived = 0;
        __atomic_store_n(&common->round, round + 1, __ATOMIC_RELEASE);
    }
    while (__atomic_load_n(&common->round, __ATOMIC_ACQUIRE) == round)
        usleep(1000);
}

long proportional_set_bytes() {
    long kilobytes = 0;
    char line[256];
    FILE *const file = std::fopen("/proc/self/smaps_rollup", "r");
    while (file != nullptr && std::fgets(line, sizeof line, file) != nullptr)
        if (std::sscanf(line, "Pss: %ld", &kilobytes) == 1) break;
    if (file != nullptr) std::fclose(file);
    return kilobytes * 1024;
}

uint64_t read_all(const cmap_t *map) {
    uint32_t block[512];
    cmap_iter iter;
    uint64_t sum = 0;
    MPIR_cmap_iter_init(&iter, map);
    while (const uint32_t n = MPIR_cmap_iter_next(&iter, block, 512))
        sum = std::accumulate(block, block + n, sum);
    return sum;
}

cmap_t *build(const std::vector<uint32_t> &members) {
    cmap_t *map = nullptr;
    const uint32_t n = static_cast<uint32_t>(members.size());
    if (MPIR_cmap_from_array(members.data(), n, n, nullptr, &map) != CMAP_OK) std::exit(1);
    return map;
}

const cmap_node_memory node_memory = {65536, MPIR_onecopy_keep, MPIR_onecopy_drop};

void start(void *board, unsigned self, bool shared) {
    if (!shared) return;
    if (!MPIR_onecopy_start(board, processes, self)) std::exit(2);
    MPIR_cmap_set_node_memory(&node_memory);
}

struct Work {
    std::vector<uint32_t> members, fewer;
};

std::vector<uint32_t> permutation(uint32_t n, unsigned seed) {
    std::vector<uint32_t> members(n);
    std::iota(members.begin(), members.end(), 0u);
    std::shuffle(members.begin(), members.end(), std::mt19937(seed));
    return members;
}

// The first map of a process touches pages of the library's data and of the stack.
uint64_t build_first(const std::vector<uint32_t> &fewer) {
    cmap_t *const map = build(fewer);
    const uint64_t sum = read_all(map);
    MPIR_cmap_release(map);
    return sum;
}

void be_one(void *board, unsigned self, bool shared, const Work &work) {
    const std::vector<uint32_t> &members = work.members;
    start(board, self, shared);
    volatile uint64_t sum = std::accumulate(members.begin(), members.end(), uint64_t{0});
    sum = build_first(work.fewer);
    common->grown[self] = common->trimmed[self] = 0;
    proportional_set_bytes();  // its own buffer is no memory of the map
    barrier();
    const long before = proportional_set_bytes();
    barrier();
    cmap_t *const map = build(members);
    sum = read_all(map);
    barrier();
    common->grown[self] = proportional_set_bytes() - before;
    barrier();
    malloc_trim(0);
    barrier();
    common->trimmed[self] = proportional_set_bytes() - before;
    barrier();
    MPIR_cmap_release(map);
    (void)sum;
}

void measure_memory(bool shared, const Work &work) {
    void *const board = mmap(nullptr, MPIR_onecopy_board_bytes(processes), PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (unsigned p = 0; p < processes; p++)
        if (fork() == 0) {
            be_one(board, p, shared, work);
            _exit(0);
        }
    for (unsigned p = 0; p < processes; p++)
        if (wait(nullptr) < 0) std::exit(3);
    const long grown = std::accumulate(common->grown, common->grown + processes, 0L);
    const long trimmed = std::accumulate(common->trimmed, common->trimmed + processes, 0L);
    std::printf("%-8s %10.3f MB of %u processes; free heap given back: %10.3f MB\n",
                shared ? "shared" : "private", static_cast<double>(grown) / 1e6, processes,
                static_cast<double>(trimmed) / 1e6);
}

// ns of a select whose rank follows from the one before.
double dependent_select(const cmap_t *map) {
    constexpr unsigned STEPS = 2000000;
    const uint32_t n = MPIR_cmap_size(map);
    uint32_t rank = 1;
    const auto begin = std::chrono::steady_clock::now();
    for (unsigned i = 0; i < STEPS; i++)
        rank = (MPIR_cmap_select(map, rank) + i) % n;
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    return time.count() * 1e9 / STEPS + (rank == n ? 1 : 0);
}

double median(std::vector<double> times) {
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

void measure_time(const std::vector<uint32_t> &members) {
    const unsigned kept = processes;
    processes = 2;
    std::vector<uint64_t> board(MPIR_onecopy_board_bytes(processes) / 8);
    cmap_t *const own = build(members);
    start(board.data(), 0, true);
    std::vector<uint32_t> others(members);
    std::swap(others[0], others[1]);  // an equal one would be the map that is there
    cmap_t *const shared = build(others);
    std::vector<double> times[2];
    for (int round = 0; round < 15; round++) {
        times[0].push_back(dependent_select(own));
        times[1].push_back(dependent_select(shared));
    }
    std::printf("%s: %.2f ns a select in private memory, %.2f ns in shared memory (%zu B)\n",
                MPIR_cmap_rep_name(MPIR_cmap_representation(shared)), median(times[0]),
                median(times[1]), MPIR_cmap_node_bytes(shared));
    MPIR_cmap_release(shared);
    MPIR_cmap_release(own);
    MPIR_cmap_set_node_memory(nullptr);
    MPIR_onecopy_stop();
    processes = kept;
}

}  // namespace

int main(int argc, char **argv) {
    uint32_t size = 1 << 20;
    if (argc > 1) processes = static_cast<unsigned>(std::atoi(argv[1]));
    if (argc > 2) size = static_cast<uint32_t>(std::atol(argv[2]));
    if (processes < 1 || processes > MOST || size < 2) {
        std::fprintf(stderr, "usage: node_maps [PROCESSES [MEMBERS]]\n");
        return 1;
    }
    common = static_cast<Common *>(
        mmap(nullptr, sizeof(Common), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    const Work work = {permutation(size, 1), permutation(size / 16 + 2, 2)};
    measure_time(work.members);
    std::fflush(stdout);
    measure_memory(false, work);
    std::fflush(stdout);
    measure_memory(true, work);
    return 0;
}
