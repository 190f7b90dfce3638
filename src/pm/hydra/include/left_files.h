/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEFT_FILES_H_INCLUDED
#define LEFT_FILES_H_INCLUDED

/* Removes the shared memory in /dev/shm that processes of this node had no time to remove.  Who
 * makes such a file holds a lock on it until it removes it, or dies: files of the living stay
 * (MPL_shm_remove_left() in MPL, of which Hydra has a copy of its own). */
void HYDU_remove_left_files(void);

#endif /* LEFT_FILES_H_INCLUDED */
