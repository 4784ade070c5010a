package mdptest

import (
	"fmt"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// rowSumTolerance is that of mdp.NewTable: 1e-9, and what rounding may add.
const rowSumTolerance = 1e-9 * (1 + 0x1p-20)

// rows looks at the rows of a model that lists them.
func (i *inspection) rows() {
	model, ok := i.model.(mdp.Explicit)
	if !ok {
		return
	}
	seen := make(map[int32]bool)
	for _, s := range i.states {
		i.called = fmt.Sprintf("NumActions of state %d", s)
		count := model.NumActions(s)
		if again := model.NumActions(s); count < 1 || again != count {
			i.fault("NumActions", "state %d: %d, and %d when called again: use one number from 1 up", s, count, again)
			continue
		}
		for a := range count {
			clear(seen)
			i.row(model, s, a, seen)
		}
	}
}

// row looks at one row.
func (i *inspection) row(model mdp.Explicit, s, a int, seen map[int32]bool) {
	const what = "AppendRow"
	i.called = fmt.Sprintf("AppendRow of state %d, action %d", s, a)
	row, cost := model.AppendRow(nil, s, a)
	if math.IsNaN(cost) || math.IsInf(cost, 0) {
		i.fault(what, "state %d, action %d: cost %v is not valid: use a finite number", s, a, cost)
	}
	sum := 0.0
	for _, e := range row {
		switch {
		case e.State < 0 || int(e.State) >= i.n:
			i.fault(what, "state %d, action %d: next state %d is not valid: use 0 … %d", s, a, e.State, i.n-1)
		case seen[e.State]:
			i.fault(what, "state %d, action %d: next state %d is named twice", s, a, e.State)
		case !(e.Probability >= 0 && e.Probability <= 1+rowSumTolerance):
			i.fault(what, "state %d, action %d: probability %v of state %d is not valid: use numbers from 0 to 1", s, a, e.Probability, e.State)
		}
		seen[e.State] = true
		sum += e.Probability
	}
	if !(math.Abs(sum-1) <= rowSumTolerance) {
		i.fault(what, "state %d, action %d: probabilities sum to %v, not to 1", s, a, sum)
	}

	kept := slices.Clone(row)
	before := []mdp.Entry{{State: -3, Probability: 3}}
	longer, again := model.AppendRow(slices.Grow(slices.Clone(before), 1), s, a)
	switch {
	case len(longer) != 1+len(kept) || longer[0] != before[0]:
		i.fault(what, "state %d, action %d: does not append to dst", s, a)
	case !slices.Equal(longer[1:], kept) || again != cost:
		i.fault(what, "state %d, action %d: another row when called again", s, a)
	}
	if !slices.Equal(row, kept) {
		i.fault(what, "state %d, action %d: the row changes when another is asked for", s, a)
	}
}

// value returns the cost of an action and what follows it.
func value(model mdp.Explicit, s, a int, v []float64) float64 {
	row, cost := model.AppendRow(nil, s, a)
	sum := cost
	for _, e := range row {
		sum += e.Probability * v[e.State]
	}
	return sum
}
