// Package uncertain holds transition rows whose probabilities are only known to lie in
// intervals or within an L1 distance, and finds the best and the worst of the possible
// rows.
package uncertain

import (
	"cmp"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
)

// Rows are the rows of all actions of all states. Entry e of a row has a probability from
// Probabilities[e] to High[e]; the probabilities of a row add up to 1.
type Rows struct {
	*rows.Rows
	High []float64
	Pay  []float64 // the cost of taking an entry; nil if all are 0

	RelativeError float64 // of costs and payments that add up

	// Distances says by choice whether its probabilities are those within an L1 distance of given
	// ones; nil for none. Such a choice has each transition twice: the first half of its entries
	// are what transitions keep of the given probabilities, the second half what is added to
	// them. High is the same for each entry of the second half, and also bounds their sum; so an
	// extreme distribution adds all of it to one transition.
	Distances []bool
}

// Rounded returns the rows with the relative error added to that of costs and payments.
func (r *Rows) Rounded(relativeError float64) *Rows {
	other := *r
	other.RelativeError += relativeError
	return &other
}

// Under returns the rows with one action in each state.
func (r *Rows) Under(actions []int32) *Rows {
	only, n := *r, len(actions)
	only.Rows, only.High, only.Pay, only.Distances = rows.New(n, n, 0), nil, nil, nil
	for s, a := range actions {
		k := r.StateStart[s] + a
		for e := r.RowStart[k]; e < r.RowStart[k+1]; e++ {
			only.Add(r.Columns[e], r.Probabilities[e])
			only.High = append(only.High, r.High[e])
			if r.Pay != nil {
				only.Pay = append(only.Pay, r.Pay[e])
			}
		}
		if r.Distances != nil {
			only.Distances = append(only.Distances, r.HasDistance(k))
		}
		only.EndChoice(r.Costs[k])
		only.EndState()
	}
	return &only
}

// Sweep applies the Bellman operator
//
//	(T v)(s) = min over a of { c(s,a) + extreme over p of Σ_e p_e·(w_e + v(j_e)) }
//
// in float64. The extreme is the greatest with Sign 1, and the least with Sign −1. Rows are
// not embedded, or the model would seem to list them.
type Sweep struct {
	Rows *Rows
	Sign float64
}

// NumStates implements [sweep.Model].
func (t Sweep) NumStates() int { return t.Rows.NumStates() }

// Backup implements [sweep.Model].
func (t Sweep) Backup(dst []float64, act []int32, v []float64, lo, hi int) {
	var items []item
	for s := lo; s < hi; s++ {
		best, action := math.Inf(1), int32(0)
		first, end := t.Rows.Choices(s)
		for k := first; k < end; k++ {
			var value float64
			if value, items = t.value(k, v, items); value < best {
				best, action = value, k-first
			}
		}
		if dst[s] = best; act != nil {
			act[s] = action
		}
	}
}

// BackupPolicy implements [sweep.PolicyBackuper].
func (t Sweep) BackupPolicy(dst []float64, act []int32, v []float64, lo, hi int) {
	var items []item
	for s := lo; s < hi; s++ {
		dst[s], items = t.value(t.Rows.StateStart[s]+act[s], v, items)
	}
}

// item is an entry of a row that can take more than its least probability.
type item struct{ key, width float64 }

// insertedItems is the number of items up to which they are sorted by insertion.
const insertedItems = 24

// HasDistance reports whether the probabilities of choice k have an L1 distance.
func (r *Rows) HasDistance(k int32) bool { return int(k) < len(r.Distances) && r.Distances[k] }

// additions returns the first entry of a choice that says what is added to a transition; the end
// of its row if it has no distance.
func (r *Rows) additions(k int32) int32 {
	first, end := r.RowStart[k], r.RowStart[k+1]
	if !r.HasDistance(k) {
		return end
	}
	return first + (end-first)/2
}

// IsSupportKnown reports whether each choice leads to the same states whatever nature
// chooses; the state that has the choice may be an exception.
func (r *Rows) IsSupportKnown() bool {
	for s := range int32(r.NumStates()) {
		first, end := r.Choices(int(s))
		for k := first; k < end; k++ {
			for e := r.RowStart[k]; e < r.additions(k); e++ {
				if r.Probabilities[e] == 0 && r.Columns[e] != s {
					return false
				}
			}
		}
	}
	return true
}

// value returns the extreme value of a choice. It overwrites items, to reuse their memory.
// The extreme is at the vertex that hands out what the least probabilities leave in the
// order of w_e + v(j_e) (Givan, Leach and Dean 2000, Theorem 4).
func (t Sweep) value(k int32, v []float64, items []item) (float64, []item) {
	r, sum, left := t.Rows, 0.0, 1.0
	items = items[:0]
	first, end := r.RowStart[k], r.RowStart[k+1]
	additions := r.additions(k) - first
	columns := r.Columns[first:end]
	lows, highs := r.Probabilities[first:end][:len(columns)], r.High[first:end][:len(columns)]
	for i, j := range columns {
		x, low := v[j], lows[i]
		if r.Pay != nil {
			x += r.Pay[first+int32(i)]
		}
		sum += float64(low * x)
		left -= low
		if width := highs[i] - low; width > 0 {
			if it := (item{t.Sign * x, width}); int32(i) <= additions {
				items = append(items, it)
			} else if last := &items[len(items)-1]; it.key > last.key {
				*last = it
			}
		}
	}
	if len(items) <= insertedItems {
		for i := 1; i < len(items); i++ {
			it, at := items[i], i
			for ; at > 0 && items[at-1].key < it.key; at-- {
				items[at] = items[at-1]
			}
			items[at] = it
		}
	} else {
		slices.SortFunc(items, func(a, b item) int { return cmp.Compare(b.key, a.key) })
	}
	handed := 0.0
	for i := 0; i < len(items) && left > 0; i++ {
		more := min(items[i].width, left)
		handed += float64(more * items[i].key)
		left -= more
	}
	return sum + t.Sign*handed + r.Costs[k], items
}
