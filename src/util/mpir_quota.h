/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef MPIR_QUOTA_H_INCLUDED
#define MPIR_QUOTA_H_INCLUDED

/* The cores that the control groups of this process let it use at a time, rounded up; INT_MAX
 * without a quota. */
int MPIR_Quota_cores(void);

#endif /* MPIR_QUOTA_H_INCLUDED */
