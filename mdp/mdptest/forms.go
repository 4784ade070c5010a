package mdptest

import (
	"fmt"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Form is a problem as a solver gets to see it: one of the ways to hand over a
// model.
type Form struct {
	// Name is "table", "compiled", "rows", "follower", "fused" or "backup".
	Name string

	// Model is an mdp.Table, or an mdp.Rounded one where float64 does not hold
	// the numbers; an mdp.Compiled; a model that lists its rows but is no table,
	// in blocks of three states; one that sweeps, also with a given policy or
	// also fused, and nothing else; or one that only has Backup.
	Model mdp.Model

	// Criterion is that of the problem. A form that is no table has negative
	// costs in place of rewards, and these are minimised.
	Criterion mdp.Criterion

	problem  *Problem
	sign     int  // of the values of this form
	enclosed bool // bounds must enclose the optimum in spite of rounded numbers
}

// String returns the names of the problem and of the form.
func (f Form) String() string { return f.problem.Name + ", " + f.Name }

// Forms returns the problem in every form. A total cost is asked only of models
// that list their rows, and rewards that may add up to +Inf only of tables: as
// negative costs they would be another problem, in which a policy must come to
// an end.
func (p *Problem) Forms() []Form {
	table := p.Table()
	exact := p.exact.is(table) && p.objective.exactly()
	var numbers mdp.Model = table
	if !exact {
		numbers = mdp.Rounded{Table: table}
	}
	// The criterion has no way of being inexact.
	forms := []Form{p.form("table", numbers, 1, p.objective.exactly())}

	compiled, err := p.compile()
	if err != nil {
		panic(fmt.Sprintf("mdptest: %s: %v", p.Name, err))
	}
	forms = append(forms, p.form("compiled", compiled, 1, p.exact.is(compiled) && p.objective.exactly()))

	if p.objective.sense == mdp.Maximize && slices.Contains(p.Optimum, nil) {
		return forms
	}
	sign := 1
	if p.objective.sense == mdp.Maximize {
		sign = -1
	}
	rows := newRows(table, float64(sign))
	var listed mdp.Model = rows
	if !exact {
		listed = roundedRows{rows}
	}
	forms = append(forms, p.form("rows", listed, sign, p.objective.exactly()))
	if p.objective.kind == total {
		return forms
	}
	for _, hidden := range []struct {
		name  string
		model mdp.Model
	}{
		{"follower", followerOnly{backupOnly{rows}, rows}},
		{"fused", sweeperOnly{backupOnly{rows}, rows}},
		{"backup", backupOnly{rows}},
	} {
		forms = append(forms, p.form(hidden.name, withRate(hidden.model, rows.rate), sign, exact))
	}
	return forms
}

func (p *Problem) form(name string, model mdp.Model, sign int, enclosed bool) Form {
	return Form{Name: name, Model: model, Criterion: p.objective.criterion(sign), problem: p, sign: sign, enclosed: enclosed}
}

// backupOnly hides every power of a model but that of mdp.Model.
type backupOnly struct{ model *rowsModel }

// NumStates implements mdp.Model.
func (b backupOnly) NumStates() int { return b.model.NumStates() }

// Backup implements mdp.Model.
func (b backupOnly) Backup(dst []float64, act []int32, v []float64, lo, hi int) {
	b.model.Backup(dst, act, v, lo, hi)
}

// followerOnly also sweeps with a policy.
type followerOnly struct {
	backupOnly
	model *rowsModel
}

// BackupPolicy implements mdp.Follower.
func (f followerOnly) BackupPolicy(dst []float64, act []int32, v []float64, lo, hi int) {
	f.model.backupPolicy(dst, act, v, lo, hi)
}

// sweeperOnly also sweeps in one pass.
type sweeperOnly struct {
	backupOnly
	model *rowsModel
}

// Sweep implements mdp.Sweeper.
func (f sweeperOnly) Sweep(dst, v []float64, damping, shift float64, lo, hi int) (least, greatest float64) {
	return f.model.sweep(dst, v, damping, shift, lo, hi)
}

// withRate adds a uniformization rate to a model of no other power than its
// own; where there is none to add it returns the model.
func withRate(model mdp.Model, rate float64) mdp.Model {
	if rate == 1 {
		return model
	}
	switch model := model.(type) {
	case followerOnly:
		return timedFollower{model, timed(rate)}
	case sweeperOnly:
		return timedSweeper{model, timed(rate)}
	case backupOnly:
		return timedBackup{model, timed(rate)}
	}
	return model
}

type timed float64

// Rate implements mdp.Timed.
func (t timed) Rate() float64 { return float64(t) }

type timedBackup struct {
	backupOnly
	timed
}

type timedFollower struct {
	followerOnly
	timed
}

type timedSweeper struct {
	sweeperOnly
	timed
}
