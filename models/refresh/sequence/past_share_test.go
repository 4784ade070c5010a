package sequence

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// What others leave of the slots is shared evenly: k of n pages get one in k equal parts of
// the time, those never accessed before those accessed longest ago.
func TestSlotsThatAreLeftAreSharedEvenly(t *testing.T) {
	past := Past{Rates: []float64{1e-9, 1e-9, 1e-9, 1e-9}, Accessed: []float64{-1, -3, math.NaN(), -2}}
	for left, want := range map[float64][]float64{
		4: {100, 50, 25, 75},
		2: {0, 100, 50, 0},
		0: {0, 0, 0, 0},
	} {
		visits := make([]Visit, 4)
		served := past.share(visits, []int{0, 1, 2, 3}, 100, left)
		assert.Equal(t, []int{2, 1, 3, 0}[:int(left)], served)
		for page, due := range want {
			assert.Equal(t, due, visits[page].Due, "page %d of %v slots", page, left)
		}
	}
}
