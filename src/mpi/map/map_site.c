/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "mpiimpl.h"
#include "mpir_map_site.h"

#if defined(__GLIBC__)
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <unwind.h>

/* Where a program or library lies, and whether it is of MPI.  dladdr would search its symbols for
 * each frame. */
typedef struct object {
    uintptr_t start, end;
    bool is_of_mpi;
} object;

/* Those that were met: a program, and the library with its bindings of other languages.  The
 * oldest makes room.  If a library is unloaded, what is loaded in its place may count as it. */
enum { OBJECTS = 8, FRAMES = 48 };
static object objects[OBJECTS];
static unsigned met;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* A search for the object around an address. */
typedef struct search {
    uintptr_t address;
    object found;
} search;

static uintptr_t own_address(void) { return (uintptr_t) MPIR_Map_site_here; }

/* The library, and the bindings of other languages, which lie beside it. */
static bool is_named_mpi(const char *path)
{
    const char *slash = strrchr(path, '/');

    return strncmp(slash ? slash + 1 : path, "libmpi", 6) == 0;
}

static int look_at(struct dl_phdr_info *info, size_t size MPL_UNUSED, void *context)
{
    search *s = context;
    object o = {.start = UINTPTR_MAX};

    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + part->p_vaddr;

        if (part->p_type != PT_LOAD)
            continue;
        o.start = MPL_MIN(o.start, start);
        o.end = MPL_MAX(o.end, start + part->p_memsz);
    }
    if (s->address < o.start || s->address >= o.end)
        return 0;
    o.is_of_mpi = (own_address() >= o.start && own_address() < o.end) ||
                  is_named_mpi(info->dlpi_name ? info->dlpi_name : "");
    s->found = o;
    return 1;
}

/* REQUIRES the mutex. */
static bool is_of_mpi(uintptr_t address)
{
    search s = {.address = address};

    for (int i = 0; i < OBJECTS; i++) {
        if (address >= objects[i].start && address < objects[i].end)
            return objects[i].is_of_mpi;
    }
    if (!dl_iterate_phdr(look_at, &s))
        return false;
    objects[met++ % OBJECTS] = s.found;
    return s.found.is_of_mpi;
}

typedef struct walk {
    map_site site;
    int frames;
} walk;

/* The innermost frames are of MPI; those of a callback further out, by which MPI was called
 * again, are not looked at. */
static _Unwind_Reason_Code step(struct _Unwind_Context *frame, void *context)
{
    walk *w = context;
    uintptr_t address = _Unwind_GetIP(frame);

    if (address == 0 || w->frames++ == FRAMES)
        return _URC_END_OF_STACK;
    if (is_of_mpi(address)) {
        w->site.function = (const void *) address;
        return _URC_NO_REASON;
    }
    w->site.call = (const void *) address;
    return _URC_END_OF_STACK;
}

map_site MPIR_Map_site_here(void)
{
    walk w = {{NULL, NULL}, 0};

    pthread_mutex_lock(&mutex);
    _Unwind_Backtrace(step, &w);
    pthread_mutex_unlock(&mutex);
    return w.site;
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

map_site MPIR_Map_site_here(void) { return (map_site){NULL, NULL}; }

void MPIR_Map_site_function(map_site site, char *text, size_t room) { text[0] = '\0'; }

void MPIR_Map_site_call(map_site site, char *text, size_t room) { text[0] = '\0'; }

#endif
