/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef GROUP_H_INCLUDED
#define GROUP_H_INCLUDED

/* Only for src/mpi/group, which calls nothing but maps; others use mpir_group.h. */

/* Members that a checked range (first, last, stride) stands for. */
static inline int MPIR_Group_range_count(const int range[3])
{
    return (int) (((int64_t) range[1] - range[0]) / range[2]) + 1;
}

/* Which member of a checked range a rank is: k of first + k * stride, or -1. */
static inline int MPIR_Group_range_position(const int range[3], int rank)
{
    int64_t distance = (int64_t) rank - range[0];
    int64_t k = distance / range[2];

    if (distance % range[2] != 0 || k < 0 || k >= MPIR_Group_range_count(range))
        return -1;
    return (int) k;
}

#define MPIR_ERR_SET_CMAP_AND_JUMP(status_, operation_, size_) \
    do { \
        mpi_errno = MPIR_Map_error((status_), (operation_), (size_)); \
        goto fn_fail; \
    } while (0)

#endif /* GROUP_H_INCLUDED */
