/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of functions for the linker; written by "make lists" of src/mpid/common/colours. */
#ifndef COLOURS_NAMES_H_INCLUDED
#define COLOURS_NAMES_H_INCLUDED

#define colours_arrange MPIR_colours_arrange
#define colours_at MPIR_colours_at
#define colours_bytes MPIR_colours_bytes
#define colours_check MPIR_colours_check
#define colours_check_header MPIR_colours_check_header
#define colours_check_most MPIR_colours_check_most
#define colours_count MPIR_colours_count
#define colours_decode MPIR_colours_decode
#define colours_digit MPIR_colours_digit
#define colours_each_grid MPIR_colours_each_grid
#define colours_equal MPIR_colours_equal
#define colours_failure MPIR_colours_failure
#define colours_flags MPIR_colours_flags
#define colours_floor_div MPIR_colours_floor_div
#define colours_floor_mod MPIR_colours_floor_mod
#define colours_fold MPIR_colours_fold
#define colours_leaf MPIR_colours_leaf
#define colours_merge MPIR_colours_merge
#define colours_minus MPIR_colours_minus
#define colours_offer MPIR_colours_offer
#define colours_pieces_of MPIR_colours_pieces_of
#define colours_ranks MPIR_colours_ranks
#define colours_read MPIR_colours_read
#define colours_read_row MPIR_colours_read_row
#define colours_reduce MPIR_colours_reduce
#define colours_rows MPIR_colours_rows
#define colours_write MPIR_colours_write
#define colours_write_header MPIR_colours_write_header
#define colours_write_row MPIR_colours_write_row
#define colours_write_rows MPIR_colours_write_rows

#endif /* COLOURS_NAMES_H_INCLUDED */
