package mdptest

import (
	"math"
	"slices"
	"sync"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// laws looks at what any minimum over actions of a cost and a mean of values
// obeys, whether rows are listed or not.
func (i *inspection) laws() {
	const what = "Backup as a Bellman operator"
	sets := i.values()
	for k, v := range sets {
		w := i.backup(v)
		shift := 1 + largest(v)
		other := sets[(k+1)%len(sets)]
		raised, higher, half := make([]float64, i.n), make([]float64, i.n), make([]float64, i.n)
		for s := range v {
			raised[s] = v[s] + shift
			higher[s] = v[s] + math.Abs(other[s])
			half[s] = (v[s] + other[s]) / 2
		}
		up, high, mean, end := i.backup(raised), i.backup(higher), i.backup(half), i.backup(other)
		for s := range v {
			size := closeness * (shift + w.size + end.size + math.Abs(w.tv[s]) + math.Abs(end.tv[s]))
			if grown := up.tv[s] - w.tv[s]; math.Abs(grown-shift) > size+rowSumTolerance*shift {
				i.fault(what, "state %d: grows by %v where all values grow by %v, so that probabilities do not sum to 1", s, grown, shift)
			}
			if high.tv[s] < w.tv[s]-size {
				i.fault(what, "state %d: falls from %v to %v where values grow, so that some probability is negative", s, w.tv[s], high.tv[s])
			}
			if mean.tv[s] < (w.tv[s]+end.tv[s])/2-size {
				i.fault(what, "state %d: %v found between %v and %v; a minimum over actions is concave", s, mean.tv[s], w.tv[s], end.tv[s])
			}
		}
	}
}

// notNumbers looks at what comes of values that are none: nothing that could be
// taken for an answer.
func (i *inspection) notNumbers() {
	for _, x := range []float64{math.NaN(), math.Inf(1)} {
		v, dst, act := make([]float64, i.n), make([]float64, i.n), make([]int32, i.n)
		for s := range v {
			v[s] = x
		}
		i.called = "Backup of values that are not finite"
		i.model.Backup(dst, act, v, 0, i.n)
		for s, y := range dst {
			if !math.IsNaN(y) && !math.IsInf(y, 0) {
				i.fault("Backup", "state %d: %v where all values are %v: use NaN or an infinity", s, y, x)
			}
			if act[s] < 0 {
				i.fault("Backup", "state %d: action %d where all values are %v: use the index of an action", s, act[s], x)
			}
		}
	}
}

// goroutines is how many make the same calls at the same time.
const goroutines = 4

// together makes calls one by one, and then from several goroutines at once.
func (i *inspection) together() {
	i.called = "calls from several goroutines"
	v := i.values()[1]
	cuts := i.cuts
	if cuts == nil {
		cuts = slices.Compact([]int{0, i.n / 3, i.n / 2, i.n})
	}
	alone := i.sweepInParts(v, cuts, 0)
	var (
		group  sync.WaitGroup
		lock   sync.Mutex
		others [goroutines]*swept
		panics []any
	)
	for g := range goroutines {
		group.Go(func() {
			defer func() {
				if message := recover(); message != nil {
					lock.Lock()
					panics = append(panics, message)
					lock.Unlock()
				}
			}()
			others[g] = i.sweepInParts(v, cuts, g)
		})
	}
	group.Wait()
	if len(panics) > 0 {
		i.fault("panic", "%s: %v", i.called, panics[0])
		return
	}
	for _, w := range others {
		for s := range w.tv {
			if math.Float64bits(w.tv[s]) != math.Float64bits(alone.tv[s]) || w.act[s] != alone.act[s] {
				i.fault("Backup", "state %d: %v by action %d, and %v by %d when called again at the same time as others",
					s, alone.tv[s], alone.act[s], w.tv[s], w.act[s])
			}
		}
	}
}

// sweepInParts makes a sweep part by part, from some part on, and asks for rows
// in between.
func (i *inspection) sweepInParts(v []float64, cuts []int, from int) *swept {
	w := &swept{v: v, tv: make([]float64, i.n), act: make([]int32, i.n)}
	parts := len(cuts) - 1
	explicit, listed := i.model.(mdp.Explicit)
	for k := range parts {
		lo, hi := cuts[(k+from)%parts], cuts[(k+from)%parts+1]
		i.model.Backup(w.tv, w.act, v, lo, hi)
		if listed {
			value(explicit, lo, 0, v)
		}
	}
	return w
}
