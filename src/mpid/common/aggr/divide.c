/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who has which leader.
 *
 * A line comes from a neighbour's cache in tens of nanoseconds, and from another socket in
 * hundreds.  So a part has members of one place, if that does not make too many leaders, whose
 * lines everybody reads.  Folds keep the order of members: a part is always a row of them, and
 * members of a place that are not in a row are in several parts.
 */
#include "aggr_impl.h"

/* Behind the last level all members are in one place. */
static uint32_t place_of(const aggr_shape_t *shape, int level, int member)
{
    return level < AGGR_LEVELS && shape->places.of
               ? shape->places.of(shape->places.context, level, member)
               : 0;
}

/* The first member behind the row that begins with `first` and shares its place. */
static int end_of_row(const aggr_shape_t *shape, int level, int first)
{
    int end = first + 1;
    uint32_t place = place_of(shape, level, first);
    while (end < shape->members && place_of(shape, level, end) == place)
        end++;
    return end;
}

static int parts_of_row(const aggr_shape_t *shape, int length)
{
    return (length - 1) / shape->fan + 1;
}

static int count_parts(const aggr_shape_t *shape, int level)
{
    int count = 0;
    for (int first = 0, end; first < shape->members; first = end) {
        end = end_of_row(shape, level, first);
        count += parts_of_row(shape, end - first);
    }
    return count;
}

/* The nearest level with parts that are few enough. */
static int choose_level(const aggr_shape_t *shape)
{
    int fewest = parts_of_row(shape, shape->members), level = 0;
    while (level < AGGR_LEVELS && count_parts(shape, level) > shape->fan &&
           count_parts(shape, level) > 2 * fewest)
        level++;
    return level;
}

/* The member's part of a row, which is cut into equal ones. */
static void find_in_row(const aggr_shape_t *shape, int first, int end, int me, aggr_parts_t *parts)
{
    int length = end - first, pieces = parts_of_row(shape, length), piece = 0;
    while (first + (int) ((int64_t) length * (piece + 1) / pieces) <= me)
        piece++;
    parts->mine += piece;
    parts->first = first + (int) ((int64_t) length * piece / pieces);
    parts->last = first + (int) ((int64_t) length * (piece + 1) / pieces) - 1;
}

aggr_parts_t MPIR_aggr_divide(const aggr_shape_t *shape, int me)
{
    aggr_parts_t parts = {0, 0, 0, shape->members - 1};
    if (shape->members <= shape->fan)
        return parts;
    int level = choose_level(shape), first = 0, end = end_of_row(shape, level, 0);
    for (; end <= me; first = end, end = end_of_row(shape, level, first))
        parts.mine += parts_of_row(shape, end - first);
    find_in_row(shape, first, end, me, &parts);
    parts.count = count_parts(shape, level);
    return parts;
}
