// A program of PETSc that knows nothing of this project: value iteration, from the matrices
// P (a row for each state and action) and g (states by actions) to a vector of values.
//
// other P.bin g.bin DISCOUNT SWEEPS values.bin

#include <petscmat.h>

static Mat load(const char *name, PetscInt rows)
{
	Mat matrix;
	PetscViewer file;
	PetscViewerBinaryOpen(PETSC_COMM_WORLD, name, FILE_MODE_READ, &file);
	MatCreate(PETSC_COMM_WORLD, &matrix);
	MatSetType(matrix, MATAIJ);
	if (rows) MatSetSizes(matrix, rows, PETSC_DECIDE, PETSC_DETERMINE, PETSC_DETERMINE);
	MatLoad(matrix, file);
	PetscViewerDestroy(&file);
	return matrix;
}

int main(int argc, char **argv)
{
	PetscInitialize(&argc, &argv, NULL, NULL);
	Mat g = load(argv[2], 0);
	PetscInt states, actions, own;
	MatGetSize(g, &states, &actions);
	MatGetLocalSize(g, &own, NULL);
	Mat P = load(argv[1], own * actions);
	Vec v, next;
	VecCreateMPI(PETSC_COMM_WORLD, own, states, &v);
	VecCreateMPI(PETSC_COMM_WORLD, own * actions, PETSC_DETERMINE, &next);
	double discount = atof(argv[3]);
	PetscInt first;
	MatGetOwnershipRange(g, &first, NULL);
	for (int sweep = 0; sweep < atoi(argv[4]); sweep++) {
		const PetscScalar *moved, *costs;
		PetscScalar *values;
		MatMult(P, v, next);
		VecGetArrayRead(next, &moved);
		VecGetArray(v, &values);
		for (PetscInt s = 0; s < own; s++) {
			MatGetRow(g, first + s, NULL, NULL, &costs);
			for (PetscInt a = 0; a < actions; a++) {
				double value = costs[a] + discount * moved[s * actions + a];
				if (a == 0 || value < values[s]) values[s] = value;
			}
			MatRestoreRow(g, first + s, NULL, NULL, &costs);
		}
		VecRestoreArray(v, &values);
		VecRestoreArrayRead(next, &moved);
	}
	PetscViewer file;
	PetscViewerBinaryOpen(PETSC_COMM_WORLD, argv[5], FILE_MODE_WRITE, &file);
	VecView(v, file);
	PetscViewerDestroy(&file);
	return PetscFinalize();
}
