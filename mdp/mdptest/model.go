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

// TestModel checks that a model of your own keeps to what package mdp asks of
// an mdp.Model and of the optional interfaces that it implements, and reports
// to t what does not, by state and action:
//
//   - Backup, BackupPolicy and Sweep write the elements of their range, no
//     others, and change neither values nor policies that they are given;
//   - they agree with each other whatever the range, with and without actions,
//     and with the rows where the model lists these; of the actions that attain
//     a minimum the first is named;
//   - rows are appended, name each successor once, hold probabilities that sum to
//     1 and a finite cost;
//   - Backup behaves as a Bellman operator must: it grows with the values, grows
//     by 1 where all values do, is concave, and does not turn NaN into a number;
//   - blocks lead from 0 to the number of states, the rate is positive, the
//     relative error is a small one;
//   - where all that is right, calls give the same bits when they are made again,
//     and at the same time from several goroutines. Run the test with the race
//     detector to see more.
//
// Of a model of more than 5000 states, rows are looked at for that many, chosen
// at random but the same each time. The test takes some hundred sweeps.
func TestModel(t testing.TB, model mdp.Model) {
	t.Helper()
	n := model.NumStates()
	if n < 1 {
		t.Errorf("mdptest: NumStates returns %d: use 1 or more", n)
		return
	}
	i := &inspection{t: t, model: model, n: n, random: rand.New(rand.NewPCG(1960, uint64(n))), faults: map[string]int{}}
	i.states = i.sample()
	for _, part := range []func(){i.numbers, i.rows, i.sweeps, i.laws, i.notNumbers} {
		if !i.run(part) {
			break
		}
	}
	if len(i.faults) == 0 {
		i.run(i.together)
	}
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
	n      int
	states []int // to look at one by one
	cuts   []int // of its own blocks; nil for none
	random *rand.Rand
	faults map[string]int // by what was looked at
	called string         // the call under way
}

// sampled is how many states are looked at one by one.
const sampled = 5000

func (i *inspection) sample() []int {
	if i.n <= sampled {
		return counted(i.n)
	}
	states := []int{0, i.n - 1}
	for len(states) < sampled {
		states = append(states, i.random.IntN(i.n))
	}
	return states
}

// fault reports what is wrong with something, a few times.
func (i *inspection) fault(what, format string, arguments ...any) {
	i.t.Helper()
	if i.faults[what]++; i.faults[what] <= maxFaults {
		i.t.Errorf("mdptest: %s: %s", what, fmt.Sprintf(format, arguments...))
	}
}

// run runs a part of the test. A panic of the model is a fault, after which it
// returns false.
func (i *inspection) run(part func()) (ok bool) {
	defer func() {
		if message := recover(); message != nil {
			i.fault("panic", "%s: %v", i.called, message)
			ok = false
		}
	}()
	part()
	return true
}

// numbers looks at what is but one number, and at the blocks.
func (i *inspection) numbers() {
	i.called = "NumStates, Rate, RelativeError and Blocks"
	if again := i.model.NumStates(); again != i.n {
		i.fault("NumStates", "%d, and %d when called again", i.n, again)
	}
	if timed, ok := i.model.(mdp.Timed); ok {
		if rate, again := timed.Rate(), timed.Rate(); !(rate > 0) || math.IsInf(rate, 1) || again != rate {
			i.fault("Rate", "%v, and %v when called again: use one positive number", rate, again)
		}
	}
	if approximate, ok := i.model.(mdp.Approximate); ok {
		if e, again := approximate.RelativeError(), approximate.RelativeError(); !(e >= 0 && e < 1) || again != e {
			i.fault("RelativeError", "%v, and %v when called again: use one number from 0 up to below 1", e, again)
		}
	}
	if blocked, ok := i.model.(mdp.Blocked); ok {
		i.blocks(blocked.Blocks(), blocked.Blocks())
	}
}

func (i *inspection) blocks(cuts, again []int) {
	if len(cuts) < 2 || cuts[0] != 0 || cuts[len(cuts)-1] != i.n {
		i.fault("Blocks", "cuts %v are not valid: use cuts from 0 to %d in one step or more", ends(cuts), i.n)
		return
	}
	for k := 1; k < len(cuts); k++ {
		if cuts[k] <= cuts[k-1] {
			i.fault("Blocks", "cut %d is %d after %d: use increasing cuts", k, cuts[k], cuts[k-1])
			return
		}
	}
	if !slices.Equal(cuts, again) {
		i.fault("Blocks", "other cuts when called again")
		return
	}
	i.cuts = cuts
}

// ends shortens what may be long.
func ends(cuts []int) string {
	if len(cuts) <= 6 {
		return fmt.Sprint(cuts)
	}
	return fmt.Sprintf("%v … %v", cuts[:3], cuts[len(cuts)-3:])
}
