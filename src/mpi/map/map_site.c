/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "mpiimpl.h"
#include "map_site.h"

#if defined(__GLIBC__)
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>

enum { FRAMES = 48 };

static bool is_of_mpi(const void *address, const void *library)
{
    Dl_info info;
    const char *file;

    if (!dladdr(address, &info))
        return false;
    /* the bindings of other languages lie beside it */
    file = info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
    return info.dli_fbase == library || strncmp(file ? file + 1 : "", "libmpi", 6) == 0;
}

/* The innermost frames are of MPI; those of a callback further out, by which MPI was called
 * again, are not looked at. */
map_site MPIR_Map_site_here(void)
{
    void *frames[FRAMES];
    int n = backtrace(frames, FRAMES);
    map_site site = { NULL, NULL };
    Dl_info own;

    if (!dladdr((void *) (intptr_t) MPIR_Map_site_here, &own))
        return site;
    for (int i = 0; i < n && !site.call; i++) {
        if (is_of_mpi(frames[i], own.dli_fbase))
            site.function = frames[i];
        else
            site.call = frames[i];
    }
    return site;
}

void MPIR_Map_site_function(map_site site, char *text, size_t room)
{
    Dl_info info;
    const char *name = NULL;

    if (site.function && site.call && dladdr(site.function, &info))
        name = info.dli_sname;
    /* names of a profiling interface are another word for the same */
    if (name && strncmp(name, "PMPI_", 5) == 0)
        name++;
    snprintf(text, room, "%s", name ? name : "");
}

void MPIR_Map_site_call(map_site site, char *text, size_t room)
{
    Dl_info info;
    struct link_map *object;
    /* of the call, not of what comes after it */
    const char *address = (const char *) site.call - 1;
    char *file;

    text[0] = '\0';
    if (!site.call || !dladdr1(address, &info, (void **) &object, RTLD_DL_LINKMAP) ||
        !info.dli_fname)
        return;
    /* a program's own name may be relative to where it was started */
    file = realpath(info.dli_fname, NULL);
    /* addr2line wants addresses as the file has them; l_addr is what was added to them */
    snprintf(text, room, "%s+0x%zx", file ? file : info.dli_fname,
             (size_t) ((uintptr_t) address - object->l_addr));
    free(file);
}

#else

map_site MPIR_Map_site_here(void)
{
    return (map_site) {
    NULL, NULL};
}

void MPIR_Map_site_function(map_site site, char *text, size_t room)
{
    text[0] = '\0';
}

void MPIR_Map_site_call(map_site site, char *text, size_t room)
{
    text[0] = '\0';
}

#endif
