package model

// Policies as rules: a decision tree over the variables of states, and what it costs.

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/soon"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/answer"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/rules"
)

// ruled is a model whose policies can be rules.
type ruled struct {
	*named
	variables []string
	values    [][]int64 // of each variable, by state; false is 0, true 1
	truth     []bool    // by variable: whether it is Boolean
}

// mostActions is how many actions rules tell apart.
const mostActions = 100

// newRuled prepares a model for rules. It refuses a model whose policies cannot be rules.
func newRuled(a *ui.Arguments, m *modelfile.Model) *ruled {
	names, values := m.Valuations()
	switch {
	case m.NumChoices() == m.NumStates():
		a.Fault(policyOut, "the model has no choices, and so no rules: use .json or .csv")
	case names == nil:
		a.Fault(policyOut, "the states of the model have no variables, and so no rules: use .json or .csv")
	}
	r := &ruled{named: namedActions(m), variables: names, values: make([][]int64, len(names)), truth: make([]bool, len(names))}
	for s := range m.NumStates() {
		for i, text := range values(s) {
			x, err := strconv.ParseInt(text, 10, 64)
			isTruth := text == "true" || text == "false"
			if err != nil && !isTruth || s > 0 && isTruth != r.truth[i] {
				a.Fault(policyOut, "variable %s is %s in state %d: rules need whole numbers, or true and false in all states",
					wording.Quote(names[i]), wording.Quote(text), s)
			}
			if r.truth[i] = isTruth; text == "true" {
				x = 1
			}
			r.values[i] = append(r.values[i], x)
		}
		for k := m.StateStart[s] + 1; k < m.StateStart[s+1]; k++ {
			if slices.Contains(r.of[m.StateStart[s]:k], r.of[k]) {
				a.Fault(policyOut, "state %s has several actions %s: rules need a name for each", m.StateName(s), wording.Quote(m.ActionName(s, int(k))))
			}
		}
	}
	if r.decided > mostActions {
		a.Fault(policyOut, "the model has actions of %d names, and rules tell apart %d: use .json or .csv", r.decided, mostActions)
	}
	return r
}

// condition words the question whether a variable is at most a bound, or above it.
func (r *ruled) condition(variable int, bound int64, above bool) string {
	name := plainName(r.variables[variable])
	switch {
	case r.truth[variable] && above:
		return name
	case r.truth[variable]:
		return "not " + name
	case above:
		return fmt.Sprintf("%s > %d", name, bound)
	}
	return fmt.Sprintf("%s <= %d", name, bound)
}

// plainName returns a name, in quotation marks unless it is one word.
func plainName(name string) string {
	isPart := func(r rune) bool {
		return strings.ContainsRune("_-.'", r) || unicode.IsLetter(r) || unicode.IsNumber(r)
	}
	if strings.TrimFunc(name, isPart) == "" {
		return name
	}
	return strconv.Quote(name)
}

// policy returns the policy of rules. A state without the action of its rule takes its
// first one.
func (r *ruled) policy(tree *rules.Tree) []int32 {
	policy := make([]int32, r.model.NumStates())
	for s := range policy {
		own := r.of[r.model.StateStart[s]:r.model.StateStart[s+1]]
		policy[s] = int32(max(slices.Index(own, tree.Leaf(r.values, s).Action), 0))
	}
	return policy
}

// grow returns rules that agree with the best policy in every state that this policy reaches from
// the initial ones. It returns rules that agree with it everywhere if those are no more.
func (r *ruled) grow(a *ui.Arguments, s *solution) *rules.Tree {
	policy := s.result.Policy
	met := answer.Reached(under(a, s.path, mdp.Policy{Actions: policy}, r.model), s.Ends)
	for _, end := range s.Ends {
		met[end] = false
	}
	needed, all := slices.Repeat([]int32{-1}, len(policy)), slices.Repeat([]int32{-1}, len(policy))
	for i, first := range r.model.StateStart[:len(policy)] {
		if r.model.StateStart[i+1]-first == 1 {
			continue // nothing to decide
		}
		if all[i] = r.of[first+policy[i]]; met[i] {
			needed[i] = all[i]
		}
	}
	tree, err := soon.Do(a.CLI.Context, 0, func() (*rules.Tree, error) {
		tree, err := rules.Grow(r.values, needed)
		if whole, fault := rules.Grow(r.values, all); err == nil && fault == nil && whole.Leaves() <= tree.Leaves() {
			tree = whole
		}
		return tree, err
	})
	if ui.EndedEarly(err) {
		a.Fail(s.solveFault(ui.Method{}, err))
	} else if err != nil {
		a.Fault(policyOut, "%s: use .json or .csv", strings.TrimPrefix(err.Error(), "rules: "))
	}
	return tree
}

// writeRules writes the policy of a solution as rules, and sets the line of text about them.
func (f *policyFile) writeRules(a *ui.Arguments, s *solution) error {
	r := newRuled(a, s.Model)
	tree := r.grow(a, s)
	leaves := tree.Leaves()
	s.rules = wording.Count(leaves, "rule") + ": the policy wherever it has a choice, in states that it reaches from the initial ones"
	if f.most > 0 && f.most < leaves {
		simple, err := soon.Do(a.CLI.Context, 0, func() (*rules.Tree, error) { return r.simplified(s, tree, f.most) })
		if ui.EndedEarly(err) {
			err = s.solveFault(ui.Method{}, err)
		}
		if err != nil {
			return err
		}
		cost, err := r.cost(a, s, simple)
		if err != nil {
			return err
		}
		tree, s.rules = simple, fmt.Sprintf("%s in place of %d: %s", wording.Count(simple.Leaves(), "rule"), leaves, cost)
	}
	return f.Write(func(w io.Writer) error {
		i := s.result.Initial
		if _, err := fmt.Fprintf(w, "# %s: %s%s from state %s\n# %s\n", s.title(),
			s.valueText(i, ui.Interval(s.result.Lower[i], s.result.Upper[i])), s.unit(), s.Model.StateName(i), s.rules); err != nil {
			return err
		}
		return tree.Write(w, r.condition, func(action int32) string { return plainName(r.names[action]) })
	})
}

// cost evaluates the policy of rules, and says how far its value is from the optimum.
func (r *ruled) cost(a *ui.Arguments, s *solution, tree *rules.Tree) (string, error) {
	chain := under(a, s.path, mdp.Policy{Actions: r.policy(tree)}, r.model)
	of := &solution{asked: asked{path: s.path, Asked: s.In(chain)}}
	if err := of.solve(a.CLI, readMethod(a)); err != nil {
		return "", err
	}
	what, i := "total", s.result.Initial
	if s.HasGain() {
		what = "average"
	}
	lower, upper := of.result.Lower[i], of.result.Upper[i]
	return fmt.Sprintf("their %s is %s%s%s; a state without the action of its rule takes its first one", what,
		of.valueText(i, ui.Interval(lower, upper)), of.unit(), excessText(s.IsMaximized(), s.result.Lower[i], s.result.Upper[i], lower, upper)), nil
}

// excessText says by how much a value between bounds is worse than the optimum, in percent
// unless the optimum may be 0; "" where it may be infinite.
func excessText(maximized bool, bestLower, bestUpper, lower, upper float64) string {
	side := "above"
	if maximized {
		bestLower, bestUpper, lower, upper, side = -bestUpper, -bestLower, -upper, -lower, "below"
	}
	down := func(x float64) float64 { return math.Nextafter(x, math.Inf(-1)) }
	up := func(x float64) float64 { return math.Nextafter(x, math.Inf(1)) }
	unit, least, most := "", down(lower-bestUpper), up(upper-bestLower)
	if bestLower > 0 || bestUpper < 0 {
		const percent = 100
		small, large := min(math.Abs(bestLower), math.Abs(bestUpper)), max(math.Abs(bestLower), math.Abs(bestUpper))
		unit, least, most = " %", down(down(least/large)*percent), up(up(most/small)*percent)
	}
	if !(least > math.Inf(-1) && most < math.Inf(1)) { // also NaN
		return ""
	}
	return ", " + ui.Interval(max(least, 0), most) + unit + " " + side + " the optimum" // no policy is better
}
