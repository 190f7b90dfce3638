/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef MPIR_RESOURCES_H_INCLUDED
#define MPIR_RESOURCES_H_INCLUDED

/* The process is restricted to one instance of a type of hardware resource, such as
 * "hwloc://Package": the number of this instance on the node. Otherwise MPI_UNDEFINED. The scheme
 * may be left out. */
int MPIR_Hw_resource_colour(const char *type);

#endif /* MPIR_RESOURCES_H_INCLUDED */
