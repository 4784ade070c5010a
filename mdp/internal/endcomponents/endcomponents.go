package mdp

import (
	"reflect"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/graph"
)

// choices is the graph of a model with its actions kept apart: state s has the
// choices stateStart[s] … stateStart[s+1]−1, and choice k the successors
// columns[rowStart[k]] … columns[rowStart[k+1]−1].
type choices struct {
	stateStart []int32
	rowStart   []int32
	columns    []int32
}

// newChoices lists the choices of a model; those of a table are its own arrays.
func newChoices(model Explicit) *choices {
	if table, ok := tableOf(model); ok {
		return &choices{stateStart: table.stateStart, rowStart: table.rowStart, columns: table.columns}
	}
	c := &choices{stateStart: []int32{0}, rowStart: []int32{0}}
	var row []Entry
	for s := range model.NumStates() {
		for a := range model.NumActions(s) {
			row, _ = model.AppendRow(row[:0], s, a)
			for _, e := range row {
				c.columns = append(c.columns, e.State)
			}
			c.rowStart = append(c.rowStart, int32(len(c.columns)))
		}
		c.stateStart = append(c.stateStart, int32(len(c.rowStart)-1))
	}
	return c
}

// tableOf returns the table that a model is, or consists of. A type outside this
// package that embeds a table is none: it may have backups or rows of its own.
func tableOf(model Model) (*Table, bool) {
	holder, ok := model.(interface{ table() *Table })
	if !ok {
		return nil, false
	}
	kind := reflect.TypeOf(model)
	if kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	return holder.table(), kind.PkgPath() == reflect.TypeFor[Table]().PkgPath()
}

// table lets tableOf find the table inside a Compiled.
func (t *Table) table() *Table { return t }

// next returns the successors of choice k.
func (c *choices) next(k int32) []int32 { return c.columns[c.rowStart[k]:c.rowStart[k+1]] }

// outside marks states of no component, in endComponents.
const outside = -1

// endComponents are the maximal end components of a model: the largest sets of
// states with some of their actions in which one can stay for ever and get from
// any state to any other (de Alfaro 1997).
type endComponents struct {
	count     int
	component []int32 // of each state, outside for none
	stays     []bool  // of each choice: it keeps to the component of its state
}

// endComponents finds the maximal end components among the states that are
// kept, with the actions that cannot leave them; nil keeps all.
func (c *choices) endComponents(kept []bool) *endComponents {
	allowed := make([]bool, len(c.rowStart)-1)
	for s := range len(c.stateStart) - 1 {
		for k := c.stateStart[s]; k < c.stateStart[s+1]; k++ {
			allowed[k] = kept == nil || kept[s] //nolint:gocritic // an empty kept keeps nothing
		}
	}
	if kept != nil {
		c.forbid(allowed, func(from, to int32) bool { return kept[from] && !kept[to] })
	}
	return c.endComponentsOf(allowed)
}

// endComponentsOf finds the maximal end components of the allowed choices.
//
// Strongly connected components are found again and again, each time without
// the actions that may leave the component of their state, until there are no
// such actions.
func (c *choices) endComponentsOf(allowed []bool) *endComponents {
	var (
		count     int
		component []int32
	)
	var before *predecessors
	for again := true; again; {
		count, component = c.graph(allowed).Components()
		again = c.forbid(allowed, func(from, to int32) bool { return component[from] != component[to] })
		if again {
			if before == nil {
				before = c.predecessors()
			}
			c.forbidLosing(before, c.withChoice(allowed), make([]bool, len(component)), allowed)
		}
	}
	// Components that no allowed action belongs to are single states in which
	// one cannot stay.
	number := make([]int32, count)
	found := int32(0)
	for s := range component {
		old := component[s]
		component[s] = outside
		for k := c.stateStart[s]; k < c.stateStart[s+1]; k++ {
			if allowed[k] {
				if number[old] == 0 {
					found++
					number[old] = found
				}
				component[s] = number[old] - 1
				break
			}
		}
	}
	return &endComponents{count: int(found), component: component, stays: allowed}
}

// withChoice returns the states that have an allowed choice.
func (c *choices) withChoice(allowed []bool) []bool {
	with := make([]bool, len(c.stateStart)-1)
	for s := range with {
		with[s] = slices.Contains(allowed[c.stateStart[s]:c.stateStart[s+1]], true)
	}
	return with
}

// forbid takes back the allowed choices with a transition that leaves, and
// reports whether there were any.
func (c *choices) forbid(allowed []bool, leaves func(from, to int32) bool) bool {
	found := false
	for s := range int32(len(c.stateStart) - 1) {
		for k := c.stateStart[s]; k < c.stateStart[s+1]; k++ {
			if !allowed[k] {
				continue
			}
			for _, j := range c.next(k) {
				if leaves(s, j) {
					allowed[k], found = false, true
					break
				}
			}
		}
	}
	return found
}

// graph returns the graph of the allowed choices; nil allows all.
func (c *choices) graph(allowed []bool) *graph.Graph {
	n := len(c.stateStart) - 1
	g := graph.New(n)
	for s := range int32(n) {
		for k := c.stateStart[s]; k < c.stateStart[s+1]; k++ {
			if allowed != nil && !allowed[k] { //nolint:gocritic // an empty allowed allows nothing
				continue
			}
			for _, j := range c.next(k) {
				if j != s {
					g.Add(j)
				}
			}
		}
		g.EndState()
	}
	return g
}
