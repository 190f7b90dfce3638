/* SPDX-License-Identifier: BSD-3-Clause */

/* The linker sees prefixes: a program's own function of one of these names is another one. */
#ifndef BSEND_NAMES_H_INCLUDED
#define BSEND_NAMES_H_INCLUDED

#define bsend_buffer_attach MPIR_bsend_buffer_attach
#define bsend_buffer_detach MPIR_bsend_buffer_detach
#define bsend_buffer_has_sent MPIR_bsend_buffer_has_sent
#define bsend_buffer_put_back MPIR_bsend_buffer_put_back
#define bsend_buffer_take MPIR_bsend_buffer_take
#define bsend_segment_data MPIR_bsend_segment_data

#endif /* BSEND_NAMES_H_INCLUDED */
