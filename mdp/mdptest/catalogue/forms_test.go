package catalogue

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// form is a problem in one of the ways in which a solver can get a model, in float64.
type form struct {
	// name is "table", "compiled", "rows", "follower", "fused" or "backup".
	name string

	// model is an mdp.Table, or an mdp.Rounded one where float64 does not hold
	// the numbers; an mdp.Compiled; a model that lists its rows but is no table,
	// in blocks of three states; one that sweeps, also with a given policy or
	// also fused, and nothing else; or one that only has Backup.
	model mdp.Model

	// criterion is that of the problem. A form that is no table has negative
	// costs in place of rewards, and these are minimised.
	criterion mdp.Criterion

	problem *Problem
	sign    int  // of the values of this form
	rounded bool // bounds need not enclose the optimum of the numbers before they were rounded
}

// String returns the names of the problem and of the form.
func (f form) String() string { return f.problem.Name + ", " + f.name }

// verify is [Problem.Verify] for the values of the form.
func (f form) verify(a Answer) error {
	if f.sign < 0 {
		a = a.negated()
	}
	return f.problem.verify(a, f.rounded)
}

func (a Answer) negated() Answer {
	negative := func(x []float64) []float64 {
		y := make([]float64, len(x))
		for i := range x {
			y[i] = -x[i]
		}
		return y
	}
	a.Lower, a.Value, a.Upper = negative(a.Upper), negative(a.Value), negative(a.Lower)
	return a
}

// forms returns the problem in every form that it has. With a total cost these are the
// models that list their rows. With rewards that may add up to +Inf they are only the
// table and the compiled model: with negative costs in place of rewards, a policy would
// have to reach the target, which is another problem.
func (p *Problem) forms(t testing.TB) []form {
	t.Helper()
	var forms []form
	enter := func(name string, model mdp.Model, sign int, rounded bool) {
		forms = append(forms, form{name, model, p.objective.criterion(sign), p, sign, rounded})
	}
	table := p.table(t, 1)
	exact := p.rows().is(table) && !p.objective.rounded()
	var numbers mdp.Model = table
	if !exact {
		numbers = mdp.Rounded{Table: table}
	}
	// A model can say that its numbers are rounded; a criterion cannot.
	enter("table", numbers, 1, p.objective.rounded())
	compiled := p.compile(t)
	enter("compiled", compiled, 1, !p.rows().is(compiled) || p.objective.rounded())

	sign := 1
	if p.objective.sense == mdp.Maximize {
		sign = -1
	}
	if sign < 0 && slices.Contains(p.Optimum, nil) {
		return forms
	}
	if sign < 0 {
		table = p.table(t, -1)
	}
	rate := timed(table.Rate())
	rows := listed{table, rate}
	if exact {
		enter("rows", rows, sign, p.objective.rounded())
	} else {
		enter("rows", roundedRows{rows}, sign, p.objective.rounded())
	}
	if p.objective.kind == total {
		return forms
	}
	if rate == 1 {
		enter("follower", struct{ mdp.PolicyBackuper }{table}, sign, !exact)
		enter("fused", fused{table}, sign, !exact)
		enter("backup", struct{ mdp.Model }{table}, sign, !exact)
		return forms
	}
	enter("follower", struct {
		mdp.PolicyBackuper
		timed
	}{table, rate}, sign, !exact)
	enter("fused", struct {
		fused
		timed
	}{fused{table}, rate}, sign, !exact)
	enter("backup", struct {
		mdp.Model
		timed
	}{table, rate}, sign, !exact)
	return forms
}

// listed lists its rows, but is no table.
type listed struct {
	mdp.Explicit
	timed
}

// Blocks implements mdp.Blocked, with so few states a block that small models are swept
// in parts too.
func (m listed) Blocks() []int {
	cuts := []int{0}
	for s := 3; s < m.NumStates(); s += 3 {
		cuts = append(cuts, s)
	}
	return append(cuts, m.NumStates())
}

// roundedRows are rows whose numbers are rounded.
type roundedRows struct{ listed }

// RelativeError implements mdp.Approximate.
func (roundedRows) RelativeError() float64 { return 0x1p-52 }

// fused implements mdp.Sweeper.
type fused struct{ mdp.Model }

// Sweep implements mdp.Sweeper.
func (m fused) Sweep(dst, v []float64, damping, shift float64, lo, hi int) (least, greatest float64) {
	m.Backup(dst, nil, v, lo, hi)
	least, greatest = math.Inf(1), math.Inf(-1)
	for s := lo; s < hi; s++ {
		d := dst[s] - v[s]
		least, greatest = min(least, d), max(greatest, d)
		dst[s] = v[s] + damping*d - shift
	}
	return least, greatest
}

// timed is the uniformization rate of a model.
type timed float64

// Rate implements mdp.Timed.
func (t timed) Rate() float64 { return float64(t) }

// table returns the process as plain arrays, each number rounded once, with costs times
// a sign.
func (p *Problem) table(t testing.TB, sign int) *mdp.Table {
	t.Helper()
	exact := p.Exact()
	a := mdp.TableArrays{
		StateStart: exact.StateStart, RowStart: exact.RowStart, Columns: exact.Columns, Rate: nearest(exact.Rate),
	}
	for _, x := range exact.Probabilities {
		a.Probabilities = append(a.Probabilities, nearest(x))
	}
	for _, x := range exact.Costs {
		a.Costs = append(a.Costs, float64(sign)*nearest(x))
	}
	table, err := mdp.NewTable(a)
	require.NoError(t, err, p.Name)
	return table
}

// is reports whether a model in float64 is the same process, number by number.
func (m *exactModel) is(model mdp.Explicit) bool {
	if timed, ok := model.(mdp.Timed); ok && rational(timed.Rate()).Cmp(m.rate) != 0 || model.NumStates() != len(m.states) {
		return false
	}
	for s, choices := range m.states {
		if model.NumActions(s) != len(choices) {
			return false
		}
		for a, c := range choices {
			row, cost := model.AppendRow(nil, s, a)
			if rational(cost).Cmp(c.cost) != 0 || !slices.EqualFunc(row, c.row, func(x mdp.Entry, y exactEntry) bool {
				return int(x.State) == y.state && rational(x.Probability).Cmp(y.probability) == 0
			}) {
				return false
			}
		}
	}
	return true
}

// compile declares the process to package mdp, in float64, and compiles it.
func (p *Problem) compile(t testing.TB) mdp.Explicit {
	t.Helper()
	options := p.process.options
	actions := func(dst []int, s int) []int {
		for a := range options(s) {
			dst = append(dst, a)
		}
		return dst
	}
	declaration := mdp.Problem[int, int]{
		Start:   p.process.start,
		Actions: actions,
		Cost:    func(s, a int) float64 { return nearest(options(s)[a].mean()) },
		Next: func(dst []mdp.Outcome[int], s, a int) []mdp.Outcome[int] {
			for _, b := range options(s)[a].next {
				if b.weight.Sign() > 0 {
					dst = append(dst, mdp.Outcome[int]{State: b.to, Probability: nearest(b.weight)})
				}
			}
			return dst
		},
	}
	if p.process.timed {
		var err error
		declaration, err = mdp.ContinuousProblem[int, int]{
			Start:   p.process.start,
			Actions: actions,
			CostRate: func(s, a int) float64 {
				if cost := options(s)[a].cost; cost != nil {
					return nearest(cost)
				}
				return 0
			},
			Events: func(dst []mdp.Event[int], s, a int) []mdp.Event[int] {
				for _, b := range options(s)[a].next {
					if b.weight.Sign() > 0 {
						event := mdp.Event[int]{State: b.to, Rate: nearest(b.weight)}
						if b.cost != nil {
							event.Cost = nearest(b.cost)
						}
						dst = append(dst, event)
					}
				}
				return dst
			},
		}.Uniformize(t.Context(), 0)
		require.NoError(t, err, p.Name)
	}
	compiled, err := declaration.Compile(t.Context())
	require.NoError(t, err, p.Name)
	return compiled
}
