/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "objects.h"

static bool visit_block(char *objects, int n, size_t bytes, MPIDIG_visitor_t visit, void *context)
{
    for (int i = 0; i < n; i++) {
        if (visit(objects + (size_t) i * bytes, context))
            return true;
    }
    return false;
}

static bool visit_all(MPIR_Object_alloc_t *mem, MPIDIG_visitor_t visit, void *context)
{
    int of_block =
        mem->indirect_size ? (mem->num_allocated - mem->direct_size) / mem->indirect_size : 0;

    if (visit_block(mem->direct, mem->direct_size, mem->size, visit, context))
        return true;
    for (int block = 0; block < mem->indirect_size; block++) {
        if (visit_block(mem->indirect[block], of_block, mem->size, visit, context))
            return true;
    }
    return false;
}

void MPIDIG_visit_comms(MPIDIG_visitor_t visit, void *context)
{
    if (!visit_block((char *) MPIR_Comm_builtin, MPIR_COMM_N_BUILTIN, sizeof(MPIR_Comm), visit,
                     context))
        visit_all(&MPIR_Comm_mem, visit, context);
}

void MPIDIG_visit_requests(MPIDIG_visitor_t visit, void *context)
{
    for (int pool = 0; pool < MPIDI_global.n_vcis; pool++) { /* a VCI has the pool of its number */
        if (visit_all(&MPIR_Request_mem[pool], visit, context))
            return;
    }
}
