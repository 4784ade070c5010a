package mdp

// Model is the seam between models and methods: a finite Markov decision
// process that can do one sweep of its Bellman operator
//
//	(T v)(s) = min over a of { c(s,a) + Σ_j p(j|s,a)·v(j) }
//
// over a range of states. A compiled [Table] is one implementation; a
// matrix-free model, which computes its rows from a formula, plugs in here.
//
// A Model is immutable while a solver uses it, and its methods are called
// from several goroutines at once, on disjoint ranges.
//
// Further powers are optional interfaces, found by type assertion:
// [Sweeper], [PolicyBackuper], [Explicit], [Blocked], [Timed] and [Inexact].
type Model interface {
	// NumStates returns the number of states n; states are 0 … n−1.
	NumStates() int

	// Backup sets dst[s] = (T v)(s) for lo ≤ s < hi and, where act is not
	// nil, act[s] to the index of the action that attains the minimum (the
	// first of those that attain it). dst, v and a non-nil act have length n;
	// only the elements lo … hi−1 of dst and act are written, all of v may be
	// read, and dst does not overlap v.
	//
	// Bounds that come from backups in float64 (those for [Discounted], and all
	// on a model that is not [Explicit]) account for the rounding of at most 64
	// products added up for an action, or of more in such an order that no
	// product goes through more than 64 additions. A [Table] may have longer
	// rows.
	Backup(dst []float64, act []int32, v []float64, lo, hi int)
}

// Sweeper is a [Model] that fuses the three things relative value iteration
// does with a state (backup, damped update, span) into one pass over memory.
type Sweeper interface {
	Model

	// Sweep sets
	//
	//	dst[s] = v[s] + damping·((T v)(s) − v[s]) − shift
	//
	// for lo ≤ s < hi and returns the least and the greatest of (T v)(s) − v[s]
	// over that range (+Inf and −Inf where it is empty). Shapes are as for
	// Backup.
	Sweep(dst, v []float64, damping, shift float64, lo, hi int) (least, greatest float64)
}

// PolicyBackuper is a [Model] that can sweep with the actions of a given policy, for
// a fraction of what a backup over all actions takes.
type PolicyBackuper interface {
	Model

	// BackupPolicy sets dst[s] = c(s,a) + Σ_j p(j|s,a)·v(j) with a = act[s] for
	// lo ≤ s < hi. Shapes are as for Backup; act is not changed.
	BackupPolicy(dst []float64, act []int32, v []float64, lo, hi int)
}

// Entry is one element of a transition row: the probability of moving to a
// state. It is a plain struct type, without a name of its own.
type Entry = struct {
	State       int32
	Probability float64
}

// Explicit is a [Model] that can list its rows one by one. Exact policy
// evaluation, closed classes and bounds in extended precision need it.
type Explicit interface {
	Model

	// NumActions returns the number of actions of state s, at least 1.
	NumActions(s int) int

	// AppendRow appends to dst the transition row of action a (0 ≤ a <
	// NumActions(s)) in state s, each successor once, and returns it with the
	// cost c(s,a).
	AppendRow(dst []Entry, s, a int) (row []Entry, cost float64)
}

// Blocked is a [Model] that prefers its sweeps to be cut at certain states.
type Blocked interface {
	Model

	// Blocks returns the cuts 0 = b_0 < b_1 < … < b_m = n: block i is the
	// states b_i … b_{i+1}−1. They may not depend on the number of workers.
	Blocks() []int
}

// Timed is a [Model] whose steps are the events of a uniformized
// continuous-time process.
type Timed interface {
	Model

	// Rate returns the uniformization rate: the steps per unit of time.
	// Costs of a Timed model are per unit of time, so that its gain is too;
	// values are divided by the rate to be in units of cost.
	Rate() float64
}

// Inexact is an [Explicit] model whose numbers are rounded versions of those
// that are meant. Bounds on its gain then hold for the model that was meant.
type Inexact interface {
	Explicit

	// RelativeError returns a bound ε on the relative error of every cost and
	// of every probability off the diagonal. A factor that is common to all
	// probabilities does not count: it only changes the pace of the process.
	RelativeError() float64
}

// rateOf returns the steps per unit of time of a model.
func rateOf(model Model) float64 {
	if timed, ok := model.(Timed); ok {
		return timed.Rate()
	}
	return 1
}

// relativeError returns the error that the model admits.
func relativeError(model Model) float64 {
	if inexact, ok := model.(Inexact); ok {
		return inexact.RelativeError()
	}
	return 0
}
