// Package fixedpoint adds float64 as multiples of a fixed unit, so that a sum does not
// depend on the order of its terms, nor on how they are divided among those who add: sums
// of parts are merged without another rounding. It is as fast as a compensated sum.
package fixedpoint

import "math"

// A Scale says where the point is.
type Scale struct {
	coarse, fine float64 // units: powers of two
	top          float64 // terms below it are added fast
	first, rest  float64 // what rounds to coarse and fine units when it is added and taken away
}

const (
	topBits    = 43 // of a term that is added fast, in coarse units: 512 of them fit into 52 bits
	fineBits   = 45 // coarse units in fine ones
	chunk      = 512
	topUnit    = 1 << coarseBits
	coarseBits = 61      // top units in coarse ones
	overflow   = 1 << 61 // top units
	halfFloats = 0x1.8p52
)

// NewScale returns a scale for sums near a positive size: terms are rounded to multiples
// of some 2⁻⁸⁶ of it, and sums reach up to 2⁸⁰ times its value.
func NewScale(size float64) Scale {
	coarse := math.Ldexp(1, math.Ilogb(size)+2-topBits)
	fine := math.Ldexp(coarse, -fineBits)
	return Scale{coarse, fine, math.Ldexp(coarse, topBits), halfFloats * coarse, halfFloats * fine}
}

// A Sum is a sum on a scale, which all calls of its methods have to name. The zero value
// is 0. Beyond the reach of the scale it is infinite.
type Sum struct {
	Top, Coarse, Fine int64 // units; 0 ≤ Coarse < 2⁶¹ and 0 ≤ Fine < 2⁴⁵
}

// AddAll adds numbers of 0 or more, each rounded to the nearest multiple of the unit. NaN
// counts as infinite.
func (s *Sum) AddAll(on *Scale, numbers []float64) {
	for from := 0; from < len(numbers); from += chunk {
		s.addChunk(on, numbers[from:min(from+chunk, len(numbers))])
	}
}

// addChunk adds numbers so few that sums of their parts are exact.
func (s *Sum) addChunk(on *Scale, numbers []float64) {
	top, first, rest := on.top, on.first, on.rest
	var a, b, c, d float64
	n := len(numbers) &^ 1
	for i := 0; i < n; i += 2 {
		two := numbers[i : i+2 : i+2]
		x, y := two[0], two[1]
		if !(x < top && y < top) {
			s.Add(on, x)
			s.Add(on, y)
			continue
		}
		p, q := x+first-first, y+first-first
		a += p
		b += q
		c += x - p + rest - rest
		d += y - q + rest - rest
	}
	if n < len(numbers) {
		s.Add(on, numbers[n])
	}
	s.add(int64((a+b)/on.coarse), int64((c+d)/on.fine))
}

// AddRough adds numbers of 0 or more, each rounded to the nearest coarse unit, some 2⁻⁴¹ of
// the size of the scale, in less time than AddAll.
func (s *Sum) AddRough(on *Scale, numbers []float64) {
	for from := 0; from < len(numbers); from += chunk {
		s.addRoughChunk(on, numbers[from:min(from+chunk, len(numbers))])
	}
}

func (s *Sum) addRoughChunk(on *Scale, numbers []float64) {
	top, first := on.top, on.first
	var a, b float64
	n := len(numbers) &^ 1
	for i := 0; i < n; i += 2 {
		two := numbers[i : i+2 : i+2]
		x, y := two[0], two[1]
		if !(x < top && y < top) {
			s.addRough(on, x)
			s.addRough(on, y)
			continue
		}
		a += x + first - first
		b += y + first - first
	}
	if n < len(numbers) {
		s.addRough(on, numbers[n])
	}
	s.add(int64((a+b)/on.coarse), 0)
}

func (s *Sum) addRough(on *Scale, x float64) {
	s.addUnits(math.RoundToEven(x/on.coarse), 0)
}

// Add adds one number, rounded to the nearest multiple of the unit.
func (s *Sum) Add(on *Scale, x float64) {
	units := math.RoundToEven(x / on.coarse)
	s.addUnits(units, math.RoundToEven((x-units*on.coarse)/on.fine))
}

// addUnits adds whole numbers of coarse and fine units.
func (s *Sum) addUnits(coarse, fine float64) {
	switch {
	case coarse < topUnit:
		s.add(int64(coarse), int64(fine))
	case coarse < overflow*topUnit:
		top := math.Floor(coarse / topUnit)
		s.Top += int64(top)
		s.add(int64(coarse-top*topUnit), int64(fine))
	default:
		s.Top = overflow
		s.add(0, 0)
	}
}

// AddSum adds a sum on another scale, rounded to the unit of this one.
func (s *Sum) AddSum(on *Scale, other Sum, its *Scale) {
	if *on == *its {
		s.Merge(other)
		return
	}
	high := other.Coarse &^ (1<<20 - 1)
	s.Add(on, float64(other.Top)*topUnit*its.coarse)
	s.Add(on, float64(high)*its.coarse)
	s.Add(on, float64(other.Coarse-high)*its.coarse)
	s.Add(on, float64(other.Fine)*its.fine)
}

// Merge adds another sum on the same scale.
func (s *Sum) Merge(other Sum) {
	s.Top += other.Top
	s.add(other.Coarse, other.Fine)
}

// add adds units.
func (s *Sum) add(coarse, fine int64) {
	s.Fine += fine
	s.Coarse += coarse + s.Fine>>fineBits
	s.Fine &= 1<<fineBits - 1
	s.Top += s.Coarse >> coarseBits
	s.Coarse &= topUnit - 1
	if s.infinite() {
		*s = Sum{Top: overflow}
	}
}

func (s *Sum) infinite() bool { return s.Top >= overflow }

// Float returns the sum as a float64.
func (s *Sum) Float(on *Scale) float64 {
	if s.infinite() {
		return math.Inf(1)
	}
	return s.Minus(on, Sum{})
}

// Below returns budget − sum.
func (s *Sum) Below(on *Scale, budget float64) float64 {
	switch {
	case s.infinite():
		return math.Inf(-1)
	case math.IsInf(budget, 1):
		return budget
	}
	whole := Sum{}
	whole.Add(on, budget)
	return whole.Minus(on, *s)
}

// Minus returns s − other, both finite.
func (s *Sum) Minus(on *Scale, other Sum) float64 {
	return float64(s.Top-other.Top)*topUnit*on.coarse + float64(s.Coarse-other.Coarse)*on.coarse + float64(s.Fine-other.Fine)*on.fine
}
