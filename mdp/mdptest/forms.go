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

// Forms returns the problem in every form that it has. With a total cost these are the
// models that list their rows. With rewards that may add up to +Inf they are only the
// table and the compiled model: with negative costs in place of rewards, a policy would
// have to reach the target, which is another problem.
func (p *Problem) Forms() []Form {
	table := p.Table()
	exact := p.exact.is(table) && p.objective.exactly()
	var numbers mdp.Model = table
	if !exact {
		numbers = mdp.Rounded{Table: table}
	}
	// A model can say that its numbers are rounded; a criterion cannot.
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
	all, rate := fullRows{rows}, timed(rows.rate)
	for _, hidden := range []struct {
		name           string
		steps, onClock mdp.Model // in discrete time, and with a rate
	}{
		{"follower", struct{ mdp.PolicyBackuper }{all}, struct {
			mdp.PolicyBackuper
			timed
		}{all, rate}},
		{"fused", struct{ mdp.Sweeper }{all}, struct {
			mdp.Sweeper
			timed
		}{all, rate}},
		{"backup", struct{ mdp.Model }{all}, struct {
			mdp.Model
			timed
		}{all, rate}},
	} {
		model := hidden.steps
		if rate != 1 {
			model = hidden.onClock
		}
		forms = append(forms, p.form(hidden.name, model, sign, exact))
	}
	return forms
}

func (p *Problem) form(name string, model mdp.Model, sign int, enclosed bool) Form {
	return Form{Name: name, Model: model, Criterion: p.objective.criterion(sign), problem: p, sign: sign, enclosed: enclosed}
}

// timed is the uniformization rate of a model.
type timed float64

// Rate implements mdp.Timed.
func (t timed) Rate() float64 { return float64(t) }
