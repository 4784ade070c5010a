package petsc

// Settings say how to solve. The zero value stands for the defaults.
type Settings struct {
	// Tolerance is the gap between the bounds of a state at which the answer counts as
	// converged, relative to the smaller of their magnitudes: see mdp.Within. 0 stands
	// for mdp.DefaultTolerance.
	Tolerance float64

	// MaxIterations is the greatest number of evaluations of policies. 0 stands for 1000.
	MaxIterations int

	// Record, if not nil, is called on all ranks after each evaluation and the sweeps
	// that follow it, with the best bounds so far: on the gain, or on v* − v.
	Record func(iteration, krylov int, lower, upper float64)
}
