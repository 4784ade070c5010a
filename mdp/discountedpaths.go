package mdp

import "slices"

// exactly solves for discounted costs by policy iteration with exact
// evaluation. Discounting by β is the same as ending in each step with
// probability 1−β, so this is a stochastic shortest path problem, all of whose
// policies reach the end:
//
//	p'(j|s,a) = β·p(j|s,a),  p'(end|s,a) = 1−β.
func (d Discounted) exactly(r *run, model Explicit) (*Result, error) {
	table, err := asTable(model)
	if err != nil {
		return nil, err
	}
	ending, ok := d.ending(table)
	if !ok {
		return nil, errNaN
	}
	_, rounded := d.leave()
	n := table.NumStates()
	p := &paths{
		Table: ending, run: r, inexact: relativeError(model) + 2*unitRoundoff + rounded, dear: ending.costs, likely: ending.costs,
		allowed: slices.Repeat([]bool{true}, len(ending.costs)), settled: make([]bool, n+1),
		policy: make([]int32, n+1), lower: newValues(n + 1), upper: newValues(n + 1), value: newValues(n + 1),
	}
	p.settled[n] = true
	if start := r.settings.Policy; start != nil {
		p.startFrom(append(slices.Clone(start), 0))
	}
	if err := p.solve(); err != nil {
		return nil, err
	}
	result := p.result(n, func(s int) int { return s })
	result.Policy = p.policy[:n]
	return result, nil
}

// ending returns the table with one more state, in which the process ends; false
// where a probability times β is subnormal, whose digits float64 does not hold.
func (d Discounted) ending(t *Table) (table *Table, ok bool) {
	leave, _ := d.leave()
	end := int32(t.NumStates())
	a := TableArrays{
		StateStart:    append(slices.Clone(t.stateStart), t.stateStart[end]+1),
		RowStart:      make([]int32, 1, len(t.rowStart)+1),
		Columns:       make([]int32, 0, len(t.columns)+len(t.costs)+1),
		Probabilities: make([]float64, 0, len(t.columns)+len(t.costs)+1),
		Costs:         append(slices.Clone(t.costs), 0),
	}
	for k := range t.costs {
		for e := t.rowStart[k]; e < t.rowStart[k+1]; e++ {
			a.Columns = append(a.Columns, t.columns[e])
			p := d.Discount * t.probabilities[e]
			if p < 0x1p-1022 {
				return nil, false
			}
			a.Probabilities = append(a.Probabilities, p)
		}
		a.Columns, a.Probabilities = append(a.Columns, end), append(a.Probabilities, leave.Hi)
		a.RowStart = append(a.RowStart, int32(len(a.Columns)))
	}
	a.Columns, a.Probabilities = append(a.Columns, end), append(a.Probabilities, 1)
	a.RowStart = append(a.RowStart, int32(len(a.Columns)))
	return newTable(a, t.rate), true
}
