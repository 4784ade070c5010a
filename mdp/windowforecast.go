package mdp

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/elimination"
)

// The graph of a model of so many states is looked at in windows before it is
// listed: listing it and planning an elimination take seconds, a window some
// milliseconds.
const (
	windowedStates = 1 << 22
	windowCount    = 8
	windowStates   = 1 << 14
)

// checkSize returns [ErrTooLarge] if windows on a large model show that its exact
// evaluation would take more memory than is allowed.
func checkSize(ctx context.Context, model Explicit, workers int) error {
	n := model.NumStates()
	if n < windowedStates {
		return nil
	}
	forecast, seen, err := windowForecast(ctx, model, workers, windowStates)
	if err != nil {
		return nil // planning ends as well
	}
	if forecast.Bytes <= elimination.MaxBytes {
		return nil
	}
	return fmt.Errorf("mdp: %w: by %d of its states, %w", ErrTooLarge, seen, &elimination.TooLargeError{States: n, Forecast: forecast})
}

// windowForecast forecasts what an elimination takes at the least, if most of the
// model is like some windows of at most so many states, and how many states these
// have in all.
//
// Whatever the order of elimination, what it holds between the states of a window
// is no less than if it were of that window alone: an entry between two states
// comes from a way between them through states eliminated before both (Rose,
// Tarjan and Lueker 1976, lemma 4), and the model has all the ways of the window.
// So windows without a state in common add up, up to the few percent by which
// orders found by dissection differ from the best. They begin at states that are
// evenly spread. What they take for a state grows with their size, on a grid of
// n states as log n.
//
// The model is taken for one of windows like the median by memory for a state, the
// lower of the two: a part that is denser than the rest says nothing of the whole,
// even where a few windows meet it.
func windowForecast(ctx context.Context, model Explicit, workers, states int) (forecast elimination.Forecast, seen int, err error) {
	n := model.NumStates()
	w := &window{model: model, most: states, place: make(map[int32]int32)}
	wholes := make([]elimination.Forecast, windowCount) // each as if all were like that window
	for i := range wholes {
		w.open(int32(int64(n) * int64(2*i+1) / (2 * windowCount)))
		size := w.NumStates()
		if size == 0 {
			continue // its first state is in a window before
		}
		g, err := unionGraph(ctx, w)
		if err != nil {
			return elimination.Forecast{}, 0, err
		}
		plan, err := elimination.NewPlan(ctx, g.Undirected(g.Reverse()), workers, math.Inf(1))
		if err != nil {
			return elimination.Forecast{}, 0, err
		}
		scale := float64(n) / float64(size)
		wholes[i] = elimination.Forecast{
			Bytes: plan.Forecast.Bytes * scale, Operations: plan.Forecast.Operations * scale, Partial: true,
		}
	}
	slices.SortFunc(wholes, func(a, b elimination.Forecast) int { return cmp.Compare(a.Bytes, b.Bytes) })
	return wholes[(windowCount-1)/2], len(w.states), nil
}

// window is a part of a model, whose rows it has, and the windows before it.
type window struct {
	model  Explicit
	most   int             // states of a window
	place  map[int32]int32 // of each state of a window among states, from 0
	states []int32         // of all windows
	first  int             // of the states of the window at hand
	row    []Entry
}

// open makes the window that of the states found first from a state.
func (w *window) open(from int32) {
	w.first = len(w.states)
	w.enter(from)
	for at := w.first; at < len(w.states) && len(w.states) < w.first+w.most; at++ {
		s := int(w.states[at])
		for a := range w.model.NumActions(s) {
			w.row, _ = w.model.AppendRow(w.row[:0], s, a)
			for _, e := range w.row {
				if e.Probability > 0 {
					w.enter(e.State)
				}
			}
		}
	}
}

// enter takes a state into the window that is in none yet.
func (w *window) enter(s int32) {
	if _, known := w.place[s]; !known && len(w.states) < w.first+w.most {
		w.place[s] = int32(len(w.states))
		w.states = append(w.states, s)
	}
}

// NumStates returns the number of states of the window at hand.
func (w *window) NumStates() int { return len(w.states) - w.first }

// NumActions returns the number of actions in a state of it.
func (w *window) NumActions(s int) int { return w.model.NumActions(int(w.states[w.first+s])) }

// AppendRow appends the entries of an action within the window.
func (w *window) AppendRow(dst []Entry, s, a int) ([]Entry, float64) {
	kept := len(dst)
	dst, cost := w.model.AppendRow(dst, int(w.states[w.first+s]), a)
	for _, e := range dst[kept:] {
		if at, known := w.place[e.State]; known && int(at) >= w.first {
			dst[kept] = Entry{State: at - int32(w.first), Probability: e.Probability}
			kept++
		}
	}
	return dst[:kept], cost
}
