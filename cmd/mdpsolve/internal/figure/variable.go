package figure

// Variables of points, such as those of states, and their places along an axis.

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Variable has a value at each point.
type Variable struct {
	Name   string
	Values []string            // in order: of size if they are numbers, otherwise of their first points
	At     func(point int) int // the place of its value in Values
	Apart  bool                // of three variables, it is the one whose values have a panel each

	word    string    // before the number of each value
	sizes   []float64 // these numbers; nil if there are none
	numbers []float64 // sizes without a word; otherwise nil
}

// NewVariable returns a variable with a value, as text, at each of n points.
func NewVariable(name string, n int, value func(point int) string) *Variable {
	v, at, known := &Variable{Name: name}, make([]int32, n), map[string]int32{}
	for i := range n {
		text := value(i)
		place, is := known[text]
		if !is {
			place = int32(len(v.Values))
			known[text], v.Values = place, append(v.Values, text)
		}
		at[i] = place
	}
	order := v.sort()
	v.At = func(i int) int { return order[at[i]] }
	return v
}

// NewCount returns a variable whose values are from, from+1 and so on.
func NewCount(name string, from, values int, at func(point int) int) *Variable {
	v := &Variable{Name: name, At: at, Values: make([]string, values)}
	for i := range v.Values {
		v.Values[i] = strconv.Itoa(from + i)
	}
	v.sort()
	return v
}

// merged returns the variable with successive values made one, such as "2 to 5", if same says that each is like
// the one before it.
func (v *Variable) merged(same func(place int) bool) *Variable {
	m, of := &Variable{Name: v.Name}, make([]int, len(v.Values))
	for i := 0; i < len(v.Values); {
		last := i
		for of[i] = len(m.Values); last+1 < len(v.Values) && same(last+1); last++ {
			of[last+1] = len(m.Values)
		}
		name := v.Values[i]
		if last > i {
			name += " to " + v.Values[last]
		}
		m.Values, i = append(m.Values, name), last+1
	}
	m.At = func(point int) int { return of[v.At(point)] }
	return m
}

// sort sorts values that are numbers, truths, or one word with numbers, such as "order 3". It
// returns the new place of each.
func (v *Variable) sort() []int {
	places, sizes := make([]int, len(v.Values)), make([]float64, len(v.Values))
	areSizes, areTruths := true, true
	for i, text := range v.Values {
		digits := strings.TrimLeftFunc(text, func(r rune) bool { return !strings.ContainsRune("0123456789.", r) })
		word := strings.TrimSuffix(text, digits)
		if strings.HasSuffix(word, "-") {
			word, digits = word[:len(word)-1], "-"+digits
		}
		if i == 0 {
			v.word = word
		}
		x, err := strconv.ParseFloat(digits, 64)
		areSizes = areSizes && err == nil && !math.IsInf(x, 0) && word == v.word
		areTruths = areTruths && (text == "true" || text == "false")
		sizes[i], places[i] = x, i
	}
	switch {
	case areSizes:
		slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(sizes[a], sizes[b]) })
	case areTruths:
		slices.SortStableFunc(places, func(a, b int) int { return strings.Compare(v.Values[a], v.Values[b]) })
	}
	values, order := slices.Clone(v.Values), make([]int, len(places))
	for to, from := range places {
		v.Values[to], order[from] = values[from], to
		if areSizes {
			v.sizes = append(v.sizes, sizes[from])
		}
	}
	if v.word == "" {
		v.numbers = v.sizes
	}
	return order
}

// scale places the values of a variable along an axis, in bins.
type scale struct {
	*Variable
	first, step float64 // of evenly spaced numbers; step is 0 for others, which have places
	slots, per  int     // places on the axis, and those of a bin
}

// mostBins is the greatest number of cells along an axis.
const mostBins = 400

func (v *Variable) scale() scale {
	const sparse = 4 // places for each value
	s := scale{Variable: v, slots: len(v.Values)}
	if n := len(v.numbers); n > 0 {
		s.first, s.step = v.numbers[0], 1
		if n > 1 {
			s.step = v.numbers[n-1] - v.numbers[0]
			for i := 1; i < n; i++ {
				s.step = min(s.step, v.numbers[i]-v.numbers[i-1])
			}
		}
		slots := (v.numbers[n-1]-s.first)/s.step + 1
		for _, x := range v.numbers {
			if place := (x - s.first) / s.step; math.Abs(place-math.Round(place)) > 1e-6 || slots > float64(sparse*n)+0.5 {
				s.first, s.step, slots = 0, 0, float64(n)
				break
			}
		}
		s.slots = int(math.Round(slots))
	}
	s.per = (s.slots + mostBins - 1) / mostBins
	return s
}

// bins returns the number of bins.
func (s scale) bins() int { return (s.slots + s.per - 1) / s.per }

// bin returns the bin of a value, by its place among the values.
func (s scale) bin(place int) int {
	if s.step > 0 {
		place = int(math.Round((s.numbers[place] - s.first) / s.step))
	}
	return place / s.per
}

// wide returns the width of a bin, and low its lower end, in units of the axis.
func (s scale) wide() float64 {
	if s.step > 0 {
		return s.step * float64(s.per)
	}
	return float64(s.per)
}

func (s scale) low() float64 {
	if s.step > 0 {
		return s.first - s.step/2
	}
	return -0.5
}

// axis returns the axis.
func (s scale) axis() Axis {
	end := s.low() + float64(s.bins())*s.wide()
	a := Axis{Label: s.Name, From: s.low(), To: end, Whole: true}
	if s.step > 0 {
		for _, x := range s.numbers {
			a.Whole = a.Whole && x == math.Trunc(x)
		}
		return a
	}
	a.Names = make([]string, len(s.Values))
	for i, name := range s.Values {
		a.Names[i] = shortName(name)
	}
	return a
}

// shortName returns a name that fits beside an axis. Parts after commas, such as the probabilities of a
// decision left to chance, have lines of their own.
func shortName(name string) string {
	const most, part = 14, ", "
	lines := strings.Split(name, part)
	for i, line := range lines {
		if runes := []rune(line); len(runes) > most {
			lines[i] = string(runes[:most-1]) + "…"
		}
	}
	return strings.Join(lines, ",\n")
}
