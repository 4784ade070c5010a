package verify

import (
	"errors"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

// An enclosure of the values of a system is proved by going through its rows.
// For any h
//
//	residual(k) ≥ 0 for all choices k      ⇒  h ≤ optimum,
//	residual(k) ≤ 0 for those of a policy  ⇒  h ≥ cost of the policy ≥ optimum,
//
// the first as under any policy that leaves for sure h is at most what is paid
// on the way and after it, the second as the policy leaves for sure (Bertsekas
// and Tsitsiklis 1991). So values are moved down and up by as much as makes
// the residuals outweigh their errors.

// margins are what residuals are to outweigh: the uncertainty of the numbers
// from outside and some more of it, by what values are off, and rounding.
type margins struct {
	more, rounding float64
}

// narrow are the margins to begin with.
var narrow = margins{more: 0x1p-14, rounding: 0x1p-102}

const (
	// maxWidenings bounds the attempts to find an enclosure, each with margins
	// that are wider by the factor widening.
	maxWidenings = 6
	widening     = 0x1p4
	// maxSlower bounds the policies of slower.
	maxSlower = 50
)

var errEnclosure = errors.New("rounding leaves no proof")

// enclose returns balls that hold the optimal values, given a policy that seems
// to be optimal.
func (a *approximation) enclose(policy []int32) ([]ball, error) {
	values := make([]ball, len(policy))
	if snapped := a.snap(policy); snapped != nil {
		for i, x := range snapped {
			values[i] = pointOf(x)
		}
		return values, nil
	}
	m := narrow
	a.patience = maxIterations
	if !a.linear.exact() {
		m.more = 0x1p-3
	}
	for attempt := range maxWidenings {
		if err := a.budget.spend(60 * len(a.system.columns)); err != nil {
			return nil, err
		}
		d := a.demand(policy, m)
		lower, upper, err := a.ends(policy, d, attempt > 0)
		if err != nil {
			return nil, err
		}
		if a.isAbove(policy, upper) && a.isBelow(lower) {
			for i := range values {
				values[i] = between(lower[i], upper[i])
			}
			return values, nil
		}
		m.more, m.rounding = min(1, m.more*widening), m.rounding*widening
	}
	return nil, errEnclosure
}

// ends returns values that are probably below and above the optimum, moved by
// solutions in double-double where polish says so.
func (a *approximation) ends(policy []int32, d demand, polish bool) (lower, upper []doubledouble.Number, err error) {
	right := pick(d.margin, policy)
	_, up, err := a.linear.solve(right)
	if err != nil {
		return nil, nil, err
	}
	slow, l, down, err := a.slower(policy, up, d)
	if err != nil {
		return nil, nil, err
	}
	if !polish {
		return a.moved(numbersOf(down), -1), a.moved(numbersOf(up), 1), nil
	}
	finerUp, err := a.polished(a.linear, policy, right)
	if err != nil {
		return nil, nil, err
	}
	finerDown := finerUp
	if !slices.Equal(slow, policy) {
		if finerDown, err = a.polished(l, slow, pick(d.least, slow)); err != nil {
			return nil, nil, err
		}
	}
	return a.moved(finerDown, -1), a.moved(finerUp, 1), nil
}

// numbersOf returns float64 as double-double numbers.
func numbersOf(x []float64) []doubledouble.Number {
	y := make([]doubledouble.Number, len(x))
	for i := range x {
		y[i] = doubledouble.FromFloat(x[i])
	}
	return y
}

// demand is what values are moved for, by choice.
type demand struct {
	margin []float64 // what the residual is to outweigh
	least  []float64 // what it has to grow by
	spare  float64   // the share of the margin that may be missing
}

// demand returns the demands of a policy and of the other choices.
func (a *approximation) demand(policy []int32, m margins) demand {
	choices := len(a.system.node)
	d := demand{make([]float64, choices), make([]float64, choices), m.more / 4}
	for k := range int32(choices) {
		above := a.above(k)
		d.margin[k] = above.radius*(1+m.more) + m.rounding*a.size(k) + underflow
		if k == policy[a.system.node[k]] {
			d.margin[k] += 2 * math.Abs(above.high)
		}
		d.least[k] = d.margin[k] - above.high
	}
	return d
}

// pick returns the numbers of the choices of a policy.
func pick(numbers []float64, policy []int32) []float64 {
	picked := make([]float64, len(policy))
	for i, k := range policy {
		picked[i] = numbers[k]
	}
	return picked
}

// moved returns the values moved by some, up or down.
func (a *approximation) moved(by []doubledouble.Number, direction int) []doubledouble.Number {
	moved := make([]doubledouble.Number, len(by))
	for i, x := range by {
		if direction < 0 {
			x = x.Neg()
		}
		moved[i] = a.values[i].Add(x)
	}
	return moved
}

// isAbove proves that values are at least those of a policy.
func (a *approximation) isAbove(policy []int32, values []doubledouble.Number) bool {
	for _, k := range policy {
		if !(a.residual(k, values).upper().Hi <= 0) {
			return false
		}
	}
	return true
}

// isBelow proves that values are at most the optimum.
func (a *approximation) isBelow(values []doubledouble.Number) bool {
	for k := range int32(len(a.system.node)) {
		if !(a.residual(k, values).lower().Hi >= 0) {
			return false
		}
	}
	return true
}

// slower returns by how much values are to be moved down, so that not only the
// residuals of the policy outweigh their margins but also those of other
// choices: f ≥ 0 such that for all choices k
//
//	leave(k)·f(i) + Σ_e rate(e)·(f(i) − f(j)) ≥ least(k).
//
// It matters where several choices are as good as each other, and the system is
// left later by one than by the other. The least f is found by policy iteration,
// from that of the policy.
func (a *approximation) slower(policy []int32, f []float64, d demand) (slow []int32, l linear, by []float64, err error) {
	slow, l = slices.Clone(policy), a.linear
	for range maxSlower {
		if !a.slow(slow, f, d) {
			return slow, l, f, nil
		}
		if _, proper := a.system.leaving(slow); !proper {
			return nil, nil, nil, errImproper
		}
		if l, f, err = a.solution(slow, pick(d.least, slow)); err != nil {
			return nil, nil, nil, err
		}
	}
	return nil, nil, nil, errPolicies
}

// slow changes the choices to those whose demands f does not meet, and reports
// whether there are any.
func (a *approximation) slow(slow []int32, f []float64, d demand) bool {
	s, changed := a.system, false
	for i := range slow {
		current, worst := slow[i], 0.0
		for k := s.start[i]; k < s.start[i+1]; k++ {
			if k == current {
				continue
			}
			met := s.leave[k].high * f[i]
			for e := s.rowStart[k]; e < s.rowStart[k+1]; e++ {
				met += a.rows.rates.high[s.entry[e]] * (f[i] - f[s.columns[e]])
			}
			if lack := d.least[k] - met - d.spare*d.margin[k]; lack > worst {
				worst, slow[i], changed = lack, k, true
			}
		}
	}
	return changed
}
