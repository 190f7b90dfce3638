# SPDX-License-Identifier: BSD-3-Clause

AM_CPPFLAGS += -I$(top_srcdir)/src/mpid/common/cmap

mpi_core_sources += \
    src/mpid/common/cmap/algebra/common.cpp \
    src/mpid/common/cmap/algebra/compare.cpp \
    src/mpid/common/cmap/algebra/compose.cpp \
    src/mpid/common/cmap/algebra/grid.cpp \
    src/mpid/common/cmap/algebra/hits.cpp \
    src/mpid/common/cmap/algebra/inclusion.cpp \
    src/mpid/common/cmap/algebra/membership.cpp \
    src/mpid/common/cmap/algebra/operands.cpp \
    src/mpid/common/cmap/algebra/sequence.cpp \
    src/mpid/common/cmap/algebra/setops.cpp \
    src/mpid/common/cmap/algebra/settle.cpp \
    src/mpid/common/cmap/algebra/translate.cpp \
    src/mpid/common/cmap/algebra/words.cpp \
    src/mpid/common/cmap/core/affine_form.cpp \
    src/mpid/common/cmap/core/analysis.cpp \
    src/mpid/common/cmap/core/builder.cpp \
    src/mpid/common/cmap/core/content.cpp \
    src/mpid/common/cmap/core/face.cpp \
    src/mpid/common/cmap/core/intern.cpp \
    src/mpid/common/cmap/core/inverse.cpp \
    src/mpid/common/cmap/core/limits.cpp \
    src/mpid/common/cmap/core/map.cpp \
    src/mpid/common/cmap/core/memory.cpp \
    src/mpid/common/cmap/core/pieces.cpp \
    src/mpid/common/cmap/core/policy.cpp \
    src/mpid/common/cmap/core/rank_select.cpp \
    src/mpid/common/cmap/core/registry.cpp \
    src/mpid/common/cmap/core/sorter.cpp \
    src/mpid/common/cmap/core/stats.cpp \
    src/mpid/common/cmap/core/strategy.cpp \
    src/mpid/common/cmap/core/sums.cpp \
    src/mpid/common/cmap/rep/affine.cpp \
    src/mpid/common/cmap/rep/array.cpp \
    src/mpid/common/cmap/rep/bitmap.cpp \
    src/mpid/common/cmap/rep/concat.cpp \
    src/mpid/common/cmap/rep/packed.cpp \
    src/mpid/common/cmap/rep/pperm.cpp \
    src/mpid/common/cmap/rep/runs.cpp

noinst_HEADERS += \
    src/mpid/common/cmap/algebra/grid.hpp \
    src/mpid/common/cmap/algebra/hits.hpp \
    src/mpid/common/cmap/algebra/membership.hpp \
    src/mpid/common/cmap/algebra/operands.hpp \
    src/mpid/common/cmap/algebra/ranks.hpp \
    src/mpid/common/cmap/algebra/subset.hpp \
    src/mpid/common/cmap/algebra/words.hpp \
    src/mpid/common/cmap/cmap.h \
    src/mpid/common/cmap/cmap_lookup.h \
    src/mpid/common/cmap/cmap_times.hpp \
    src/mpid/common/cmap/cmap_tuning.hpp \
    src/mpid/common/cmap/core/affine_form.hpp \
    src/mpid/common/cmap/core/analysis.hpp \
    src/mpid/common/cmap/core/bit_set.hpp \
    src/mpid/common/cmap/core/bits.hpp \
    src/mpid/common/cmap/core/buffer.hpp \
    src/mpid/common/cmap/core/builder.hpp \
    src/mpid/common/cmap/core/content.hpp \
    src/mpid/common/cmap/core/intern.hpp \
    src/mpid/common/cmap/core/inverse.hpp \
    src/mpid/common/cmap/core/limits.hpp \
    src/mpid/common/cmap/core/map.hpp \
    src/mpid/common/cmap/core/memory.hpp \
    src/mpid/common/cmap/core/piece_former.hpp \
    src/mpid/common/cmap/core/pieces.hpp \
    src/mpid/common/cmap/core/policy.hpp \
    src/mpid/common/cmap/core/rank_select.hpp \
    src/mpid/common/cmap/core/rank_select_kernel.hpp \
    src/mpid/common/cmap/core/ranker.hpp \
    src/mpid/common/cmap/core/registry.hpp \
    src/mpid/common/cmap/core/sorter.hpp \
    src/mpid/common/cmap/core/stats.hpp \
    src/mpid/common/cmap/core/strategy.hpp \
    src/mpid/common/cmap/core/sums.hpp \
    src/mpid/common/cmap/rep/affine.hpp \
    src/mpid/common/cmap/rep/array.hpp \
    src/mpid/common/cmap/rep/bitmap.hpp \
    src/mpid/common/cmap/rep/concat.hpp \
    src/mpid/common/cmap/rep/packed.hpp \
    src/mpid/common/cmap/rep/pperm.hpp \
    src/mpid/common/cmap/rep/runs.hpp
