/* SPDX-License-Identifier: BSD-3-Clause */

#include "left_files.h"
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define DIRECTORY "/dev/shm"
#define PREFIX "mpich_seg_"

static void remove_if_left(int directory, const char *name)
{
    int file = openat(directory, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);

    if (file == -1)
        return;
    if (flock(file, LOCK_EX | LOCK_NB) == 0)
        unlinkat(directory, name, 0);
    close(file);
}

void HYDU_remove_left_files(void)
{
    DIR *directory = opendir(DIRECTORY);
    struct dirent *entry;

    if (!directory)
        return;
    while ((entry = readdir(directory))) {
        if (!strncmp(entry->d_name, PREFIX, strlen(PREFIX)))
            remove_if_left(dirfd(directory), entry->d_name);
    }
    closedir(directory);
}
