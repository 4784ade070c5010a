package dual

// What a search ends with does not depend on the way it took: it looks at multipliers of a
// grid alone, and ends at the one nearest to the root.

import "math"

// A grid is the float64 whose mantissas end after so many bits.
type grid uint

// The grids of a search, from one to the next as long as the rates do not pass the test.
// What Newton's last step, taken in the rates, leaves is of the order of the square of half
// a cell. On the last, both neighbours of the root are wanted.
const (
	wideGrid   grid = 28
	fineGrid   grid = 44
	everyFloat grid = 52
)

var grids = [...]grid{wideGrid, fineGrid, everyFloat}

func (g grid) cell() uint64 { return 1 << (everyFloat - g) }

// nearest returns the point nearest to x ≥ 0.
func (g grid) nearest(x float64) float64 {
	return math.Float64frombits((math.Float64bits(x) + g.cell()/2) &^ (g.cell() - 1))
}

// step returns the point so many cells above the greatest point that is at most x ≥ 0.
func (g grid) step(x float64, cells int64) float64 {
	return math.Float64frombits(math.Float64bits(x)&^(g.cell()-1) + g.cell()*uint64(cells))
}

// gridSearch is a [Search] that looks at points of a grid.
type gridSearch struct {
	Search
	grid   grid
	stride int64 // cells that the next step goes on where Newton's does not leave a known point
}

// newGridSearch is [NewSearch] on a grid.
func newGridSearch(atInfinity, steep float64, on grid) gridSearch {
	s := gridSearch{NewSearch(atInfinity, steep), on, 1}
	s.nudge = 0 // stride takes its place
	return s
}

// midway is how near to the middle between two points, in cells, the root may be for one
// of them alone to decide which is nearer.
const midway = 0x1p-6

// cells returns the length of Newton's step from a point in cells, and the next point in
// its direction.
func (s *gridSearch) cells(p Point) (length, neighbour float64) {
	eta := p.step()
	root := 1 + eta/2
	if !(root > 0) || math.IsInf(root, 1) {
		return math.Inf(1), 0
	}
	step := -p.Multiplier * eta * (1 + eta/4) / (root * root)
	neighbour = s.grid.step(p.Multiplier, 1)
	if step < 0 {
		neighbour = s.grid.step(p.Multiplier, -1)
	}
	return math.Abs(step / (neighbour - p.Multiplier)), neighbour
}

// nearest returns the point nearest to the root, if it is known: the last one, or its
// neighbour.
func (s *gridSearch) nearest() (p Point, found bool) {
	p = s.last
	if s.observed == 0 || s.grid == everyFloat || !(p.Slope > 0 && p.Slope < s.steep) {
		return p, false
	}
	length, neighbour := s.cells(p)
	if length < 0.5-midway {
		return p, true
	}
	for _, q := range []Point{s.before, s.over, s.under} {
		if q.Multiplier == 0 || !(q.Slope > 0 && q.Slope < s.steep) {
			continue
		}
		other, back := s.cells(q)
		between := q.Multiplier == neighbour && length <= 0.5+midway || back == p.Multiplier && other <= 0.5+midway
		if !between {
			continue
		}
		if other < length || other == length && q.Multiplier < p.Multiplier {
			return q, true
		}
		return p, true
	}
	return p, false
}

// closed reports whether there is no point of the grid between the two sides, or nothing
// to search for.
func (s *gridSearch) closed() bool {
	low, high := s.over.Multiplier, s.under.Multiplier
	return s.Search.closed() || low > 0 && s.grid.step(low, 1) >= high
}

// jumps reports whether the demand falls from one side of the budget to the other between
// two neighbours, neither of which is known to be the nearest.
func (s *gridSearch) jumps() bool {
	_, found := s.nearest()
	return !found && s.closed() && !s.Search.closed()
}

func (s *gridSearch) finished() bool {
	_, found := s.nearest()
	return found || s.closed()
}

// next returns the point to look at.
func (s *gridSearch) next() float64 {
	low, high := s.over.Multiplier, s.under.Multiplier
	if length, neighbour := s.cells(s.last); length <= 0.5+midway && neighbour > low && neighbour < high && s.grid < everyFloat {
		return neighbour
	}
	return s.within(s.Next())
}

// within returns the point nearest to x that lies between the two sides. Where that is one
// of them, it goes some cells further each time, so that they close up around the root.
func (s *gridSearch) within(x float64) float64 {
	low, high := s.over.Multiplier, s.under.Multiplier
	if x = s.grid.nearest(x); x > low && x < high || x == 0 {
		return x
	}
	if x <= low {
		x = s.grid.step(low, s.stride)
	} else {
		x = s.grid.step(high, -s.stride)
	}
	s.stride = min(4*s.stride, 1<<40)
	if x > low && x < high {
		return x
	}
	middle := s.grid.step(math.Float64frombits((math.Float64bits(low)+math.Float64bits(high))/2), 0)
	return max(middle, s.grid.step(low, 1))
}

// end returns the settlement of a search that is finished, or has to end.
func (s *gridSearch) end() Settlement {
	if p, found := s.nearest(); found {
		return p.settlement()
	}
	return s.between()
}
