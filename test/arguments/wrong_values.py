# SPDX-License-Identifier: BSD-3-Clause
"""Right and wrong values of arguments, for test/arguments/wrong_arguments.py.

A right value is an expression of C, mostly a variable or function of wrong_arguments.c. Wrong
values have names, and may need an error class (FAILS) or allow success, too (EITHER).
"""
import re

# What ends the program or the run, or takes arguments that are no values
LEFT_OUT = {
    "MPI_Abort",
    "MPI_Finalize",
    "MPI_Pcontrol",
    "MPI_DUP_FN",
    "MPI_T_finalize",
    "MPI_Status_c2f08",  # these are in the library of Fortran
    "MPI_Status_f082c",
    "MPI_Status_f082f",
    "MPI_Status_f2f08",
}

# ---- right values ----

HANDLES = {  # in, out, inout
    "COMMUNICATOR": ("MPI_COMM_WORLD", "&new_comm", "fresh_comm()"),
    "GROUP": ("*fresh_group()", "&new_group", "fresh_group()"),
    "DATATYPE": ("MPI_INT", "&new_type", "fresh_type()"),
    "OPERATION": ("MPI_SUM", "&new_op", "fresh_op()"),
    "ERRHANDLER": ("MPI_ERRORS_RETURN", "&new_errhandler", "fresh_errhandler()"),
    "INFO": ("MPI_INFO_NULL", "&new_info", "fresh_info()"),
    "WINDOW": ("*fresh_win()", "&new_win", "fresh_win()"),
    "FILE": ("*fresh_file()", "&new_file", "fresh_file()"),
    "REQUEST": ("*fresh_request()", "&new_request", "fresh_request()"),
    "SESSION": ("*fresh_session()", "&new_session", "fresh_session()"),
    "MESSAGE": ("*fresh_message()", "&new_message", "fresh_message()"),
    "GREQUEST_CLASS": ("greq_class()", "&new_class_of_requests", "NULL"),
    "KEYVAL": ("MPI_TAG_UB", "&new_keyval", "comm_keyval()"),
    "CVAR": ("*cvar()", "&new_cvar", "cvar()"),
    "PVAR": ("*pvar()", "&new_pvar", "pvar()"),
    "PVAR_SESSION": ("fixed_session()", "&new_pvar_session", "pvar_session()"),
    "EVENT_REGISTRATION": ("NULL", "&new_registration", "NULL"),
    "EVENT_INSTANCE": ("NULL", "NULL", "NULL"),
    "TOOLS_ENUM": ("MPI_T_ENUM_NULL", "&new_enum", "NULL"),
    "STATUS": ("a_status()", "&status", "a_status()"),
}
ARRAYS = {"REQUEST": "fresh_requests()", "DATATYPE": "types", "INFO": "infos", "STATUS": "statuses"}
STRINGS = {
    "port_name": '"port"',
    "service_name": '"service"',
    "key": '"key"',
    "datarep": '"native"',
    "filename": '"/tmp/wrong_arguments.none"',
    "command": '"/bin/true"',
    "pset_name": '"mpi://SELF"',
}
CONSTANTS = {  # of an argument that comes in
    "ACCESS_MODE": "MPI_MODE_CREATE | MPI_MODE_RDWR",
    "ASSERT": "0",
    "COLOR": "0",
    "COMM_SIZE": "1",
    "DISTRIB_ENUM": "distributions",
    "ERROR_CLASS": "MPI_ERR_ARG",
    "ERROR_CODE": "MPI_ERR_ARG",
    "GPU_TYPE": "MPIX_GPU_SUPPORT_CUDA",
    "KEY": "0",
    "LOCK_TYPE": "MPI_LOCK_SHARED",
    "NUM_DIMS": "1",
    "OFFSET": "0",
    "ORDER": "MPI_ORDER_C",
    "PARTITION": "0",
    "PVAR_CLASS": "MPI_T_PVAR_CLASS_LEVEL",
    "RANK_NNI": "0",
    "SPLIT_TYPE": "MPI_COMM_TYPE_SHARED",
    "TAG": "0",
    "THREAD_LEVEL": "MPI_THREAD_SINGLE",
    "TYPECLASS": "MPI_TYPECLASS_INTEGER",
    "TYPECLASS_SIZE": "4",
    "UPDATE_MODE": "MPI_SEEK_SET",
    "LOGICAL": "0",
    "INDEX": "0",
    "KEY_INDEX": "0",
    "CAT_INDEX": "0",
    "CVAR_INDEX": "0",
    "PVAR_INDEX": "0",
    "CALLBACK_SAFETY": "MPI_T_CB_REQUIRE_NONE",
    "FILE_DESCRIPTOR": "-1",
}
BY_TYPE = {"int": ("ints", "out"), "MPI_Aint": ("aints", "aint_out")}
BY_TYPE["MPI_Count"] = ("counts", "count_out")
ZERO_ARRAYS = re.compile(r"disp|offset|starts|ranks|coords|index|edges|destinations|sources|coord")

# (function, argument) -> right value; the function without _c
RIGHT = [
    (r"MPI_Info_(?!create|free)\w+|MPI_\w+_set_info", "info", "*fresh_info()"),
    (r"MPI_Bsend|MPI_Ibsend", "dest", "MPI_PROC_NULL"),
    (r"\w+", r"dest|source", "MPI_PROC_NULL"),
    (r"MPI_Cart\w+", "comm", "cart()"),
    (r"MPI_Cart_create|MPI_Cart_map", "comm", "MPI_COMM_WORLD"),
    (r"MPI_Cart_\w+", "ndims|maxdims", "2"),
    (r"MPI_Graph\w+", "comm", "graph()"),
    (r"MPI_Graph_create|MPI_Graph_map", "comm(_old)?", "MPI_COMM_WORLD"),
    (r"MPI_Graph_(create|map)", "edges", "zeros"),
    (r"MPI_Graph_(create|map)", "index(ing)?", "ints"),
    (r"MPI_Dist_graph_neighbors\w*", "comm", "dist_graph()"),
    (r"MPI_I?[Nn]eighbor_\w+", "comm", "dist_graph()"),
    (r"MPI_Topo_test", "comm", "cart()"),
    (r"MPI_(R|Get_acc|R?[Aa]cc|Fetch|Compare|Put|Get)\w*|MPI_Get", "win", "locked()"),
    (r"MPI_Win_flush\w*|MPI_Win_unlock_all|MPI_Win_sync", "win", "locked()"),
    (r"MPI_Win_unlock", "win", "locked_one()"),
    (r"MPI_Win_(complete)", "win", "started_win(0)"),
    (r"MPI_Win_(wait|test)", "win", "posted()"),
    (r"MPI_Win_start", "win", "started_win(1)"),
    (r"MPI_Win_shared_query", "win", "shared()"),
    (r"MPI_Win_attach", "win", "dynamic()"),
    (r"MPI_Win_detach", "win", "attached()"),
    (r"MPI_Win_(set|get|delete)_attr", "win", "attr_win()"),
    (r"MPI_Win_(set|delete)_attr", "win_keyval", "*win_keyval()"),
    (r"MPI_Win_get_attr", "win_keyval", "MPI_WIN_BASE"),
    (r"MPI_Win_free_keyval", "win_keyval", "win_keyval()"),
    (r"MPI_Type_(set|get|delete)_attr", "type_keyval", "*type_keyval()"),
    (r"MPI_Type_free_keyval", "type_keyval", "type_keyval()"),
    (r"MPI_(Comm_(set|delete)_attr|Attr_(put|delete))", "(comm_)?keyval", "*comm_keyval()"),
    (r"MPI_Type_get_contents", "datatype", "*fresh_type()"),
    (r"MPI_Type_get_contents", r"max_\w+", "4"),
    (r"MPI_Type_get_contents", "array_of_datatypes", "type_out"),
    (r"MPI_Type_create_f90_\w+", "p|r", "4"),
    (r"MPI_Type_create_resized", "extent", "4"),
    (r"MPI_Type_(vector|create_hvector|hvector)", "stride", "4"),
    (r"MPI_Type_create_darray", "array_of_distribs", "distributions"),
    (r"MPI_Type_create_darray", "array_of_psizes", "ints"),
    (r"MPI_Type_create_darray", "rank", "0"),
    (r"MPI_Type_create_darray", "(size|ndims)", "1"),
    (r"MPI_(Wait|Test)|MPI_Cancel", "request", "fresh_request()"),
    (r"MPI_Start(all)?", "(array_of_)?requests?", "fresh_persistent()"),
    (r"MPI_Grequest_complete", "request", "generalized()"),
    (r"MPI_Pready\w*", "request", "sends_parts()"),
    (r"MPI_Parrived", "request", "receives_parts()"),
    (r"MPI_(Improbe|Iprobe|Probe|Mprobe)", "source", "MPI_PROC_NULL"),
    (r"MPI_Group_(incl|excl)", "ranks", "zeros"),
    (r"MPI_Group_range_\w+", "ranges", "ranges"),
    (r"MPI_Group_translate_ranks", "ranks1", "zeros"),
    (r"MPI_Group_translate_ranks", "ranks2", "out"),
    (r"MPI_Reduce_local", "inoutbuf", "receive"),
    (r"MPI_(Buffer_attach|(Comm|Session)_attach_buffer)", "buffer", "buffered(0)"),
    (r"MPI_(Buffer_attach|(Comm|Session)_attach_buffer)", "size", "1000"),
    (r"MPI_Comm_attach_buffer", "comm", "*fresh_comm()"),
    (r"MPI_Status_get_\w+", "source|tag|err", "out"),
    (r"MPI_Free_mem", "base", "allocated()"),
    (r"MPI_Unpack", "inbuf", "packed()"),
    (r"MPI_Unpack", "insize", "sizeof(send)"),
    (r"MPI_Unpack_external", "inbuf", "packed_external()"),
    (r"MPI_Unpack_external", "insize", "sizeof(send)"),
    (r"MPI_Pack(_external)?", "outsize", "sizeof(receive)"),
    (r"MPI_(Unp|P)ack_external\w*", "datarep", '"external32"'),
    (r"MPI_(Unp|P)ack(_external)?", "position", "position()"),
    (r"MPI_Add_error_code", "errorclass", "new_class()"),
    (r"MPI_Add_error_string", "errorcode", "new_code()"),
    (r"MPI(X_Delete|_Remove)_error_class", "errorclass", "new_class()"),
    (r"MPI(X_Delete|_Remove)_error_code", "errorcode", "new_code()"),
    (r"MPI(X_Delete|_Remove)_error_string", "errorcode", "named_code()"),
    (r"MPI_File_(create|set|get|call)_errhandler", "file", "*fresh_file()"),
    (r"MPI_Comm_set_errhandler|MPI_Errhandler_set", "comm", "*fresh_comm()"),
    (r"MPI_Status_set_elements\w*", "status", "a_status()"),
    (r"MPI_Comm_spawn\w*", "array_of_errcodes", "MPI_ERRCODES_IGNORE"),
    (r"MPI_Comm_spawn_multiple", "array_of_commands", "words"),
    (r"MPI_Comm_spawn_multiple", "array_of_argv", "word_lists"),
    (r"MPI_Comm_spawn", "argv", "MPI_ARGV_NULL"),
    (r"MPI_Dims_create", "dims", "dims()"),
    (r"MPI_Info_get", "valuelen", "32"),
    (r"MPI_Info_get_string", "buflen", "length(32)"),
    (r"MPI_P(send|recv)_init", "partitions", "2"),
    (r"MPI_\w+some", "array_of_indices", "out2"),
    (r"MPI_Win_(create|allocate)\w*", "disp_unit", "1"),
    (r"MPI_T_cvar_get_index", "name", "name_of_cvar()"),
    (r"MPI_T_category_get_index", "name", "name_of_category()"),
    (r"MPI_T_cvar_write", "handle", "writable_cvar()"),
    (r"MPI_T_cvar_write", "buf", "zeros"),
    (r"MPI_Status_\w+", "f08_status", "(void *) statuses"),
    (r"MPI_Init(_thread)?", "argc|argv", "NULL"),
    (r"MPI_Info_create_env", "argc", "0"),
    (r"MPI_Info_create_env", "argv", "words"),
    (r"MPI_Win_create|MPI_Win_allocate\w*|MPI_Win_attach", "size", "64"),
    (r"MPI_Win_attach|MPI_Win_detach", "base", "receive"),
    (r"MPI_Alloc_mem|MPI_Win_allocate\w*", "baseptr", "&pointer"),
    (r"MPI_Win_shared_query", "baseptr", "&pointer"),
    (r"MPI_Buffer_detach", "buffer_addr", "&pointer"),
    (r"MPI_T_pvar_(start|stop|read|write|reset|readreset)", "session", "fixed_session()"),
    (r"MPI_T_pvar_handle_free", "session", "fixed_session()"),
    (r"MPI_Intercomm_create_from_groups", "remote_group", "MPI_GROUP_EMPTY"),
    (r"MPI_Intercomm_create", "local_comm", "*fresh_comm()"),
    (r"MPI_Comm_connect|MPI_Comm_accept", "port_name", '"none"'),
    (r"MPI_Lookup_name", "port_name", "text"),
    (r"MPI_Register_datarep", "datarep", '"mine"'),
    (r"MPI_File_set_view", "datarep", '"native"'),
    (r"MPI_File_set_view", "etype|filetype", "MPI_INT"),
    (r"MPI_File_open", "filename", "file_name()"),
    (r"MPI_Session_get_nth_pset", "pset_len", "length(64)"),
]
CALLBACKS = {
    "comm_errhandler_fn": "ignore_comm",
    "function_errhandler": "ignore_comm",
    "win_errhandler_fn": "ignore_win",
    "file_errhandler_fn": "ignore_file",
    "session_errhandler_fn": "ignore_session",
    "query_fn": "no_status",
    "free_fn": "no_free",
    "cancel_fn": "no_cancel",
    "poll_fn": "no_poll",
    "wait_fn": "no_wait",
    "user_fn": "add",
    "comm_copy_attr_fn": "MPI_COMM_NULL_COPY_FN",
    "comm_delete_attr_fn": "MPI_COMM_NULL_DELETE_FN",
    "type_copy_attr_fn": "MPI_TYPE_NULL_COPY_FN",
    "type_delete_attr_fn": "MPI_TYPE_NULL_DELETE_FN",
    "win_copy_attr_fn": "MPI_WIN_NULL_COPY_FN",
    "win_delete_attr_fn": "MPI_WIN_NULL_DELETE_FN",
    "copy_fn": "MPI_NULL_COPY_FN",
    "delete_fn": "MPI_NULL_DELETE_FN",
    "read_conversion_fn": "MPI_CONVERSION_FN_NULL",
    "write_conversion_fn": "MPI_CONVERSION_FN_NULL",
    "dtype_file_extent_fn": "extent_of",
}


VOID = re.compile("BUFFER|LOCATION|EXTRA_STATE|ATTRIBUTE_VAL|TOOL_MPI_OBJ|TOOL_VAR")


def base_type(p):
    words = re.split(r"[*\[]", p.c_type)[0].split()
    return next(w for w in words if w != "const")


def is_large(p):
    return p.function.endswith("_c")


def number_value(p):
    """Of an argument that is a number, or an array of numbers."""
    scalar, out = BY_TYPE.get(base_type(p), ("ints", "out"))
    if p.direction == "out":
        return {"MPI_Offset": "&offset_out"}.get(base_type(p), out)
    if not p.is_pointer:
        usual = "0" if re.search("disp|offset|root|rank|leader", p.name) else "1"
        return CONSTANTS.get(p.kind, usual)
    if p.direction == "inout" and "LENGTH" in p.kind:
        return "length(64)"
    zeros = {"ints": "zeros", "aints": "azeros", "counts": "czeros"}[scalar]
    return zeros if ZERO_ARRAYS.search(p.name) else scalar


def right_value(p):
    function = re.sub(r"_c$", "", p.function)
    for pattern, name, value in reversed(RIGHT):
        if re.fullmatch(pattern, function) and re.fullmatch(name, p.name):
            return value
    if p.kind in HANDLES:
        if p.is_array:
            return "statuses" if p.kind == "STATUS" else ARRAYS.get(p.kind, "NULL")
        return HANDLES[p.kind][("in", "out", "inout").index(p.direction)]
    if "FUNCTION" in p.kind:
        value = CALLBACKS.get(p.name, "NULL")
        large = {"add": "add_c", "MPI_CONVERSION_FN_NULL": "MPI_CONVERSION_FN_NULL_C"}
        return large.get(value, value) if is_large(p) else value
    if p.kind == "STRING":
        return "text" if p.direction == "out" else STRINGS.get(p.name, '"text"')
    if p.kind == "STRING_ARRAY":
        return "words"
    if "void" in p.c_type and VOID.search(p.kind):
        return "receive" if p.direction != "in" or "recv" in p.name else "send"
    if p.kind == "SOURCE_ORDERING":
        return "&order"
    if p.kind == "LOGICAL" and p.direction == "out":
        return "out" if p.is_array else "&flag"
    if p.kind == "WEIGHT" and p.direction == "in":
        return "MPI_UNWEIGHTED"
    return number_value(p)


# What may fail with right arguments: for want of a second process, of objects, or of what they do
RIGHT_MAY_FAIL = re.compile(
    r"MPI_(Close_port|Comm_(accept|connect|join|spawn\w*)|File_(delete|\w+_end)|Init\w*|"
    r"Intercomm_\w+|(Lookup|Publish|Unpublish)_name|Open_port|Comm_remote_\w+)|"
    r"MPI_T_(enum|event|source|pvar)_\w+"
)
# For each of these there is a reason to leave out the call with right arguments: it would wait.
NO_RIGHT_CALL = {"MPI_Comm_accept", "MPI_Comm_spawn", "MPI_Comm_spawn_multiple"}

# ---- wrong values ----

FAILS, EITHER = "FAILS", "EITHER"

KINDS_OF_HANDLES = {  # MPICH's number of the kind, how to make one that was freed
    "COMMUNICATOR": (0x1, "MPI_Comm", "MPI_COMM_NULL", "freed_comm()"),
    "GROUP": (0x2, "MPI_Group", "MPI_GROUP_NULL", "freed_group()"),
    "DATATYPE": (0x3, "MPI_Datatype", "MPI_DATATYPE_NULL", "freed_type()"),
    "ERRHANDLER": (0x5, "MPI_Errhandler", "MPI_ERRHANDLER_NULL", "freed_errhandler()"),
    "OPERATION": (0x6, "MPI_Op", "MPI_OP_NULL", "freed_op()"),
    "INFO": (0x7, "MPI_Info", "MPI_INFO_NULL", "freed_info()"),
    "WINDOW": (0x8, "MPI_Win", "MPI_WIN_NULL", "freed_win()"),
    "KEYVAL": (0x9, "int", "MPI_KEYVAL_INVALID", None),
    "REQUEST": (0xB, "MPI_Request", "MPI_REQUEST_NULL", "freed_request()"),
    "MESSAGE": (0xB, "MPI_Message", "MPI_MESSAGE_NULL", "freed_request()"),
    "GREQUEST_CLASS": (0xD, "MPIX_Grequest_class", "0", None),
    "SESSION": (0xE, "MPI_Session", "MPI_SESSION_NULL", "freed_session()"),
}


def wrong_handles(kind):
    number, c_type, null, freed = KINDS_OF_HANDLES[kind]
    bits = number << 26
    found = [("null", null), ("0", "0"), ("-1", "-1")]
    if freed:
        found.append(("freed", freed))
    found += [
        ("of another kind", "MPI_COMM_WORLD" if kind != "COMMUNICATOR" else "MPI_INT"),
        ("no builtin one", hex(1 << 30 | bits | 0x3FFFF)),
        ("no direct one", hex(2 << 30 | bits | 0x3FFFF)),
        ("no indirect one", hex(3 << 30 | bits | 0x3FFFFFF)),
        ("beyond its block", hex(3 << 30 | bits | 0xFFF)),
    ]
    return [(what, f"({c_type}) {value}") for what, value in found]


POINTERS = {
    "CVAR": ("MPI_T_cvar_handle", "freed_cvar()"),
    "PVAR": ("MPI_T_pvar_handle", "freed_pvar()"),
    "PVAR_SESSION": ("MPI_T_pvar_session", "freed_pvar_session()"),
    "TOOLS_ENUM": ("MPI_T_enum", None),
    "EVENT_REGISTRATION": ("MPI_T_event_registration", None),
    "EVENT_INSTANCE": ("MPI_T_event_instance", None),
}


def wrong_pointers(kind):
    c_type, freed = POINTERS[kind]
    found = [("null", "NULL"), ("16", "(void *) 16"), ("no handle", "(void *) junk")]
    return [(what, f"({c_type}) {v}") for what, v in found] + ([("freed", freed)] if freed else [])


def in_place(p, wrong):
    """Of an inout argument: places that have the wrong values."""
    c_type = KINDS_OF_HANDLES[p.kind][1] if p.kind in KINDS_OF_HANDLES else POINTERS[p.kind][0]
    if c_type in ("MPI_T_cvar_handle", "MPI_T_pvar_handle", "MPI_T_pvar_session"):
        name = c_type[6:].replace("_handle", "")
        return [(f"at {what}", f"at_{name}({value})") for what, value in wrong]
    return [(f"at {what}", f"({c_type} *) at_comm({value})") for what, value in wrong]


ENUMS = re.compile(
    r"LOCK_TYPE|ORDER|SPLIT_TYPE|THREAD_LEVEL|TYPECLASS|UPDATE_MODE|PVAR_CLASS|CALLBACK_SAFETY|"
    r"ASSERT|ACCESS_MODE|ERROR_CLASS|ERROR_CODE|GPU_TYPE"
)
INDICES = re.compile(r"(CAT|CVAR|PVAR|EVENT|SOURCE|TOOLENUM|KEY)_INDEX|INDEX")
RANKS = re.compile(r"RANK")
NEGATIVE = re.compile(
    r"NUM_ELEM|_LENGTH|NUM_DIMS|COMM_SIZE|WINDOW_SIZE|WIN_ATTACH_SIZE|NUM_BYTES|DEGREE|DIMENSION|"
    r"PARTITION|NUM_PARAM|PACK_SIZE|RMA_DISPLACEMENT|OFFSET|NUM_VALUES"
)


def wrong_numbers(p):
    if ENUMS.search(p.kind):
        return [("-77", "-77"), ("77777", "77777")]
    if RANKS.search(p.kind):
        return [("-9", "-9"), ("1", "1"), ("INT_MAX", "INT_MAX")]
    if p.kind == "TAG":
        return [("-9", "-9"), ("INT_MAX", "INT_MAX")]
    if INDICES.fullmatch(p.kind):
        return [("-1", "-1"), ("a million", "1000000"), ("INT_MAX", "INT_MAX")]
    if NEGATIVE.search(p.kind) or re.search("count|size|block|ndims|incount", p.name):
        return [("-1", "-1")]
    return [("-77", "-77")]


def wrong_arrays(p):
    found = [("NULL", "NULL")]
    minus = {"int": "minus", "MPI_Count": "cminus", "MPI_Aint": "aminus"}.get(base_type(p))
    if "[3]" in p.c_type:
        minus = "minus_ranges"
    if p.direction == "in" and minus:
        found.append(("of negative numbers", minus))
    if p.kind == "DATATYPE" and p.direction == "in":
        found.append(("of null types", "null_types"))
    if p.kind == "INFO":
        found.append(("of wrong ones", "null_infos"))
    if p.kind == "REQUEST":
        found += in_place(p, [w for w in wrong_handles("REQUEST") if w[0] != "null"])
    return found


def wrong_values(p):
    """[(what, expression)]"""
    if p.is_array:
        return wrong_arrays(p)
    known = KINDS_OF_HANDLES if p.kind in KINDS_OF_HANDLES else POINTERS
    if p.kind in known and p.direction != "out":
        wrong = wrong_handles(p.kind) if known is KINDS_OF_HANDLES else wrong_pointers(p.kind)
        return [("NULL", "NULL")] + in_place(p, wrong) if p.is_pointer else wrong
    if p.kind == "FILE" and not p.is_pointer:
        return [("null", "MPI_FILE_NULL")]
    if "FUNCTION" in p.kind or p.is_pointer:
        return [("NULL", "NULL")]
    return wrong_numbers(p)


# Success is right, too: (function, argument, value)
MAY_SUCCEED = [
    (r"\w+", r"\w+", "(at )?beyond its block"),
    (r"MPI_(?!Info_)\w+", "info", "null"),
    (r"MPI_(Wait|Test|Request_get_status|Parrived)\w*", "request", "(at )?null"),
    (r"MPI_(Comm|Type|Win)_get_name", "comm|datatype|win", "null"),  # since MPI 4.1
    (r"MPI_File_(set|get|call)_errhandler", "file|fh", "null"),
    (r"MPI_File_\w+", "buf|status|datarep", "NULL"),
    (r"MPI_File_set_(info|view)", "info", "freed"),
    (r"MPI_T_\w+_get_info", r"\w+", "NULL"),
    (r"MPI_T_\w+_handle_alloc", "obj_handle", "NULL"),
    (r"\w+", "extra_state|attribute_val|base|location", "NULL"),
    (r"MPI_(Comm_|Type_|Win_)?(create_keyval|Keyval_create)", r"\w+_fn", "NULL"),
    (r"MPI_(Unp|P)ack_external\w*", "datarep", "NULL"),
    (r"MPI_Dist_graph_neighbors", r"\w+weights", "NULL"),
    (r"MPI_Cart_shift", "disp", "-1"),
    (r"MPI_Type_\w+", "stride|lb|extent|p|r", "-.*"),
    (r"\w+", "key|color|commute|reorder|flag", ".*"),
    (r"\w+", r"periods|remain_dims|\w*displs|array_of_displacements|\w*weights", "of neg.*"),
    (r"MPI_Error_(class|string)|MPI_\w+_call_errhandler", "errorcode", ".*"),
    (r"MPI_Add_error_code", "errorclass", ".*"),
    (r"MPI_Info_create_env", r"arg\w", ".*"),
    (r"MPI_Graph_map", "indx|edges", "of neg.*"),
    (r"MPI_Intercomm_create_from_groups", r"\w+_leader", ".*"),
    (r"MPI_Status_set_\w+", "source|tag|err", ".*"),
]


def wanted(p, what):
    for function, name, value in MAY_SUCCEED:
        if re.fullmatch(function, re.sub(r"_c$", "", p.function)) and re.fullmatch(name, p.name):
            if re.fullmatch(value, what):
                return EITHER
    return FAILS
