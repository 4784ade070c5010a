package mdp

import "math"

// bounds are what a result knows of the optimum from each state.
type bounds interface {
	// of returns the bounds of a state.
	of(s int) (lower, upper float64)

	// met says whether the bounds are within the tolerance everywhere.
	met(settings Settings) bool
}

// uniformBounds are the same for all states.
type uniformBounds struct{ lower, upper float64 }

func (b uniformBounds) of(int) (lower, upper float64) { return b.lower, b.upper }

func (b uniformBounds) met(settings Settings) bool { return settings.Met(b.lower, b.upper) }

// radiusBounds lie at the same distance around all values. The tolerance is
// relative to the largest magnitude of a value.
type radiusBounds struct {
	values          []float64
	radius, largest float64
}

func (b radiusBounds) of(s int) (lower, upper float64) {
	return math.Nextafter(b.values[s]-b.radius, math.Inf(-1)), math.Nextafter(b.values[s]+b.radius, math.Inf(1))
}

func (b radiusBounds) met(settings Settings) bool {
	return settings.Met(b.largest-b.radius, b.largest+b.radius)
}

// stateBounds are each of their own. The tolerance is relative to the
// magnitudes of each, or, where scale is not 0, to that.
type stateBounds struct {
	lower, upper []float64
	scale        float64
}

func (b stateBounds) of(s int) (lower, upper float64) { return b.lower[s], b.upper[s] }

func (b stateBounds) met(settings Settings) bool {
	for s := range b.lower {
		lower, upper := b.lower[s], b.upper[s]
		if lower == upper || settings.Met(lower, upper) {
			continue
		}
		if half := (upper - lower) / 2; b.scale == 0 || !settings.Met(b.scale-half, b.scale+half) {
			return false
		}
	}
	return true
}

// negative returns the bounds of what has the opposite sign.
func negative(b bounds) bounds {
	switch b := b.(type) {
	case uniformBounds:
		return uniformBounds{0 - b.upper, 0 - b.lower}
	case radiusBounds:
		return radiusBounds{scaled(b.values, -1), b.radius, b.largest}
	case stateBounds:
		return stateBounds{opposite(b.upper), opposite(b.lower), b.scale}
	default:
		return b
	}
}

// opposite returns −x, without −0.
func opposite(x []float64) []float64 {
	y := make([]float64, len(x))
	for i := range x {
		y[i] = 0 - x[i]
	}
	return y
}
