package model

// The distribution of a total under a policy: evaluate --distribution.

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

const distributionFlag = "distribution"

func runDistribution(a *ui.Arguments) error {
	q, x := readQuestion(a, false), a.Fractions(distributionFlag)
	a.OnlyWith(distributionFlag, "criterion total or finite", q.criterion == criterionTotal || q.criterion == criterionFinite)
	for _, flag := range []string{"method", "tolerance", "max-iterations", "time-limit", "out", "discount", "rate", "terminal"} {
		if a.CLI.IsSet(flag) {
			a.Fault(flag, "not valid with --distribution: leave it out")
		}
	}
	slices.SortFunc(x, (*big.Rat).Cmp)
	q.ofTime = true
	f, settings, ctx := readFollowed(a, q, true), mdp.Settings{Workers: a.Workers()}, a.CLI.Context
	if f.model.Kind == modelfile.SMDP {
		a.Fault(distributionFlag, "not valid for an SMDP, of which only the mean sojourn times are known")
	}
	if f.steps != nil {
		a.Fault(distributionFlag, "not valid for a policy that depends on the step: use one policy for all steps")
	}
	warnInitial(a, f.model, "")
	var find func() (*mdp.Distribution, error)
	unit := big.NewRat(1, 1)
	if f.model.Kind == modelfile.CTMC {
		chain, err := f.model.Table(f.question.reward)
		a.Fail(fileFault(modelOperand, f.path, err))
		find = func() (*mdp.Distribution, error) {
			start := []mdp.Entry{{State: f.model.Initial[0], Probability: 1}}
			return mdp.TimeDistribution(ctx, mdp.Rounded{Table: chain}, mdp.Policy{Actions: make([]int32, chain.NumStates())}, f.question.ends, start, rounded(x), settings)
		}
	} else {
		var chain *mdp.Table
		chain, unit = f.inUnits(a)
		most, _ := units(x[len(x)-1], unit)
		find = func() (*mdp.Distribution, error) {
			return mdp.TotalDistribution(ctx, mdp.Rounded{Table: chain}, mdp.Policy{Actions: make([]int32, chain.NumStates())}, []int32{1}, []mdp.Entry{{State: 0, Probability: 1}}, most, settings)
		}
	}
	ui.ProgressOf(ctx).Phase("solving")
	d, err := ui.Soon(ctx, ui.Patience, find)
	switch {
	case errors.Is(err, mdp.ErrTooLarge):
		return ui.UsageErrorf("--distribution: up to %s in units of %s, which divide all rewards, is too much: use a lower total, or rewards of fewer digits (%s)",
			number.Short(x[len(x)-1]), number.Short(unit), plainError(err))
	case err != nil:
		return (&solution{asked: f.asked}).solveFault(ui.Method{Name: ui.MethodAuto}, err)
	}
	atMost, above, excess := d.AtMost, d.Above, d.Excess
	if f.model.Kind != modelfile.CTMC {
		inRewards(d, unit)
		atMost, above, excess = between(d, x, unit)
	}
	points, levels := &listing{of: "x", columns: []string{"at_most", "above", "excess"}}, &listing{of: "level", columns: []string{"quantile", "cvar"}}
	for i, x := range rounded(x) {
		points.add(x, atMost[i], above[i], excess[i])
	}
	for _, level := range []float64{0.5, 0.9, 0.95, 0.99} {
		levels.add(level, d.Quantile(level), d.CVaR(level))
	}
	ends := ui.Field{Name: "target", Value: q.target}
	if q.criterion == criterionFinite {
		ends = ui.Field{Name: "horizon", Value: q.horizon}
	}
	all := slices.Concat(ui.Record{{"criterion", q.criterion}, {"reward", f.question.reward}, ends, {"initial", int(f.model.Initial[0])}, f.policyField()},
		enclosed("mean", d.Mean), enclosed("never", d.Never), ui.Record{{"distribution", points.records}, {"quantiles", levels.records}})
	return a.Print(ui.Document{JSON: all, Rows: points.records, Text: func(s *ui.Screen) {
		f.printHead(s, f.title()+", its distribution")
		f.printPolicy(s)
		s.Item("mean", "%s from state %s", s.Styled(ui.Bold, digits(d.Mean)), stateName(f.model, int(f.model.Initial[0])))
		if d.Never.Upper > 0 {
			s.Item("never", "the target is not reached with probability %s", digits(d.Never))
		}
		for _, l := range []*listing{points, levels} {
			s.Printf("\n")
			s.Table(l.table())
		}
	}})
}

// rounded returns numbers as float64.
func rounded(x []*big.Rat) (floats []float64) {
	for _, exact := range x {
		float, _ := exact.Float64()
		floats = append(floats, float)
	}
	return floats
}

// units returns how many whole units a number has, as far as there are int32, and what is left.
func units(x, unit *big.Rat) (whole int, rest *big.Rat) {
	count := new(big.Rat).Quo(x, unit)
	floor := new(big.Int).Quo(count.Num(), count.Denom())
	if !floor.IsInt64() || floor.Int64() > math.MaxInt32 {
		return math.MaxInt32, new(big.Rat)
	}
	rest = new(big.Rat).SetInt(floor)
	return int(floor.Int64()), rest.Sub(x, rest.Mul(rest, unit))
}

// between returns the probabilities and the excess of numbers from those of whole units: a
// total T is one, so E[(T − x)⁺] = E[(T − y)⁺] − (x − y)·P(T > y) for the last unit y before x.
func between(d *mdp.Distribution, x []*big.Rat, unit *big.Rat) (atMost, above, excess []mdp.Bounds) {
	const outward = 0x1p-51 // of a product and a sum
	for _, x := range x {
		i, left := units(x, unit)
		e, rest := d.Excess[i], rounded([]*big.Rat{left})[0]
		if rest > 0 && !math.IsInf(e.Upper, 1) {
			e.Lower = max(0, e.Lower*(1-outward)-rest*d.Above[i].Upper*(1+outward))
			e.Upper = e.Upper*(1+outward) - rest*d.Above[i].Lower*(1-outward)
		}
		atMost, above, excess = append(atMost, d.AtMost[i]), append(above, d.Above[i]), append(excess, e)
	}
	return atMost, above, excess
}

// inRewards turns a distribution in units into one in rewards.
func inRewards(d *mdp.Distribution, unit *big.Rat) {
	const off = 0x1p-51 // of a product
	size, _ := unit.Float64()
	scaled := func(b mdp.Bounds) mdp.Bounds {
		if size == 1 {
			return b
		}
		return mdp.Bounds{Lower: b.Lower * size * (1 - off), Upper: b.Upper * size * (1 + off)}
	}
	d.Mean = scaled(d.Mean)
	for i := range d.X {
		d.Excess[i] = scaled(d.Excess[i])
		d.X[i], _ = new(big.Rat).Mul(unit, big.NewRat(int64(i), 1)).Float64()
	}
}

// listing has rows of a number and bounds.
type listing struct {
	of      string
	columns []string
	records []ui.Record
	rows    []table.Row
}

func (l *listing) add(x float64, known ...mdp.Bounds) {
	record, row := ui.Record{{l.of, x}}, table.Row{ui.PlainText(x)}
	for i, b := range known {
		record, row = append(record, enclosed(l.columns[i], b)...), append(row, digits(b))
	}
	l.records, l.rows = append(l.records, record), append(l.rows, row)
}

func (l *listing) table() table.Writer {
	t, header := table.NewWriter(), table.Row{l.of}
	for _, name := range l.columns {
		header = append(header, strings.ReplaceAll(name, "_", " "))
	}
	t.AppendHeader(header)
	t.AppendRows(l.rows)
	return t
}

// enclosed returns an estimate of a number and its bounds.
func enclosed(name string, b mdp.Bounds) ui.Record {
	return ui.Record{{name, orInfinite(middle(b))}, {name + "_lower", orInfinite(b.Lower)}, {name + "_upper", orInfinite(b.Upper)}}
}

func middle(b mdp.Bounds) float64 {
	if b.Lower == b.Upper { // also if infinite
		return b.Lower
	}
	return b.Lower + (b.Upper-b.Lower)/2
}

// digits returns a number as far as its bounds leave no doubt about it.
func digits(b mdp.Bounds) string {
	if mdp.Within(b.Lower, b.Upper, 0, 1e-10) {
		return ui.PlainText(middle(b))
	}
	return ui.Interval(b.Lower, b.Upper)
}
