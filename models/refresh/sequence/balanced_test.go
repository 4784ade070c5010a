package sequence

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
)

// balancedReference deals slots down the tree one by one, by the definition: of
// the first v slots of a part, ⌊v·g + ½⌋ go to the branch of share g.
type balancedReference struct {
	splits []split
	only   int
	visits []int64
}

func (r *balancedReference) next() int {
	if len(r.splits) == 0 {
		return r.only
	}
	at := int32(0)
	for at >= 0 {
		s := r.splits[at]
		// ⌊x + ½⌋ of x = v·part/total, with total/2 rounded down as documented.
		first := func(v int64) *big.Int {
			sum := new(big.Int).Mul(big.NewInt(v), new(big.Int).SetUint64(s.part))
			sum.Add(sum, new(big.Int).SetUint64(s.total/2))
			return sum.Div(sum, new(big.Int).SetUint64(s.total))
		}
		r.visits[at]++
		branch := 1
		if first(r.visits[at]).Cmp(first(r.visits[at]-1)) > 0 {
			branch = 0
		}
		at = s.branches[branch]
	}
	return int(^at)
}

// Slots worked out many at a time are those worked out one by one, also when
// the sequence goes on from a state saved anywhere.
func TestBalancedWordsFollowTheDefinition(t *testing.T) {
	lists := rateLists()
	lists["one page"] = []float64{0, 3, 0}
	lists["two pages"] = []float64{1, 1e-9}
	for name, rates := range lists {
		b, err := NewBalancedWord(rates)
		require.NoError(t, err)
		again, err := NewBalancedWord(rates)
		require.NoError(t, err)
		reference := balancedReference{b.splits, b.only, make([]int64, len(b.splits))}
		for slot := range 4*lookahead + 3 {
			if slot%100 == 99 || slot%lookahead < 2 {
				state, err := b.AppendBinary(nil)
				require.NoError(t, err)
				require.NoError(t, again.UnmarshalBinary(state))
			}
			want := reference.next()
			message := fmt.Sprintf("%s, slot %d", name, slot+1)
			require.Equal(t, want, b.Next(), message)
			require.Equal(t, want, again.Next(), message)
			require.EqualValues(t, slot+1, b.Slot(), message)
		}
	}
}
