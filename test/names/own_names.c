/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that has functions of the same names as the MPI library uses inside (linked beside
 * this file: each aborts). */
#include <afapi.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Comm copy, half, upside_down;
    MPI_Group all, odd, rest;
    int rank, size, sum = 0, members;
    int every_second[1][3] = {{1, 0, 2}};

    MPI_Init(&argc, &argv);
    p_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_split(copy, rank % 2, rank, &half);
    MPI_Comm_split(copy, MPIX_PERMUTE, -rank, &upside_down);
    MPI_Comm_group(upside_down, &all);
    every_second[0][1] = size - 1;
    MPI_Group_range_incl(all, 1, every_second, &odd);
    MPI_Group_difference(all, odd, &rest);
    MPI_Group_size(rest, &members);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, upside_down);
    sum = p_reduceMin32(sum);
    MPI_Group_free(&all);
    MPI_Group_free(&odd);
    MPI_Group_free(&rest);
    MPI_Comm_free(&half);
    MPI_Comm_free(&upside_down);
    MPI_Comm_free(&copy);
    p_exit();
    MPI_Finalize();
    if (sum != size * (size - 1) / 2 || members != (size + 1) / 2) {
        fprintf(stderr, "wrong: sum %d, members %d\n", sum, members);
        return 1;
    }
    return 0;
}
