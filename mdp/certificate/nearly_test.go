package certificate

import (
	"context"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// An induction in double-double encloses that in fractions, and is as close as its digits.
func TestNearlyAsInFractions(t *testing.T) {
	trials(t, 200, func(t *testing.T, random *rand.Rand) {
		m := randomIntervals(t, random, false)
		if m.Kind == modelfile.CTMC {
			return
		}
		for e, high := range m.High.Float { // beyond what double-double holds
			if m.Values.Float[e] < high && random.IntN(3) == 0 {
				m.Values.Float[e] = 1e-290
			}
		}
		a := randomAsked(random, finite, m)
		policy := make([]int32, m.NumStates())
		r := &Result{Question: question.Question{Criterion: finite, Sense: a.sense.String(), Uncertainty: a.nature.String(), Horizon: &a.steps}, Policy: policy}
		asked, err := r.On(m)
		require.NoError(t, err)
		q, err := newProblem(context.Background(), asked, nil, r)
		require.NoError(t, err)
		first, _ := q.rows.choicesOf(policy)
		if random.IntN(2) == 0 {
			q.shrink = big.NewRat(1+random.Int64N(9), 10)
		}
		for trial := range 4 {
			absolute := trial%2 == 0
			allowed := func(step int) []bool {
				if trial < 2 && step == 0 {
					return first
				}
				return nil
			}
			best, ok := q.induceInFractions(absolute, q.sense, allowed)
			require.True(t, ok)
			near, ok := q.induceNearly(absolute, q.sense, allowed)
			require.True(t, ok)
			if a.steps == 0 {
				continue
			}
			for s, exactly := range best {
				nearly := near[s]
				assert.LessOrEqual(t, nearly.lower.compare(exactly.lower), 0, "state %d", s)
				assert.GreaterOrEqual(t, nearly.upper.compare(exactly.upper), 0, "state %d", s)
				assert.InDelta(t, nearly.lower.Hi, nearly.upper.Hi, 1e-25*(1+1e3*exactly.upper.Abs().Hi), "state %d", s)
			}
		}
	})
}
