//go:build petsc

#include "engine.h"

#include <petscksp.h>
#include <stdio.h>
#include <string.h>

#define TRY(call)                 \
	do {                          \
		PetscErrorCode e = call;  \
		if (e) return remember(e); \
	} while (0)

static char fault[512];
static volatile int stopping;
static Mat matrix;
static KSP solver;

const char *engine_fault(void) { return fault; }

// remember puts an error into words, unless PETSc's error handler has done so.
static int remember(int code)
{
	const char *text = NULL;
	if (!fault[0]) {
		PetscErrorMessage(code, &text, NULL);
		snprintf(fault, sizeof fault, "error %d: %s", code, text ? text : "of MPI");
	}
	return code;
}

// keep is PETSc's error handler: it keeps what went wrong first, in one line.
static PetscErrorCode keep(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code,
	PetscErrorType type, const char *message, void *context)
{
	const char *text = NULL;
	if (type == PETSC_ERROR_INITIAL && !fault[0]) {
		PetscErrorMessage(code, &text, NULL);
		snprintf(fault, sizeof fault, "%s in %s: %s", text ? text : "error", function, message ? message : "");
		fault[strcspn(fault, "\n")] = 0;
	}
	return code;
}

int engine_start(int *rank, int *ranks)
{
	// Go has its own handlers of signals, and PETSc may not replace them.
	TRY(PetscOptionsSetValue(NULL, "-no_signal_handler", "true"));
	TRY(PetscInitializeNoArguments());
	TRY(PetscPushErrorHandler(keep, NULL));
	TRY(MPI_Comm_rank(PETSC_COMM_WORLD, rank));
	TRY(MPI_Comm_size(PETSC_COMM_WORLD, ranks));
	return 0;
}

int engine_end(void)
{
	TRY(KSPDestroy(&solver));
	TRY(MatDestroy(&matrix));
	TRY(PetscFinalize());
	return 0;
}

void engine_abort(int status) { MPI_Abort(MPI_COMM_WORLD, status); }

int engine_node(int *ranks)
{
	MPI_Comm node;
	TRY(MPI_Comm_split_type(PETSC_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
	TRY(MPI_Comm_size(node, ranks));
	TRY(MPI_Comm_free(&node));
	return 0;
}

int engine_reduce(double *x, int n, int operation)
{
	MPI_Op op = operation == ENGINE_MIN ? MPI_MIN : operation == ENGINE_MAX ? MPI_MAX : MPI_SUM;
	TRY(MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_DOUBLE, op, PETSC_COMM_WORLD));
	return 0;
}

int engine_broadcast(char *text, int n, int root)
{
	TRY(MPI_Bcast(text, n, MPI_CHAR, root, PETSC_COMM_WORLD));
	return 0;
}

int engine_vector(int own, int ghosts, const int *numbers, void **vector, double **array)
{
	TRY(PetscCalloc1((size_t)own + ghosts + 1, array));
	TRY(VecCreateGhostWithArray(PETSC_COMM_WORLD, own, PETSC_DECIDE, ghosts, numbers, *array, (Vec *)vector));
	return 0;
}

int engine_exchange(void *vector)
{
	TRY(VecGhostUpdateBegin(vector, INSERT_VALUES, SCATTER_FORWARD));
	TRY(VecGhostUpdateEnd(vector, INSERT_VALUES, SCATTER_FORWARD));
	return 0;
}

int engine_write(const char *name, int own, const double *values)
{
	Vec vector;
	PetscViewer file;
	TRY(VecCreateMPIWithArray(PETSC_COMM_WORLD, 1, own, PETSC_DECIDE, values, &vector));
	TRY(PetscViewerCreate(PETSC_COMM_WORLD, &file));
	TRY(PetscViewerSetType(file, PETSCVIEWERBINARY));
	TRY(PetscViewerBinarySetSkipInfo(file, PETSC_TRUE)); // no .info file beside it
	TRY(PetscViewerFileSetMode(file, FILE_MODE_WRITE));
	TRY(PetscViewerFileSetName(file, name));
	TRY(VecView(vector, file));
	TRY(PetscViewerDestroy(&file));
	TRY(VecDestroy(&vector));
	return 0;
}

void engine_stop(void) { stopping = 1; }

// ended is PETSc's default convergence test; it also ends the solve once engine_stop has
// been called on any rank.
static PetscErrorCode ended(KSP ksp, PetscInt iteration, PetscReal norm, KSPConvergedReason *reason, void *context)
{
	int stop = stopping;
	PetscFunctionBegin;
	PetscCall(KSPConvergedDefault(ksp, iteration, norm, reason, context));
	if (*reason == KSP_CONVERGED_ITERATING) {
		PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &stop, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD));
		if (stop) *reason = KSP_DIVERGED_ITS;
	}
	PetscFunctionReturn(0);
}

// precondition chooses a preconditioner, unless PETSC_OPTIONS does.
static PetscErrorCode precondition(PCType type)
{
	PC pc;
	PetscFunctionBegin;
	PetscCall(KSPGetPC(solver, &pc));
	PetscCall(PCSetType(pc, type));
	PetscCall(KSPSetFromOptions(solver));
	PetscFunctionReturn(0);
}

int engine_forget(void)
{
	stopping = 0;
	TRY(KSPDestroy(&solver));
	return 0;
}

int engine_multigrid(void)
{
#if defined(PETSC_HAVE_HYPRE)
	TRY(precondition(PCHYPRE));
#else
	TRY(precondition(PCGAMG));
#endif
	return 0;
}

int engine_matrix(int own, int states, const int *start, const int *columns, const double *values)
{
	if (!solver) {
		void *context;
		TRY(KSPCreate(PETSC_COMM_WORLD, &solver));
		TRY(KSPSetType(solver, KSPGMRES));
		TRY(KSPSetPCSide(solver, PC_RIGHT)); // so that the residual is that of the equations
		TRY(precondition(PCBJACOBI));
		TRY(KSPConvergedDefaultCreate(&context));
		TRY(KSPSetConvergenceTest(solver, ended, context, KSPConvergedDefaultDestroy));
	}
	TRY(MatDestroy(&matrix));
	TRY(MatCreateMPIAIJWithArrays(PETSC_COMM_WORLD, own, own, states, states, start, columns, values, &matrix));
	TRY(KSPSetOperators(solver, matrix, matrix));
	return 0;
}

// touch tells PETSc that Go has written to the array of a vector.
static PetscErrorCode touch(Vec vector)
{
	PetscScalar *array;
	PetscFunctionBegin;
	PetscCall(VecGetArray(vector, &array));
	PetscCall(VecRestoreArray(vector, &array));
	PetscFunctionReturn(0);
}

int engine_solve(void *b, void *x, double share, int most, int *iterations, int *good)
{
	KSPConvergedReason reason;
	TRY(touch(b));
	TRY(touch(x));
	TRY(KSPSetTolerances(solver, share, 1e-300, 1e10, most));
	TRY(KSPSolve(solver, b, x));
	TRY(KSPGetIterationNumber(solver, iterations));
	TRY(KSPGetConvergedReason(solver, &reason));
	*good = reason > 0;
	return 0;
}
