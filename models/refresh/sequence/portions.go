package sequence

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// portions are rates as whole numbers: page i has the share parts[i]/total of
// the slots, exactly. 2⁶⁰ < total < 2⁶³.
type portions struct {
	parts []uint64
	total uint64
}

// maxPages is the greatest number of pages of a sequence: an index takes 31
// bits.
const maxPages = math.MaxInt32

// newPortions rounds rates to whole multiples of one power of two. That keeps
// ratios of rates such as 2:3:3:5 or 0.1:0.1 as they are, and moves the share p
// of one of n pages by (1+np)·2⁻⁶² at most, for its own rounding and those of the
// total: after t slots its count is off by that times t.
func newPortions(rates []float64) (portions, error) {
	if len(rates) == 0 || len(rates) > maxPages {
		return portions{}, fmt.Errorf("sequence: %s", wording.Invalid(fmt.Sprintf("a list of %d rates", len(rates)), fmt.Sprintf("1 to %d", maxPages)))
	}
	var greatest float64
	for i, rate := range rates {
		if !(rate >= 0 && rate <= math.MaxFloat64) {
			return portions{}, fmt.Errorf("sequence: rates[%d]: %s", i, wording.Invalid(rate, "a finite number of 0 or more"))
		}
		greatest = max(greatest, rate)
	}
	if greatest == 0 {
		return portions{}, errors.New("sequence: all rates are 0: at least one must be above 0")
	}
	var sum float64 // of rates scaled to at most 1, an estimate
	_, exponent := math.Frexp(greatest)
	for _, rate := range rates {
		sum += math.Ldexp(rate, -exponent)
	}
	_, more := math.Frexp(sum) // sum < 2^more
	s := portions{parts: make([]uint64, len(rates))}
	for i, rate := range rates {
		// The products sum to less than 2⁶² but for rounding, n/2 and some.
		s.parts[i] = uint64(math.RoundToEven(math.Ldexp(rate, 62-more-exponent)))
		s.total += s.parts[i]
	}
	return s, nil
}

// floorSlot returns ⌊count·total/part⌋, the last slot t with t·part/total ≤
// count, and whether that is an equality.
func floorSlot(count, part, total uint64) (slot uint64, whole bool) {
	high, low := bits.Mul64(count, total)
	slot, rest := bits.Div64(high, low, part)
	return slot, rest == 0
}

// floorCount returns ⌊slot·part/total⌋ and what that leaves of the product.
func floorCount(slot, part, total uint64) (count, rest uint64) {
	high, low := bits.Mul64(slot, part)
	return bits.Div64(high, low, total)
}
