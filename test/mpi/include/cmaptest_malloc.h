/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The program has malloc and its family itself, so that those of libmpi come here, too.  Only where
 * the C library tells the names of its own (CT_HAVE_MALLOC).  What is done about them the program
 * says, by three functions of its own:
 */
#ifndef CMAPTEST_MALLOC_H_INCLUDED
#define CMAPTEST_MALLOC_H_INCLUDED

#include <stdlib.h>

#if defined(__GLIBC__)
#define CT_HAVE_MALLOC

#include <errno.h>
#include <string.h>
#include <unistd.h>

static int ct_refuses(void);                    /* is there no memory now? */
static void ct_allocated(void *p, size_t size); /* p is not NULL; asked for so many bytes */
static void ct_frees(void *p);                  /* p is not NULL, and still there */

/* of the allocation that ct_refuses is asked about */
static __thread const void *ct_caller;

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *p);

static int ct_has_none(const void *caller)
{
    ct_caller = caller;
    int refuses = ct_refuses();

    if (refuses)
        errno = ENOMEM;
    return refuses;
}

static void *ct_tell(void *p, size_t size)
{
    if (p)
        ct_allocated(p, size);
    return p;
}

void *malloc(size_t size)
{
    return ct_has_none(__builtin_return_address(0)) ? NULL : ct_tell(__libc_malloc(size), size);
}

void *calloc(size_t n, size_t size)
{
    return ct_has_none(__builtin_return_address(0)) ? NULL
                                                    : ct_tell(__libc_calloc(n, size), n * size);
}

void *realloc(void *p, size_t size)
{
    if (ct_has_none(__builtin_return_address(0)))
        return NULL;
    if (p)
        ct_frees(p);
    return ct_tell(__libc_realloc(p, size), size);
}

void free(void *p)
{
    if (p)
        ct_frees(p);
    __libc_free(p);
}

char *strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy =
        ct_has_none(__builtin_return_address(0)) ? NULL : ct_tell(__libc_malloc(size), size);

    return copy ? memcpy(copy, text, size) : NULL;
}

static void *ct_align(const void *caller, size_t alignment, size_t size)
{
    return ct_has_none(caller) ? NULL : ct_tell(__libc_memalign(alignment, size), size);
}

void *memalign(size_t alignment, size_t size)
{
    return ct_align(__builtin_return_address(0), alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return ct_align(__builtin_return_address(0), alignment, size);
}

void *valloc(size_t size)
{
    return ct_align(__builtin_return_address(0), sysconf(_SC_PAGESIZE), size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    void *p = ct_align(__builtin_return_address(0), alignment, size);

    if (!p)
        return ENOMEM;
    *out = p;
    return 0;
}

#endif
#endif /* CMAPTEST_MALLOC_H_INCLUDED */
