// SPDX-License-Identifier: BSD-3-Clause
// Precompiled for the unit tests (maint/lib/module.mk): what nearly all of them include.
#include <algorithm>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include <gtest/gtest.h>
