# SPDX-License-Identifier: BSD-3-Clause
"""The calls of test/mpi/f08/misc/all_procedures.f90, for f08_calls.py: in an order in which they
succeed, with the arguments that do not follow from their types."""


class Step:
    """A call of each procedure of a generic name, with lines before and behind it."""

    def __init__(self, name, before="", after="", **given):
        self.name, self.before, self.after, self.given = name, before, after, given


def steps(names, **more):
    return [Step(n, **more) for n in names.split()]


WAIT = "call MPI_Wait(request, MPI_STATUS_IGNORE)"
START = f"call MPI_Start(request)\n{WAIT}\ncall MPI_Request_free(request)"
OWN = "call MPI_Irecv(receive, 1, MPI_INTEGER, 0, 1, comm, other)"
OWN_DONE = "call MPI_Wait(other, MPI_STATUS_IGNORE)"
SENT = "call MPI_Isend(send, 1, MPI_INTEGER, 0, 1, comm, other)"
MATCHED = f"{SENT}\ncall MPI_Mprobe(0, 1, comm, message, status)"
SHARED = "call MPI_Win_allocate_shared(400_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, comm, pointer, "
SHARED += "shared)"
TYPE = "call MPI_Type_dup(MPI_INTEGER, type)"
DROP = "call MPI_Type_free(new_type)"
PAIR = "call MPI_Irecv(receive, 1, MPI_INTEGER, 0, 1, comm, requests(1))\n"
PAIR += "call MPI_Isend(send, 1, MPI_INTEGER, 0, 1, comm, requests(2))"
BUFFER = "call MPI_Buffer_attach(attached, size(attached))"
UNBUFFER = "call MPI_Buffer_detach(pointer, ints(1, 1))"
ADDED = "call MPI_Add_error_class(class)\ncall MPI_Add_error_code(class, code)\n"
ADDED += "call MPI_Add_error_string(code, 'a string')"
COLLECTIVES = """Allgather Allgatherv Allreduce Alltoall Alltoallv Alltoallw Barrier Bcast Exscan
Gather Gatherv Reduce Reduce_scatter Reduce_scatter_block Scan Scatter Scatterv""".split()
NEIGHBOURS = "allgather allgatherv alltoall alltoallv alltoallw".split()
GRID = {"comm": "ring", "sendtypes": "types", "recvtypes": "types"}


def collectives():
    for name in COLLECTIVES:
        yield Step(f"MPI_{name}")
        yield Step(f"MPI_I{name.lower()}", after=WAIT)
        yield Step(f"MPI_{name}_init", after=START)
    for name in NEIGHBOURS:
        yield Step(f"MPI_Neighbor_{name}", **GRID)
        yield Step(f"MPI_Ineighbor_{name}", after=WAIT, **GRID)
        yield Step(f"MPI_Neighbor_{name}_init", after=START, **GRID)


def sends():
    for name in ("Send", "Ssend", "Rsend", "Bsend"):
        around = {"before": OWN, "after": OWN_DONE}
        if name == "Bsend":
            around = {"before": f"{BUFFER}\n{OWN}", "after": f"{OWN_DONE}\n{UNBUFFER}"}
        yield Step(f"MPI_{name}", tag="1", **around)
        around["after"] = f"{WAIT}\n{around['after']}"
        yield Step(f"MPI_I{name.lower()}", tag="1", **around)
        around["after"] = around["after"].replace(WAIT, START)
        yield Step(f"MPI_{name}_init", tag="1", **around)


def buffer_calls(kind, owner):
    """The buffer of a communicator or a session."""
    detach = f"call MPI_{kind}_detach_buffer({owner}, pointer, ints(1, 1))"
    attach = f"call MPI_{kind}_attach_buffer({owner}, attached, size(attached))"
    buffer = {"buffer": "attached", "size": "size(attached)"}
    yield Step(f"MPI_{kind}_attach_buffer", after=detach, **buffer)
    yield Step(f"MPI_{kind}_detach_buffer", before=attach)
    yield Step(f"MPI_{kind}_flush_buffer")
    yield Step(f"MPI_{kind}_iflush_buffer", after=WAIT)


def file_calls():
    """Each kind of reading and writing."""
    for verb, buf in (("write", "send"), ("read", "receive")):
        for form in ("", "_at", "_all", "_at_all", "_shared", "_ordered"):
            yield Step(f"MPI_File_{verb}{form}", buf=buf)
        for form in ("", "_at", "_all", "_at_all", "_shared"):
            yield Step(f"MPI_File_i{verb}{form}", after=WAIT, buf=buf)
        for form in ("_all", "_at_all", "_ordered"):
            name = f"MPI_File_{verb}{form}"
            offset = "0_MPI_OFFSET_KIND, " if "_at" in form else ""
            begin = f"call {name}_begin(file, {offset}{buf}, 1, MPI_INTEGER)"
            yield Step(f"{name}_begin", buf=buf, after=f"call {name}_end(file, {buf}, status)")
            yield Step(f"{name}_end", buf=buf, before=begin)


def with_hints(name):
    hints = {"before": "call MPI_Info_create(info)", "after": "call MPI_Info_free(info)"}
    yield Step(name, info="info", **hints)


def attributes(kind, handle):
    key = f"{kind.lower()}_keyval"
    prefix = f"MPI_{kind}_"
    functions = {f"{kind.lower()}_copy_attr_fn": f"{prefix.upper()}NULL_COPY_FN"}
    functions[f"{kind.lower()}_delete_attr_fn"] = f"{prefix.upper()}NULL_DELETE_FN"
    yield Step(f"{prefix}create_keyval", **{key: "key"}, **functions)
    given = {key: "key", handle[0]: handle[1]}
    yield from steps(f"{prefix}set_attr {prefix}get_attr {prefix}delete_attr", **given)
    yield Step(f"{prefix}free_keyval", **{key: "key"})


def handlers(kind, variable, function):
    given = {kind.lower(): variable}
    name = f"MPI_{kind}_"
    yield Step(f"{name}create_errhandler", **{f"{kind.lower()}_errhandler_fn": function})
    yield from steps(f"{name}set_errhandler {name}get_errhandler", **given)
    yield Step(f"{name}call_errhandler", errorcode="MPI_ERR_OTHER", **given)


STEPS = {
    "environment": [
        *steps("MPI_Initialized MPI_Finalized MPI_Query_thread MPI_Is_thread_main MPI_Get_version"),
        *steps("MPI_Get_processor_name MPI_Wtime MPI_Wtick MPI_Pcontrol"),
        Step("MPI_Get_library_version", version="version"),
        Step("MPI_Aint_add", addr1="1"),
        Step("MPI_Aint_diff", addr1="1"),
        Step("MPI_Get_address"),
        Step("MPI_Get_hw_resource_info"),
        Step("MPI_Type_get_value_index"),
        Step("MPI_Remove_error_string", before=ADDED, errorcode="code"),
        Step("MPI_Remove_error_code", errorcode="code"),
        Step("MPI_Remove_error_class", errorclass="class"),
        Step("MPI_Add_error_class", errorclass="class"),
        Step("MPI_Add_error_code", errorclass="class", errorcode="code"),
        Step("MPI_Add_error_string", errorcode="code"),
        Step("MPI_Error_class", errorcode="code"),
        Step("MPI_Error_string", errorcode="code", string="error_text"),
        Step("MPIX_Delete_error_string", errorcode="code"),
        Step("MPIX_Delete_error_code", errorcode="code"),
        Step("MPIX_Delete_error_class", errorclass="class"),
        Step("MPI_Alloc_mem", size="64", after="call c_f_pointer(pointer, memory, [16])"),
        Step("MPI_Free_mem", base="memory"),
        Step("MPI_F_sync_reg", buf="receive"),
        *steps("MPIX_Query_cuda_support MPIX_Query_ze_support MPIX_Query_hip_support"),
        Step("MPIX_GPU_query_support", gpu_type="0"),
    ],
    "hints": [
        Step("MPI_Info_create", info="info"),
        Step("MPI_Info_set", info="info", key="'a key'", value="'a value'"),
        Step("MPI_Info_get_nkeys", info="info"),
        Step("MPI_Info_get_nthkey", info="info", n="0"),
        Step("MPI_Info_get", info="info", key="'a key'", valuelen="len(text)", value="text"),
        Step("MPI_Info_get_valuelen", info="info", key="'a key'"),
        Step(
            "MPI_Info_get_string",
            before="length = len(text)",
            info="info",
            key="'a key'",
            buflen="length",
            value="text",
        ),
        Step("MPI_Info_dup", info="info"),
        Step("MPI_Info_delete", info="info", key="'a key'"),
        Step("MPI_Info_free", info="info"),
        Step("MPI_Info_create_env"),
    ],
    "groups": [
        Step("MPI_Comm_group", group="group"),
        *steps("MPI_Group_size MPI_Group_rank MPI_Group_compare MPI_Group_union"),
        *steps("MPI_Group_intersection MPI_Group_difference"),
        *steps("MPI_Group_incl MPI_Group_excl", ranks="zeros"),
        *steps("MPI_Group_range_incl MPI_Group_range_excl", ranges="range"),
        Step("MPI_Group_translate_ranks", ranks1="zeros"),
        Step("MPI_Group_free", before="call MPI_Comm_group(comm, new_group)", group="new_group"),
    ],
    "communicators": [
        *steps("MPI_Comm_size MPI_Comm_rank MPI_Comm_test_inter MPI_Comm_get_info"),
        Step("MPI_Comm_compare"),
        *steps("MPI_Comm_dup MPI_Comm_dup_with_info MPI_Comm_split MPI_Comm_create"),
        Step("MPI_Comm_split_type", split_type="MPI_COMM_TYPE_SHARED"),
        Step("MPI_Comm_create_group", tag="3"),
        Step("MPI_Comm_create_from_group", stringtag="'tag'", errhandler="MPI_ERRORS_RETURN"),
        *steps(
            "MPI_Comm_idup MPI_Comm_idup_with_info",
            after=f"{WAIT}\ncall drop_new_comm()",
            keep="yes",
        ),
        Step("MPI_Comm_free", before="call MPI_Comm_dup(comm, new_comm)", comm="new_comm"),
        Step("MPI_Comm_disconnect", before="call MPI_Comm_dup(comm, new_comm)", comm="new_comm"),
        *with_hints("MPI_Comm_set_info"),
        Step("MPI_Comm_set_name"),
        Step("MPI_Comm_get_name", comm_name="object_name"),
        Step("MPI_Comm_get_parent", parent="parent"),
        *steps("MPIX_Comm_failure_ack MPIX_Comm_failure_get_acked MPIX_Comm_get_failed"),
        *steps("MPIX_Comm_ack_failed MPIX_Comm_is_revoked MPIX_Comm_shrink"),
        Step("MPIX_Comm_agree"),
        Step("MPIX_Comm_iagree", after=WAIT),
        Step("MPIX_Comm_ishrink", after=f"{WAIT}\ncall drop_new_comm()", keep="yes"),
        *attributes("Comm", ("comm", "comm")),
        *handlers("Comm", "comm", "on_comm"),
        Step(
            "MPI_Errhandler_free",
            errhandler="new_handler",
            before="call MPI_Comm_get_errhandler(comm, new_handler)",
        ),
        Step(
            "MPIX_Comm_revoke",
            before="call MPI_Comm_dup(comm, parent)",
            comm="parent",
            after="call MPI_Comm_free(parent)",
        ),
    ],
    "between_groups": [
        Step(
            "MPI_Intercomm_create",
            before="length = 1 - world_rank",
            local_comm="MPI_COMM_SELF",
            peer_comm="MPI_COMM_WORLD",
            remote_leader="length",
            tag="4",
            newintercomm="inter",
        ),
        Step("MPI_Comm_remote_size", comm="inter"),
        Step("MPI_Comm_remote_group", comm="inter"),
        Step(
            "MPI_Intercomm_merge",
            intercomm="inter",
            high="world_rank == 1",
            after="call MPI_Comm_free(inter)",
        ),
    ],
    "datatypes": [
        Step("MPI_Type_dup", after=DROP),
        Step("MPI_Type_contiguous", after=DROP),
        *steps("MPI_Type_vector MPI_Type_create_hvector MPI_Type_create_resized", after=DROP),
        *steps("MPI_Type_indexed MPI_Type_create_indexed_block", after=DROP),
        *steps("MPI_Type_create_hindexed MPI_Type_create_hindexed_block", after=DROP),
        Step("MPI_Type_create_struct", array_of_types="types", after=DROP),
        Step("MPI_Type_create_subarray", order="MPI_ORDER_FORTRAN", after=DROP),
        Step(
            "MPI_Type_create_darray",
            rank="0",
            array_of_distribs="distributions",
            array_of_dargs="default_sizes",
            order="MPI_ORDER_FORTRAN",
            after=DROP,
        ),
        Step("MPI_Type_create_f90_integer", r="5"),
        Step("MPI_Type_create_f90_real", p="6", r="30"),
        Step("MPI_Type_create_f90_complex", p="6", r="30"),
        Step("MPI_Type_match_size", typeclass="MPI_TYPECLASS_INTEGER", size="4", datatype="type"),
        Step("MPI_Type_commit", before=TYPE, datatype="type"),
        *steps("MPI_Type_size MPI_Type_size_x MPI_Type_get_extent MPI_Type_get_extent_x"),
        *steps("MPI_Type_get_true_extent MPI_Type_get_true_extent_x", datatype="type"),
        Step("MPI_Type_set_name", datatype="type"),
        Step("MPI_Type_get_name", datatype="type", type_name="object_name"),
        Step("MPI_Type_get_envelope", datatype="type"),
        Step(
            "MPI_Type_get_contents",
            datatype="type",
            max_integers="0",
            max_addresses="0",
            max_large_counts="0",
            max_datatypes="1",
            array_of_datatypes="made",
        ),
        *attributes("Type", ("datatype", "type")),
        Step("MPI_Type_free", datatype="type"),
        Step("MPI_Pack_size"),
        Step("MPI_Pack", inbuf="send", outbuf="packed", outsize="1000"),
        Step("MPI_Unpack", inbuf="packed", insize="1000", outbuf="receive"),
        Step("MPI_Pack_external_size", datarep="'external32'"),
        Step("MPI_Pack_external", datarep="'external32'", outbuf="packed", outsize="1000"),
        Step(
            "MPI_Unpack_external",
            datarep="'external32'",
            inbuf="packed",
            insize="1000",
            outbuf="receive",
        ),
    ],
    "operations": [
        Step("MPI_Op_create", user_fn="add"),
        Step("MPI_Op_create_c", user_fn="add_many"),
        Step("MPI_Op_commutative"),
        Step("MPI_Op_free", before="call MPI_Op_create(add, .true., new_op)", op="new_op"),
        Step("MPI_Reduce_local", inoutbuf="receive"),
    ],
    "messages": [
        *sends(),
        Step("MPI_Recv", before=SENT, after=OWN_DONE, tag="1"),
        Step("MPI_Irecv", before=SENT, after=f"{WAIT}\n{OWN_DONE}", tag="1"),
        Step("MPI_Recv_init", before=SENT, after=f"{START}\n{OWN_DONE}", tag="1"),
        Step(
            "MPI_Probe",
            before=SENT,
            tag="1",
            after=f"call MPI_Recv(receive, 1, MPI_INTEGER, 0, 1, comm, status)\n{OWN_DONE}",
        ),
        Step("MPI_Iprobe", tag="99"),
        Step(
            "MPI_Mprobe",
            before=SENT,
            tag="1",
            after=f"call MPI_Mrecv(receive, 1, MPI_INTEGER, message, status)\n{OWN_DONE}",
        ),
        Step("MPI_Mrecv", before=MATCHED, after=OWN_DONE, buf="receive"),
        Step("MPI_Imrecv", before=MATCHED, after=f"{WAIT}\n{OWN_DONE}", buf="receive"),
        Step("MPI_Improbe", tag="99"),
        Step("MPI_Sendrecv", sendtag="1", recvtag="1"),
        Step("MPI_Sendrecv_replace", buf="receive", sendtag="1", recvtag="1"),
        Step("MPI_Isendrecv", sendtag="1", recvtag="1", after=WAIT),
        Step("MPI_Isendrecv_replace", buf="receive", sendtag="1", recvtag="1", after=WAIT),
        Step("MPI_Buffer_attach", buffer="attached", size="size(attached)", after=UNBUFFER),
        Step("MPI_Buffer_detach", before=BUFFER),
        Step("MPI_Buffer_flush"),
        Step("MPI_Buffer_iflush", after=WAIT),
        *buffer_calls("Comm", "comm"),
        *steps("MPI_Get_count MPI_Get_elements MPI_Get_elements_x"),
    ],
    "requests": [
        Step("MPI_Wait", before=f"{OWN}\n{SENT.replace('other', 'request')}", after=OWN_DONE),
        Step("MPI_Test", before="request = MPI_REQUEST_NULL"),
        Step("MPI_Waitall", before=PAIR, count="2"),
        Step("MPI_Testall", before="requests = MPI_REQUEST_NULL", count="2"),
        *steps("MPI_Waitany MPI_Testany MPI_Waitsome MPI_Testsome", count="2", incount="2"),
        Step(
            "MPI_Request_get_status",
            before=OWN,
            request="other",
            after=f"call MPI_Send(send, 1, MPI_INTEGER, 0, 1, comm)\n{OWN_DONE}",
        ),
        Step("MPI_Request_get_status_all", before="requests = MPI_REQUEST_NULL", count="2"),
        *steps("MPI_Request_get_status_any MPI_Request_get_status_some", count="2", incount="2"),
        Step("MPI_Cancel", before=OWN, request="other", after=OWN_DONE),
        Step(
            "MPI_Start",
            before="call MPI_Recv_init(receive, 1, MPI_INTEGER, MPI_PROC_NULL, 1, "
            "comm, request)",
            after=WAIT,
        ),
        Step(
            "MPI_Startall",
            before="requests(1) = request",
            count="1",
            after="request = requests(1)\n" + WAIT,
        ),
        Step("MPI_Request_free"),
        Step("MPI_Test_cancelled"),
        Step("MPI_Status_set_cancelled"),
        *steps("MPI_Status_set_elements MPI_Status_set_elements_x"),
        *steps("MPI_Status_set_source MPI_Status_set_tag MPI_Status_set_error", err="0"),
        *steps("MPI_Status_get_source MPI_Status_get_tag MPI_Status_get_error"),
        Step("MPI_Grequest_start", query_fn="on_query", free_fn="on_free", cancel_fn="on_cancel"),
        Step("MPI_Grequest_complete", after=WAIT),
    ],
    "partitions": [
        Step("MPI_Psend_init", buf="send", tag="6", request="requests(1)"),
        Step(
            "MPI_Precv_init",
            buf="receive",
            tag="6",
            request="requests(2)",
            after="call MPI_Startall(2, requests)",
        ),
        Step("MPI_Pready", partition="0", request="requests(1)"),
        Step(
            "MPI_Parrived",
            partition="0",
            request="requests(2)",
            after="call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)\n"
            "call MPI_Start(requests(1))\ncall MPI_Start(requests(2))",
        ),
        Step(
            "MPI_Pready_range",
            partition_low="0",
            partition_high="0",
            request="requests(1)",
            after="call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)\n"
            "call MPI_Start(requests(1))\ncall MPI_Start(requests(2))",
        ),
        Step(
            "MPI_Pready_list",
            length="1",
            array_of_partitions="zeros",
            request="requests(1)",
            after="call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)\n"
            "call MPI_Request_free(requests(1))\ncall MPI_Request_free(requests(2))",
        ),
    ],
    "collectives": list(collectives()),
    "topologies": [
        Step("MPI_Dims_create", before="dims = 0", dims="dims"),
        Step("MPI_Cart_create", periods="flags", reorder=".false."),
        Step("MPI_Cart_sub", comm="ring", remain_dims="flags"),
        *steps("MPI_Cartdim_get MPI_Cart_shift MPI_Topo_test", comm="ring"),
        Step("MPI_Cart_get", comm="ring", periods="flags(1:1)"),
        Step("MPI_Cart_rank", comm="ring", coords="zeros"),
        Step("MPI_Cart_coords", comm="ring"),
        Step("MPI_Cart_map", periods="flags"),
        Step("MPI_Graph_create", indx="ones", edges="zeros", comm_graph="graph", keep="yes"),
        Step("MPI_Graphdims_get", comm="graph"),
        Step("MPI_Graph_get", comm="graph"),
        *steps("MPI_Graph_neighbors_count MPI_Graph_neighbors", comm="graph"),
        Step("MPI_Graph_map", indx="ones", edges="zeros", after="call MPI_Comm_free(graph)"),
        Step(
            "MPI_Dist_graph_create",
            sources="zeros",
            degrees="ones",
            destinations="zeros",
            weights="MPI_UNWEIGHTED",
        ),
        Step(
            "MPI_Dist_graph_create_adjacent",
            sources="zeros",
            destinations="zeros",
            sourceweights="MPI_UNWEIGHTED",
            destweights="MPI_UNWEIGHTED",
            comm_dist_graph="graph",
            keep="yes",
        ),
        Step("MPI_Dist_graph_neighbors_count", comm="graph"),
        Step(
            "MPI_Dist_graph_neighbors",
            comm="graph",
            sourceweights="MPI_UNWEIGHTED",
            destweights="MPI_UNWEIGHTED",
            after="call MPI_Comm_free(graph)",
        ),
    ],
    "windows": [
        Step("MPI_Win_create", base="exposed", size="400", disp_unit="4", after="call drop_win()"),
        Step("MPI_Win_allocate", size="400", disp_unit="4", after="call drop_win()"),
        Step("MPI_Win_allocate_shared", size="400", disp_unit="4", after="call drop_win()"),
        Step(
            "MPI_Win_shared_query", before=SHARED, win="shared", after="call MPI_Win_free(shared)"
        ),
        Step("MPI_Win_create_dynamic", win="shared"),
        Step("MPI_Win_attach", win="shared", base="exposed", size="400"),
        Step("MPI_Win_detach", win="shared", base="exposed"),
        Step("MPI_Win_free", win="shared"),
        *steps("MPI_Win_get_group MPI_Win_get_info MPI_Win_set_name"),
        *with_hints("MPI_Win_set_info"),
        Step("MPI_Win_get_name", win_name="object_name"),
        *attributes("Win", ("win", "win")),
        *handlers("Win", "win", "on_win"),
        *steps("MPI_Win_fence"),
        *steps("MPI_Put MPI_Get MPI_Accumulate", origin_addr="receive"),
        Step("MPI_Get_accumulate", result_addr="fetched", after="call MPI_Win_fence(0, win)"),
        *steps("MPI_Win_post MPI_Win_start MPI_Win_complete MPI_Win_wait"),
        *steps("MPI_Win_post MPI_Win_start MPI_Win_complete"),
        Step("MPI_Win_test", before="flag = .false.\ndo while (.not. flag)", after="end do"),
        Step("MPI_Win_lock", lock_type="MPI_LOCK_SHARED"),
        Step("MPI_Fetch_and_op", origin_addr="send", result_addr="receive"),
        Step(
            "MPI_Compare_and_swap", origin_addr="send", compare_addr="send", result_addr="receive"
        ),
        *steps("MPI_Win_flush MPI_Win_flush_local MPI_Win_unlock MPI_Win_lock_all"),
        *steps("MPI_Rput MPI_Rget MPI_Raccumulate", origin_addr="receive", after=WAIT),
        Step("MPI_Rget_accumulate", origin_addr="send", result_addr="receive", after=WAIT),
        *steps("MPI_Win_flush_all MPI_Win_flush_local_all MPI_Win_sync MPI_Win_unlock_all"),
    ],
    "files": [
        Step("MPI_File_open", filename="file_name", amode="mode", fh="file"),
        Step("MPI_File_set_size", size="4000"),
        Step("MPI_File_preallocate", size="4000"),
        Step("MPI_File_set_view", etype="MPI_INTEGER", filetype="MPI_INTEGER", datarep="'native'"),
        Step("MPI_File_get_view", datarep="text"),
        *file_calls(),
        Step("MPI_File_seek", whence="MPI_SEEK_SET"),
        Step("MPI_File_seek_shared", whence="MPI_SEEK_SET"),
        *steps("MPI_File_get_size MPI_File_get_group MPI_File_get_amode MPI_File_get_info"),
        *steps("MPI_File_get_position MPI_File_get_position_shared MPI_File_get_byte_offset"),
        *steps("MPI_File_get_type_extent MPI_File_set_atomicity"),
        *with_hints("MPI_File_set_info"),
        *steps("MPI_File_get_atomicity MPI_File_sync"),
        *handlers("File", "file", "on_file"),
        Step("MPI_File_close", fh="file"),
        Step("MPI_File_delete", filename="file_name"),
        Step(
            "MPI_Register_datarep",
            datarep="'one'",
            read_conversion_fn="MPI_CONVERSION_FN_NULL",
            write_conversion_fn="MPI_CONVERSION_FN_NULL",
            dtype_file_extent_fn="extent_of",
        ),
        Step(
            "MPI_Register_datarep_c",
            datarep="'other'",
            read_conversion_fn="MPI_CONVERSION_FN_NULL_C",
            write_conversion_fn="MPI_CONVERSION_FN_NULL_C",
            dtype_file_extent_fn="extent_of",
        ),
    ],
    "sessions": [
        Step("MPI_Session_init", session="session"),
        *steps("MPI_Session_get_info MPI_Session_get_num_psets"),
        Step(
            "MPI_Session_get_nth_pset",
            before="length = len(text)",
            n="0",
            pset_len="length",
            pset_name="text",
        ),
        Step("MPI_Session_get_pset_info", pset_name="'mpi://SELF'"),
        Step("MPI_Group_from_session_pset", pset_name="'mpi://SELF'"),
        *handlers("Session", "session", "on_session"),
        *buffer_calls("Session", "session"),
        Step("MPI_Session_finalize"),
    ],
    "ports": [Step("MPI_Open_port", port_name="port"), Step("MPI_Close_port", port_name="port")],
}
