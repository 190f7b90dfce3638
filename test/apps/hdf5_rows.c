/* SPDX-License-Identifier: BSD-3-Clause */

/* Parallel HDF5: each process writes its rows of a table, all at once, and reads those of the next
 * process back. */
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>

enum { ROWS = 64, COLUMNS = 1000 };

static int cells[ROWS][COLUMNS];

static int value(int process, int row, int column)
{
    return process * ROWS * COLUMNS + row * COLUMNS + column;
}

/* Reads or writes the rows of a process collectively; negative if that fails. */
static herr_t move_rows(hid_t table, int process, int writes)
{
    const hsize_t first[2] = {(hsize_t) process * ROWS, 0}, count[2] = {ROWS, COLUMNS};
    hid_t memory = H5Screate_simple(2, count, NULL), place = H5Dget_space(table);
    hid_t together = H5Pcreate(H5P_DATASET_XFER);
    herr_t done;

    H5Sselect_hyperslab(place, H5S_SELECT_SET, first, NULL, count, NULL);
    H5Pset_dxpl_mpio(together, H5FD_MPIO_COLLECTIVE);
    done = writes ? H5Dwrite(table, H5T_NATIVE_INT, memory, place, together, cells)
                  : H5Dread(table, H5T_NATIVE_INT, memory, place, together, cells);
    H5Pclose(together);
    H5Sclose(place);
    H5Sclose(memory);
    return done;
}

static void fill(int process)
{
    for (int r = 0; r < ROWS; r++) {
        for (int c = 0; c < COLUMNS; c++)
            cells[r][c] = value(process, r, c);
    }
}

static int count_wrong(int process)
{
    int wrong = 0;

    for (int r = 0; r < ROWS; r++) {
        for (int c = 0; c < COLUMNS; c++)
            wrong += cells[r][c] != value(process, r, c);
    }
    return wrong;
}

int main(int argc, char **argv)
{
    int rank, size, next, wrong, all;
    hid_t access, file, space, table;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
    file = H5Fcreate(argc > 1 ? argv[1] : "rows.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    space = H5Screate_simple(2, (hsize_t[]){(hsize_t) size * ROWS, COLUMNS}, NULL);
    table = H5Dcreate(file, "table", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    fill(rank);
    wrong = move_rows(table, rank, 1) < 0;
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    MPI_Barrier(MPI_COMM_WORLD);
    next = (rank + 1) % size;
    wrong += move_rows(table, next, 0) < 0 || count_wrong(next);
    H5Dclose(table);
    H5Sclose(space);
    H5Fclose(file);
    H5Pclose(access);
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf(all ? "%d processes read wrong rows\n" : "all rows are right\n", all);
    MPI_Finalize();
    return all != 0;
}
