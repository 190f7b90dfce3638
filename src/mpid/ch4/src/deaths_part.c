/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "mpidch4r.h"
#include "deaths.h"
#include "objects.h"

/*
 * Partitioned requests where the other process may die, or the communicator be revoked.  A request
 * has one message under way at most, which has a request of its own:
 *
 *     sender    start, partitions ready           data: completes the sender's request
 *     receiver                  clear to send                 the same here
 */

static int peer_of(const MPIR_Request *part)
{
    return part->kind == MPIR_REQUEST_KIND__PART_SEND ? MPIDI_PART_REQUEST(part, u.send.dest)
                                                      : MPIDI_PART_REQUEST(part, u.recv.source);
}

static bool is_of_dead(const MPIR_Request *part)
{
    return MPIR_Deaths_seen > 0 && peer_of(part) != MPI_PROC_NULL &&
           MPIDIG_deaths_is_dead(part->comm, peer_of(part));
}

int MPIDIG_deaths_class_of_part(const MPIR_Request *part)
{
    if (part->comm->revoked)
        return MPIX_ERR_REVOKED;
    return is_of_dead(part) ? MPIX_ERR_PROC_FAILED : MPI_SUCCESS;
}

/* The message under way completes nothing any more. */
static bool detach(void *object, void *context)
{
    MPIR_Request *message = object, *part = context;
    const bool is_found = MPIR_Object_get_ref(message) > 0 &&
                          message->kind == MPIR_REQUEST_KIND__PART &&
                          message->completion_notification == &part->cc;

    if (is_found)
        message->completion_notification = NULL;
    return is_found;
}

static bool is_under_way(void *object, void *context)
{
    const MPIR_Request *message = object, **part = context;
    const bool is_found = MPIR_Object_get_ref(message) > 0 &&
                          message->kind == MPIR_REQUEST_KIND__PART &&
                          message->completion_notification == &(*part)->cc;

    if (is_found)
        *part = NULL;
    return is_found;
}

static bool has_message(const MPIR_Request *part)
{
    MPIDIG_visit_requests(is_under_way, &part);
    return part == NULL;
}

/* On a revoked communicator a message of two living processes comes to its end. */
void MPIDIG_deaths_end_part(MPIR_Request *part)
{
    if (!MPIR_Part_request_is_active(part) || MPIR_Request_is_complete(part))
        return;
    if (is_of_dead(part))
        MPIDIG_visit_requests(detach, part);
    else if (has_message(part))
        return;
    part->status.MPI_ERROR = MPIDIG_deaths_class_of_part(part);
    MPIR_cc_set(&part->cc, 0);
}

bool MPIDIG_deaths_drops_part(const MPIR_Request *part, MPIR_Request_kind_t kind)
{
    return MPIR_Object_get_ref(part) <= 0 || part->kind != kind || !part->comm ||
           is_of_dead(part) ||
           (kind == MPIR_REQUEST_KIND__PART_RECV && MPIR_Request_is_complete(part));
}
