// What the Go code needs of MPI and PETSc, in plain C types. Every function that returns an
// int returns 0 or an error code; after an error, engine_fault returns one line that says
// what happened.

int engine_start(int *rank, int *ranks);
int engine_end(void);
void engine_abort(int status);
const char *engine_fault(void);

// engine_node counts the ranks on this machine.
int engine_node(int *ranks);

enum { ENGINE_MIN, ENGINE_MAX, ENGINE_SUM };
int engine_reduce(double *x, int n, int operation);
int engine_broadcast(char *text, int n, int root);

// engine_vector makes a vector of so many states on this rank, with their values and those
// of ghosts in an array that PETSc allocates.
int engine_vector(int own, int ghosts, const int *numbers, void **vector, double **array);
int engine_exchange(void *vector);

// engine_forget frees the solver of the previous model and withdraws engine_stop.
int engine_forget(void);

// engine_matrix takes the rows of this rank; engine_solve solves for x by a Krylov method
// until the residual is the given share of b, and says how many iterations that took and
// whether it went well.
int engine_matrix(int own, int states, const int *start, const int *columns, const double *values);
int engine_multigrid(void);
int engine_solve(void *b, void *x, double share, int most, int *iterations, int *good);

// engine_write writes a vector to a file; own is how many of its numbers this rank has.
int engine_write(const char *name, int own, const double *values);

// engine_stop, called on any rank, makes the solve end on all ranks at its next iteration.
void engine_stop(void);
