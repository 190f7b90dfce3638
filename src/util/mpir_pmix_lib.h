/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The structures, functions and keys of PMIx that this library uses, after the PMIx Standard 4.1.
 * The structures have the same layout in versions 3, 4 and 5 of libpmix.so.2.
 * test/launchers/pmix_abi.c compares them with the installed header.
 *
 * libpmix is loaded at run time, when a launcher that speaks PMIx has started the process.  A
 * build, and a run under other launchers, do not need it.
 */
#ifndef MPIR_PMIX_LIB_H_INCLUDED
#define MPIR_PMIX_LIB_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PMIX_NSPACE_ROOM = 256, PMIX_KEY_ROOM = 512 };

#define PMIX_EVERY_RANK (UINT32_MAX - 1) /* the job itself, as the owner of a value */
enum { PMIX_FOR_ALL = 3 }; /* scope of a value: processes of this node and of others */

/* Types of values */
enum {
    PMIX_IS_BOOL = 1,
    PMIX_IS_STRING = 3,
    PMIX_IS_SIZE = 4,
    PMIX_IS_INT = 6,
    PMIX_IS_INT32 = 9,
    PMIX_IS_UINT = 11,
    PMIX_IS_UINT16 = 13,
    PMIX_IS_UINT32 = 14,
    PMIX_IS_PROC = 22,
    PMIX_IS_RANK = 40
};

/* Statuses of events, that processes have ended before the end of their job; of handlers; of calls
 * that call nobody back. */
enum {
    PMIX_KILLED = -400,
    PMIX_ABORTED_BY_SIGNAL = -402,
    PMIX_EXITED_WITH_STATUS = -404,
    PMIX_EXITED_EARLY = -200,
    PMIX_ABORTS = -8,
    PMIX_NOTHING_DONE = -331,
    PMIX_DONE_AT_ONCE = -157
};

typedef struct MPIR_Pmix_proc {
    char nspace[PMIX_NSPACE_ROOM]; /* the name of a job */
    uint32_t rank;
} MPIR_Pmix_proc_t;

typedef struct MPIR_Pmix_value {
    uint16_t type;
    union {
        bool flag;
        char *string;
        size_t size;
        uint16_t uint16;
        uint32_t uint32;
        MPIR_Pmix_proc_t *proc;
        struct {
            void *first, *second;
            char third;
        } largest;
    } data;
} MPIR_Pmix_value_t;

typedef struct MPIR_Pmix_info {
    char key[PMIX_KEY_ROOM];
    uint32_t flags;
    MPIR_Pmix_value_t value;
} MPIR_Pmix_info_t;

typedef struct MPIR_Pmix_pdata {
    MPIR_Pmix_proc_t proc;
    char key[PMIX_KEY_ROOM];
    MPIR_Pmix_value_t value;
} MPIR_Pmix_pdata_t;

typedef struct MPIR_Pmix_app {
    char *cmd;
    char **argv, **env; /* env: what is added to the environment */
    char *cwd;
    int maxprocs;
    MPIR_Pmix_info_t *info;
    size_t ninfo;
} MPIR_Pmix_app_t;

/* Handlers of events run in a thread of PMIx, and call the last but one of their arguments. */
typedef void MPIR_Pmix_heard_t(int status, MPIR_Pmix_info_t *results, size_t nresults,
                               void (*done)(int, void *), void *done_context, void *context);
typedef void MPIR_Pmix_hear_t(size_t id, int status, const MPIR_Pmix_proc_t *source,
                              MPIR_Pmix_info_t infos[], size_t ninfo, MPIR_Pmix_info_t *results,
                              size_t nresults, MPIR_Pmix_heard_t *heard, void *context);

/* The functions, without their prefix PMIx_ */
typedef struct MPIR_Pmix_lib {
    int (*Init)(MPIR_Pmix_proc_t *self, MPIR_Pmix_info_t info[], size_t ninfo);
    int (*Finalize)(const MPIR_Pmix_info_t info[], size_t ninfo);
    int (*Abort)(int status, const char message[], MPIR_Pmix_proc_t procs[], size_t nprocs);
    int (*Put)(uint8_t scope, const char key[], MPIR_Pmix_value_t *value);
    int (*Commit)(void);
    int (*Fence)(const MPIR_Pmix_proc_t procs[], size_t nprocs, const MPIR_Pmix_info_t info[],
                 size_t ninfo);
    int (*Fence_nb)(const MPIR_Pmix_proc_t procs[], size_t nprocs, const MPIR_Pmix_info_t info[],
                    size_t ninfo, void (*over)(int status, void *context), void *context);
    int (*Get)(const MPIR_Pmix_proc_t *proc, const char key[], const MPIR_Pmix_info_t info[],
               size_t ninfo, MPIR_Pmix_value_t **value);
    int (*Publish)(const MPIR_Pmix_info_t info[], size_t ninfo);
    int (*Lookup)(MPIR_Pmix_pdata_t data[], size_t ndata, const MPIR_Pmix_info_t info[],
                  size_t ninfo);
    int (*Unpublish)(char **keys, const MPIR_Pmix_info_t info[], size_t ninfo);
    int (*Spawn)(const MPIR_Pmix_info_t job_info[], size_t ninfo, const MPIR_Pmix_app_t apps[],
                 size_t napps, char nspace[]);
    int (*Register_event_handler)(int codes[], size_t ncodes, MPIR_Pmix_info_t info[], size_t ninfo,
                                  MPIR_Pmix_hear_t *hear,
                                  void (*registered)(int status, size_t id, void *context),
                                  void *context);
    const char *(*Error_string)(int status);
} MPIR_Pmix_lib_t;

extern MPIR_Pmix_lib_t MPIR_Pmix_lib;   /* valid after MPIR_Pmix_load */
extern MPIR_Pmix_proc_t MPIR_Pmix_self; /* valid after MPIR_Pmix_start */

/* In the environment of a spawned job: a mark, because not all managers tell that it was spawned,
 * and the values that its parent passes to it. */
#define MPIR_PMIX_SPAWNED "MPIR_SPAWNED"
#define MPIR_PMIX_PREPUT "MPIR_PREPUT_"

/* False without libpmix.so.2; *reason then says what is missing. */
bool MPIR_Pmix_load(const char **reason);

/* The launcher's value for a process or for the job (PMIX_EVERY_RANK); NULL or false if it has
 * none.  The caller frees strings with MPL_external_free. */
char *MPIR_Pmix_string(uint32_t rank, const char *key);
bool MPIR_Pmix_number(uint32_t rank, const char *key, uint32_t *number);

/* A string that a process has published, which the caller frees with MPL_external_free; NULL when
 * there is none.  Waits if the process has published nothing yet. */
char *MPIR_Pmix_published(uint32_t rank, const char *key);

/* A pair of strings; info points to the second one. */
void MPIR_Pmix_fill(MPIR_Pmix_info_t *info, const char *key, const char *string);

/* Where the job's processes are, in the form of PMI-1's PMI_process_mapping, which the caller
 * frees with MPL_external_free; NULL when PMIx does not say. */
char *MPIR_Pmix_mapping(uint32_t size);

#endif /* MPIR_PMIX_LIB_H_INCLUDED */
