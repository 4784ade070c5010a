package verify

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Whichever way the equations of a policy are solved, the same is proved.
func TestWaysAgree(t *testing.T) {
	trials(t, 20, func(t *testing.T, random *rand.Rand) {
		r := randomSystemRows(random, 20+random.IntN(300))
		b := newBudget(context.Background(), DefaultWork)
		plain := rounded{r, b}
		for _, closed := range []bool{false, true} {
			var found []ball
			for _, w := range []way{lightElimination, fewIterations, heavyElimination, manyIterations} {
				sys, policy := wholeSystem(r, plain, closed)
				a := newApproximation(plain, sys, closed)
				a.way = w
				if w == manyIterations {
					a.patience = maxIterations
				}
				mend, enclose := sys.mendProper, a.enclose
				if closed {
					mend = sys.mendClosed
					enclose = func(policy []int32) ([]ball, error) {
						gain, err := a.encloseGain(policy)
						return []ball{gain}, err
					}
				}
				require.NoError(t, iterate(a, policy, mend))
				values, err := enclose(policy)
				require.NoError(t, err)
				for i, x := range values {
					assert.Less(t, x.radius, 0x1p-70*math.Abs(x.high), "way %d", w)
					if found != nil {
						apart := new(big.Rat).Sub(rational(x.number()), rational(found[i].number()))
						assert.LessOrEqual(t, apart.Abs(apart).Cmp(new(big.Rat).SetFloat64(x.radius+found[i].radius)), 0)
					}
				}
				found = values
			}
		}
	})
}

// randomSystemRows returns rows of n states with two choices each, of costs from
// 1 to 2.
func randomSystemRows(random *rand.Rand, n int) *rows {
	r := &rows{stateStart: []int32{0}, start: []int32{0}, killing: numbers{high: []float64{0}}}
	for s := range n {
		for range 2 {
			r.columns = append(r.columns, int32((s+1)%n))
			r.rates.high = append(r.rates.high, 0.5+random.Float64())
			for range 3 {
				if j := random.IntN(n); j != s && j != (s+1)%n {
					r.columns = append(r.columns, int32(j))
					r.rates.high = append(r.rates.high, random.Float64())
				}
			}
			r.state = append(r.state, int32(s))
			r.start = append(r.start, int32(len(r.columns)))
			r.costs.high = append(r.costs.high, 1+random.Float64())
		}
		r.stateStart = append(r.stateStart, int32(len(r.state)))
	}
	return r
}

// wholeSystem returns the system of all rows, which is left from each state at
// the rate 1/8 unless it is closed, and its first policy.
func wholeSystem(r *rows, a rounded, closed bool) (*system[ball], []int32) {
	s := &solver[ball]{arithmetic: a, rows: r, budget: a.budget, preferred: make([]bool, len(r.state))}
	sys := s.closedSystem(r.endComponents(r.all()), 0)
	if !closed {
		for k := range sys.leave {
			sys.leave[k], sys.leaves[k] = point(0.125), true
		}
	}
	return sys, s.prefer(sys)
}
