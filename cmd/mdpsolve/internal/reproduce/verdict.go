// This file explains cells that differ from the printed ones.

package reproduce

import (
	"context"
	"fmt"
	"math"
)

// Verdicts on cells that differ: stopping error, erratum, or unexplained.

// judge finds a verdict on each cell that differs, from the printed and the computed numbers
// alone.
func (e *exhibit) judge(ctx context.Context) error {
	e.judgeCounting()
	for i, r := range e.rows {
		for _, c := range r.cells {
			if c.equal() {
				continue
			}
			if err := e.explain(ctx, i, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// judgeCounting checks whether all iteration counts are one more than computed: that is a
// way of counting, not a difference.
func (e *exhibit) judgeCounting() {
	var cells []*cell
	for _, c := range e.cells() {
		if c.column == "iterations" && c.paper+1 == printedNumber(c.printed, 0) {
			cells = append(cells, c)
		}
	}
	if len(e.rows) < 2 || len(cells) < len(e.rows) {
		return
	}
	for _, c := range cells {
		c.counted = true
	}
	e.notes = append(e.notes, fmt.Sprintf("%s: all %d numbers of iterations are one more than computed. They count as equal: "+
		"the table counts the stopping test as an iteration, but the captions of the figures do not", e.name, len(e.rows)))
}

// explain finds the verdict on a cell of the row with index i.
func (e *exhibit) explain(ctx context.Context, i int, c *cell) error {
	c.explained = true
	switch {
	case c.agreesByPaper():
		c.verdict = fmt.Sprintf("equal by the paper's method; the exact optimum is %s: "+
			"the printed value has the stopping error of the authors' iteration", c.more(c.exact))
		return nil
	case c.agreesExactly() && !math.IsNaN(c.exact):
		c.verdict = fmt.Sprintf("equal to the exact optimum; the authors' iteration stops at %s", c.more(c.paper))
		return nil
	}
	found := ""
	switch c.column {
	case "C_dynamic", "cost":
		var err error
		if found, err = e.findValue(ctx, i, c); err != nil {
			return err
		}
	case "N_max":
		found = findReading(c)
	}
	if found == "" {
		c.explained = false
		c.verdict = fmt.Sprintf("unexplained: the computed value is %s, and no other computed value matches", c.more(c.paper))
		return nil
	}
	c.verdict = "erratum: " + found
	return nil
}

// more returns a value with two decimals more than printed; whole numbers have none.
func (c *cell) more(value float64) string {
	if c.decimals() == 0 {
		return c.round(value)
	}
	return fmt.Sprintf("%.*f", c.decimals()+2, value)
}

// findValue looks for a computed cost that equals the printed one: first for the same
// parameters with the other table's number of robots, then in other rows, the nearest first.
func (e *exhibit) findValue(ctx context.Context, i int, c *cell) (string, error) {
	const where = "the optimum is %s; the printed value is that of "
	other, name := reachFixed, "the best fixed number of robots, %d (Table 1)"
	if e.reach == reachFixed {
		other, name = reachSufficient, "all robots that lower the cost, %d (Table 2)"
	}
	twin, err := solveBothWays(ctx, c.row.parameters, other)
	if err != nil {
		return "", err
	}
	paper, exact := quantities[c.column](twin)
	if c.agree(paper) || c.agree(exact) {
		return fmt.Sprintf(where+"the same parameters with "+name, c.more(c.exact), twin.exact.Parameters.Robots), nil
	}
	for distance := 1; distance < len(e.rows); distance++ {
		for _, j := range []int{i + distance, i - distance} {
			if j < 0 || j >= len(e.rows) {
				continue
			}
			paper, exact := quantities[c.column](e.rows[j].outcome)
			if c.agree(paper) || c.agree(exact) {
				return fmt.Sprintf(where+"the row %s", c.more(c.exact), e.rows[j].name), nil
			}
		}
	}
	return "", nil
}

// findReading checks whether a printed N_max is one too large.
func findReading(c *cell) string {
	greatest := c.row.outcome.exact.Measures.RobotsMax
	if printedCount(c.printed, 0) != greatest+1 {
		return ""
	}
	return fmt.Sprintf("one more than the greatest number of robots that recurs under the optimal policy, %d", greatest)
}
