/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Process managers that speak PMIx (prterun, srun --mpi=pmix, Open MPI's mpirun), by the functions
 * of PMI-1.  MPICH calls the latter by their names; after this header, these names lead to PMIx in
 * a process that such a manager has started.
 *
 * PMIx finds a value by its owner, so MPIR_Pmix_KVS_Get takes the owner's rank.
 *
 * The functions return PMI_SUCCESS or PMI_FAIL.  They may be called by several threads.
 */
#ifndef MPIR_PMIX_H_INCLUDED
#define MPIR_PMIX_H_INCLUDED

#include <stdbool.h>
#include <stdint.h>
#include <pmi.h>

/* Has a launcher started this process that speaks PMIx, and no PMI-1? */
bool MPIR_Pmix_is_used(void);
/* Loads libpmix and connects to the manager, once. An error says which of both failed, and why. */
int MPIR_Pmix_start(void);

int MPIR_Pmix_Init(int *spawned);
int MPIR_Pmix_Finalize(void);
int MPIR_Pmix_Abort(int exit_code, const char message[]);
int MPIR_Pmix_Get_rank(int *rank);
int MPIR_Pmix_Get_size(int *size);
int MPIR_Pmix_Get_appnum(int *appnum);
int MPIR_Pmix_Get_universe_size(int *size);
int MPIR_Pmix_Barrier(void);
int MPIR_Pmix_KVS_Get_my_name(char name[], int length);
int MPIR_Pmix_KVS_Get_name_length_max(int *length);
int MPIR_Pmix_KVS_Get_key_length_max(int *length);
int MPIR_Pmix_KVS_Get_value_length_max(int *length);
int MPIR_Pmix_KVS_Put(const char name[], const char key[], const char value[]);
int MPIR_Pmix_KVS_Commit(const char name[]);
/* owner: a rank, or -1 for what the manager or the parent of a spawned job has put there. */
int MPIR_Pmix_KVS_Get(int owner, const char key[], char value[], int length);
int MPIR_Pmix_Publish_name(const char service[], const char port[]);
int MPIR_Pmix_Unpublish_name(const char service[]);
int MPIR_Pmix_Lookup_name(const char service[], char port[]);
/* Of the keys of info, "host" and "wdir" have a meaning. */
int MPIR_Pmix_Spawn_multiple(int count, const char *commands[], const char **argvs[],
                             const int maxprocs[], const int info_sizes[],
                             const PMI_keyval_t *infos[], int preput_size,
                             const PMI_keyval_t preput[], int errors[]);

/* False if the launcher reports no deaths.  Otherwise `died` is called for each, in a thread of
 * PMIx, with the name of the process's job and its rank there. */
bool MPIR_Pmix_watch_deaths(void (*died)(const char *job, uint32_t rank));
/* A barrier of those that live, which polls meanwhile.  So many deaths are known; is the rank one
 * of the first n? */
int MPIR_Pmix_barrier_of_living(const uint32_t *deaths, bool (*is_among)(uint32_t n, int rank),
                                void (*poll)(void));

#define MPIR_MANAGER(function_, arguments_) \
    (MPIR_Pmix_is_used() ? MPIR_Pmix_##function_ arguments_ : PMI_##function_ arguments_)

#define PMI_Init(spawned_) MPIR_MANAGER(Init, (spawned_))
#define PMI_Finalize() MPIR_MANAGER(Finalize, ())
#define PMI_Abort(code_, message_) MPIR_MANAGER(Abort, (code_, message_))
#define PMI_Get_rank(rank_) MPIR_MANAGER(Get_rank, (rank_))
#define PMI_Get_size(size_) MPIR_MANAGER(Get_size, (size_))
#define PMI_Get_appnum(appnum_) MPIR_MANAGER(Get_appnum, (appnum_))
#define PMI_Get_universe_size(size_) MPIR_MANAGER(Get_universe_size, (size_))
#define PMI_Barrier() MPIR_MANAGER(Barrier, ())
#define PMI_KVS_Get_my_name(name_, length_) MPIR_MANAGER(KVS_Get_my_name, (name_, length_))
#define PMI_KVS_Get_name_length_max(length_) MPIR_MANAGER(KVS_Get_name_length_max, (length_))
#define PMI_KVS_Get_key_length_max(length_) MPIR_MANAGER(KVS_Get_key_length_max, (length_))
#define PMI_KVS_Get_value_length_max(length_) MPIR_MANAGER(KVS_Get_value_length_max, (length_))
#define PMI_KVS_Put(name_, key_, value_) MPIR_MANAGER(KVS_Put, (name_, key_, value_))
#define PMI_KVS_Commit(name_) MPIR_MANAGER(KVS_Commit, (name_))
#define PMI_KVS_Get(name_, key_, value_, length_) MPIR_Manager_get(-1, name_, key_, value_, length_)
#define PMI_Publish_name(service_, port_) MPIR_MANAGER(Publish_name, (service_, port_))
#define PMI_Unpublish_name(service_) MPIR_MANAGER(Unpublish_name, (service_))
#define PMI_Lookup_name(service_, port_) MPIR_MANAGER(Lookup_name, (service_, port_))
#define PMI_Spawn_multiple(...) MPIR_MANAGER(Spawn_multiple, (__VA_ARGS__))

/* PMI_KVS_Get of a value whose owner is known. */
static inline int MPIR_Manager_get(int owner, const char name[], const char key[], char value[],
                                   int length)
{
    return MPIR_Pmix_is_used() ? MPIR_Pmix_KVS_Get(owner, key, value, length)
                               : (PMI_KVS_Get) (name, key, value, length);
}

#endif /* MPIR_PMIX_H_INCLUDED */
