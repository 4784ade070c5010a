package mdp

import (
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Sense says whether a criterion minimises or maximises. The zero value minimises.
type Sense int

// The senses.
const (
	// Minimize takes the numbers of a model for costs.
	Minimize Sense = iota
	// Maximize takes the numbers of a model for rewards. It needs an [Explicit]
	// model, and solves a table of its rows. In any other model, declare rewards as
	// negative costs and minimise.
	Maximize
)

// String returns "minimize" or "maximize".
func (s Sense) String() string {
	return named(s, []string{Minimize: "minimize", Maximize: "maximize"})
}

func (s Sense) check() error {
	if s != Minimize && s != Maximize {
		return fmt.Errorf("mdp: Sense %d is not valid: use Minimize or Maximize", int(s))
	}
	return nil
}

// rewardsAsCosts returns a table of the rows of a model with the signs of its costs
// changed, so that solvers only minimise.
func rewardsAsCosts(model Model) (Model, error) {
	explicit, ok := model.(Explicit)
	if !ok {
		return nil, fmt.Errorf("mdp: Maximize: %w: the model does not list its rows (interface Explicit): minimise negative rewards", ErrUnsupported)
	}
	r, err := rowsOf(explicit)
	if err != nil {
		return nil, err
	}
	negative := &Table{rows: r.WithCosts(vector.Scaled(r.Costs, -1)), rate: rateOf(model)}
	if table, ok := tableOf(model); ok {
		negative.ends = table.ends
	}
	return approximateTable{negative, relativeError(model)}, nil
}

// approximateTable is a table whose numbers have a relative error; 0 for none.
type approximateTable struct {
	*Table
	relativeError float64
}

// RelativeError implements [Approximate].
func (t approximateTable) RelativeError() float64 { return t.relativeError }
