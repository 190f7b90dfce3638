/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Which handles a program may give.  A handle is an index into the pool of its kind, and a wrong
 * one would lead to other memory.  The number of references tells whether an object was freed.
 */
#ifndef MPIR_HANDLE_CHECK_H_INCLUDED
#define MPIR_HANDLE_CHECK_H_INCLUDED

static inline bool MPIR_Handle_is_in(int handle, const MPIR_Object_alloc_t *pool, int builtins)
{
    switch (HANDLE_GET_KIND(handle)) {
        case HANDLE_KIND_BUILTIN: return HANDLE_INDEX(handle) < builtins;
        case HANDLE_KIND_DIRECT: return HANDLE_INDEX(handle) < pool->direct_size;
        case HANDLE_KIND_INDIRECT:
            return HANDLE_BLOCK(handle) < pool->indirect_size &&
                   HANDLE_BLOCK_INDEX(handle) < HANDLE_NUM_INDICES;
        default: return false;
    }
}

/* Datatypes have their size in the handle, too. */
static inline bool MPIR_Handle_is_type(int handle)
{
    if (HANDLE_IS_BUILTIN(handle))
        return (handle & 0xff) < MPIR_DATATYPE_N_BUILTIN;
    return MPIR_Handle_is_in(handle, &MPIR_Datatype_mem, 0);
}

/* Keyvals have the kind of object, too.  Those of MPI have no pool. */
static inline bool MPIR_Handle_is_keyval(int handle)
{
    return HANDLE_IS_BUILTIN(handle) || MPIR_Handle_is_in(handle & 0xfc3fffff, &MPII_Keyval_mem, 0);
}

static inline bool MPIR_Handle_is_request(int handle)
{
    int pool = (handle & REQUEST_POOL_MASK) >> REQUEST_POOL_SHIFT;
    int block = (handle & REQUEST_BLOCK_MASK) >> REQUEST_BLOCK_SHIFT;

    switch (HANDLE_GET_KIND(handle)) {
        case HANDLE_KIND_BUILTIN: return HANDLE_INDEX(handle) < MPIR_REQUEST_BUILTIN_COUNT;
        case HANDLE_KIND_DIRECT: return HANDLE_INDEX(handle) < MPIR_REQUEST_PREALLOC;
        case HANDLE_KIND_INDIRECT:
            return pool < MPIR_REQUEST_NUM_POOLS && block < MPIR_Request_mem[pool].indirect_size &&
                   (handle & REQUEST_OBJECT_MASK) < REQUEST_NUM_INDICES;
        default: return false;
    }
}

/* Whether a handle of this kind leads to an object, alive or not */
static inline bool MPIR_Handle_leads_to(int handle, MPII_Object_kind kind)
{
    switch (kind) {
        case MPIR_COMM: return MPIR_Handle_is_in(handle, &MPIR_Comm_mem, MPIR_COMM_N_BUILTIN);
        case MPIR_GROUP: return MPIR_Handle_is_in(handle, &MPIR_Group_mem, MPIR_GROUP_N_BUILTIN);
        case MPIR_DATATYPE: return MPIR_Handle_is_type(handle);
        case MPIR_ERRHANDLER:
            return MPIR_Handle_is_in(handle, &MPIR_Errhandler_mem, MPIR_ERRHANDLER_N_BUILTIN);
        case MPIR_OP: return MPIR_Handle_is_in(handle, &MPIR_Op_mem, MPIR_OP_N_BUILTIN);
        case MPIR_INFO: return MPIR_Handle_is_in(handle, &MPIR_Info_mem, MPIR_INFO_N_BUILTIN);
        case MPIR_WIN: return MPIR_Handle_is_in(handle, &MPIR_Win_mem, 0);
        case MPIR_KEYVAL: return MPIR_Handle_is_keyval(handle);
        case MPIR_REQUEST: return MPIR_Handle_is_request(handle);
        case MPIR_GREQ_CLASS: return MPIR_Handle_is_in(handle, &MPIR_Grequest_class_mem, 0);
        case MPIR_SESSION: return MPIR_Handle_is_in(handle, &MPIR_Session_mem, 0);
        default: return false;
    }
}

#endif /* MPIR_HANDLE_CHECK_H_INCLUDED */
