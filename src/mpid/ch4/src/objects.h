/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CH4_OBJECTS_H_INCLUDED
#define CH4_OBJECTS_H_INCLUDED

/* Calls `visit` for each object of a kind, also for those that are not in use.  True from `visit`
 * ends the walk. */
typedef bool (*MPIDIG_visitor_t)(void *object, void *context);

void MPIDIG_visit_comms(MPIDIG_visitor_t visit, void *context);
void MPIDIG_visit_requests(MPIDIG_visitor_t visit, void *context);

#endif /* CH4_OBJECTS_H_INCLUDED */
