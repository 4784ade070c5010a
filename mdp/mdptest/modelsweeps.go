package mdptest

import (
	"fmt"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// closeness is how far two computations of the same number may be apart,
// relative to the numbers that go into them: far more than rounding does, far
// less than a mistake.
const closeness = 1e-11

// unwritten and untaken fill what a sweep should leave alone.
const untaken = -77

var unwritten = math.Float64frombits(0x7ff8_0000_dead_beef)

func isUnwritten(x float64) bool { return math.Float64bits(x) == math.Float64bits(unwritten) }

// swept is what a sweep over all states gave.
type swept struct {
	v   []float64
	tv  []float64 // T v
	act []int32

	size float64 // of what is added up: the values, and a trace of the largest cost
}

// closely says whether two numbers for state s are the same to rounding.
func (w swept) closely(x, y float64, s int) bool {
	return x == y || math.Abs(x-y) <= closeness*(w.size+math.Abs(w.tv[s]))
}

func largest(v []float64) float64 {
	size := 0.0
	for _, x := range v {
		size = max(size, math.Abs(x))
	}
	return size
}

// values returns values to sweep over: none, small ones, large ones, and ones
// that grow with the state.
func (i *inspection) values() [][]float64 {
	sets := make([][]float64, 4)
	for k := range sets {
		sets[k] = make([]float64, i.n)
	}
	for s := range i.n {
		sets[1][s] = i.random.NormFloat64()
		sets[2][s] = 1e6 * i.random.NormFloat64()
		sets[3][s] = float64(s) / float64(i.n)
	}
	return sets
}

// sweeps looks at Backup, BackupPolicy and Sweep, each over the whole and over
// parts.
func (i *inspection) sweeps() {
	for _, v := range i.values() {
		w := i.backup(v)
		i.againstRows(w)
		for _, r := range i.ranges() {
			i.part(w, "Backup", r, w.tv, func(dst []float64, act []int32, v []float64) {
				i.model.Backup(dst, act, v, r[0], r[1])
			})
			i.part(w, "Backup without actions", r, w.tv, func(dst []float64, _ []int32, v []float64) {
				i.model.Backup(dst, nil, v, r[0], r[1])
			})
		}
		i.following(w)
		i.fused(w)
	}
}

// backup sweeps over all states.
func (i *inspection) backup(v []float64) swept {
	w := swept{v: v, tv: slices.Repeat([]float64{unwritten}, i.n), act: slices.Repeat([]int32{untaken}, i.n)}
	i.called = fmt.Sprintf("Backup of states 0 … %d", i.n-1)
	i.model.Backup(w.tv, w.act, v, 0, i.n)
	for s, x := range w.tv {
		switch {
		case isUnwritten(x):
			i.fault("Backup", "state %d is not written", s)
		case math.IsNaN(x) || math.IsInf(x, 0):
			i.fault("Backup", "state %d: %v is not valid: use a finite number where all values are finite", s, x)
		case w.act[s] < 0:
			i.fault("Backup", "state %d: action %d is not valid: use the index of an action", s, w.act[s])
		}
	}
	w.size = largest(v) + 1e-4*largest(w.tv)
	return w
}

// ranges returns ranges of states to sweep over: empty ones, large and small
// ones, and blocks.
func (i *inspection) ranges() [][2]int {
	n := i.n
	ranges := [][2]int{{0, 0}, {n, n}, {0, n}, {0, n/2 + 1}, {n / 2, n}, {n / 3, n - n/3}}
	for range 6 {
		s, width := i.random.IntN(n), 1+i.random.IntN(9)
		ranges = append(ranges, [2]int{s, s}, [2]int{s, s + 1}, [2]int{s, min(s+width, n)})
	}
	for range min(3, len(i.cuts)) {
		b := i.random.IntN(len(i.cuts) - 1)
		ranges = append(ranges, [2]int{i.cuts[b], i.cuts[b+1]})
	}
	return ranges
}

// part sweeps over a part of the states and compares with what is expected of
// all. The sweep is given its own actions, which are those of w where it is to
// follow them.
func (i *inspection) part(w swept, what string, r [2]int, want []float64, sweep func(dst []float64, act []int32, v []float64)) {
	follows := what == "BackupPolicy"
	dst, act, v := slices.Repeat([]float64{unwritten}, i.n), slices.Repeat([]int32{untaken}, i.n), slices.Clone(w.v)
	if follows {
		copy(act, w.act)
	}
	i.called = fmt.Sprintf("%s of states %d … %d", what, r[0], r[1]-1)
	sweep(dst, act, v)
	for s := range i.n {
		inside := r[0] <= s && s < r[1]
		switch {
		case v[s] != w.v[s]:
			i.fault(what, "range %d … %d: the value of state %d is changed", r[0], r[1], s)
		case follows && act[s] != w.act[s]:
			i.fault(what, "range %d … %d: the action of state %d is changed", r[0], r[1], s)
		case !inside && (!isUnwritten(dst[s]) || !follows && act[s] != untaken):
			i.fault(what, "range %d … %d: state %d outside is written", r[0], r[1], s)
		case inside && isUnwritten(dst[s]):
			i.fault(what, "range %d … %d: state %d is not written", r[0], r[1], s)
		case inside && !w.closely(dst[s], want[s], s):
			i.fault(what, "range %d … %d: state %d: %v found, %v expected", r[0], r[1], s, dst[s], want[s])
		}
	}
}

// againstRows compares a sweep with the rows, where they are listed.
func (i *inspection) againstRows(w swept) {
	model, ok := i.model.(mdp.Explicit)
	if !ok {
		return
	}
	nothing := largest(w.v) == 0
	for _, s := range i.states {
		i.called = fmt.Sprintf("AppendRow of state %d", s)
		taken := int(w.act[s])
		count := model.NumActions(s)
		if taken >= count {
			i.fault("Backup", "state %d: action %d is not valid: use 0 … %d", s, taken, count-1)
			continue
		}
		if x := value(model, s, taken, w.v); !w.closely(x, w.tv[s], s) {
			i.fault("Backup", "state %d, action %d: %v found, where its row gives %v", s, taken, w.tv[s], x)
		}
		for a := range count {
			x := value(model, s, a, w.v)
			if x < w.tv[s] && !w.closely(x, w.tv[s], s) {
				i.fault("Backup", "state %d: %v found, where action %d gives %v", s, w.tv[s], a, x)
			}
			// Without values a backup has nothing to round.
			if a < taken && nothing && x == value(model, s, taken, w.v) {
				i.fault("Backup", "state %d: action %d named, though action %d attains the same minimum and comes first", s, taken, a)
			}
		}
	}
}
