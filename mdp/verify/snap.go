package verify

import (
	"math"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

// digits is how many binary digits, below the leading one of the largest value,
// a value has that snap tries.
const digits = 90

// snap rounds the values to few digits, and returns them if they then are the
// solution to the last digit: where probabilities are 1/2 and costs whole, say,
// values often have few digits. It returns nil otherwise.
func (a *approximation) snap(policy []int32) []doubledouble.Number {
	largest := math.Abs(a.gain.Hi)
	for _, x := range a.values {
		largest = max(largest, math.Abs(x.Hi))
	}
	_, exponent := math.Frexp(largest)
	quantum := math.Ldexp(1, exponent-digits)
	if quantum == 0 || math.IsInf(largest, 0) {
		return nil
	}
	snapped := make([]doubledouble.Number, len(a.values))
	for i, x := range a.values {
		snapped[i] = snapTo(x, quantum)
	}
	gain := ball{}
	if a.closed {
		gain = a.residual(policy[0], snapped)
	}
	for _, k := range policy {
		if x := a.residual(k, snapped); x.radius != 0 || x != gain {
			return nil
		}
	}
	for k := range int32(len(a.system.node)) {
		x := tally{a.residual(k, snapped)}
		x.addBall(gain.negative())
		if !(x.lower().Hi >= 0) {
			return nil
		}
	}
	a.values, a.gain = snapped, gain.number()
	return snapped
}

// snapTo returns the multiple of a power of two next to x.
func snapTo(x doubledouble.Number, quantum float64) doubledouble.Number {
	if math.Abs(x.Hi) < 0x1p52*quantum {
		return doubledouble.FromFloat(math.RoundToEven((x.Hi+x.Lo)/quantum) * quantum)
	}
	return doubledouble.TwoSum(x.Hi, math.RoundToEven(x.Lo/quantum)*quantum)
}
