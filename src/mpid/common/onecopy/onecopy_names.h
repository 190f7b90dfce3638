/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of functions for the linker; written by "make lists" of src/mpid/common/onecopy. */
#ifndef ONECOPY_NAMES_H_INCLUDED
#define ONECOPY_NAMES_H_INCLUDED

#define onecopy_board_begin MPIR_onecopy_board_begin
#define onecopy_board_bytes MPIR_onecopy_board_bytes
#define onecopy_board_enter MPIR_onecopy_board_enter
#define onecopy_board_leave MPIR_onecopy_board_leave
#define onecopy_board_look MPIR_onecopy_board_look
#define onecopy_board_offer MPIR_onecopy_board_offer
#define onecopy_board_slots MPIR_onecopy_board_slots
#define onecopy_board_withdraw MPIR_onecopy_board_withdraw
#define onecopy_drop MPIR_onecopy_drop
#define onecopy_file_close MPIR_onecopy_file_close
#define onecopy_file_leaves_room MPIR_onecopy_file_leaves_room
#define onecopy_file_make MPIR_onecopy_file_make
#define onecopy_file_map MPIR_onecopy_file_map
#define onecopy_file_open MPIR_onecopy_file_open
#define onecopy_files_work MPIR_onecopy_files_work
#define onecopy_get_figures MPIR_onecopy_get_figures
#define onecopy_keep MPIR_onecopy_keep
#define onecopy_start MPIR_onecopy_start
#define onecopy_stop MPIR_onecopy_stop

#endif /* ONECOPY_NAMES_H_INCLUDED */
