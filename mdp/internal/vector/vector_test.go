package vector

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
)

// ActionFloor is below the sum in double-double, less the relative error of its terms, by
// about the rounding of the values.
func TestActionFloor(t *testing.T) {
	const seed, n = 3, 9
	random := rand.New(rand.NewPCG(seed, 0))
	for range 20000 {
		v, scale := New(n), math.Pow(10, float64(random.IntN(60)-30))
		for s := range n {
			v.Set(s, doubledouble.FromFloat(random.NormFloat64()*scale).AddFloat(random.NormFloat64()*scale*0x1p-54))
			if random.IntN(3) == 0 {
				v.Set(s, doubledouble.FromFloat(scale).AddFloat(random.NormFloat64()*scale*0x1p-60))
			}
		}
		row, cost := make([]rows.Entry, random.IntN(n)), random.NormFloat64()*scale*math.Pow(10, float64(random.IntN(20)-10))
		for i := range row {
			row[i] = rows.Entry{State: int32(i), Probability: random.Float64() / n}
		}
		s, relativeError := random.IntN(n), float64(random.IntN(2))*0x1p-50
		sum, magnitude, _ := v.Action(row, cost, s)
		var by *Discount
		if random.IntN(2) == 0 {
			leave := math.Pow(10, -10*random.Float64())
			by = &Discount{Factor: 1 - leave, Complement: doubledouble.TwoSum(1, -(1 - leave)), RelativeError: float64(random.IntN(2)) * 0x1p-52}
			sum, magnitude, _ = v.DiscountedAction(row, cost, s, by)
			magnitude += math.Abs(by.Complement.MulFloat(v.High[s]).Hi)
		}
		floor := v.ActionFloor(row, cost, s, by, relativeError)
		if by != nil {
			relativeError += by.RelativeError
		}
		require.LessOrEqual(t, floor, sum.AddFloat(-relativeError*magnitude).RoundUp(), "seed %d", seed)
		size := math.Abs(cost) + v.Size(row, s) + math.Abs(v.High[s])
		require.GreaterOrEqual(t, floor, sum.Hi-(relativeError+40*0x1p-53)*size, "seed %d", seed)
	}
}
