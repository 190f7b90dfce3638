# SPDX-License-Identifier: BSD-3-Clause

# Our C++ is seen by libmpi alone, as all C is, and has MPICH's prefix in a static library.
lib_lib@MPILIBNAME@_la_CXXFLAGS = $(AM_CXXFLAGS) @VISIBILITY_CFLAGS@ -Dcmap=MPIR_cmap -Dcid=MPIR_cid

AM_CPPFLAGS += -I$(top_srcdir)/src/mpid/common/cmap

mpi_core_sources += \
    src/mpid/common/cmap/algebra/by_rank.cpp \
    src/mpid/common/cmap/algebra/common.cpp \
    src/mpid/common/cmap/algebra/compare.cpp \
    src/mpid/common/cmap/algebra/compose.cpp \
    src/mpid/common/cmap/algebra/grid.cpp \
    src/mpid/common/cmap/algebra/hits.cpp \
    src/mpid/common/cmap/algebra/inclusion.cpp \
    src/mpid/common/cmap/algebra/membership.cpp \
    src/mpid/common/cmap/algebra/operands.cpp \
    src/mpid/common/cmap/algebra/setops.cpp \
    src/mpid/common/cmap/algebra/settle.cpp \
    src/mpid/common/cmap/algebra/translate.cpp \
    src/mpid/common/cmap/algebra/words.cpp \
    src/mpid/common/cmap/core/affine_form.cpp \
    src/mpid/common/cmap/core/analysis.cpp \
    src/mpid/common/cmap/core/ascents.cpp \
    src/mpid/common/cmap/core/builder.cpp \
    src/mpid/common/cmap/core/closed_form.cpp \
    src/mpid/common/cmap/core/content.cpp \
    src/mpid/common/cmap/core/deposit.cpp \
    src/mpid/common/cmap/core/face.cpp \
    src/mpid/common/cmap/core/fingerprint.cpp \
    src/mpid/common/cmap/core/intern.cpp \
    src/mpid/common/cmap/core/inverse.cpp \
    src/mpid/common/cmap/core/limits.cpp \
    src/mpid/common/cmap/core/map.cpp \
    src/mpid/common/cmap/core/memory.cpp \
    src/mpid/common/cmap/core/node.cpp \
    src/mpid/common/cmap/core/pages.cpp \
    src/mpid/common/cmap/core/pieces.cpp \
    src/mpid/common/cmap/core/policy.cpp \
    src/mpid/common/cmap/core/probe.cpp \
    src/mpid/common/cmap/core/processor.cpp \
    src/mpid/common/cmap/core/rank_select.cpp \
    src/mpid/common/cmap/core/registry.cpp \
    src/mpid/common/cmap/core/relation.cpp \
    src/mpid/common/cmap/core/sequence.cpp \
    src/mpid/common/cmap/core/sorter.cpp \
    src/mpid/common/cmap/core/stats.cpp \
    src/mpid/common/cmap/core/strategy.cpp \
    src/mpid/common/cmap/core/survey.cpp \
    src/mpid/common/cmap/core/times.cpp \
    src/mpid/common/cmap/core/wire.cpp \
    src/mpid/common/cmap/rep/affine.cpp \
    src/mpid/common/cmap/rep/array.cpp \
    src/mpid/common/cmap/rep/bitmap.cpp \
    src/mpid/common/cmap/rep/concat.cpp \
    src/mpid/common/cmap/rep/eliasfano.cpp \
    src/mpid/common/cmap/rep/gap.cpp \
    src/mpid/common/cmap/rep/gap_digits.cpp \
    src/mpid/common/cmap/rep/packed.cpp \
    src/mpid/common/cmap/rep/permuted.cpp \
    src/mpid/common/cmap/rep/pperm.cpp \
    src/mpid/common/cmap/rep/runs.cpp \
    src/mpid/common/cmap/rep/sub.cpp \
    src/mpid/common/cmap/rep/wtr.cpp \
    src/mpid/common/cmap/rep/wtr_builder.cpp \
    src/mpid/common/cmap/rep/wtr_plan.cpp \
    src/mpid/common/cmap/rep/wtr_shape.cpp \
    src/mpid/common/cmap/rep/wtr_tree.cpp

if CMAP_BUDDY
mpi_core_sources += \
    src/mpid/common/cmap/algebra/diagrams.cpp \
    src/mpid/common/cmap/core/diagram.cpp \
    src/mpid/common/cmap/rep/bdd.cpp \
    src/mpid/common/cmap/rep/bdd_cells.cpp \
    src/mpid/common/cmap/rep/bdd_extract.cpp \
    src/mpid/common/cmap/rep/bdd_package.cpp \
    src/mpid/common/cmap/rep/bdd_paths.cpp
else
AM_CPPFLAGS += -DCMAP_WITHOUT_BUDDY
endif

if CMAP_BZIP2
mpi_core_sources += \
    src/mpid/common/cmap/rep/bwt.cpp \
    src/mpid/common/cmap/rep/bwt_codec.cpp
else
AM_CPPFLAGS += -DCMAP_WITHOUT_BZIP2
endif

noinst_HEADERS += \
    src/mpid/common/cmap/algebra/diagrams.hpp \
    src/mpid/common/cmap/algebra/grid.hpp \
    src/mpid/common/cmap/algebra/hits.hpp \
    src/mpid/common/cmap/algebra/membership.hpp \
    src/mpid/common/cmap/algebra/operands.hpp \
    src/mpid/common/cmap/algebra/ranks.hpp \
    src/mpid/common/cmap/algebra/subset.hpp \
    src/mpid/common/cmap/algebra/words.hpp \
    src/mpid/common/cmap/calibrate/calibrate.hpp \
    src/mpid/common/cmap/calibrate/measure.hpp \
    src/mpid/common/cmap/calibrate/members.hpp \
    src/mpid/common/cmap/cmap.h \
    src/mpid/common/cmap/cmap_lookup.h \
    src/mpid/common/cmap/cmap_times.hpp \
    src/mpid/common/cmap/cmap_tuning.hpp \
    src/mpid/common/cmap/cmap_wire.h \
    src/mpid/common/cmap/core/affine_form.hpp \
    src/mpid/common/cmap/core/analysis.hpp \
    src/mpid/common/cmap/core/ascents.hpp \
    src/mpid/common/cmap/core/bisection.hpp \
    src/mpid/common/cmap/core/bit_set.hpp \
    src/mpid/common/cmap/core/bits.hpp \
    src/mpid/common/cmap/core/buffer.hpp \
    src/mpid/common/cmap/core/builder.hpp \
    src/mpid/common/cmap/core/closed_form.hpp \
    src/mpid/common/cmap/core/content.hpp \
    src/mpid/common/cmap/core/deposit.hpp \
    src/mpid/common/cmap/core/diagram.hpp \
    src/mpid/common/cmap/core/fingerprint.hpp \
    src/mpid/common/cmap/core/intern.hpp \
    src/mpid/common/cmap/core/inverse.hpp \
    src/mpid/common/cmap/core/limits.hpp \
    src/mpid/common/cmap/core/map.hpp \
    src/mpid/common/cmap/core/memory.hpp \
    src/mpid/common/cmap/core/node.hpp \
    src/mpid/common/cmap/core/pages.hpp \
    src/mpid/common/cmap/core/piece_former.hpp \
    src/mpid/common/cmap/core/pieces.hpp \
    src/mpid/common/cmap/core/plans.hpp \
    src/mpid/common/cmap/core/policy.hpp \
    src/mpid/common/cmap/core/probe.hpp \
    src/mpid/common/cmap/core/processor.hpp \
    src/mpid/common/cmap/core/rank_select.hpp \
    src/mpid/common/cmap/core/rank_select_kernel.hpp \
    src/mpid/common/cmap/core/ranker.hpp \
    src/mpid/common/cmap/core/registry.hpp \
    src/mpid/common/cmap/core/relation.hpp \
    src/mpid/common/cmap/core/sequence.hpp \
    src/mpid/common/cmap/core/sequence_kernel.hpp \
    src/mpid/common/cmap/core/sorter.hpp \
    src/mpid/common/cmap/core/stats.hpp \
    src/mpid/common/cmap/core/strategy.hpp \
    src/mpid/common/cmap/core/survey.hpp \
    src/mpid/common/cmap/core/times.hpp \
    src/mpid/common/cmap/rep/affine.hpp \
    src/mpid/common/cmap/rep/array.hpp \
    src/mpid/common/cmap/rep/bdd.hpp \
    src/mpid/common/cmap/rep/bdd_body.hpp \
    src/mpid/common/cmap/rep/bdd_extract.hpp \
    src/mpid/common/cmap/rep/bdd_package.hpp \
    src/mpid/common/cmap/rep/bitmap.hpp \
    src/mpid/common/cmap/rep/bwt.hpp \
    src/mpid/common/cmap/rep/bwt_codec.hpp \
    src/mpid/common/cmap/rep/concat.hpp \
    src/mpid/common/cmap/rep/eliasfano.hpp \
    src/mpid/common/cmap/rep/gap.hpp \
    src/mpid/common/cmap/rep/gap_digits.hpp \
    src/mpid/common/cmap/rep/packed.hpp \
    src/mpid/common/cmap/rep/permuted.hpp \
    src/mpid/common/cmap/rep/pperm.hpp \
    src/mpid/common/cmap/rep/runs.hpp \
    src/mpid/common/cmap/rep/sub.hpp \
    src/mpid/common/cmap/rep/wtr.hpp \
    src/mpid/common/cmap/rep/wtr_builder.hpp \
    src/mpid/common/cmap/rep/wtr_plan.hpp \
    src/mpid/common/cmap/rep/wtr_shape.hpp \
    src/mpid/common/cmap/rep/wtr_tree.hpp
