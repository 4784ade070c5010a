// Package rows holds the transition rows of a Markov decision process in
// compressed form. Tables of package mdp, and their parts during a solve, consist of them.
package rows

import (
	"fmt"
	"math"
	"runtime/debug"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
)

// Entry is one element of a transition row. It is an alias of a plain struct, so
// that package mdp and the packages below it share rows without sharing a type.
type Entry = struct {
	State       int32
	Probability float64
}

// Lister lists the rows of a model one by one. Every mdp.Explicit does.
type Lister interface {
	NumStates() int
	NumActions(s int) int
	AppendRow(dst []Entry, s, a int) (row []Entry, cost float64)
}

// Rows are the rows of all actions of all states. An action of a state is a choice:
// state s has the choices StateStart[s] … StateStart[s+1]−1, and choice k the entries
// RowStart[k] … RowStart[k+1]−1 of Columns and Probabilities.
type Rows struct {
	StateStart    []int32
	RowStart      []int32
	Columns       []int32
	Probabilities []float64
	Costs         []float64 // by choice
}

// New returns rows without states, with capacity for some states, choices and
// transitions. Fill them entry by entry, choice by choice, state by state.
func New(states, choices, transitions int) *Rows {
	return &Rows{
		StateStart:    make([]int32, 1, states+1),
		RowStart:      make([]int32, 1, choices+1),
		Columns:       make([]int32, 0, transitions),
		Probabilities: make([]float64, 0, transitions),
		Costs:         make([]float64, 0, choices),
	}
}

// Join puts parts together, whose rows lead to states of the whole, and empties them. It
// takes little more memory than the parts do.
func Join(parts []*Rows) *Rows {
	return &Rows{
		StateStart:    joinStarts(parts, func(p *Rows) *[]int32 { return &p.StateStart }),
		RowStart:      joinStarts(parts, func(p *Rows) *[]int32 { return &p.RowStart }),
		Columns:       join(parts, func(p *Rows) *[]int32 { return &p.Columns }),
		Probabilities: join(parts, func(p *Rows) *[]float64 { return &p.Probabilities }),
		Costs:         join(parts, func(p *Rows) *[]float64 { return &p.Costs }),
	}
}

// joinStarts puts together lists of starts, each from 0.
func joinStarts(parts []*Rows, list func(*Rows) *[]int32) []int32 {
	from := int32(0)
	for i, p := range parts {
		starts := *list(p)
		for k := range starts {
			starts[k] += from
		}
		if from = starts[len(starts)-1]; i > 0 {
			*list(p) = starts[1:]
		}
	}
	return join(parts, list)
}

// join puts together one of the lists of the parts.
func join[T any](parts []*Rows, list func(*Rows) *[]T) []T {
	length := 0
	for _, p := range parts {
		length += len(*list(p))
	}
	whole, held := make([]T, 0, length), 0
	for _, p := range parts {
		part := list(p)
		whole, held = append(whole, *part...), held+len(*part)
		if *part = nil; held >= max(length/8, 1<<20) {
			debug.FreeOSMemory() // or the whole would take memory beside all parts
			held = 0
		}
	}
	return whole
}

// maxTransitions bounds the transitions, whose indices are int32.
const maxTransitions = math.MaxInt32

// Of lists the rows of a model. The error is [limit.ErrTooLarge].
func Of(model Lister) (*Rows, error) {
	r := New(model.NumStates(), 0, 0)
	var row []Entry
	for s := range model.NumStates() {
		for a := range model.NumActions(s) {
			var cost float64
			row, cost = model.AppendRow(row[:0], s, a)
			for _, e := range row {
				if e.Probability > 0 {
					r.Add(e.State, e.Probability)
				}
			}
			if len(r.Columns) > maxTransitions {
				return nil, fmt.Errorf("mdp: %w: more than %d transitions", limit.ErrTooLarge, maxTransitions)
			}
			r.EndChoice(cost)
		}
		r.EndState()
	}
	return r, nil
}

// Add adds an entry to the current choice, the one after the last that ended.
func (r *Rows) Add(to int32, probability float64) {
	r.Columns = append(r.Columns, to) // a statement for each list: if the list has room, it writes only the length
	r.Probabilities = append(r.Probabilities, probability)
}

// scannedRow is the length up to which a row is searched entry by entry.
const scannedRow = 32

// Merge adds up the entries of the current choice that lead to the same state, in the
// place of the first. It reports whether there were any.
func (r *Rows) Merge() bool {
	start, end := int(r.RowStart[r.NumChoices()]), len(r.Columns)
	var places map[int32]int // of the entries kept of a long row
	if end-start > scannedRow {
		places = make(map[int32]int, end-start)
	}
	kept := start
	for e, j := range r.Columns[start:] {
		at, known := kept, false
		if places != nil {
			at, known = places[j]
		} else if i := slices.Index(r.Columns[start:kept], j); i >= 0 {
			at, known = start+i, true
		}
		if known {
			r.Probabilities[at] += r.Probabilities[start+e]
			continue
		}
		if places != nil {
			places[j] = kept
		}
		r.Columns[kept], r.Probabilities[kept] = j, r.Probabilities[start+e]
		kept++
	}
	r.Columns, r.Probabilities = r.Columns[:kept], r.Probabilities[:kept]
	return kept < end
}

// EndChoice ends the current choice and gives it a cost.
func (r *Rows) EndChoice(cost float64) {
	r.Costs = append(r.Costs, cost)
	r.RowStart = append(r.RowStart, int32(len(r.Columns)))
}

// EndState ends the choices of the current state.
func (r *Rows) EndState() { r.StateStart = append(r.StateStart, int32(r.NumChoices())) }

// NumStates returns the number of states.
func (r *Rows) NumStates() int { return len(r.StateStart) - 1 }

// NumActions returns the number of actions of state s.
func (r *Rows) NumActions(s int) int { return int(r.StateStart[s+1] - r.StateStart[s]) }

// NumChoices returns the number of actions of all states together.
func (r *Rows) NumChoices() int { return len(r.RowStart) - 1 }

// NumTransitions returns the number of entries of all rows.
func (r *Rows) NumTransitions() int { return len(r.Columns) }

// Choices returns the first choice of a state, and the one after its last.
func (r *Rows) Choices(s int) (first, end int32) { return r.StateStart[s], r.StateStart[s+1] }

// Next returns the states that a choice may lead to.
func (r *Rows) Next(choice int32) []int32 {
	return r.Columns[r.RowStart[choice]:r.RowStart[choice+1]]
}

// AppendRow appends the row of action a in state s and returns it with its cost.
func (r *Rows) AppendRow(dst []Entry, s, a int) ([]Entry, float64) {
	k := r.StateStart[s] + int32(a)
	return r.AppendChoice(dst, k), r.Costs[k]
}

// AppendChoice appends the row of a choice.
func (r *Rows) AppendChoice(dst []Entry, choice int32) []Entry {
	for e := r.RowStart[choice]; e < r.RowStart[choice+1]; e++ {
		dst = append(dst, Entry{State: r.Columns[e], Probability: r.Probabilities[e]})
	}
	return dst
}

// Longest returns the number of entries of the longest row.
func (r *Rows) Longest() int {
	longest := int32(0)
	for k := range r.NumChoices() {
		longest = max(longest, r.RowStart[k+1]-r.RowStart[k])
	}
	return int(longest)
}

// WithCosts returns rows with the same transitions and other costs.
func (r *Rows) WithCosts(costs []float64) *Rows {
	other := *r
	other.Costs = costs
	return &other
}
