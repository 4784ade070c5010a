package mdptest

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// TestModel finds a fault of each kind, and names its place.
func TestFaultsAreFound(t *testing.T) {
	type vector = []float64
	for name, test := range map[string]struct {
		spoil func(c *complete)
		want  string
		alone bool // also without any power but Backup
	}{
		"right": {func(*complete) {}, "", true},

		"no states":      {func(c *complete) { c.states = func() int { return 0 } }, "NumStates returns 0", true},
		"changing size":  {func(c *complete) { n := 12; c.states = func() int { n++; return n - 1 } }, "NumStates: 12, and 13 when called again", false},
		"rate 0":         {func(c *complete) { c.rateOf = func() float64 { return 0 } }, "Rate: 0, and", false},
		"rate -1":        {func(c *complete) { c.rateOf = func() float64 { return -1 } }, "Rate: -1, and", false},
		"rate NaN":       {func(c *complete) { c.rateOf = math.NaN }, "Rate: NaN, and", false},
		"rate infinite":  {func(c *complete) { c.rateOf = func() float64 { return math.Inf(1) } }, "Rate: +Inf, and", false},
		"changing rate":  {func(c *complete) { c.rateOf = changed(4) }, "Rate: 2, and", false},
		"error -1":       {func(c *complete) { c.relativeError = func() float64 { return -1 } }, "RelativeError: -1, and", false},
		"error 1":        {func(c *complete) { c.relativeError = func() float64 { return 1 } }, "RelativeError: 1, and", false},
		"error NaN":      {func(c *complete) { c.relativeError = math.NaN }, "RelativeError: NaN, and", false},
		"changing error": {func(c *complete) { c.relativeError = changed(1) }, "RelativeError: 0.5, and", false},

		"blocks from 1":    {func(c *complete) { c.blocks = func() []int { return []int{1, 12} } }, "Blocks: cuts [1 12] are not valid", false},
		"blocks to 11":     {func(c *complete) { c.blocks = func() []int { return []int{0, 11} } }, "Blocks: cuts [0 11] are not valid", false},
		"no blocks":        {func(c *complete) { c.blocks = func() []int { return nil } }, "Blocks: cuts [] are not valid", false},
		"an empty block":   {func(c *complete) { c.blocks = func() []int { return []int{0, 5, 5, 12} } }, "Blocks: cut 2 is 5 after 5", false},
		"changing blocks":  {func(c *complete) { k := 3; c.blocks = func() []int { k++; return []int{0, k, 12} } }, "Blocks: other cuts when called again", false},
		"no actions":       {func(c *complete) { c.actions = func(s int) int { return min(s, 2) } }, "NumActions: state 0: 0, and", false},
		"changing actions": {func(c *complete) { k := 1; c.actions = func(int) int { k = 3 - k; return k } }, "NumActions: state 0: 2, and 1", false},

		"cost NaN":         {spoilRow(4, func(_ []mdp.Entry, cost *float64) { *cost = math.NaN() }), "AppendRow: mdp: state 4, action 1: cost is not a finite number: NaN", false},
		"cost infinite":    {spoilRow(4, func(_ []mdp.Entry, cost *float64) { *cost = math.Inf(-1) }), "AppendRow: mdp: state 4, action 1: cost is not a finite number: -Inf", false},
		"other cost":       {spoilRow(4, func(_ []mdp.Entry, cost *float64) { *cost -= 0.5 }), "Backup: state 4: 4 found, where action 1 gives 3.5", false},
		"next state 12":    {spoilRow(4, func(row []mdp.Entry, _ *float64) { row[0].State = 12 }), "AppendRow: mdp: state 4, action 1: not a probability distribution: next state 12, of states 0 … 11", false},
		"next state -1":    {spoilRow(4, func(row []mdp.Entry, _ *float64) { row[0].State = -1 }), "AppendRow: mdp: state 4, action 1: not a probability distribution: next state -1, of", false},
		"named twice":      {spoilRow(4, func(row []mdp.Entry, _ *float64) { row[0].State = 4 }), "AppendRow: mdp: state 4, action 1: not a probability distribution: next state 4 is named twice", false},
		"probability -1/4": {spoilRow(4, func(row []mdp.Entry, _ *float64) { row[1].Probability = -0.25 }), "AppendRow: mdp: state 4, action 1: not a probability distribution: probability -0.25 is not in [0, 1]", false},
		"probability NaN":  {spoilRow(4, func(row []mdp.Entry, _ *float64) { row[1].Probability = math.NaN() }), "AppendRow: mdp: state 4, action 1: not a probability distribution: probability NaN", false},
		"sum 0.8":          {spoilRow(4, func(row []mdp.Entry, _ *float64) { row[1].Probability = 0.05 }), "AppendRow: mdp: state 4, action 1: not a probability distribution: probabilities sum to 0.8", false},
		"row not appended": {func(c *complete) {
			c.appendRow = func(_ []mdp.Entry, s, a int) ([]mdp.Entry, float64) { return c.rowsModel.AppendRow(nil, s, a) }
		}, "AppendRow: state 0, action 0: does not append to dst", false},
		"changing row": {func(c *complete) {
			k := 0.0
			c.appendRow = func(dst []mdp.Entry, s, a int) ([]mdp.Entry, float64) {
				dst, _ = c.rowsModel.AppendRow(dst, s, a)
				k++
				return dst, k
			}
		}, "AppendRow: state 0, action 0: another row when called again", false},
		"row of the same room": {sharedRow, "AppendRow: state 0, action 0: the row changes when another is asked for", false},

		"writes beyond": {spoilBackup(func(c *complete, dst vector, act []int32, v vector, lo, hi int) {
			c.rowsModel.Backup(dst, act, v, lo, min(hi+1, 12))
		}), "outside is written", true},
		"writes actions beyond": {spoilBackup(func(_ *complete, _ vector, act []int32, _ vector, lo, _ int) {
			if act != nil {
				act[max(lo-1, 0)] = 0
			}
		}), "outside is written", true},
		"leaves out the last": {spoilBackup(func(_ *complete, dst vector, _ []int32, _ vector, lo, hi int) {
			if hi > lo {
				dst[hi-1] = unwritten
			}
		}), "Backup: state 11 is not written", true},
		"leaves out in parts": {spoilBackup(func(_ *complete, dst vector, _ []int32, _ vector, lo, hi int) {
			if hi > lo && hi < 12 {
				dst[hi-1] = unwritten
			}
		}), "is not written", true},
		"changes values": {spoilBackup(func(_ *complete, _ vector, _ []int32, v vector, lo, hi int) {
			if lo < hi {
				v[3]++
			}
		}), "the value of state 3 is changed", true},
		"depends on the range": {spoilBackup(func(_ *complete, dst vector, _ []int32, _ vector, lo, hi int) {
			for s := lo; s < hi; s++ {
				dst[s] += float64(lo)
			}
		}), "Backup: range", true},
		"other without actions": {spoilBackup(func(_ *complete, dst vector, act []int32, _ vector, lo, hi int) {
			for s := lo; s < hi && act == nil; s++ {
				dst[s]++
			}
		}), "Backup without actions: range", true},
		"last minimum": {spoilBackup(func(c *complete, _ vector, act []int32, v vector, lo, hi int) {
			for s := lo; s < hi && act != nil; s++ {
				if c.choices[s][1].value(v) <= c.choices[s][0].value(v) {
					act[s] = 1
				}
			}
		}), "Backup: state 0: action 1 named, though action 0 attains the same minimum and comes first", false},
		"wrong action": {spoilBackup(func(_ *complete, _ vector, act []int32, _ vector, lo, hi int) {
			for s := lo; s < hi && act != nil; s++ {
				act[s] = 1
			}
		}), "Backup: state 1, action 1: 1 found, where its row gives 2", false},
		"no such action": {spoilBackup(func(_ *complete, _ vector, act []int32, _ vector, lo, hi int) {
			for s := lo; s < hi && act != nil; s++ {
				act[s] = 2
			}
		}), "Backup: state 0: action 2 is not valid: use 0 … 1", false},
		"action -1": {spoilBackup(func(_ *complete, _ vector, act []int32, _ vector, lo, hi int) {
			for s := lo; s < hi && act != nil; s++ {
				act[s] = -1
			}
		}), "Backup: state 0: action -1 is not valid", true},
		"not finite": {spoilBackup(func(_ *complete, dst vector, _ []int32, _ vector, lo, hi int) {
			for s := max(lo, 6); s < hi; s++ {
				dst[s] = math.Inf(1)
			}
		}), "Backup: state 6: +Inf is not valid", true},
		"takes the greatest": {spoilBackup(func(c *complete, dst vector, _ []int32, v vector, lo, hi int) {
			for s := lo; s < hi; s++ {
				dst[s] = max(c.choices[s][0].value(v), c.choices[s][1].value(v))
			}
		}), "a minimum over actions is concave", true},
		"sums to 1.1": {spoilBackup(func(_ *complete, dst vector, _ []int32, v vector, lo, hi int) {
			for s := lo; s < hi; s++ {
				dst[s] += 0.1 * v[7]
			}
		}), "so that probabilities do not sum to 1", true},
		"negative probability": {spoilBackup(func(_ *complete, dst vector, _ []int32, v vector, lo, hi int) {
			for s := lo; s < hi; s++ {
				dst[s] += v[7] - v[8]
			}
		}), "so that some probability is negative", true},
		"NaN for a number": {spoilBackup(func(_ *complete, dst vector, _ []int32, _ vector, lo, hi int) {
			for s := lo; s < hi; s++ {
				if math.IsNaN(dst[s]) || math.IsInf(dst[s], 0) {
					dst[s] = 0
				}
			}
		}), "Backup: state 0: 0 where all values are NaN", true},
		"no action for NaN": {spoilBackup(func(_ *complete, _ vector, act []int32, v vector, lo, hi int) {
			for s := lo; s < hi && act != nil && math.IsNaN(v[s]); s++ {
				act[s] = -1
			}
		}), "Backup: state 0: action -1 where all values are NaN", true},

		"policy changed": {func(c *complete) {
			c.backupPolicy = func(dst []float64, act []int32, v []float64, lo, hi int) {
				fullRows{c.rowsModel}.BackupPolicy(dst, act, v, lo, hi)
				act[2] = 1 - act[2]
			}
		}, "BackupPolicy: range 0 … 0: the action of state 2 is changed", false},
		"policy of the best": {func(c *complete) {
			c.backupPolicy = func(dst []float64, _ []int32, v []float64, lo, hi int) { c.rowsModel.Backup(dst, nil, v, lo, hi) }
		}, "BackupPolicy: state", false},
		"policy beyond": {func(c *complete) {
			c.backupPolicy = func(dst []float64, act []int32, v []float64, lo, _ int) {
				fullRows{c.rowsModel}.BackupPolicy(dst, act, v, lo, 12)
			}
		}, "BackupPolicy: range 0 … 0: state 0 outside is written", false},

		"undamped":  {spoilSweep(func(damping, _ *float64, _, _ *float64, _, _ int) { *damping = 1 }), "Sweep: range", false},
		"unshifted": {spoilSweep(func(_, shift *float64, _, _ *float64, _, _ int) { *shift = 0 }), "Sweep: range", false},
		"least of nothing": {spoilSweep(func(_, _ *float64, least, _ *float64, lo, hi int) {
			if lo == hi {
				*least = 0
			}
		}), "Sweep: range 0 … 0: returns 0 and -Inf, where T v − v goes from +Inf to -Inf", false},
		"greatest too small": {spoilSweep(func(_, _ *float64, _, greatest *float64, _, _ int) { *greatest -= 0.01 }), "Sweep: range 0 … 12: returns", false},
	} {
		c := newComplete()
		test.spoil(c)
		for _, model := range []mdp.Model{c, backupAlone{c}} {
			if _, hidden := model.(backupAlone); hidden && !test.alone {
				continue
			}
			reports := reportsOn(t, model)
			if test.want == "" {
				assert.Empty(t, reports, name)
			} else {
				assert.Contains(t, reports, test.want, "%s, %T", name, model)
			}
		}
	}
}
