// SPDX-License-Identifier: BSD-3-Clause
// Texts that repeat what the library knows: the names of the representations, the limits.  They
// cannot be generated where they stand, so they are compared with it here.
#include "support.hpp"

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace cmap_test {
namespace {

std::string text_of(const std::string &path) {
    const char *tests = std::getenv("CMAP_TEST_DIR");
    std::ifstream file(std::string(tests == nullptr ? "." : tests) + "/../../" + path);
    EXPECT_TRUE(file.good()) << path;
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

// What follows the first place of `from` up to the next place of `to`.
std::string between(const std::string &text, const std::string &from, const std::string &to) {
    const size_t begin = text.find(from);
    EXPECT_NE(std::string::npos, begin) << from;
    return begin == std::string::npos ? "" : text.substr(begin, text.find(to, begin) - begin);
}

// Does the word stand in the text, not as a part of a longer one?
bool names(const std::string &text, const std::string &word) {
    const auto part = [&](size_t i) {
        return i < text.size() && (std::isalnum(text[i]) != 0 || text[i] == '_');
    };
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
        if (!(at > 0 && part(at - 1)) && !part(at + word.size())) return true;
    return false;
}

void expect_names_all(const std::string &list, const char *where) {
    for (cmap_rep rep : all_reps())
        EXPECT_TRUE(names(list, MPIR_cmap_rep_name(rep)))
            << where << " does not name " << MPIR_cmap_rep_name(rep);
}

TEST(Texts, NameEveryRepresentation) {
    const std::string block = between(text_of("src/mpi/map/map_init.c"),
                                      "MPIR_CVAR_CMAP_REPRESENTATION\n", "MPIR_CVAR_CMAP_REPORT");
    expect_names_all(block, "the description of MPIR_CVAR_CMAP_REPRESENTATION");
    const char *page = "doc/reference/settings.md";
    expect_names_all(between(text_of(page), "| `MPIR_CVAR_CMAP_REPRESENTATION` |", "\n"), page);
}

// maint/lib/check_sections.py makes its list of names from the tags.
TEST(Texts, TagsAreTheNamesInCapitals) {
    const std::string tags =
        between(text_of("src/mpid/common/cmap/cmap.h"), "CMAP_REP_AFFINE = 0", "CMAP_REP_COUNT,");
    for (cmap_rep rep : all_reps()) {
        std::string tag = "CMAP_REP_";
        for (const char *c = MPIR_cmap_rep_name(rep); *c != '\0'; c++)
            tag += static_cast<char>(std::toupper(*c));
        EXPECT_TRUE(names(tags, tag)) << tag;
    }
}

}  // namespace
}  // namespace cmap_test
