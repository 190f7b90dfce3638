// SPDX-License-Identifier: BSD-3-Clause
// The members of a closed form, one after the other.
#ifndef TEST_UNIT_FORMS_HPP_INCLUDED
#define TEST_UNIT_FORMS_HPP_INCLUDED

#include <cstdint>
#include <vector>

#include "cmap.h"

namespace cmap_test {

inline std::vector<uint32_t> members_of(const cmap_form &form) {
    std::vector<uint32_t> members{form.base};
    for (uint32_t k = 0; k < form.levels; k++) {
        const std::vector<uint32_t> below = members;
        members.clear();
        for (uint32_t i = 0; i < form.count[k]; i++)
            for (uint32_t member : below)
                members.push_back(member + i * static_cast<uint32_t>(form.stride[k]));
    }
    return members;
}

}  // namespace cmap_test

#endif  // TEST_UNIT_FORMS_HPP_INCLUDED
