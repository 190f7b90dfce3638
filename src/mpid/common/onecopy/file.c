/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "onecopy_impl.h"

/* Where the system has no such files there are no copies. */
#if defined(MFD_ALLOW_SEALING) && defined(F_ADD_SEALS)
enum { SEALS = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE };

/* Some systems demand that the file cannot be executed, and older ones do not know the flag. */
#ifdef MFD_NOEXEC_SEAL
enum { NOT_EXECUTED = MFD_NOEXEC_SEAL };
#else
enum { NOT_EXECUTED = 8 };
#endif

static int file_without_name(void)
{
    const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    int descriptor = memfd_create("onecopy", flags | NOT_EXECUTED);
    return descriptor < 0 && errno == EINVAL ? memfd_create("onecopy", flags) : descriptor;
}

static bool seal(int descriptor) { return fcntl(descriptor, F_ADD_SEALS, SEALS) == 0; }

static bool is_sealed(int descriptor)
{
    int seals = fcntl(descriptor, F_GET_SEALS);
    return seals >= 0 && (seals & SEALS) == SEALS;
}
#else
static int file_without_name(void)
{
    errno = ENOSYS;
    return -1;
}

static bool seal(int descriptor)
{
    (void) descriptor;
    return false;
}

static bool is_sealed(int descriptor)
{
    (void) descriptor;
    return false;
}
#endif

/* A file beyond the limit would be a signal. */
static bool may_be_as_large(size_t n)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
           (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= n);
}

/* By write: where there is no memory this is an error, and not the signal of a mapped page. */
static bool write_all(int descriptor, const char *bytes, size_t n)
{
    for (size_t done = 0; done < n;) {
        ssize_t some = pwrite(descriptor, bytes + done, n - done, (off_t) done);
        if (some > 0)
            done += (size_t) some;
        else if (some == 0 || errno != EINTR)
            return false;
    }
    return true;
}

static bool identify(int descriptor, size_t n, onecopy_file_t *out)
{
    struct stat about;
    if (fstat(descriptor, &about) || !S_ISREG(about.st_mode) || about.st_size != (off_t) n)
        return false;
    *out = (onecopy_file_t){descriptor, about.st_dev, about.st_ino};
    return true;
}

bool MPIR_onecopy_file_make(const void *bytes, size_t n, onecopy_file_t *out)
{
    if (!may_be_as_large(n))
        return false;
    int descriptor = file_without_name();
    if (descriptor < 0)
        return false;
    if (write_all(descriptor, bytes, n) && seal(descriptor) && identify(descriptor, n, out))
        return true;
    close(descriptor);
    return false;
}

bool MPIR_onecopy_files_work(void)
{
    onecopy_file_t file;
    if (!MPIR_onecopy_file_make("", 1, &file))
        return false;
    const void *memory = MPIR_onecopy_file_map(&file, 1);
    if (memory)
        munmap((void *) memory, 1);
    MPIR_onecopy_file_close(&file);
    return memory != NULL;
}

bool MPIR_onecopy_file_leaves_room(const onecopy_file_t *file)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 && (rlim_t) file->descriptor < limit.rlim_cur / 2;
}

bool MPIR_onecopy_file_open(int32_t process, uint64_t place, size_t n, onecopy_file_t *out)
{
    char path[64];
    struct stat about;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int) process, board_descriptor(place));
    /* the descriptor may be another file's by now: to open a device can have effects */
    if (stat(path, &about) || !S_ISREG(about.st_mode) || about.st_size != (off_t) n ||
        (uint32_t) about.st_ino != (uint32_t) place)
        return false;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0)
        return false;
    if (is_sealed(descriptor) && identify(descriptor, n, out))
        return true;
    close(descriptor);
    return false;
}

/* Before Linux 6.7 a sealed file has no shared mappings, even to read.  The pages of a private one
 * are the file's, too, because they are not written. */
const void *MPIR_onecopy_file_map(const onecopy_file_t *file, size_t n)
{
    void *memory = mmap(NULL, n, PROT_READ, MAP_PRIVATE, file->descriptor, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void MPIR_onecopy_file_close(onecopy_file_t *file)
{
    struct stat about;
    if (file->descriptor >= 0 && fstat(file->descriptor, &about) == 0 &&
        about.st_dev == file->device && about.st_ino == file->inode)
        close(file->descriptor);
    file->descriptor = -1;
}
