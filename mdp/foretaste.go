package mdp

import (
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/internal/elimination"
	"github.com/mdpsolve/mdpsolve/internal/graph"
)

// The graph of a model of so many states is looked at in windows before it is
// listed: it takes seconds to list and to plan for, and a window some
// milliseconds.
const (
	tastedStates = 1 << 22
	windowCount  = 8
	windowStates = 1 << 14
)

// foretaste returns [ErrTooLarge] if windows on a large model show that its exact
// evaluation would take more memory than there may be.
//
// Whatever the order of elimination, what it holds between the states of a window
// is no less than if it were of that window alone: an entry between two states
// comes from a way between them through states eliminated before both (Rose,
// Tarjan and Lueker 1976, lemma 4), and the model has all the ways of the window.
// Windows without a state in common thus add up, and what they take per state is
// less than what the model does if the rest of it is like them; it grows with the
// size. They begin at states that are evenly spread.
func foretaste(model Explicit, workers int) error {
	n := model.NumStates()
	if n < tastedStates {
		return nil
	}
	w := &window{model: model, place: make(map[int32]int32)}
	taken := elimination.Forecast{Partial: true}
	for i := range windowCount {
		w.open(int32(int64(n) * int64(2*i+1) / (2 * windowCount)))
		g := w.graph()
		plan := elimination.NewPlanWithin(g.Undirected(g.Reverse()), workers, math.Inf(1))
		taken.Bytes += plan.Forecast.Bytes
		taken.Operations += plan.Forecast.Operations
	}
	scale := float64(n) / float64(len(w.states))
	taken.Bytes *= scale
	taken.Operations *= scale
	if taken.Bytes <= elimination.MaxBytes {
		return nil
	}
	return fmt.Errorf("mdp: %w: by %d of its states, %w", ErrTooLarge, len(w.states), &elimination.TooLargeError{States: n, Forecast: taken})
}

// window is a part of a model, and the windows before it.
type window struct {
	model  Explicit
	place  map[int32]int32 // of each state of a window among states, from 0
	states []int32         // of all windows
	first  int             // of the states of the window at hand
	row    []Entry
}

// open makes the window that of the states found first from a state.
func (w *window) open(from int32) {
	w.first = len(w.states)
	w.enter(from)
	for at := w.first; at < len(w.states) && len(w.states) < w.first+windowStates; at++ {
		w.next(w.states[at], w.enter)
	}
}

// enter takes a state into the window that is in none yet.
func (w *window) enter(s int32) {
	if _, known := w.place[s]; !known && len(w.states) < w.first+windowStates {
		w.place[s] = int32(len(w.states))
		w.states = append(w.states, s)
	}
}

// next calls visit for the next states of s under all actions.
func (w *window) next(s int32, visit func(j int32)) {
	for a := range w.model.NumActions(int(s)) {
		w.row, _ = w.model.AppendRow(w.row[:0], int(s), a)
		for _, e := range w.row {
			if e.State != s && e.Probability > 0 {
				visit(e.State)
			}
		}
	}
}

// graph returns the graph of the transitions within the window.
func (w *window) graph() *graph.Graph {
	states := w.states[w.first:]
	g := graph.New(len(states))
	lister := make([]int32, len(states)) // one more than the last state that listed this one
	for i, s := range states {
		w.next(s, func(j int32) {
			if at, known := w.place[j]; known && int(at) >= w.first && lister[int(at)-w.first] != int32(i+1) {
				lister[int(at)-w.first] = int32(i + 1)
				g.Add(at - int32(w.first))
			}
		})
		g.EndState()
	}
	return g
}
