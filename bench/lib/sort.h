/* SPDX-License-Identifier: BSD-3-Clause */
/* Times in ascending order, for medians and deciles. */
#ifndef SORT_H_INCLUDED
#define SORT_H_INCLUDED

#include <stdlib.h>

static int sort_compare(const void *a, const void *b)
{
    double x = *(const double *) a, y = *(const double *) b;
    return (x > y) - (x < y);
}

static void sort_times(double *times, int n)
{
    qsort(times, (size_t) n, sizeof(*times), sort_compare);
}

#endif /* SORT_H_INCLUDED */
