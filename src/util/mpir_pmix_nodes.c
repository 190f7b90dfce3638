/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_pmix_lib.h"

/*
 * Slurm gives the nodes of a job as PMI-1 has them, "(vector,(node,nodes,processes of each),...)".
 * Other managers name the host of each rank, from which the same text is made.
 */

struct hosts {
    char **names; /* in the order of their first ranks */
    int n, last;  /* the latest that was found */
};

/* Most often the host of a rank is that of the rank before it, or the next one. Takes the name. */
static int number_of(struct hosts *hosts, char *name)
{
    for (int i = 0; i < hosts->n; i++) {
        int host = (hosts->last + i) % hosts->n;

        if (strcmp(hosts->names[host], name) == 0) {
            MPL_external_free(name);
            return hosts->last = host;
        }
    }
    hosts->names[hosts->n] = name;
    return hosts->last = hosts->n++;
}

/* False when PMIx does not say where all processes are. */
static bool find_nodes(int nodes[], uint32_t size)
{
    struct hosts hosts = {MPL_malloc(size * sizeof(char *), MPL_MEM_ADDRESS), 0, 0};
    uint32_t rank = 0;

    for (; hosts.names && rank < size; rank++) {
        char *name = MPIR_Pmix_string(rank, "pmix.hname");

        if (!name)
            break;
        nodes[rank] = number_of(&hosts, name);
    }
    for (int i = 0; i < hosts.n; i++)
        MPL_external_free(hosts.names[i]);
    MPL_free(hosts.names);
    return rank == size;
}

/* Ranks first .. first + result - 1 are on one node. */
static uint32_t stretch(const int nodes[], uint32_t first, uint32_t size)
{
    uint32_t end = first + 1;

    while (end < size && nodes[end] == nodes[first])
        end++;
    return end - first;
}

/* Stretches of one length on one node after the other are one block. */
static void write_blocks(FILE *file, const int nodes[], uint32_t size)
{
    fputs("(vector", file);
    for (uint32_t rank = 0; rank < size;) {
        uint32_t length = stretch(nodes, rank, size), first = rank, count = 0;

        do {
            count++;
            rank += length;
        } while (rank < size && nodes[rank] == nodes[first] + (int) count &&
                 stretch(nodes, rank, size) == length);
        fprintf(file, ",(%d,%u,%u)", nodes[first], count, length);
    }
    fputs(")", file);
}

char *MPIR_Pmix_mapping(uint32_t size)
{
    char *mapping = MPIR_Pmix_string(PMIX_EVERY_RANK, "pmix.anlmap");
    int *nodes = mapping ? NULL : MPL_malloc(size * sizeof(int), MPL_MEM_ADDRESS);
    size_t bytes;
    FILE *file;

    if (nodes && find_nodes(nodes, size) && (file = open_memstream(&mapping, &bytes))) {
        write_blocks(file, nodes, size);
        if (fclose(file)) {
            MPL_external_free(mapping);
            mapping = NULL;
        }
    }
    MPL_free(nodes);
    return mapping;
}
