package model

// Several initial states, of which most answers are about the first.

import (
	"fmt"
	"math"
	"math/big"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// warnInitial warns that an answer is about the first of several initial states. instead says
// where the values of the others are.
func warnInitial(a *ui.Arguments, m *modelfile.Model, instead string) {
	if n := len(m.Initial); n > 1 {
		a.Warn("the model has %d initial states: the value is that of the first, state %s%s", n, m.StateName(int(m.Initial[0])), instead)
	}
}

// initialText returns the least and the greatest value of several initial states, and their mean:
// the value if the initial state is drawn uniformly. It returns "" for a single initial state.
func (s *solution) initialText() string {
	r := s.result
	if len(r.InitialStates) == 0 {
		return ""
	}
	least, greatest, means := math.Inf(1), math.Inf(-1), [3]*big.Rat{}
	n := new(big.Rat).SetInt64(int64(len(r.InitialStates)))
	for i, values := range [][]float64{r.Lower, r.Values, r.Upper} {
		means[i] = new(big.Rat)
		for _, state := range r.InitialStates {
			least, greatest = min(least, r.Values[state]), max(greatest, r.Values[state])
			exact := new(big.Rat).SetFloat64(values[state])
			if exact == nil {
				return wording.Count(len(r.InitialStates), "state") + ", not all with finite bounds: --output csv or json prints them"
			}
			means[i].Add(means[i], exact)
		}
		means[i].Quo(means[i], n)
	}
	lower, _ := doubledouble.Around(means[0])
	mean, _ := means[1].Float64()
	_, upper := doubledouble.Around(means[2])
	return fmt.Sprintf("%s, with values from %s to %s; for one that is drawn evenly, it is %s", wording.Count(len(r.InitialStates), "state"),
		ui.PlainText(least), ui.PlainText(greatest), ui.ValueText(mean, lower, upper))
}
