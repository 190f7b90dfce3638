// SPDX-License-Identifier: BSD-3-Clause
#include "case_file.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace cmap_test {
namespace {

using Words = std::vector<std::string>;

uint32_t number(const std::string &word) { return static_cast<uint32_t>(std::stoul(word)); }

Words split(const std::string &text, char separator) {
    Words words;
    std::istringstream in(text);
    for (std::string word; std::getline(in, word, separator);)
        words.push_back(word);
    return words;
}

std::vector<uint32_t> numbers(const std::string &text, char separator) {
    std::vector<uint32_t> values;
    for (const std::string &word : split(text, separator))
        values.push_back(number(word));
    return values;
}

Members ranges(const Words &words) {
    Members members;
    for (size_t i = 1; i < words.size(); i++) {
        const Words fields = split(words[i], ':');
        const Members part =
            range_members(number(fields.at(0)), std::stoi(fields.at(1)), number(fields.at(2)));
        members.insert(members.end(), part.begin(), part.end());
    }
    return members;
}

Members levels_of(const Words &words) {
    std::vector<Level> list;
    for (size_t i = 2; i < words.size(); i++) {
        const Words fields = split(words[i], ':');
        list.push_back({number(fields.at(0)), std::stoi(fields.at(1))});
    }
    return levels(number(words.at(1)), list);
}

Members cart_sub_of(const Words &words) {
    uint32_t keep = 0;
    for (size_t d = 0; d < words.at(2).size(); d++)
        keep |= static_cast<uint32_t>(words[2][d] == 'x') << d;
    return cart_sub(numbers(words[1], 'x'), keep, numbers(words.at(3), ','));
}

Members swapped(uint32_t n, uint32_t i, uint32_t j) {
    Members members = range_members(0, 1, n);
    std::swap(members.at(i), members.at(j));
    return members;
}

Members without(uint32_t n, uint32_t i) {
    Members members = range_members(0, 1, n);
    members.erase(members.begin() + i);
    return members;
}

Members faces(const Words &words) {
    Members members;
    for (size_t i = 1; i < words.size(); i++) {
        Members both;
        const Members face = hypercube_face(words[i]);
        std::set_union(members.begin(), members.end(), face.begin(), face.end(),
                       std::back_inserter(both));
        members.swap(both);
    }
    return members;
}

Members permuted(const Members &set, uint32_t seed) {
    Members members;
    for (uint32_t place : random_permutation(static_cast<uint32_t>(set.size()), seed))
        members.push_back(set[place]);
    return members;
}

Members plain(const Words &w) {
    const std::string &kind = w.at(0);
    if (kind == "list") return w.size() < 2 ? Members() : numbers(w[1], ',');
    if (kind == "ranges") return ranges(w);
    if (kind == "levels") return levels_of(w);
    if (kind == "cart_sub") return cart_sub_of(w);
    if (kind == "face") return hypercube_face(w.at(1));
    if (kind == "faces") return faces(w);
    if (kind == "permuted_face") return permuted(hypercube_face(w.at(1)), number(w.at(2)));
    if (kind == "random_set")
        return random_set(number(w.at(1)), std::stod(w.at(2)), number(w.at(3)));
    if (kind == "permuted_set")
        return permuted(random_set(number(w.at(1)), std::stod(w.at(2)), number(w.at(3))),
                        number(w.at(3)));
    if (kind == "ascending_runs")
        return ascending_runs(number(w.at(1)), number(w.at(2)), number(w.at(3)), number(w.at(4)));
    throw std::invalid_argument("no generator " + kind);
}

Members generate(const Words &w) {
    const std::string &kind = w.at(0);
    if (kind == "range") return range_members(number(w.at(1)), std::stoi(w.at(2)), number(w.at(3)));
    if (kind == "blocks")
        return levels(number(w.at(1)),
                      {{number(w.at(2)), 1}, {number(w.at(4)), std::stoi(w.at(3))}});
    if (kind == "transpose") return transpose(number(w.at(1)), number(w.at(2)));
    if (kind == "random_permutation") return random_permutation(number(w.at(1)), number(w.at(2)));
    if (kind == "random_list")
        return random_list(number(w.at(1)), number(w.at(2)), number(w.at(3)));
    if (kind == "random_pieces")
        return random_pieces(number(w.at(1)), number(w.at(2)), number(w.at(3)));
    if (kind == "swapped") return swapped(number(w.at(1)), number(w.at(2)), number(w.at(3)));
    if (kind == "without") return without(number(w.at(1)), number(w.at(2)));
    return plain(w);
}

void take(Case &one, const std::string &word) {
    if (word[0] == '@')
        one.universe = number(word.substr(1));
    else if (word == "!affine")
        one.affine = true;
    else if (word == "!slim")
        one.slim = true;
    else if (one.name.empty())
        one.name = word;
    else
        one.words.push_back(word);
}

std::vector<Case> read_cases(const std::string &path) {
    std::ifstream file(path);
    std::vector<Case> all;
    for (std::string line; std::getline(file, line);) {
        std::istringstream in(line.substr(0, line.find('#')));
        Case one;
        for (std::string word; in >> word;)
            take(one, word);
        if (!one.name.empty()) all.push_back(one);
    }
    return all;
}

}  // namespace

const std::vector<Case> &cases() {
    static const std::vector<Case> all = [] {
        const char *directory = std::getenv("CMAP_TEST_DIR");
        const std::string here = __FILE__;
        const std::string path =
            (directory ? directory : here.substr(0, here.rfind('/'))) + "/cases.txt";
        std::vector<Case> read = read_cases(path);
        if (read.empty()) {
            std::cerr << "no cases in " << path
                      << ": set CMAP_TEST_DIR to the directory of the unit tests\n";
            std::exit(2);
        }
        return read;
    }();
    return all;
}

const Members &members_of(const Case &one) {
    static std::string last;
    static Members members;
    if (last == one.name) return members;
    try {
        members = generate(one.words);
    } catch (const std::exception &problem) {
        std::cerr << "cases.txt, " << one.name << ": " << problem.what() << "\n";
        std::exit(2);
    }
    last = one.name;
    return members;
}

}  // namespace cmap_test
