package queue

// Checks and texts of numbers that the laws share.

import (
	"fmt"
	"math"
	"strconv"
)

func isPositive(x float64) bool { return x > 0 && !math.IsInf(x, 1) }

func checkMean(mean float64) error {
	if !isPositive(mean) {
		return fmt.Errorf("mean %v is not valid: use a finite number above 0", mean)
	}
	return nil
}

// formatNumber writes the shortest text that reads back as x.
func formatNumber(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
