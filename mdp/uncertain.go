package mdp

import (
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp/internal/uncertain"
)

// Uncertain is a finite Markov decision process whose probabilities are only known to lie
// in intervals. Whenever an action a is taken in a state s, nature chooses the
// probabilities from
//
//	U(s,a) = { p : low_e ≤ p_e ≤ high_e, Σ_e p_e = 1 },
//
// or from those within an L1 distance of given ones ([TableBuilder.AddDistance]), anew and
// knowing s and a. Nature is against the controller ([Robust]) or for it ([Optimistic], see With).
// This is the bounded-parameter process of R. Givan, S. Leach and T. Dean (Bounded-parameter Markov
// decision processes, Artificial Intelligence 122 (2000), 71-109), and the
// (s,a)-rectangular case of A. Nilim and L. El Ghaoui (Robust control of Markov decision
// processes with uncertain transition matrices, Operations Research 53 (2005), 780-798)
// and G.N. Iyengar (Robust dynamic programming, Mathematics of Operations Research 30
// (2005), 257-280).
//
// Make one by [TableBuilder.BuildUncertain]. It is immutable and safe for concurrent use. As in a
// [Table], sums of probabilities that are within rounding of 1 count as 1.
//
// It is a [Model], whose operator
//
//	(T h)(s) = min over a of { c(s,a) + max over p in U(s,a) of Σ_e p_e·(w_e + h(j_e)) }
//
// (min in place of the inner max with Optimistic) has nature's choice in it. So [Solve] finds the
// policy whose cost is least if nature chooses the worst probabilities ([Robust]), or the best
// ([Optimistic]); likewise for rewards, maximised. [Result.Nature] is what nature chooses. The bounds
// of Odoni and MacQueen hold for this operator, too: with nature's choice fixed, it is the operator of
// an ordinary model, whose optimum is no larger; with the policy fixed, it is the operator of an
// ordinary model in which nature decides. So methods that sweep work as they are. With no Method,
// sweeps come first, at most a few hundred, if there are more than 500 states, except for totals. If
// they do not converge, or [PolicyIteration] or [InexactPolicyIteration] is named, rounds follow: each
// solves the ordinary model of nature's present choice, then changes that choice wherever, with the
// values found, another row is better for nature (A.J. Hoffman and R.M. Karp, On nonterminating
// stochastic games, Management Science 12 (1966), 359-370). One side of the bounds has to hold for all
// that nature may choose; a test in double-double proves it. [Settings.MaxIterations] counts
// iterations of all rounds.
//
// The gains of [LongRunAverage] may differ by state. Where they are closer than rounding
// can tell, or 0 in some states, the error may be [ErrPrecisionLimit], with bounds some units
// in the last place apart. [TotalCost] needs a target: otherwise, and for [TimeHorizon], the
// error is [ErrUnsupported]. Where ends of intervals are 0, nature may choose which states can be
// reached: if it wants greater totals, it keeps paths from the target, since their total is +Inf. A
// bound on a total stays infinite where nature's choice decides whether a cycle has negative cost.
type Uncertain struct {
	rows          *uncertain.Rows
	rate          float64
	relativeError float64 // of the model's numbers, and of the probabilities that nature chooses from them
	nature        Nature
}

// Interval is one element of a row of an [Uncertain] model: a next state, the least and the
// greatest probability, and the cost of the transition.
type Interval struct {
	State           int32
	Low, High, Cost float64
}

// Nature says for whom nature chooses the probabilities of an [Uncertain] model.
type Nature int

// The natures.
const (
	// Robust: nature is against the controller, and chooses greater costs, smaller rewards.
	Robust Nature = iota
	// Optimistic: nature is for the controller.
	Optimistic
)

// String returns "worst" or "best", as flags and result files have it.
func (n Nature) String() string { return named(n, []string{Robust: "worst", Optimistic: "best"}) }

// With returns the model in which nature chooses as given. A model begins with [Robust].
func (u *Uncertain) With(nature Nature) *Uncertain {
	other := *u
	other.nature = nature
	return &other
}

// NumStates returns the number of states.
func (u *Uncertain) NumStates() int { return u.rows.NumStates() }

// NumActions returns the number of actions of state s, at least 1.
func (u *Uncertain) NumActions(s int) int { return u.rows.NumActions(s) }

// Backup implements [Model].
func (u *Uncertain) Backup(dst []float64, act []int32, v []float64, lo, hi int) {
	u.sweep().Backup(dst, act, v, lo, hi)
}

// sweep returns the operator, with costs to minimise.
func (u *Uncertain) sweep() uncertain.Sweep {
	return uncertain.Sweep{Rows: u.rows, Sign: 1 - 2*float64(u.nature)}
}

// Rate returns the steps per unit of time, as [Table.Rate] does.
func (u *Uncertain) Rate() float64 { return u.rate }

// AppendRow appends to dst the intervals of action a in state s, and returns them with the
// cost of the action, without that of transitions. An action with an L1 distance, see
// [TableBuilder.AddDistance], has each transition twice: the first half of the intervals say
// what a transition keeps of its probability, the second half what may be added to it. The added
// probabilities sum to at most half the distance.
func (u *Uncertain) AppendRow(dst []Interval, s, a int) ([]Interval, float64) {
	r, k := u.rows, u.rows.StateStart[s]+int32(a)
	for e := r.RowStart[k]; e < r.RowStart[k+1]; e++ {
		dst = append(dst, Interval{State: r.Columns[e], Low: r.Probabilities[e], High: r.High[e]})
		if r.Pay != nil {
			dst[len(dst)-1].Cost = r.Pay[e]
		}
	}
	return dst, r.Costs[k]
}

// Distance returns the L1 distance within which the probabilities of action a in state s are
// known, at most 2; 0 if [TableBuilder.AddDistance] gave none.
func (u *Uncertain) Distance(s, a int) float64 {
	r, k := u.rows, u.rows.StateStart[s]+int32(a)
	if !r.HasDistance(k) {
		return 0
	}
	return 2 * r.High[r.RowStart[k+1]-1]
}

// Rounded returns the model with numbers that are rounded: ends of intervals, costs and
// payments have the relative error given. Bounds then hold for the model before rounding.
// An action with an interval of positive width must also have the interval [0, 1] for staying in
// its state, which takes the probability that the others leave.
func (u *Uncertain) Rounded(relativeError float64) *Uncertain {
	other := *u
	other.rows, other.relativeError = u.rows.Rounded(relativeError), u.relativeError+relativeError
	return &other
}

// withRewards returns the model in which rewards are negative costs.
func (u *Uncertain) withRewards() *Uncertain {
	r, other := *u.rows, *u
	r.Rows, r.Pay = r.WithCosts(opposite(r.Costs)), opposite(r.Pay)
	other.rows = &r
	return &other
}

// under returns the model with the actions of a stationary policy alone.
func (u *Uncertain) under(policy Policy) (*Uncertain, error) {
	actions := policy.Deterministic()
	if actions == nil {
		return nil, fmt.Errorf("mdp: %w: a randomised policy in an uncertain model", ErrUnsupported)
	}
	if err := policy.Validate(u); err != nil {
		return nil, err
	}
	other := *u
	other.rows = u.rows.Under(actions)
	return &other, nil
}
