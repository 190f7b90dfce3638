# SPDX-License-Identifier: BSD-3-Clause

# The maps are the objects of the library, whose names others cannot see.
bin_PROGRAMS += src/mpid/common/cmap/calibrate/cmap-calibrate

src_mpid_common_cmap_calibrate_cmap_calibrate_SOURCES = \
    src/mpid/common/cmap/calibrate/calibrate.cpp \
    src/mpid/common/cmap/calibrate/fit.cpp \
    src/mpid/common/cmap/calibrate/measure.cpp \
    src/mpid/common/cmap/calibrate/members.cpp \
    src/mpid/common/cmap/calibrate/sample_maps.cpp
src_mpid_common_cmap_calibrate_cmap_calibrate_CXXFLAGS = $(AM_CXXFLAGS) -Dcmap=MPIR_cmap
src_mpid_common_cmap_calibrate_cmap_calibrate_LDADD = $(filter src/mpid/common/cmap/%.lo, $(lib_lib@MPILIBNAME@_la_OBJECTS))
