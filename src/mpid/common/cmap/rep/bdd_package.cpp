// SPDX-License-Identifier: BSD-3-Clause
#include "rep/bdd_package.hpp"

#include <bdd.h>

#include <cstdlib>

// Of the names in bdd.h the plain functions are meant, not the C++ ones that take references.
#undef bdd_init
#undef bdd_ithvar

namespace cmap {
namespace {

std::mutex package_lock;
// With the lock held: what BuDDy reported, and whom it tells about paths.
bool trouble;
BddPackage::Visit path_visit;
void *path_data;

void note_trouble(int) { trouble = true; }

void tell_path(char *symbols, int variables) { path_visit(symbols, variables, path_data); }

constexpr uint32_t LEAST_NODES = 512;
constexpr int CACHE_SHARE = 2;  // a cache entry for so many nodes

}  // namespace

BddPackage::BddPackage() noexcept : lock_(package_lock) {}

BddPackage::~BddPackage() {
    if (running_) bdd_done();
    if (random_before_ != nullptr) setstate(random_before_);
}

bool BddPackage::start(unsigned variables, uint32_t nodes, uint32_t limit) noexcept {
    if (bdd_isrunning()) return false;
    random_before_ = initstate(1, random_, sizeof random_);
    const uint32_t room = nodes * 2 + 2 * variables + LEAST_NODES;
    trouble = false;
    const bddinthandler before = bdd_error_hook(note_trouble);
    const int cache = static_cast<int>(room) / CACHE_SHARE;
    if (bdd_init(static_cast<int>(room), cache) < 0) {
        bdd_error_hook(before);
        return false;
    }
    running_ = true;
    variables_ = variables;
    bdd_error_hook(note_trouble);  // bdd_init set the one that prints and exits
    bdd_gbc_hook(nullptr);
    bdd_resize_hook(nullptr);
    bdd_disable_reorder();
    const uint32_t least = this->room() + 1;
    bdd_setmaxnodenum(static_cast<int>(least > limit ? least : limit));
    bdd_setvarnum(static_cast<int>(variables));
    return right();
}

bool BddPackage::right() const noexcept { return running_ && !trouble; }

void BddPackage::fail() noexcept { trouble = true; }

BddPackage::Node BddPackage::node(unsigned level, Node low, Node high) noexcept {
    const Node variable = bdd_ithvar(static_cast<int>(variables_ - level));
    return bdd_addref(bdd_ite(variable, high, low));
}

BddPackage::Node BddPackage::load(const Diagram &diagram) noexcept {
    Buffer<Node> nodes;
    if (!nodes.resize(diagram.end())) {
        trouble = true;
        return 0;
    }
    const auto make = [&](uint32_t id) {
        const Diagram::Cell &cell = diagram[id];
        nodes[id] = Diagram::is_word(cell)
                        ? nodes[cell.low]
                        : node(Diagram::level_of(cell), nodes[cell.low], nodes[cell.high]);
    };
    const uint32_t inside = Diagram::FIRST_CELL + diagram.cells();
    nodes[Diagram::NEVER] = 0;
    nodes[Diagram::ALWAYS] = 1;
    for (uint32_t id = inside; right() && id < diagram.end(); id++)
        make(id);
    for (uint32_t id = Diagram::FIRST_CELL; right() && id < inside; id++)
        make(id);
    return right() ? nodes[diagram.root()] : 0;
}

BddPackage::Node BddPackage::apply(Operation operation, Node a, Node b) noexcept {
    constexpr int operators[] = {bddop_or, bddop_and, bddop_diff};
    return bdd_addref(bdd_apply(a, b, operators[static_cast<unsigned>(operation)]));
}

uint32_t BddPackage::count(Node root) noexcept {
    return static_cast<uint32_t>(bdd_nodecount(root));
}

unsigned BddPackage::level(Node node) const noexcept {
    return variables_ - static_cast<unsigned>(bdd_var(node));
}

BddPackage::Node BddPackage::low(Node node) const noexcept { return bdd_low(node); }

BddPackage::Node BddPackage::high(Node node) const noexcept { return bdd_high(node); }

uint32_t BddPackage::room() const noexcept { return static_cast<uint32_t>(bdd_getallocnum()); }

void BddPackage::each_path(Node root, Visit visit, void *data) noexcept {
    path_visit = visit;
    path_data = data;
    bdd_allsat(root, tell_path);
}

}  // namespace cmap
