package mdp_test

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// decimalRow returns up to 300 positive decimals of many digits, whose sum is 1 or
// as far from it as their rounding makes it, up to 1e-9.
func decimalRow(random *rand.Rand) []*big.Rat {
	shares := make([]int64, 1+random.IntN(1+random.IntN(300)))
	total := int64(0)
	for i := range shares {
		shares[i] = 1 + random.Int64N(1<<random.IntN(40))
		total += shares[i]
	}
	one := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(14+random.IntN(12))), nil)
	row, rest := make([]*big.Rat, len(shares)), new(big.Int).Set(one)
	for i, share := range shares {
		digits := new(big.Int).Mul(one, big.NewInt(share))
		digits.Quo(digits, big.NewInt(total))
		digits.Add(digits, big.NewInt(1)) // never 0
		rest.Sub(rest, digits)
		row[i] = new(big.Rat).SetFrac(digits, one)
	}
	if last := new(big.Rat).Add(row[0], new(big.Rat).SetFrac(rest, one)); last.Sign() > 0 && random.IntN(2) == 0 {
		row[0] = last
	}
	return row
}

// Every entry of a table is a decimal divided by the exact sum of its row, up to the
// relative error that Rounded admits, and it is the nearest float64 to the decimal
// where that sum is 1.
func TestRoundedAdmitsWhatRoundingDoes(t *testing.T) {
	kept, largest := 0, 0.0
	trials(t, 2000, func(t *testing.T, random *rand.Rand) {
		row := decimalRow(random)
		a := mdp.TableArrays{RowStart: []int32{0}}
		sum := new(big.Rat)
		for j, v := range row {
			sum.Add(sum, v)
			x, _ := v.Float64()
			a.Columns, a.Probabilities = append(a.Columns, int32(j)), append(a.Probabilities, x)
		}
		a.RowStart = append(a.RowStart, int32(len(row)))
		for s := 1; s < len(row); s++ { // the other states stay where they are
			a.Columns, a.Probabilities = append(a.Columns, int32(s)), append(a.Probabilities, 1)
			a.RowStart = append(a.RowStart, int32(len(a.Columns)))
		}
		for s := range len(row) + 1 {
			a.StateStart = append(a.StateStart, int32(s))
		}
		a.Costs = make([]float64, len(row))
		given := slices.Clone(a.Probabilities)
		table, err := mdp.NewTable(a)
		require.NoError(t, err)

		admitted := mdp.Rounded{Table: table}.RelativeError()
		largest = max(largest, admitted)
		entries, _ := table.AppendRow(nil, 0, 0)
		for j, e := range entries {
			meant := new(big.Rat).Quo(row[j], sum)
			off := new(big.Rat).Quo(rational(e.Probability), meant)
			off.Sub(off, big.NewRat(1, 1))
			require.LessOrEqual(t, off.Abs(off).Cmp(rational(admitted)), 0, "entry %d of %d", j, len(row))
			if sum.IsInt() {
				kept++
				require.Equal(t, given[j], e.Probability)
			}
		}
	})
	require.Positive(t, kept, "rows that sum to 1")
	require.Greater(t, largest, 6*0x1p-53, "rows that are not divided though their sum is off")
}
