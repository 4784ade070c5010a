package mdptest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// listener is a testing.TB that keeps what is reported to it.
type listener struct {
	testing.TB
	reports []string
}

func (l *listener) Helper() {}

func (l *listener) Errorf(format string, arguments ...any) {
	l.reports = append(l.reports, fmt.Sprintf(format, arguments...))
}

func reportsOn(t *testing.T, model mdp.Model) string {
	t.Helper()
	l := &listener{TB: t}
	TestModel(l, model)
	return strings.Join(l.reports, "\n")
}

// complete is a model with all interfaces, all of which can be made to fail.
type complete struct {
	*rowsModel
	states        func() int
	backup        func(dst []float64, act []int32, v []float64, lo, hi int)
	backupPolicy  func(dst []float64, act []int32, v []float64, lo, hi int)
	sweep         func(dst, v []float64, damping, shift float64, lo, hi int) (least, greatest float64)
	actions       func(s int) int
	appendRow     func(dst []mdp.Entry, s, a int) ([]mdp.Entry, float64)
	blocks        func() []int
	rateOf        func() float64
	relativeError func() float64
}

func (c *complete) NumStates() int { return c.states() }

func (c *complete) Backup(dst []float64, act []int32, v []float64, lo, hi int) {
	c.backup(dst, act, v, lo, hi)
}

func (c *complete) BackupPolicy(dst []float64, act []int32, v []float64, lo, hi int) {
	c.backupPolicy(dst, act, v, lo, hi)
}

func (c *complete) Sweep(dst, v []float64, damping, shift float64, lo, hi int) (least, greatest float64) {
	return c.sweep(dst, v, damping, shift, lo, hi)
}

func (c *complete) NumActions(s int) int { return c.actions(s) }

func (c *complete) AppendRow(dst []mdp.Entry, s, a int) ([]mdp.Entry, float64) {
	return c.appendRow(dst, s, a)
}

func (c *complete) Blocks() []int { return c.blocks() }

func (c *complete) Rate() float64 { return c.rateOf() }

func (c *complete) RelativeError() float64 { return c.relativeError() }

// newComplete returns a correct model of 12 states with two actions in each, of
// which the second costs no less.
func newComplete() *complete {
	m := &rowsModel{rate: 2}
	for s := range 12 {
		next := func(jump int) []mdp.Entry {
			return []mdp.Entry{{State: int32((s + jump) % 12), Probability: 0.75}, {State: int32(s), Probability: 0.25}}
		}
		m.choices = append(m.choices, []rowsChoice{{next(1), float64(s)}, {next(5), float64(s + s%2)}})
	}
	return &complete{
		rowsModel: m,
		states:    m.NumStates, backup: m.Backup, backupPolicy: fullRows{m}.BackupPolicy, sweep: fullRows{m}.Sweep,
		actions: m.NumActions, appendRow: m.AppendRow, blocks: m.Blocks, rateOf: m.Rate,
		relativeError: func() float64 { return 0 },
	}
}

// backupAlone hides all but Backup.
type backupAlone struct{ model mdp.Model }

func (b backupAlone) NumStates() int { return b.model.NumStates() }

func (b backupAlone) Backup(dst []float64, act []int32, v []float64, lo, hi int) {
	b.model.Backup(dst, act, v, lo, hi)
}

// changed says that a number changes with each call.
func changed(from float64) func() float64 {
	x := from
	return func() float64 {
		x /= 2
		return x
	}
}

// spoilRow changes the row of action 1 of a state.
func spoilRow(state int, change func(row []mdp.Entry, cost *float64)) func(c *complete) {
	return func(c *complete) {
		c.appendRow = func(dst []mdp.Entry, s, a int) ([]mdp.Entry, float64) {
			at := len(dst)
			dst, cost := c.rowsModel.AppendRow(dst, s, a)
			if s == state && a == 1 {
				change(dst[at:], &cost)
			}
			return dst, cost
		}
	}
}

// sharedRow returns all rows in the same place.
func sharedRow(c *complete) {
	place := make([]mdp.Entry, 0, 10)
	c.appendRow = func(dst []mdp.Entry, s, a int) ([]mdp.Entry, float64) {
		if len(dst) == 0 {
			dst = place
		} else {
			copy(place[:2], []mdp.Entry{{State: 9}, {State: 9}})
		}
		return c.rowsModel.AppendRow(dst, s, a)
	}
}

// spoilBackup changes the results of Backup.
func spoilBackup(change func(c *complete, dst []float64, act []int32, v []float64, lo, hi int)) func(c *complete) {
	return func(c *complete) {
		c.backup = func(dst []float64, act []int32, v []float64, lo, hi int) {
			c.rowsModel.Backup(dst, act, v, lo, hi)
			change(c, dst, act, v, lo, hi)
		}
	}
}

// spoilSweep changes what Sweep works with and what it returns.
func spoilSweep(change func(damping, shift, least, greatest *float64, lo, hi int)) func(c *complete) {
	return func(c *complete) {
		c.sweep = func(dst, v []float64, damping, shift float64, lo, hi int) (least, greatest float64) {
			d, s := damping, shift
			change(&d, &s, new(float64), new(float64), lo, hi)
			least, greatest = fullRows{c.rowsModel}.Sweep(dst, v, d, s, lo, hi)
			change(&d, &s, &least, &greatest, lo, hi)
			return least, greatest
		}
	}
}

// Of many faults of a kind TestModel reports some, and the number of the others.
func TestFaultsAreCounted(t *testing.T) {
	c := newComplete()
	c.actions = func(int) int { return 0 }
	reports := reportsOn(t, c)
	assert.Equal(t, maxFaults, strings.Count(reports, "NumActions: state"))
	assert.Contains(t, reports, "NumActions: 7 faults more")
}
