// This file recomputes the cells of the exhibits.

package reproduce

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/paper"
	"github.com/mdpsolve/mdpsolve/models/static"
)

// Each cell is computed by the authors' iteration and exactly.

// outcome has all results for a row.
type outcome struct {
	fixed        static.Result
	paper, exact *robots.Solution
}

// quantities returns the values of the columns: by the paper's method, and exactly.
var quantities = map[string]func(outcome) (paper, exact float64){
	"C_static":  func(o outcome) (float64, float64) { return o.fixed.Cost, o.fixed.Cost },
	"N_static":  func(o outcome) (float64, float64) { return float64(o.fixed.Robots), float64(o.fixed.Robots) },
	"C_dynamic": func(o outcome) (float64, float64) { return o.paper.Gain, o.exact.Gain },
	"cost":      func(o outcome) (float64, float64) { return o.paper.Gain, o.exact.Gain },
	"N_min": func(o outcome) (float64, float64) {
		return float64(o.paper.Measures.RobotsMin), float64(o.exact.Measures.RobotsMin)
	},
	"N_mean": func(o outcome) (float64, float64) {
		return o.paper.Measures.RobotsMean, o.exact.Measures.RobotsMean
	},
	"N_max": func(o outcome) (float64, float64) {
		return float64(o.paper.Measures.RobotsMax), float64(o.exact.Measures.RobotsMax)
	},
	"iterations": func(o outcome) (float64, float64) { return float64(o.paper.Iterations), math.NaN() },
}

// recompute fills in all cells, with a verdict on each difference.
func recompute(ctx context.Context, exhibits []*exhibit) ([]*exhibit, error) {
	var rows []*row
	var reaches []reach
	for _, e := range exhibits {
		rows, reaches = append(rows, e.rows...), append(reaches, slices.Repeat([]reach{e.reach}, len(e.rows))...)
	}
	solved := 0
	if err := (ui.Table[outcome]{
		Rows: len(rows), AtOnce: runtime.GOMAXPROCS(0),
		Find: func(ctx context.Context, i int, _ time.Duration) (outcome, error) {
			return solveBothWays(ctx, rows[i].parameters, reaches[i])
		},
	}).Each(ctx, func(o outcome) error {
		rows[solved].outcome = o
		solved++
		return nil
	}); err != nil {
		return nil, err
	}
	for _, e := range exhibits {
		for _, r := range e.rows {
			for _, c := range r.cells {
				c.paper, c.exact = quantities[c.column](r.outcome)
			}
		}
		if err := e.judge(ctx); err != nil {
			return nil, err
		}
	}
	return exhibits, nil
}

// solveBothWays solves by the paper's method and exactly.
func solveBothWays(ctx context.Context, p robots.Parameters, reach reach) (outcome, error) {
	var o outcome
	var err error
	settings := mdp.Settings{Workers: 1} // rows are shared out, not sweeps
	if o.fixed, err = p.Static().Optimize(); err != nil {
		return o, err
	}
	switch reach {
	case reachFixed:
		p.Robots = o.fixed.Robots
	case reachSufficient:
		if p.Robots, err = robots.LeastSufficientRobots(ctx, p, settings); err != nil {
			return o, err
		}
	}
	if o.paper, err = paper.Solve(ctx, p, settings); err != nil {
		return o, err
	}
	if o.exact, err = robots.Solve(ctx, p, settings); err != nil {
		return o, err
	}
	if o.paper.Measures == nil || o.exact.Measures == nil {
		return o, fmt.Errorf("the measures of a policy for %d robots cannot be computed", p.Robots)
	}
	return o, nil
}

// agree reports whether value rounds to the printed text. A value half-way between two
// printable ones may have been printed as either.
func (c *cell) agree(value float64) bool {
	const noise = 1e-12 // relative, of the value
	unit := math.Pow(10, -float64(c.decimals()))
	return math.Abs(value-printedNumber(c.printed, 0)) <= unit/2+noise*math.Abs(value)
}

func (c *cell) agreesByPaper() bool { return c.agree(c.paper) || c.counted }

func (c *cell) agreesExactly() bool { return c.agree(c.exact) || math.IsNaN(c.exact) }

func (c *cell) equal() bool { return c.agreesByPaper() && c.agreesExactly() }

func (c *cell) record() ui.Record {
	return ui.Record{
		{"table", c.row.label},
		{"row", c.row.name},
		{"column", c.column},
		{"printed", json.Number(c.printed)},
		{"paper_method", c.paper},
		{"exact", c.exact},
		{"verdict", c.judgement()},
	}
}

func (c *cell) judgement() string {
	switch {
	case c.verdict != "":
		return c.verdict
	case c.counted:
		return "equal: the table counts one iteration more"
	}
	return "equal"
}
