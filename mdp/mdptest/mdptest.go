// Package mdptest tests your own models: [TestModel] checks an implementation of
// mdp.Model, and of its optional interfaces, against the requirements of package mdp.
package mdptest

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mdpsolve/mdpsolve/mdp"
)

const (
	// maxFaults is the most faults of a kind that are reported one by one.
	maxFaults = 5

	// closeness is the largest difference of two computations of the same number, relative
	// to the numbers that go into them: more than the tolerance on sums of probabilities,
	// and far less than a mistake.
	closeness = 4e-9

	// untaken fills actions that a sweep must not change; unwritten fills values.
	untaken = -77
)

var unwritten = math.Float64frombits(0x7ff8_0000_dead_beef)

// TestModel checks that your model meets the requirements of package mdp on
// mdp.Model and on the optional interfaces that it implements, and reports
// faults to t, by state and action:
//
//   - Backup, BackupPolicy and Sweep write the elements of their range and no
//     others, and do not change the values and policies that they are given;
//   - they agree with each other on any range, with and without actions;
//   - if the model lists its rows, these make an mdp.Table that agrees with its sweeps,
//     and the first of the actions that attain a minimum is named;
//   - Backup behaves as a Bellman operator must: it grows with the values, grows by 1
//     if all values do, is concave, and does not turn NaN into a number;
//   - blocks lead from 0 to the number of states, the rate is positive, the
//     relative error is small.
//
// The test takes some hundred sweeps, and the memory of the model as a table. To test
// concurrent calls, solve the model with several workers under the race detector.
func TestModel(t testing.TB, model mdp.Model) {
	t.Helper()
	n := model.NumStates()
	if n < 1 {
		t.Errorf("mdptest: NumStates returns %d: use 1 or more", n)
		return
	}
	i := &inspection{t: t, model: model, n: n, random: rand.New(rand.NewPCG(1960, uint64(n))), faults: map[string]int{}}
	i.numbers()
	i.rows()
	for _, v := range i.values() {
		i.sweeps(i.backup(v))
	}
	i.laws()
	i.notNumbers()
	for _, what := range slices.Sorted(maps.Keys(i.faults)) {
		if count := i.faults[what]; count > maxFaults {
			t.Errorf("mdptest: %s: %d faults more", what, count-maxFaults)
		}
	}
}

// inspection is a run of TestModel.
type inspection struct {
	t      testing.TB
	model  mdp.Model
	table  *mdp.Table // of its rows; nil if it lists none, or wrong ones
	n      int
	cuts   []int // of its own blocks; nil for none
	random *rand.Rand
	faults map[string]int // by method
}

// fault reports a fault of a method, up to maxFaults times.
func (i *inspection) fault(what, format string, arguments ...any) {
	i.t.Helper()
	if i.faults[what]++; i.faults[what] <= maxFaults {
		i.t.Errorf("mdptest: %s: %s", what, fmt.Sprintf(format, arguments...))
	}
}

// numbers checks the methods that return one number, and the blocks.
func (i *inspection) numbers() {
	if again := i.model.NumStates(); again != i.n {
		i.fault("NumStates", "%d, and %d when called again", i.n, again)
	}
	if timed, ok := i.model.(mdp.Timed); ok {
		if rate, again := timed.Rate(), timed.Rate(); !(rate > 0) || math.IsInf(rate, 1) || again != rate {
			i.fault("Rate", "%v, and %v when called again: use one positive number", rate, again)
		}
	}
	if inexact, ok := i.model.(mdp.Approximate); ok {
		if e, again := inexact.RelativeError(), inexact.RelativeError(); !(e >= 0 && e < 1) || again != e {
			i.fault("RelativeError", "%v, and %v when called again: use one number from 0 up to below 1", e, again)
		}
	}
	blocked, ok := i.model.(mdp.Blocked)
	if !ok {
		return
	}
	cuts := blocked.Blocks()
	if len(cuts) < 2 || cuts[0] != 0 || cuts[len(cuts)-1] != i.n {
		i.fault("Blocks", "cuts %v are not valid: use cuts from 0 to %d in one step or more", cuts[:min(6, len(cuts))], i.n)
		return
	}
	for k := 1; k < len(cuts); k++ {
		if cuts[k] <= cuts[k-1] {
			i.fault("Blocks", "cut %d is %d after %d: use increasing cuts", k, cuts[k], cuts[k-1])
			return
		}
	}
	if !slices.Equal(cuts, blocked.Blocks()) {
		i.fault("Blocks", "other cuts when called again")
		return
	}
	i.cuts = cuts
}

// rows makes a table of a model that lists its rows.
func (i *inspection) rows() {
	explicit, ok := i.model.(mdp.Explicit)
	if !ok {
		return
	}
	a := mdp.TableArrays{StateStart: []int32{0}, RowStart: []int32{0}}
	for s := range i.n {
		count := explicit.NumActions(s)
		if again := explicit.NumActions(s); count < 1 || again != count {
			i.fault("NumActions", "state %d: %d, and %d when called again: use one number from 1 up", s, count, again)
		}
		for action := range count {
			row, cost := explicit.AppendRow(nil, s, action)
			i.append(explicit, row, cost, s, action)
			for _, e := range row {
				a.Columns, a.Probabilities = append(a.Columns, e.State), append(a.Probabilities, e.Probability)
			}
			a.RowStart, a.Costs = append(a.RowStart, int32(len(a.Columns))), append(a.Costs, cost)
		}
		a.StateStart = append(a.StateStart, int32(len(a.Costs)))
	}
	table, err := mdp.NewTable(a)
	switch {
	case i.faults["NumActions"] > 0:
	case err != nil:
		i.fault("AppendRow", "%v", err)
	default:
		i.table = table
	}
}

// append checks how a row is appended.
func (i *inspection) append(explicit mdp.Explicit, row []mdp.Entry, cost float64, s, a int) {
	fault := func(message string) { i.fault("AppendRow", "state %d, action %d: %s", s, a, message) }
	kept, before := slices.Clone(row), mdp.Entry{State: -3, Probability: 3}
	longer, again := explicit.AppendRow(append(make([]mdp.Entry, 0, 2), before), s, a)
	switch {
	case len(longer) != 1+len(kept) || longer[0] != before:
		fault("does not append to dst")
	case !slices.Equal(longer[1:], kept) || again != cost:
		fault("another row when called again")
	}
	if !slices.Equal(row, kept) {
		fault("the row changes when another is asked for")
	}
}

// swept is the result of a sweep over all states.
type swept struct {
	v   []float64
	tv  []float64 // T v
	act []int32

	size float64 // of the terms: the values, and a small share of the largest cost
}

// closely reports whether two numbers for state s are equal up to rounding.
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

// values returns values to sweep over: zeros, small ones, large ones, and ones
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

// sweeps checks Backup, BackupPolicy and Sweep, each over all states and over parts.
func (i *inspection) sweeps(w swept) {
	valid := i.againstTable(w)
	for _, r := range i.ranges() {
		i.part(w, "Backup", r, w.tv, func(dst []float64, act []int32, v []float64) {
			i.model.Backup(dst, act, v, r[0], r[1])
		})
		i.part(w, "Backup without actions", r, w.tv, func(dst []float64, _ []int32, v []float64) {
			i.model.Backup(dst, nil, v, r[0], r[1])
		})
	}
	if follower, ok := i.model.(mdp.PolicyBackuper); ok && valid {
		i.following(w, follower)
	}
	if sweeper, ok := i.model.(mdp.Sweeper); ok {
		i.fused(w, sweeper)
	}
}

// backup sweeps over all states.
func (i *inspection) backup(v []float64) swept {
	w := swept{v: v, tv: slices.Repeat([]float64{unwritten}, i.n), act: slices.Repeat([]int32{untaken}, i.n)}
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

func isUnwritten(x float64) bool { return math.Float64bits(x) == math.Float64bits(unwritten) }

// part sweeps over a part of the states and compares with the expected values of all
// states. The sweep gets actions of its own, or those of w if it is to follow them.
func (i *inspection) part(w swept, what string, r [2]int, want []float64, sweep func(dst []float64, act []int32, v []float64)) {
	follows := what == "BackupPolicy"
	dst, act, v := slices.Repeat([]float64{unwritten}, i.n), slices.Repeat([]int32{untaken}, i.n), slices.Clone(w.v)
	if follows {
		copy(act, w.act)
	}
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

// againstTable compares a sweep with that of the table, if there is one, and reports
// whether its actions are valid.
func (i *inspection) againstTable(w swept) (valid bool) {
	if i.table == nil {
		return slices.Min(w.act) >= 0
	}
	for s, a := range w.act {
		if count := i.table.NumActions(s); a < 0 || int(a) >= count {
			i.fault("Backup", "state %d: action %d is not valid: use 0 … %d", s, a, count-1)
			return false
		}
	}
	best, taken, first := make([]float64, i.n), make([]float64, i.n), make([]int32, i.n)
	i.table.Backup(best, first, w.v, 0, i.n)
	i.table.BackupPolicy(taken, w.act, w.v, 0, i.n)
	nothing := largest(w.v) == 0
	for s, a := range w.act {
		switch {
		case !w.closely(best[s], w.tv[s], s):
			i.fault("Backup", "state %d: %v found, where action %d gives %v", s, w.tv[s], first[s], best[s])
		case !w.closely(taken[s], w.tv[s], s):
			i.fault("Backup", "state %d, action %d: %v found, where its row gives %v", s, a, w.tv[s], taken[s])
		case nothing && a > first[s] && taken[s] == best[s]: // without values a backup has nothing to round
			i.fault("Backup", "state %d: action %d named, though action %d attains the same minimum and comes first", s, a, first[s])
		}
	}
	return true
}

// following checks BackupPolicy: with the actions of a sweep it must give the values of
// the sweep, and with others those of the table.
func (i *inspection) following(w swept, follower mdp.PolicyBackuper) {
	for _, r := range i.ranges() {
		i.part(w, "BackupPolicy", r, w.tv, func(dst []float64, act []int32, v []float64) {
			follower.BackupPolicy(dst, act, v, r[0], r[1])
		})
	}
	if i.table == nil {
		return
	}
	policy, dst, want := make([]int32, i.n), make([]float64, i.n), make([]float64, i.n)
	for s := range policy {
		policy[s] = int32(i.random.IntN(i.table.NumActions(s)))
	}
	follower.BackupPolicy(dst, policy, w.v, 0, i.n)
	i.table.BackupPolicy(want, policy, w.v, 0, i.n)
	for s, x := range want {
		if math.Abs(x-dst[s]) > closeness*(w.size+math.Abs(x)) {
			i.fault("BackupPolicy", "state %d, action %d: %v found, where its row gives %v", s, policy[s], dst[s], x)
		}
	}
}

// fused checks Sweep: what it writes and what it returns.
func (i *inspection) fused(w swept, sweeper mdp.Sweeper) {
	for k, r := range i.ranges() {
		damping, shift := []float64{1, 0.9, 0.5}[k%3], float64(k%4)*w.tv[0]/4
		// shift may be larger than the number from which it is subtracted.
		moved := swept{v: w.v, tv: make([]float64, i.n), size: w.size}
		want := make([]float64, i.n)
		least, greatest := math.Inf(1), math.Inf(-1)
		size := largest(w.v)
		for s := range want {
			d := w.tv[s] - w.v[s]
			want[s] = w.v[s] + damping*d - shift
			moved.tv[s] = math.Abs(w.tv[s]) + math.Abs(shift)
			if r[0] <= s && s < r[1] {
				least, greatest = min(least, d), max(greatest, d)
				size = max(size, math.Abs(w.tv[s]))
			}
		}
		var l, g float64
		i.part(moved, "Sweep", r, want, func(dst []float64, _ []int32, v []float64) {
			l, g = sweeper.Sweep(dst, v, damping, shift, r[0], r[1])
		})
		near := func(x, y float64) bool { return x == y || math.Abs(x-y) <= 2*closeness*size }
		if !near(l, least) || !near(g, greatest) {
			i.fault("Sweep", "range %d … %d: returns %v and %v, where T v − v goes from %v to %v", r[0], r[1], l, g, least, greatest)
		}
	}
}

// laws checks the laws that every minimum over actions of a cost plus a mean of values
// obeys.
func (i *inspection) laws() {
	const what = "Backup as a Bellman operator"
	sets := i.values()
	for k, v := range sets {
		shift, other := 1+largest(v), sets[(k+1)%len(sets)]
		raised, higher, half := make([]float64, i.n), make([]float64, i.n), make([]float64, i.n)
		for s := range v {
			raised[s] = v[s] + shift
			higher[s] = v[s] + math.Abs(other[s])
			half[s] = (v[s] + other[s]) / 2
		}
		w, end := i.backup(v), i.backup(other)
		up, high, mean := i.backup(raised), i.backup(higher), i.backup(half)
		for s := range v {
			size := closeness * (shift + w.size + end.size + math.Abs(w.tv[s]) + math.Abs(end.tv[s]))
			if grown := up.tv[s] - w.tv[s]; math.Abs(grown-shift) > size {
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

// notNumbers checks that values that are NaN or infinite give nothing that looks like an
// answer.
func (i *inspection) notNumbers() {
	for _, x := range []float64{math.NaN(), math.Inf(1)} {
		dst, act := make([]float64, i.n), make([]int32, i.n)
		i.model.Backup(dst, act, slices.Repeat([]float64{x}, i.n), 0, i.n)
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
