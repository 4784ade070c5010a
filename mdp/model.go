package mdp

// Model is a finite Markov decision process that can apply its Bellman operator
//
//	(T v)(s) = min over a of { c(s,a) + Σ_j p(j|s,a)·v(j) }
//
// to a range of states. [Table] is one implementation; another may compute its rows from
// a formula and store none.
//
// A Model must not change while a solver uses it. Its methods are called
// from several goroutines at once, on disjoint ranges.
//
// A model may also implement the optional interfaces [Sweeper], [PolicyBackuper],
// [Explicit], [Blocked], [Timed] and [Approximate], which solvers look for.
type Model interface {
	// NumStates returns the number of states n; states are 0 … n−1.
	NumStates() int

	// Backup sets dst[s] = (T v)(s) for lo ≤ s < hi and, if act is not
	// nil, act[s] to the index of the first action that attains the minimum.
	// dst, v and a non-nil act have length n; Backup writes only the elements
	// lo … hi−1 of dst and act, and may read all of v. dst does not overlap v.
	//
	// Bounds that come from backups in float64 (those for [Discounted], and all
	// on a model that is not [Explicit]) account for the rounding of at most 64
	// products added up for an action, or of more if no product goes through more
	// than 64 additions. A [Table] may have longer rows.
	Backup(dst []float64, act []int32, v []float64, lo, hi int)
}

// Sweeper is a [Model] that does a step of relative value iteration (backup, damped
// update and span) in one pass over memory.
type Sweeper interface {
	Model

	// Sweep sets
	//
	//	dst[s] = v[s] + damping·((T v)(s) − v[s]) − shift
	//
	// for lo ≤ s < hi and returns the least and the greatest of (T v)(s) − v[s]
	// over that range, +Inf and −Inf if it is empty. Lengths are as for Backup.
	Sweep(dst, v []float64, damping, shift float64, lo, hi int) (least, greatest float64)
}

// PolicyBackuper is a [Model] that can back up with the actions of a given policy, which
// takes a fraction of the time of a backup over all actions.
type PolicyBackuper interface {
	Model

	// BackupPolicy sets dst[s] = c(s,a) + Σ_j p(j|s,a)·v(j) with a = act[s] for
	// lo ≤ s < hi. Lengths are as for Backup; act is not changed.
	BackupPolicy(dst []float64, act []int32, v []float64, lo, hi int)
}

// Entry is one element of a transition row: a next state and its probability. It is
// an alias of an unnamed struct type, so that packages share rows without importing this
// one.
type Entry = struct {
	State       int32
	Probability float64
}

// Explicit is a [Model] that can list its rows one by one. [TotalCost], [Maximize],
// [Evaluate], [Analyze], [PolicyIteration], [InexactPolicyIteration] and bounds in
// double-double precision need it.
type Explicit interface {
	Model

	// NumActions returns the number of actions of state s, at least 1.
	NumActions(s int) int

	// AppendRow appends to dst the transition row of action a (0 ≤ a <
	// NumActions(s)) in state s, each next state once, and returns it with the
	// cost c(s,a).
	AppendRow(dst []Entry, s, a int) (row []Entry, cost float64)
}

// Blocked is a [Model] that says at which states parallel sweeps are to be cut.
type Blocked interface {
	Model

	// Blocks returns the cuts 0 = b_0 < b_1 < … < b_m = n: block i is the
	// states b_i … b_{i+1}−1. The cuts must not depend on the number of workers.
	Blocks() []int
}

// Timed is a [Model] whose steps are the events of a uniformized
// continuous-time process.
type Timed interface {
	Model

	// Rate returns the uniformization rate: the number of steps per unit of time.
	// Costs and gain of a Timed model are per unit of time; solvers divide values by
	// the rate, so that they are in units of cost.
	Rate() float64
}

// Approximate is an [Explicit] model with rounded numbers. Bounds then hold for the
// model before rounding.
type Approximate interface {
	Explicit

	// RelativeError returns a bound ε on the relative error of every cost and
	// of every probability off the diagonal. An error that is the same for all
	// probabilities does not count: it only changes the speed of the process.
	RelativeError() float64
}

// rateOf returns the number of steps per unit of time of a model.
func rateOf(model Model) float64 {
	if timed, ok := model.(Timed); ok {
		return timed.Rate()
	}
	return 1
}

// relativeError returns the relative error of the numbers of a model.
func relativeError(model Model) float64 {
	if approximate, ok := model.(Approximate); ok {
		return approximate.RelativeError()
	}
	return 0
}
