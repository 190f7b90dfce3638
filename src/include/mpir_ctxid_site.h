/* SPDX-License-Identifier: BSD-3-Clause */

/* The line of the program that made a communicator, or the window or file that it belongs to. */
#ifndef MPIR_CTXID_SITE_H_INCLUDED
#define MPIR_CTXID_SITE_H_INCLUDED

#include "mpir_map_site.h"

struct MPIR_Comm;

/* Under MPIR_CVAR_CMAP_REPORT of all communicators, else of some; unknown of the rest. */
map_site MPIR_Ctxid_site(const struct MPIR_Comm *comm);

#endif /* MPIR_CTXID_SITE_H_INCLUDED */
