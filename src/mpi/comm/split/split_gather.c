/* SPDX-License-Identifier: BSD-3-Clause */

#include "split_call.h"

/* What all members pass to MPI_Comm_split, by rows or by descriptions, and the context ids. */

/* The intracommunicator of an intercommunicator's local side, or the parent itself. */
static int local_comm_of(MPIR_Comm *parent, MPIR_Comm **local)
{
    int mpi_errno = MPI_SUCCESS;

    *local = parent;
    if (parent->comm_kind == MPIR_COMM_KIND__INTERCOMM) {
        if (!parent->local_comm)
            mpi_errno = MPII_Setup_intercomm_localcomm(parent);
        *local = parent->local_comm;
    }
    return mpi_errno;
}

/* ---- rows of the local side ------------------------------------------------------------------ */

/* On an intercommunicator the rows of the other side come. */
static int gather_rows(const void *row, void *table, int count, MPI_Datatype type, MPIR_Comm *comm,
                       MPIR_Errflag_t errflag)
{
    int mpi_errno = MPI_SUCCESS;

    MPIR_TRY(MPIR_Allgather(row, sizeof(split_row), MPI_BYTE, table, count, type, comm, &errflag));
    MPIR_ERR_CHKANDSTMT(errflag, mpi_errno, MPI_ERR_OTHER, return mpi_errno, "**ctxid_refused");

    return mpi_errno;
}

/* Without a table.  What this process passes on is wrong, and marked so. */
static int gather_nothing(const split_row *row, MPIR_Comm *comm)
{
    int mpi_errno = MPI_SUCCESS;
    MPI_Datatype drain;
    char last;

    mpi_errno = MPIR_split_make_drain(sizeof(*row), &drain);
    MPIR_ERR_CHKRETURN(mpi_errno);
    mpi_errno = gather_rows(row, &last, 1, drain, comm, MPIR_ERR_OTHER);
    MPIR_Type_free_impl(&drain);
    return mpi_errno;
}

static bool is_mixed(const split_side *side)
{
    return side->view.special_rows != 0 && side->view.special_rows != side->view.rows;
}

/* Looks at the rows of the local side; the offers of context ids are folded on the way. */
static void look_at_local(split_side *side, uint64_t *own_colour, uint64_t *all)
{
    *own_colour = *all = 0;
    for (uint32_t rank = 0; rank < side->size; rank++) {
        const split_row *row = &side->table[rank];
        MPIR_split_look(&side->view, row);
        MPIR_Ctxid_fold(all, row->offer);
        if (row->colour == side->view.colour)
            MPIR_Ctxid_fold(own_colour, row->offer);
    }
}

/* The ids of the colours, when all rows are known. */
static void decide(split_call *call, MPIR_Ctxid_t *ctxid, uint64_t own_colour, uint64_t all)
{
    MPIR_Context_id_t id = MPIR_INVALID_CONTEXT_ID;

    if (is_mixed(&call->local)) {
        MPIR_Ctxid_abandon(ctxid);
        return;
    }
    int mpi_errno = MPIR_Ctxid_decide(ctxid, own_colour, all, &id);
    if (mpi_errno == MPI_SUCCESS && call->colour != MPI_UNDEFINED)
        call->id = id;
    MPIR_Err_keep_first(&call->error, mpi_errno);
}

int MPIR_split_exchange_rows(split_call *call, MPIR_Comm *local, MPIR_Ctxid_t *ctxid)
{
    int mpi_errno = MPI_SUCCESS;
    split_row row = {.colour = call->colour, .key = call->key};
    split_row *table = call->local.table;

    MPIR_Ctxid_begin(ctxid, local, call->colour != MPI_UNDEFINED, &row.offer);
    if (call->error != MPI_SUCCESS)
        row.offer = MPIR_Ctxid_refusal(row.offer);
    if (table) {
        table[call->parent->rank] = row;
        mpi_errno = gather_rows(MPI_IN_PLACE, table, sizeof(row), MPI_BYTE, local, MPIR_ERR_NONE);
    } else {
        mpi_errno = gather_nothing(&row, local);
    }
    if (!table || mpi_errno != MPI_SUCCESS)
        MPIR_Ctxid_abandon(ctxid);
    return mpi_errno;
}

static void gather_rows_of_local(split_call *call, MPIR_Comm *local)
{
    MPIR_Ctxid_t ctxid;
    uint64_t own_colour, all;
    int mpi_errno = MPIR_Others->get_rows(call, local, &ctxid);

    MPIR_Err_keep_first(&call->error, mpi_errno);
    if (call->local.table == NULL || mpi_errno != MPI_SUCCESS)
        return;
    look_at_local(&call->local, &own_colour, &all);
    decide(call, &ctxid, own_colour, all);
}

/* ---- descriptions of the local side ---------------------------------------------------------- */

/* Orders the members of the own colour. */
static void arrange(split_call *call)
{
    const uint8_t *all = call->scratch->zones.mine;

    MPIR_colours_arrange(all, call->colour, (uint32_t) call->parent->rank, &call->scratch->order);
    call->local.view.members = call->scratch->order.members;
    call->local.view.special_rows = MPIR_colours_count(all, MPIX_PERMUTE);
}

/* The fold of the offers is that over all colours: ids that are free at all processes are free at
 * those of one colour. */
static void decide_described(split_call *call, MPIR_Ctxid_t *ctxid)
{
    const uint8_t *all = call->scratch->zones.mine;
    uint64_t offer = MPIR_colours_offer(all);

    call->local.view.rows = call->local.size;
    if (MPIR_colours_flags(all) & COLOURS_FAILED)
        offer = MPIR_Ctxid_refusal(offer);
    else
        arrange(call);
    decide(call, ctxid, offer, offer);
}

/* Exchange and decision.  Once an agreement has begun, each member makes an offer. */
static int agree_described(split_call *call, MPIR_Comm *local, bool takes_part, bool by_nodes)
{
    MPIR_Ctxid_t ctxid;
    split_leaf own = {.row = {.colour = call->colour, .key = call->key}};
    int mpi_errno;

    MPIR_Ctxid_begin(&ctxid, local, takes_part, &own.offer);
    if (call->error != MPI_SUCCESS) {
        own.flags = COLOURS_FAILED;
        own.offer = MPIR_Ctxid_refusal(own.offer);
    }
    mpi_errno = MPIR_split_exchange(&call->scratch->zones, local, &own, by_nodes);
    if (mpi_errno == MPI_SUCCESS)
        decide_described(call, &ctxid);
    else
        MPIR_Ctxid_abandon(&ctxid);
    return mpi_errno;
}

static void gather_descriptions(split_call *call, MPIR_Comm *local)
{
    bool takes_part = (call->colour != MPI_UNDEFINED), by_nodes;
    int mpi_errno = MPIR_split_choose_nodes(local, &by_nodes);

    if (mpi_errno == MPI_SUCCESS)
        mpi_errno = MPIR_Others->foresee(call, local, &takes_part);
    if (mpi_errno == MPI_SUCCESS)
        mpi_errno = agree_described(call, local, takes_part, by_nodes);
    MPIR_Err_keep_first(&call->error, mpi_errno);
}

/* ---- the other side of an intercommunicator -------------------------------------------------- */

/* The other side's id for the colour: MPIR_INVALID_CONTEXT_ID if one of its members has none. */
static void look_at_remote(split_call *call)
{
    split_side *side = &call->remote;
    bool have_ids = true;

    for (uint32_t rank = 0; rank < side->size; rank++) {
        const split_row *row = &side->table[rank];

        MPIR_split_look(&side->view, row);
        if (row->colour == call->colour) {
            have_ids = have_ids && row->id != MPIR_INVALID_CONTEXT_ID;
            call->remote_id = have_ids ? row->id : MPIR_INVALID_CONTEXT_ID;
        }
    }
}

/* A process without an id also takes part: the other side learns from it that there is none. */
static void gather_remote(split_call *call)
{
    split_row *table = call->remote.table;
    split_row row = {.colour = call->colour, .key = call->key, .id = call->id};
    int mpi_errno;

    if (!table) {
        MPIR_Err_keep_first(&call->error, gather_nothing(&row, call->parent));
        return;
    }
    mpi_errno = gather_rows(&row, table, sizeof(row), MPI_BYTE, call->parent, MPIR_ERR_NONE);
    MPIR_Err_keep_first(&call->error, mpi_errno);
    if (mpi_errno == MPI_SUCCESS)
        look_at_remote(call);
}

/* ---- both ------------------------------------------------------------------------------------ */

/* Gathers what the local side passes and agrees on a context id for each colour. */
static void gather_local(split_call *call)
{
    MPIR_Comm *local;
    int mpi_errno = local_comm_of(call->parent, &local);

    if (mpi_errno != MPI_SUCCESS)
        MPIR_Err_keep_first(&call->error, mpi_errno);
    else if (call->is_described)
        gather_descriptions(call, local);
    else
        gather_rows_of_local(call, local);
}

void MPIR_split_gather(split_call *call)
{
    gather_local(call);
    if (MPIR_split_is_inter(call))
        gather_remote(call);
}
