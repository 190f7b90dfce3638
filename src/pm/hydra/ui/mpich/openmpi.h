/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Options of Open MPI's mpiexec.  This one takes them where it has the same, ignores those that it
 * needs not, and refuses the others in one line that says what to write instead.  Only utils.c
 * includes this file, in front of its table of options.
 */
#ifndef OPENMPI_H_INCLUDED
#define OPENMPI_H_INCLUDED

/* -x NAME, -x NAME=VALUE */
static HYD_status openmpi_x(char *arg, char ***argv)
{
    char *word = **argv;
    char *pair[] = {word, word ? getenv(word) : NULL, NULL};
    char **rest = pair;

    if (!word || strchr(word, '='))
        return env_fn(arg, argv);
    (*argv)++;
    return pair[1] ? env_fn(arg, &rest) : HYD_SUCCESS;
}

/* -H and -h differ in Open MPI. */
static HYD_status openmpi_h(char *arg, char ***argv)
{
    return *arg == 'H' ? hostlist_fn(arg, argv) : help_fn(arg, argv);
}

static HYD_status openmpi_ppn(char *arg, const char *processes)
{
    char *words[] = {(char *) processes, NULL};
    char **rest = words;

    return ppn_fn(arg, &rest);
}

static HYD_status openmpi_by_node(char *arg, char ***argv MPL_UNUSED)
{
    return openmpi_ppn(arg, "1");
}

static HYD_status openmpi_no_effect(char *arg MPL_UNUSED, char ***argv MPL_UNUSED)
{
    return HYD_SUCCESS;
}

static HYD_status openmpi_mca(char *arg, char ***argv)
{
    for (int words = 0; words < 2; words++) {
        if (!**argv) {
            fprintf(stderr, "mpiexec: -%s wants a parameter of Open MPI and its value\n", arg);
            exit(1);
        }
        (*argv)++;
    }
    fprintf(stderr, "mpiexec: -%s %s %s sets a parameter of Open MPI: no effect here\n", arg,
            (*argv)[-2], (*argv)[-1]);
    return HYD_SUCCESS;
}

static HYD_status openmpi_timeout(char *arg MPL_UNUSED, char ***argv)
{
    if (**argv)
        setenv("MPIEXEC_TIMEOUT", *(*argv)++, 1);
    return HYD_SUCCESS;
}

static HYD_status openmpi_report_bindings(char *arg MPL_UNUSED, char ***argv MPL_UNUSED)
{
    setenv("HYDRA_TOPO_DEBUG", "1", 1);
    return HYD_SUCCESS;
}

static HYD_status openmpi_bind_to_core(char *arg, char ***argv MPL_UNUSED)
{
    return HYDU_set_str(arg, &HYD_server_info.user_global.binding, "core");
}

/* Refused, with what to write instead */
static const struct {
    const char *option, *instead;
} openmpi_refused[] = {{"map-by ppr", "-ppn N for N processes on each node, or -bind-to OBJECT"},
                       {"map-by pe", "-bind-to core:N for N cores of each process"},
                       {"pernode", "-ppn 1 -n NODES"},
                       {"nooversubscribe", "-n with at most as many processes as there are cores"},
                       {"rankfile", "-bind-to user:LIST, and -hosts in the order of the ranks"},
                       {"rf", "-bind-to user:LIST, and -hosts in the order of the ranks"},
                       {"output-filename", "-outfile-pattern NAME.%r -errfile-pattern NAME.%r"},
                       {"app", "-configfile FILE"},
                       {"cpus-per-proc", "-bind-to core:N"},
                       {"cpus-per-rank", "-bind-to core:N"},
                       {"prefix", "-launcher-exec, or set PATH for the other hosts"}};

static HYD_status openmpi_refuse(char *arg, char ***argv MPL_UNUSED)
{
    const char *instead = "mpiexec -help";

    for (size_t i = 0; i < sizeof(openmpi_refused) / sizeof(openmpi_refused[0]); i++)
        if (strcasecmp(arg, openmpi_refused[i].option) == 0)
            instead = openmpi_refused[i].instead;
    fprintf(stderr, "mpiexec: -%s is an option of Open MPI; use %s\n", arg, instead);
    exit(1);
}

/* -map-by OBJECT[:MODIFIER]...: slot, node and ppr:N:node place ranks, which -ppn does here; other
 * objects are Hydra's own. */
static HYD_status openmpi_map_by(char *arg, char ***argv)
{
    char *object = **argv, *modifiers;

    if (!object)
        return map_by_fn(arg, argv);
    if (strncasecmp(object, "ppr:", 4) == 0) {
        char *end;

        if (strtol(object + 4, &end, 10) < 1 || strncasecmp(end, ":node", 5))
            return openmpi_refuse((char *) "map-by ppr", argv);
        *end = '\0';
        (*argv)++;
        return openmpi_ppn(arg, object + 4);
    }
    modifiers = strchr(object, ':');
    if (modifiers && strncasecmp(modifiers, ":pe=", 4) == 0)
        return openmpi_refuse((char *) "map-by pe", argv);
    if (modifiers && strcasestr(modifiers, "oversubscribe"))
        *modifiers = '\0';
    if (strcasecmp(object, "slot") && strcasecmp(object, "node"))
        return map_by_fn(arg, argv);
    (*argv)++;
    return strcasecmp(object, "node") ? HYD_SUCCESS : openmpi_ppn(arg, "1");
}

/* These come first in the table: "h" and "map-by" are in the rest, too. */
#define OPENMPI_OPTIONS \
    {"h", openmpi_h, help_help_fn}, {"map-by", openmpi_map_by, bind_to_help_fn}, \
        {"x", openmpi_x, env_help_fn}, {"c", np_fn, np_help_fn}, \
        {"npernode", ppn_fn, ppn_help_fn}, {"bynode", openmpi_by_node, ppn_help_fn}, \
        {"byslot", openmpi_no_effect, ppn_help_fn}, {"wd", wdir_fn, wdir_help_fn}, \
        {"tag-output", prepend_rank_fn, prepend_rank_help_fn}, {"timeout", openmpi_timeout, NULL}, \
        {"bind-to-core", openmpi_bind_to_core, bind_to_help_fn}, \
        {"bind-to-none", openmpi_no_effect, bind_to_help_fn}, \
        {"report-bindings", openmpi_report_bindings, bind_to_help_fn}, {"mca", openmpi_mca, NULL}, \
        {"gmca", openmpi_mca, NULL}, {"omca", openmpi_mca, NULL}, {"prtemca", openmpi_mca, NULL}, \
        {"pmixmca", openmpi_mca, NULL}, {"oversubscribe", openmpi_no_effect, NULL}, \
        {"allow-run-as-root", openmpi_no_effect, NULL}, \
        {"use-hwthread-cpus", openmpi_no_effect, NULL}, {"q", openmpi_no_effect, NULL}, \
        {"quiet", openmpi_no_effect, NULL}, {"pernode", openmpi_refuse, NULL}, \
        {"nooversubscribe", openmpi_refuse, NULL}, {"rankfile", openmpi_refuse, NULL}, \
        {"rf", openmpi_refuse, NULL}, {"output-filename", openmpi_refuse, NULL}, \
        {"app", openmpi_refuse, NULL}, {"cpus-per-proc", openmpi_refuse, NULL}, \
        {"cpus-per-rank", openmpi_refuse, NULL}, \
    { \
        "prefix", openmpi_refuse, NULL \
    }

#endif /* OPENMPI_H_INCLUDED */
