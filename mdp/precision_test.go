package mdp_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// If arithmetic cannot meet a tolerance, it cannot meet a tighter one.
func TestPrecisionLimitIsALimitOfPrecision(t *testing.T) {
	trials(t, 500, func(t *testing.T, random *rand.Rand) {
		table := randomTable(t, random, structure(random.IntN(int(structures))), scale(random.IntN(int(scales))))
		settings := mdp.Settings{Method: mdp.RelativeValueIteration, Tolerance: 1e-12, MaxIterations: 3000}
		for _, model := range []mdp.Model{table, backupOnly{table}} {
			result, err := mdp.Solve(context.Background(), model, mdp.LongRunAverage{}, settings)
			if result == nil || result.Status != mdp.PrecisionLimit {
				continue
			}
			tight := settings
			tight.Tolerance = 1e-14
			better, _ := mdp.Solve(context.Background(), model, mdp.LongRunAverage{}, tight)
			require.NotNil(t, better)
			clearly := mdp.Settings{Tolerance: settings.Tolerance / 4} // next to the limit, rounding decides
			require.False(t, clearly.Met(better.Lower, better.Upper), "%T: %v, but a tolerance of %g gives bounds %v and %v",
				model, err, tight.Tolerance, better.Lower, better.Upper)
		}
	})
}
