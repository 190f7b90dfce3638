// SPDX-License-Identifier: BSD-3-Clause
#include "core/times.hpp"

#include <strings.h>

#include <cctype>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cmap.h"
#include "cmap_times.hpp"

namespace cmap {
namespace {

#define ONE(time) {#time, &time, 1},
#define SEVERAL(time) {#time, time, sizeof time / sizeof *time},
constexpr CalibratedTime table[] = {CALIBRATED_TIMES(ONE, SEVERAL)};
#undef ONE
#undef SEVERAL
constexpr unsigned TIMES = sizeof table / sizeof *table;
constexpr unsigned MOST_VALUES = 32;
constexpr bool all_fit() noexcept {
    for (const CalibratedTime &time : table)
        if (time.count > MOST_VALUES) return false;
    return true;
}
static_assert(all_fit(), "MOST_VALUES is too small for a time");
constexpr unsigned PREFIX = sizeof "TIME_" - 1;
constexpr unsigned long MOST_PS = 1000000000;  // a millisecond

// What a file sets; nothing is in force before all of it has been read.
class Reading {
  public:
    Reading(char *why, size_t room) : why_(why), room_(room) {}

    bool head(const char *line) noexcept {
        number_ = 1;
        const size_t length = sizeof CMAP_TIMES_HEAD - 1;
        const bool good = std::strncmp(line, CMAP_TIMES_HEAD, length) == 0 &&
                          line[length + std::strspn(line + length, " \t\r\n")] == '\0';
        return good || wrong("is not \"" CMAP_TIMES_HEAD "\"");
    }

    bool next(char *line) noexcept {
        number_++;
        if (std::strchr(line, '\n') == nullptr && std::strlen(line) + 1 >= MOST_LINE)
            return wrong("is longer than %u characters", MOST_LINE - 2);
        line[std::strcspn(line, "#")] = '\0';
        char *rest = nullptr;
        const char *name = strtok_r(line, BLANKS, &rest);
        return name == nullptr || values(name, &rest);
    }

    void commit() const noexcept {
        for (unsigned i = 0; i < TIMES; i++)
            for (unsigned k = 0; set_[i] && k < table[i].count; k++)
                table[i].values[k] = values_[i][k];
    }

    static constexpr unsigned MOST_LINE = 1024;

  private:
    static constexpr const char *BLANKS = " \t\r\n";

    bool wrong(const char *format, ...) noexcept __attribute__((format(printf, 2, 3))) {
        const int used = std::snprintf(why_, room_, "line %u ", number_);
        va_list words;
        va_start(words, format);
        if (used >= 0 && static_cast<size_t>(used) < room_)
            std::vsnprintf(why_ + used, room_ - static_cast<size_t>(used), format, words);
        va_end(words);
        return false;
    }

    bool values(const char *name, char **rest) noexcept {
        unsigned i = 0;
        while (i < TIMES && strcasecmp(table[i].name + PREFIX, name) != 0)
            i++;
        if (i == TIMES) return wrong("names %.40s, which is no time", name);
        unsigned count = 0;
        double before = 0;
        for (const char *word; (word = strtok_r(nullptr, BLANKS, rest)) != nullptr; count++) {
            double ns = 0;
            if (!number(word, &ns)) return wrong("has %.40s where picoseconds belong", word);
            if (ns < before) return wrong("has values of %s that fall", name);
            if (count < table[i].count) values_[i][count] = before = ns;
        }
        set_[i] = true;
        return count == table[i].count ||
               wrong("has %u values of %s, not %u", count, name, table[i].count);
    }

    // Whole picoseconds: no locale has another decimal point for them.
    static bool number(const char *word, double *ns) noexcept {
        char *end = nullptr;
        if (!std::isdigit(static_cast<unsigned char>(*word))) return false;
        errno = 0;
        const unsigned long ps = std::strtoul(word, &end, 10);
        *ns = static_cast<double>(ps) / PS_IN_NS;
        return *end == '\0' && errno == 0 && ps >= 1 && ps <= MOST_PS;  // hybrid takes a logarithm
    }

    char *why_;
    size_t room_;
    unsigned number_ = 0;
    bool set_[TIMES] = {};
    double values_[TIMES][MOST_VALUES];
};

bool read_lines(std::FILE *file, Reading &reading) noexcept {
    char line[Reading::MOST_LINE] = "";
    if (!reading.head(std::fgets(line, sizeof line, file) != nullptr ? line : "")) return false;
    while (std::fgets(line, sizeof line, file) != nullptr)
        if (!reading.next(line)) return false;
    return true;
}

}  // namespace

const CalibratedTime *calibrated_times(unsigned *count) noexcept {
    *count = TIMES;
    return table;
}

}  // namespace cmap

using namespace cmap;

cmap_status MPIR_cmap_times_read(const char *path, char *why, size_t room) noexcept {
    std::FILE *file = std::fopen(path, "re");
    if (file == nullptr) {
        std::snprintf(why, room, "%s", std::strerror(errno));
        return CMAP_ERR_INVALID;
    }
    Reading reading(why, room);
    bool good = read_lines(file, reading);
    if (good && std::ferror(file) != 0) {
        std::snprintf(why, room, "it cannot be read to its end");
        good = false;
    }
    std::fclose(file);
    if (good) reading.commit();
    return good ? CMAP_OK : CMAP_ERR_INVALID;
}
