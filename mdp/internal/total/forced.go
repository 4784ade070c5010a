package total

import (
	"math"

	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Forced moves: from a state whose only choice leads to one other state. Models of protocols consist
// mostly of them, as time passes in them tick by tick.

// Shortened is a model without the states from which a move is forced. Its transitions lead to where
// such moves end, and the mean cost of these moves is added to its choices.
//
// Values h of the shortened model, for bounds that are proved with its RelativeError, satisfy the
// inequalities of the model, too. Let w be the cost of the forced moves from j to r, and h(j) = h(r) + w.
// Then c + Σ q_j·h(j) = (c + Σ q_j·w_j) + Σ q_j·h(r_j). Where w is 0, h(j) is not
// rounded. Where w is at least leastMoves times h(r), rounding h(j) changes far less than the relative
// error of the sum in parentheses, since costs have one sign.
type Shortened struct {
	Rows          *rows.Rows
	RelativeError float64 // of Rows, from sums
	Kept          []int32 // the states of the model that remain

	of    *rows.Rows
	moves []int32   // the states that are left out, each after its successor
	end   []int32   // the state where the forced moves from each state end
	costs []float64 // of these moves
}

const (
	// leastForced is the least share of states that are left out.
	leastForced = 0.25

	// longestForced is the most forced moves in sequence that are left out.
	longestForced = 1000

	// leastMoves is the least cost of forced moves, relative to the value where they end.
	leastMoves = 0x1p-36
)

// Shorten leaves out the states from which a move is forced, except the goals. It returns nil if there are
// few, in small problems, where bounds are as close as arithmetic allows, and if costs have both signs.
func Shorten(of *rows.Rows, goals []bool) *Shortened {
	n, count := of.NumStates(), 0
	forced := make([]bool, n)
	for s := range forced {
		k := of.StateStart[s]
		first := of.RowStart[k]
		forced[s] = of.StateStart[s+1] == k+1 && of.RowStart[k+1] == first+1 && int(of.Columns[first]) != s && !goals[s]
		if forced[s] {
			count++
		}
	}
	if n < exactStates || float64(count) < leastForced*float64(n) {
		return nil
	}
	hasGains, hasCosts := false, false
	for _, c := range of.Costs {
		hasGains, hasCosts = hasGains || c < 0, hasCosts || c > 0
	}
	if hasGains && hasCosts {
		return nil
	}
	m := &Shortened{
		of: of, moves: make([]int32, 0, count), end: make([]int32, n), costs: make([]float64, n), Kept: make([]int32, 0, n-count),
		RelativeError: 2 * float64(longestForced+of.Longest()+16) * rounding.Unit,
	}
	m.follow(forced)
	number := make([]int32, n)
	choices, transitions := 0, 0
	for s := range int32(n) {
		if !forced[s] {
			number[s] = int32(len(m.Kept))
			m.Kept = append(m.Kept, s)
			first, last := of.Choices(int(s))
			choices, transitions = choices+int(last-first), transitions+int(of.RowStart[last]-of.RowStart[first])
		}
	}
	m.Rows = rows.New(len(m.Kept), choices, transitions)
	for _, s := range m.Kept {
		for k := of.StateStart[s]; k < of.StateStart[s+1]; k++ {
			cost := of.Costs[k]
			for e := of.RowStart[k]; e < of.RowStart[k+1]; e++ {
				j, q := of.Columns[e], of.Probabilities[e]
				more := float64(q * m.costs[j])
				if more != 0 && math.Abs(more) < rounding.Tiny {
					return nil // its digits may be lost
				}
				cost += more
				m.Rows.Add(number[m.end[j]], q)
			}
			if math.IsInf(cost, 0) {
				return nil
			}
			m.Rows.Merge()
			m.Rows.EndChoice(cost)
		}
		m.Rows.EndState()
	}
	return m
}

// follow follows the forced moves. Where they return, or are too many, it stops forcing one.
func (m *Shortened) follow(forced []bool) {
	const unknown, onPath = -1, -2
	for s := range m.end {
		m.end[s] = int32(s)
		if forced[s] {
			m.end[s] = unknown
		}
	}
	length := make([]int32, len(forced))
	var path []int32
	for s := range int32(len(forced)) {
		at := s
		for ; m.end[at] == unknown; at = m.next(at) {
			m.end[at] = onPath
			path = append(path, at)
		}
		if m.end[at] == onPath {
			forced[at], m.end[at] = false, at
		}
		for ; len(path) > 0; path = path[:len(path)-1] {
			here := path[len(path)-1]
			next := m.next(here)
			if length[here] = length[next] + 1; !forced[here] || length[here] > longestForced {
				forced[here], m.end[here], length[here] = false, here, 0
				continue
			}
			m.end[here], m.costs[here] = m.end[next], m.of.Costs[m.of.StateStart[here]]+m.costs[next]
			m.moves = append(m.moves, here)
		}
	}
}

// next returns the state to which the first move from s leads.
func (m *Shortened) next(s int32) int32 { return m.of.Columns[m.of.RowStart[m.of.StateStart[s]]] }

// Expand returns the values of all states of the model for those of a bound below (direction −1) or above (1) in the
// shortened one. isProved is false if some may not prove the bound.
func (m *Shortened) Expand(short vector.Vector, direction float64) (all vector.Vector, isProved bool) {
	all, isProved = vector.New(len(m.end)), true
	for i, s := range m.Kept {
		all.Set(int(s), short.At(i))
	}
	for _, s := range m.moves {
		x, cost := all.At(int(m.next(s))), m.of.Costs[m.of.StateStart[s]]
		if rounding.IsFinite(x.Hi) && cost != 0 {
			err := 8 * rounding.Extended * (math.Abs(x.Hi) + math.Abs(cost))
			x.Lo += direction * err
			x = x.AddFloat(cost)
			isProved = isProved && math.Abs(m.costs[s]) >= leastMoves*math.Abs(all.High[m.end[s]])
		}
		all.Set(int(s), x)
	}
	return all, isProved
}
