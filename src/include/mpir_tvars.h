/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Variables of the MPI tool interface: what our control variables and performance variables have in
 * common.
 */
#ifndef MPIR_TVARS_H_INCLUDED
#define MPIR_TVARS_H_INCLUDED

/* The error for a control variable whose value is not among those accepted. */
int MPIR_Cvar_wrong_value(const char *cvar, const char *value, const char *accepted);
int MPIR_Cvar_wrong_number(const char *cvar, int value, const char *accepted);

typedef void MPIR_Pvar_read_fn(void *address, void *obj_handle, int count, void *buffer);
typedef void MPIR_Pvar_count_fn(void *address, void *obj_handle, int *count);

/* A performance variable that one may only read: the unsigned long long at `address`, or what
 * `read` makes of `address` if it is not NULL.  It keeps the addresses of its texts.  Nothing
 * happens when there is one of this name: the tables of MPI_T may outlive a finalize. */
void MPIR_Pvar_register(int class, const char *name, void *address, MPIR_Pvar_read_fn *read,
                        const char *category, const char *text);

/* The same for a variable that is bound to an object: `count`, which may be NULL, is called when a
 * tool gets a handle. */
void MPIR_Pvar_register_bound(int bind, const char *name, void *address, MPIR_Pvar_read_fn *read,
                              MPIR_Pvar_count_fn *count, const char *category, const char *text);

/* The same for a text of fewer than `room` bytes, whose value is `room` characters.  `count`: as of
 * a bound variable. */
void MPIR_Pvar_register_text(const char *name, int room, MPIR_Pvar_read_fn *read,
                             MPIR_Pvar_count_fn *count, const char *category, const char *text);

#endif /* MPIR_TVARS_H_INCLUDED */
