package petsc

import (
	"fmt"
	"slices"

	"github.com/mdpsolve/mdpsolve/distributed/petsc/internal/binary"
	"github.com/mdpsolve/mdpsolve/internal/wholefile"
	"github.com/mdpsolve/mdpsolve/mdp"
)

// Export writes a model to two files with binary matrices of PETSc, as the solver madupite
// reads them: transitions has the row of action a of state s as row s·m+a, where m is the
// greatest number of actions of a state; and costs has a row for each state with
// the costs of its actions. A state with fewer actions repeats its first. The costs of
// an [mdp.Timed] model are those of a step: its costs per unit of time over its rate.
//
// Rows are generated as they are written, on one rank, and none is held. Special cases are
//
//	a model with more than 2³¹−1 transitions, or as many rows: an error
func Export(model Model, transitions, costs string) error {
	states, actions, rate := model.NumStates(), 0, 1.0
	for s := range states {
		actions = max(actions, model.NumActions(s))
	}
	if timed, ok := model.(interface{ Rate() float64 }); ok {
		rate = timed.Rate()
	}
	var entries []mdp.Entry
	each := func(s int, row func(entries []mdp.Entry, cost float64) error) error {
		for a := range actions {
			if a >= model.NumActions(s) {
				a = 0
			}
			var cost float64
			entries, cost = model.AppendRow(entries[:0], s, a)
			slices.SortFunc(entries, func(x, y mdp.Entry) int { return int(x.State) - int(y.State) })
			if err := row(entries, cost/rate); err != nil {
				return err
			}
		}
		return nil
	}
	var (
		columns []int32
		values  []float64
	)
	write := func(name string, m binary.Matrix) error {
		err := wholefile.Write(name, 0o644, func(file *wholefile.File) error { return m.Write(file) })
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	}
	err := write(transitions, binary.Matrix{Rows: states * actions, Columns: states, Each: func(row func([]int32, []float64) error) error {
		for s := range states {
			err := each(s, func(entries []mdp.Entry, _ float64) error {
				columns, values = columns[:0], values[:0]
				for _, e := range entries {
					columns, values = append(columns, e.State), append(values, e.Probability)
				}
				return row(columns, values)
			})
			if err != nil {
				return err
			}
		}
		return nil
	}})
	if err != nil {
		return err
	}
	return write(costs, binary.Matrix{Rows: states, Columns: actions, Each: func(row func([]int32, []float64) error) error {
		for s := range states {
			columns, values = columns[:0], values[:0]
			err := each(s, func(_ []mdp.Entry, cost float64) error {
				columns, values = append(columns, int32(len(columns))), append(values, cost)
				return nil
			})
			if err != nil {
				return err
			}
			if err := row(columns, values); err != nil {
				return err
			}
		}
		return nil
	}})
}
