/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_quota.h"
#include <limits.h>
#include <stdio.h>

/*
 * A control group limits processor time by a quota of microseconds for each period: in cpu.max of
 * version 2 ("max" for none), in cpu.cfs_quota_us and cpu.cfs_period_us of version 1 (-1 for none).
 * A container sees its own group as the root.
 */

static int cores_of(long quota, long period)
{
    return quota > 0 && period > 0 ? (int) MPL_MIN((quota + period - 1) / period, INT_MAX)
                                   : INT_MAX;
}

/* The first numbers in a file; how many there are. */
static int read_numbers(const char *directory, const char *name, long numbers[2])
{
    char path[PATH_MAX];
    int n = 0;
    FILE *file;

    if (snprintf(path, sizeof(path), "%s/%s", directory, name) >= (int) sizeof(path) ||
        !(file = fopen(path, "r")))
        return 0;
    n = fscanf(file, "%ld %ld", &numbers[0], &numbers[1]);
    fclose(file);
    return n;
}

static int cores_in(const char *directory)
{
    long max[2], quota[2], period[2];

    if (read_numbers(directory, "cpu.max", max) == 2)
        return cores_of(max[0], max[1]);
    if (read_numbers(directory, "cpu.cfs_quota_us", quota) >= 1 &&
        read_numbers(directory, "cpu.cfs_period_us", period) >= 1)
        return cores_of(quota[0], period[0]);
    return INT_MAX;
}

/* The least of a group and the groups that it is in, below `root`. */
static int least_cores(const char *root, const char *group)
{
    char directory[PATH_MAX];
    size_t top = strlen(root);
    int cores;

    if (snprintf(directory, sizeof(directory), "%s%s", root, group) >= (int) sizeof(directory))
        return INT_MAX;
    for (cores = cores_in(directory); strlen(directory) > top;
         cores = MPL_MIN(cores, cores_in(directory)))
        *strrchr(directory, '/') = '\0';
    return cores;
}

/* Of a line of /proc/self/cgroup, "number:controllers:path". */
static int cores_of_line(char *line)
{
    char *controllers = strchr(line, ':'),
         *group = controllers ? strchr(controllers + 1, ':') : NULL;
    char *saved = NULL;
    int cores = INT_MAX;

    if (!group)
        return INT_MAX;
    *group++ = '\0';
    group[strcspn(group, "\n")] = '\0';
    if (controllers[1] == '\0')
        return MPL_MIN(least_cores("/sys/fs/cgroup", group),
                       least_cores("/sys/fs/cgroup/unified", group));
    for (char *name = strtok_r(controllers + 1, ",", &saved); name;
         name = strtok_r(NULL, ",", &saved))
        if (!strcmp(name, "cpu"))
            cores = MPL_MIN(least_cores("/sys/fs/cgroup/cpu", group),
                            least_cores("/sys/fs/cgroup/cpu,cpuacct", group));
    return cores;
}

int MPIR_Quota_cores(void)
{
    char line[PATH_MAX];
    int cores = INT_MAX;
    FILE *file = fopen("/proc/self/cgroup", "r");

    while (file && fgets(line, sizeof(line), file))
        cores = MPL_MIN(cores, cores_of_line(line));
    if (file)
        fclose(file);
    return cores;
}
