// SPDX-License-Identifier: BSD-3-Clause
// A tool reads the figures while threads create and free communicators; meant for ThreadSanitizer.
#include "in_parallel.hpp"

extern "C" {
#include "mpiimpl.h"
// after what it needs
#include "ctxid_store.h"
}

#include <atomic>
#include <memory>

namespace ctxid_test {
namespace {

using thread_test::in_parallel;
using thread_test::Mistakes;

constexpr uint32_t limit = 1 << 14;
constexpr int live = 300;  // communicators of a thread at once
ctxid_store_t store;

MPIR_Comm with_prefix(uint32_t prefix) {
    MPIR_Comm comm{};
    comm.context_id = comm.recvcontext_id = prefix << MPIR_CONTEXT_PREFIX_SHIFT;
    comm.comm_kind = MPIR_COMM_KIND__INTRACOMM;
    return comm;
}

// As MPI_Comm_dup does in a world of one process; false when it would have to search.
bool create(MPIR_Comm &parent, uint32_t call, MPIR_Comm &made) {
    MPIR_Ctxid_t creation{};
    creation.store = &store;
    creation.parent = &parent;
    creation.takes_part = creation.whole = true;
    creation.order = uint64_t{parent.context_id} << 32;
    creation.number = call;
    const ctxid_offer_t offer = MPIR_ctxid_make_offer(&creation);
    if (MPIR_ctxid_settle(&creation, offer.packed, offer) != CTXID_DECIDED) {
        MPIR_Ctxid_abandon(&creation);
        return false;
    }
    made = with_prefix(creation.prefix);
    MPIR_ctxid_commit(&store, &made);
    return true;
}

// Stops where it would have to search.
void create_and_free(MPIR_Comm &parent, uint32_t &calls) {
    auto made = std::make_unique<MPIR_Comm[]>(live);
    int n = 0;
    while (n < live && create(parent, ++calls, made[n]))
        n++;
    while (n-- > 0) {
        MPIR_ctxid_forget(&store, &made[n]);
        MPIR_ctxid_free(&store, made[n].recvcontext_id);
    }
}

uint64_t ids_in_use() {
    ctxid_figures_t figures;
    MPIR_ctxid_get_figures(&store, &figures);
    return figures.used;
}

TEST(Threads, FiguresBesideCreations) {
    pthread_mutex_init(&store.mutex, nullptr);
    for (cid_kind kind : {CID_ARRAY, CID_RBTREE, CID_RADIX}) {
        Mistakes mistakes;
        ASSERT_EQ(0u, ids_in_use());  // before there is a table
        ASSERT_EQ(MPI_SUCCESS, MPIR_ctxid_open(&store, kind, limit, thread_test::thread_count));
        std::atomic<uint32_t> working{thread_test::thread_count - 1};
        in_parallel([&](uint32_t number) {
            if (number == 0) {
                while (working > 0) {
                    ctxid_figures_t figures;
                    MPIR_ctxid_get_figures(&store, &figures);
                    mistakes.unless(figures.used >= thread_test::thread_count);
                    mistakes.unless(figures.used + figures.reserved <= figures.allocated);
                    mistakes.unless(figures.end <= figures.limit && figures.limit == limit);
                    mistakes.unless(figures.bytes >= figures.used * sizeof(void *));
                }
                return;
            }
            MPIR_Comm parent = with_prefix(number);
            MPIR_ctxid_commit(&store, &parent);
            uint32_t calls = 0;
            for (int round = 0; round < 20; round++)
                create_and_free(parent, calls);
            MPIR_ctxid_forget(&store, &parent);
            mistakes.unless(calls >= 20);
            working--;
        });
        EXPECT_EQ(thread_test::thread_count, ids_in_use());
        MPIR_ctxid_close(&store);
    }
}

}  // namespace
}  // namespace ctxid_test
