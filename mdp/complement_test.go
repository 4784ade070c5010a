package mdp_test

import (
	"context"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// A cycle of costs 1 and 2, discounted by a decimal close to 1 that is no float64:
// from the first state it costs (1 + 2β)/(1 − β²), from the second (2 + β)/(1 − β²).
// Bounds hold for the decimal, and are within the tolerance where the status says so.
func TestDiscountThatIsNoFloat(t *testing.T) {
	table := buildTable(t, func(b *mdp.TableBuilder) {
		for s := range 2 {
			b.AddState()
			b.AddAction(float64(s + 1))
			b.AddTransition(1-s, 1)
		}
	})
	for _, text := range []string{"0.9", "0.999999", "0.999999999", "0.999999999999"} {
		beta, _ := new(big.Rat).SetString(text)
		rest := new(big.Rat).Sub(big.NewRat(1, 1), beta)
		criterion := mdp.Discounted{}
		criterion.Discount, _ = beta.Float64()
		criterion.Complement, _ = rest.Float64()
		divisor := new(big.Rat).Mul(rest, new(big.Rat).Add(big.NewRat(1, 1), beta))
		first := new(big.Rat).Add(big.NewRat(1, 1), new(big.Rat).Add(beta, beta))
		second := new(big.Rat).Add(big.NewRat(2, 1), beta)
		for _, method := range []mdp.Method{0, mdp.PolicyIteration, mdp.InexactPolicyIteration, mdp.ValueIteration, mdp.ModifiedPolicyIteration} {
			result, err := mdp.Solve(context.Background(), table, criterion, mdp.Settings{Method: method, MaxIterations: 2000, TimeLimit: time.Second})
			require.NotNil(t, result)
			for s, value := range []*big.Rat{first, second} {
				exact := new(big.Rat).Quo(value, divisor)
				lower, upper := result.Bounds(s)
				assert.LessOrEqual(t, compare(lower, exact), 0, "%s, %v", text, method)
				assert.GreaterOrEqual(t, compare(upper, exact), 0, "%s, %v", text, method)
				if result.Status == mdp.Converged {
					assert.LessOrEqual(t, upper-lower, mdp.DefaultTolerance*lower, "%s, %v", text, method)
				}
			}
			if method == 0 {
				require.NoError(t, err, text)
			}
		}
	}
	for _, criterion := range []mdp.Discounted{{Discount: 0.9, Complement: 0.2}, {Discount: 1}, {Discount: 1, Complement: -1e-20}} {
		_, err := mdp.Solve(context.Background(), table, criterion, mdp.Settings{})
		require.ErrorContains(t, err, "mdp: Discounted.")
	}
}
